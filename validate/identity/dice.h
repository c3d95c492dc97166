/* Random numbers of what is drawn for a comparison: Philox, keyed by the seed, and counted by what it
 * is that is drawn. */
#ifndef PAISING_IDENTITY_DICE_H
#define PAISING_IDENTITY_DICE_H

#include "engine/streams.h"

#include <math.h>
#include <stdbool.h>

typedef enum { DICE_CASE, DICE_OPTIONS } dice_purpose;

typedef struct {
    stream_key key;
    dice_purpose purpose;
    uint32_t n;
    uint32_t drawn;
} dice;

/* The dice of thing number n of a purpose and a seed. */
static inline dice dice_of(uint64_t seed, dice_purpose purpose, uint32_t n) {
    const dice d = {{{(uint32_t)seed, (uint32_t)(seed >> 32)}}, purpose, n, 0};
    return d;
}

static inline uint32_t draw(dice *d) {
    return stream_philox(d->key, d->drawn++, d->n, (uint32_t)d->purpose, 0).number[0];
}

/* A number from 0 to sides - 1. */
static inline uint32_t roll(dice *d, uint32_t sides) {
    return (uint32_t)((uint64_t)draw(d) * sides >> 32);
}

static inline bool chance(dice *d, uint32_t percent) {
    return roll(d, 100) < percent;
}

/* A number below 1. */
static inline double uniform(dice *d) {
    return ldexp(draw(d), -32);
}

/* A number from low to high, its logarithm uniform to the power of `smaller`: above 1 low numbers
 * come more often. */
static inline double spread(dice *d, double low, double high, double smaller) {
    return low * pow(high / low, pow(uniform(d), smaller));
}

/* A whole number from low to high, its logarithm uniform. */
static inline uint64_t spread_whole(dice *d, uint64_t low, uint64_t high) {
    const uint64_t x = (uint64_t)spread(d, (double)low, (double)high + 1, 1);
    return x < high ? x : high;
}

#endif
