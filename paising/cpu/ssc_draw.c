/* Random numbers of single-spin coding, a vector of Philox calls at a time: stream_draw() of purpose ssc, bit for bit.
 *
 * A lane of 64 bits has a word of a call in its low half. The product of low halves leaves both halves of a round's product in
 * place: the low one as it is, the high one after a shift, and what is above a word is never read. So a round takes two
 * multiplications, two shifts and four exclusive ors, and nothing is moved between lanes before the end. */
#include "ssc_draw.h"

#include "engine/ssc_numbers.h"
#include "msc_kernels.h"

#define CALLS (VECTOR_WORDS / 2) /* of a vector */
_Static_assert(DRAWN_CALLS % CALLS == 0, "whole vectors");

/* A word of the calls in all lanes. */
static inline vec64 in_all(uint32_t word) {
    return word - (vec64){0};
}

/* The words of the calls for quads `quad`, whose first two rounds depend on the place and the moment alone. */
typedef struct {
    vec64 a, b, c, d;
} philox_words;

static inline philox_words begin_calls(const ssc_keys *k, vec64 quad, uint32_t temperature,
                                       ssc_moment moment) {
    const vec64 first = vec_multiply_low(
        quad + in_all((uint32_t)STREAM_SSC << STREAM_POSITION_BITS), in_all(PHILOX_A));
    const vec64 second =
        vec_multiply_low((first >> 32) ^ in_all(temperature ^ k->word[0][1]), in_all(PHILOX_B));
    return (philox_words){(second >> 32) ^ in_all(moment.b), second, first ^ in_all(moment.high),
                          in_all(moment.low)};
}

static inline philox_words end_calls(const ssc_keys *k, philox_words w) {
#pragma GCC unroll 8
    for (int round = 2; round < PHILOX_ROUNDS; round++) {
        const vec64 by_a = vec_multiply_low(w.a, in_all(PHILOX_A)),
                    by_b = vec_multiply_low(w.c, in_all(PHILOX_B));
        w.a = (by_b >> 32) ^ w.b ^ in_all(k->word[round][0]);
        w.c = (by_a >> 32) ^ w.d ^ in_all(k->word[round][1]);
        w.b = by_b;
        w.d = by_a;
    }
    return w;
}

/* Stores the numbers, those of one call behind those of another. */
static inline void store_calls(uint32_t *number, philox_words w) {
    const vec64 first = (w.a & UINT32_MAX) | w.b << 32, second = (w.c & UINT32_MAX) | w.d << 32;
#pragma GCC unroll 8
    for (uint32_t n = 0; n < CALLS; n++) {
        const uint64_t call[2] = {first[n], second[n]};
        memcpy(number + 4 * n, call, sizeof call);
    }
}

void MSC_NAME(ssc_draw)(uint32_t *number, uint32_t first, uint32_t calls, stream_key key,
                        uint32_t replica, uint32_t sweep, uint32_t temperature) {
    const ssc_keys keys = ssc_keys_of(key);
    const ssc_moment moment = ssc_moment_of(&keys, replica, sweep);
    vec64 lane;
    for (uint32_t n = 0; n < CALLS; n++)
        lane[n] = n;
    for (uint32_t n = 0; n < calls; n += CALLS) {
        const philox_words w =
            end_calls(&keys, begin_calls(&keys, lane + in_all(first + n), temperature, moment));
        store_calls(number + 4 * (size_t)n, w);
    }
}
