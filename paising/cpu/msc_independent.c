/* Mode `independent`: each of the 32 lanes of a word gets an exact random decision of its own from
 * bit planes and a correction (bernoulli.h), in the order that streams.h lays down.
 *
 * A vector of columns draws at once. The MWC states of its even columns stand in the 64-bit lanes
 * of one vector, those of its odd columns in another, so that the 32-bit outputs of both interleave
 * into a vector of words without a shuffle. */
#include "msc_sweep.h"

typedef struct {
    vec64 even, odd; /* states of the even and of the odd columns */
} mwc_vector;

/* mwc_next of every column. */
static inline vec32 draw_words(mwc_vector *mwc) {
    const vec64 multiplier = MWC_MULTIPLIER - (vec64){0};
    const vec64 low_half = UINT32_MAX - (vec64){0};
    const vec64 even_carry = mwc->even >> 32, odd_carry = mwc->odd >> 32;
    const vec64 even_word = mwc->even ^ even_carry;     /* x ^ c in the low halves */
    const vec64 odd_word = mwc->odd ^ (mwc->odd << 32); /* x ^ c in the high halves */
    mwc->even = vec_multiply_low(mwc->even, multiplier) + even_carry;
    mwc->odd = vec_multiply_low(mwc->odd, multiplier) + odd_carry;
    return (vec32)((even_word & low_half) | (odd_word & ~low_half));
}

/* Where the state of a column stands among those of its vector. */
static inline uint32_t state_index(uint32_t column) {
    return column % 2 * (VECTOR_WORDS / 2) + column / 2;
}

void MSC_NAME(seed_strips)(msc_lattice *lattice, const msc_flips *flips) {
    for (uint32_t strip = 0; strip < lattice->size / STRIP_ROWS; strip++) {
        uint64_t *const streams = lattice->streams + strip * lattice_strip_states(lattice->size);
        for (uint32_t j = 0; j < lattice->columns; j++) {
            const stream_block seed =
                stream_draw(flips->step->key, STREAM_MWC, strip * lattice->columns + j,
                            flips->machine_word, 0, flips->step->temperature);
            streams[j / VECTOR_WORDS * VECTOR_WORDS + state_index(j % VECTOR_WORDS)] =
                mwc_seed(seed.number[0], seed.number[1]);
        }
    }
}

/* Throws the correction points of one column, which has drawn `number` for how many they are. */
static void correct_column(flip_decision *decision, uint32_t column, uint32_t number,
                           uint64_t *state, const bernoulli_table *table) {
    for (uint32_t n = 0; n < BERNOULLI_MAX_POINTS && number > table->last[n]; n++) {
        const uint32_t point = mwc_next(state);
        const uint32_t lane = 1u << point % 32, row = point / 32 % STRIP_ROWS;
        const uint32_t mark = point >> (32 - BERNOULLI_MARK_BITS);
        const uint32_t parity = decision->parity[row][column];
        const uint32_t counts =
            (mark < table->thin[0] ? ~parity : 0) | (mark < table->thin[1] ? parity : 0);
        decision->accept[row][column] |= counts & lane;
    }
}

void MSC_NAME(decide_independent)(flip_decision *decision, uint64_t *streams,
                                  const bernoulli_table *table) {
    mwc_vector mwc;
    memcpy(&mwc, streams, sizeof mwc);

    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        decision->accept[i] = (vec32){0};
    for (uint32_t plane = 0; plane < table->planes; plane++) {
        const uint32_t bit_0 = table->bits[0] >> plane & 1, bit_1 = table->bits[1] >> plane & 1;
        if (bit_0 == bit_1) {
            if (bit_0)
                for (uint32_t i = 0; i < STRIP_ROWS; i++)
                    decision->accept[i] |= draw_words(&mwc);
            else
                for (uint32_t i = 0; i < STRIP_ROWS; i++)
                    decision->accept[i] &= draw_words(&mwc);
        } else {
            /* The threshold's bit is that of the lane's class. */
            const vec32 flip = (bit_0 ? UINT32_MAX : 0) - (vec32){0};
            for (uint32_t i = 0; i < STRIP_ROWS; i++)
                decision->accept[i] =
                    vec_majority(draw_words(&mwc), decision->accept[i], decision->parity[i] ^ flip);
        }
    }

    const vec32 numbers = draw_words(&mwc);
    memcpy(streams, &mwc, sizeof mwc);
    for (uint32_t column = 0; column < VECTOR_WORDS; column++)
        if (numbers[column] > table->last[0])
            correct_column(decision, column, numbers[column], streams + state_index(column), table);
}
