/* The modes of Sec. 4 that compare 32-bit random numbers with thresholds: one number per spin
 * (`philox`), one for the p spins of a word (`shared`, `shared-reorder`), or one per word from
 * which an LCG makes p (`lcg`). */
#include "msc_kernels.h"

void decide_by_comparison(const msc_flips *flips, const uint32_t *threshold, const msc_shape *shape,
                          uint32_t sweep, uint32_t parity, uint32_t top, uint32_t column,
                          uint32_t width, const uint32_t *parity_of, uint32_t *accept);

/* For each class, the lanes of a word that accept. */
typedef struct {
    uint32_t lanes[SQUARE_GAPS];
} accepted;

/* Adds `lanes` to each class that accepts the number r. */
static inline void accept_number(accepted *a, uint32_t r, const uint32_t *threshold,
                                 uint32_t lanes) {
    for (uint32_t c = 0; c < SQUARE_GAPS; c++)
        if (r < threshold[c])
            a->lanes[c] |= lanes;
}

/* One site of mode `philox`: one Philox call for four lanes. */
static accepted philox_site(const msc_flips *flips, const uint32_t *threshold, uint32_t sweep,
                            uint32_t site) {
    const engine_step *const step = flips->step;
    accepted a = {{0}};
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane += 4) {
        const uint32_t quad = flips->machine_word * (MACHINE_LANES / 4) + lane / 4;
        const stream_block b =
            stream_draw(step->key, STREAM_PHILOX, site, quad, sweep, step->temperature);
        for (uint32_t n = 0; n < 4; n++)
            accept_number(&a, b.number[n], threshold, 1u << (lane + n));
    }
    return a;
}

/* Applies the numbers r_n, r_{n+1}, ... of a word's LCG to the lanes of this machine word; r_0 =
 * seed. A word of 64 lanes is two machine words, the second of which begins with r_32. */
static void lcg_word(accepted *a, const msc_flips *flips, const uint32_t *threshold, uint32_t seed,
                     uint32_t lanes, uint32_t first_lane) {
    const int second_half = flips->word > MACHINE_LANES && flips->machine_word % 2;
    uint32_t r = seed;
    if (second_half)
        for (uint32_t n = 0; n < MACHINE_LANES; n++)
            r = lcg_next(r);
    for (uint32_t n = 0; n < lanes; n++) {
        accept_number(a, r, threshold, 1u << (first_lane + n));
        r = lcg_next(r);
    }
}

/* Modes with one Philox number per word: one Philox call for each word covers four rows of a
 * column. */
static void word_rows(const msc_flips *flips, const uint32_t *threshold, uint32_t sweep,
                      uint32_t quad_of_rows, accepted rows[4]) {
    const engine_step *const step = flips->step;
    const stream_purpose purpose = flips->rng == RNG_LCG ? STREAM_LCG : STREAM_SHARED;
    const uint32_t lanes = flips->word < MACHINE_LANES ? flips->word : MACHINE_LANES;
    const uint32_t mask = lanes < MACHINE_LANES ? (1u << lanes) - 1 : UINT32_MAX;
    for (uint32_t first = 0; first < MACHINE_LANES; first += lanes) {
        const uint32_t word =
            (uint32_t)(((uint64_t)flips->machine_word * MACHINE_LANES + first) / flips->word);
        const stream_block b =
            stream_draw(step->key, purpose, quad_of_rows, word, sweep, step->temperature);
        for (uint32_t n = 0; n < 4; n++) {
            if (flips->rng == RNG_LCG)
                lcg_word(&rows[n], flips, threshold, b.number[n], lanes, first);
            else
                accept_number(&rows[n], b.number[n], threshold, mask << first);
        }
    }
}

void decide_by_comparison(const msc_flips *flips, const uint32_t *threshold, const msc_shape *shape,
                          uint32_t sweep, uint32_t parity, uint32_t top, uint32_t column,
                          uint32_t width, const uint32_t *parity_of, uint32_t *accept) {
    const uint32_t rows_each = shape->rows, columns = shape->columns;
    for (uint32_t j = 0; j < width && column + j < columns; j++)
        for (uint32_t i = 0; i < STRIP_ROWS; i += 4) {
            const uint32_t row = top + i;
            accepted rows[4] = {{{0}}};
            if (flips->rng == RNG_PHILOX)
                for (uint32_t n = 0; n < 4; n++)
                    rows[n] = philox_site(flips, threshold, sweep,
                                          (parity * rows_each + row + n) * columns + column + j);
            else
                word_rows(flips, threshold, sweep,
                          (parity * rows_each + row) / 4 * columns + column + j, rows);
            for (uint32_t n = 0; n < 4; n++) {
                const size_t k = (size_t)(i + n) * width + j;
                accept[k] = (parity_of[k] & rows[n].lanes[1]) | (~parity_of[k] & rows[n].lanes[0]);
            }
        }
}
