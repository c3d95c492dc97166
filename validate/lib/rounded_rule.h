/* Thresholds of a step, rounded at random as rounding.h defines it. */
#ifndef PAISING_ROUNDED_RULE_H
#define PAISING_ROUNDED_RULE_H

#include "engine/engine.h"

/* Number n, 0 or 1, of a step. */
static inline uint64_t rounding_number(const engine_step *step, size_t n) {
    const stream_block b = stream_draw(step->key, STREAM_ROUNDING, 0, 0, 0, step->temperature);
    return b.number[2 * n] + ((uint64_t)b.number[2 * n + 1] << 32);
}

/* A threshold with its fraction and what that has behind it, for a lattice in a sweep. */
static inline uint32_t defined_rounding(const engine_step *step, uint32_t lattice, uint32_t sweep,
                                        uint32_t threshold, uint64_t fraction, uint64_t rest) {
    uint64_t u = rounding_number(step, 0);
    if (rounding_number(step, 1) < rest)
        fraction++;
    u += UINT64_C(0xc13fa9a902a6328f) * lattice;      /* 2^64 0.7548776662466927, odd */
    u += UINT64_C(0x91e10da5c79e7b1d) * (sweep / 16); /* its square */
    return u < fraction ? threshold + 1 : threshold;
}

/* The threshold of change c for a lattice in a sweep; and of sites with an odd number of bonds. */
static inline uint32_t defined_threshold(const engine_step *step, uint32_t lattice, uint32_t sweep,
                                         size_t c) {
    const flip_rule *const r = &step->rule;
    return defined_rounding(step, lattice, sweep, r->threshold[c], r->fraction[c], r->rest[c]);
}

static inline uint32_t defined_odd_threshold(const engine_step *step, uint32_t lattice,
                                             uint32_t sweep, size_t c) {
    const odd_site_flips *const r = &step->rule.odd;
    return defined_rounding(step, lattice, sweep, r->threshold[c], r->fraction[c], r->rest[c]);
}

#endif
