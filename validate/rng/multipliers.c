/* Multipliers a of MWC: a 2^32 - 1 and a 2^31 - 1 are prime, so that the period is a 2^31 - 1. */
#include "base/wide.h"
#include "generators.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t times(uint64_t a, uint64_t b, uint64_t m) {
    return (uint64_t)((uint128)a * b % m);
}

/* Miller-Rabin to one base: whether the odd m may be prime. */
static bool passes(uint64_t m, uint64_t base) {
    uint64_t d = m - 1, power = 1, square = base;
    int halvings = 0;
    for (; d % 2 == 0; d /= 2)
        halvings++;
    for (; d > 0; d /= 2) {
        if (d % 2)
            power = times(power, square, m);
        square = times(square, square, m);
    }
    if (power == 1 || power == m - 1)
        return true;
    for (int n = 1; n < halvings; n++) {
        power = times(power, power, m);
        if (power == m - 1)
            return true;
    }
    return false;
}

/* The first twelve primes as bases decide all of 64 bits (J. Sorenson, J. Webster, Math. Comput. 86, 985 (2017)). */
static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

static bool no_small_factor(uint64_t m) {
    for (size_t n = 1; n < sizeof bases / sizeof *bases; n++)
        if (m % bases[n] == 0)
            return false;
    return true;
}

static bool prime(uint64_t m) {
    for (size_t n = 0; n < sizeof bases / sizeof *bases; n++)
        if (!passes(m, bases[n]))
            return false;
    return true;
}

/* m is a 2^32 - 1, and (m - 1) / 2 is a 2^31 - 1. */
static bool multiplies(uint32_t a) {
    const uint64_t m = ((uint64_t)a << 32) - 1, half = m / 2;
    return no_small_factor(m) && no_small_factor(half) && passes(m, 2) && passes(half, 2) &&
           prime(m) && prime(half);
}

#define CANDIDATES 65536 /* looked at side by side */

uint32_t mwc_multiplier(size_t n) {
    static uint32_t *known, next = UINT32_MAX;
    static size_t count;
    static bool good[CANDIDATES];
    while (count <= n) {
        uint32_t *const larger = realloc(known, (count + CANDIDATES) * sizeof *known);
        if (!larger)
            return 0;
        known = larger;
#pragma omp parallel for schedule(dynamic, 256)
        for (uint32_t k = 0; k < CANDIDATES; k++)
            good[k] = multiplies(next - k);
        for (uint32_t k = 0; k < CANDIDATES; k++)
            if (good[k])
                known[count++] = next - k;
        next -= CANDIDATES;
    }
    return known[n];
}
