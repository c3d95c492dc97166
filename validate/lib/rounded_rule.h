/* Thresholds of a step, rounded at random as rounding.h defines it. */
#ifndef PAISING_ROUNDED_RULE_H
#define PAISING_ROUNDED_RULE_H

#include "engine/engine.h"

/* Number n, 0 or 1, of a step. */
static inline uint64_t rounding_number(const engine_step *step, size_t n) {
    const stream_block b = stream_draw(step->key, STREAM_ROUNDING, 0, 0, 0, step->temperature);
    return b.number[2 * n] + ((uint64_t)b.number[2 * n + 1] << 32);
}

/* The threshold of class c for a lattice in a sweep. */
static inline uint32_t defined_threshold(const engine_step *step, uint32_t lattice, uint32_t sweep,
                                         size_t c) {
    uint64_t fraction = step->rule.fraction[c];
    uint64_t u = rounding_number(step, 0);
    if (rounding_number(step, 1) < step->rule.rest[c])
        fraction++;
    u += UINT64_C(0xc13fa9a902a6328f) * lattice;      /* 2^64 0.7548776662466927, odd */
    u += UINT64_C(0x91e10da5c79e7b1d) * (sweep / 16); /* its square */
    return u < fraction ? step->rule.threshold[c] + 1 : step->rule.threshold[c];
}

#endif
