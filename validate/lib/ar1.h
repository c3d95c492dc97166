/* Series whose autocorrelation is known. */
#ifndef PAISING_AR1_H
#define PAISING_AR1_H

#include "engine/streams.h"

#include <math.h>
#include <stddef.h>

/* Writes series number `series` of a kind: x[n] of unit variance and mean 0 with <x_0 x_t> = a^t. */
static inline void ar1_series(double x[], size_t n, double a, uint32_t series) {
    const stream_key key = {{2017, (uint32_t)(1000 * a)}};
    for (size_t t = 0; t < n; t++) {
        const stream_block b = stream_philox(key, (uint32_t)t, series, 0, 0);
        const double radius = sqrt(-2 * log((b.number[0] + 0.5) * 0x1p-32)),
                     angle = 2 * acos(-1) * b.number[1] * 0x1p-32,
                     noise = radius * cos(angle); /* Box and Muller */
        x[t] = t == 0 ? noise : a * x[t - 1] + sqrt(1 - a * a) * noise;
    }
}

#endif
