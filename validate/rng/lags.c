/* Bits of a sequence against themselves, lag by lag: 64 pairs a machine word. */
#include "lags.h"

#include <math.h>
#include <stdlib.h>

/* Bit n of plane b is bit b of number n. A word of zeros follows. */
static void fill_plane(uint64_t *plane, const uint32_t numbers[], size_t words, uint32_t bit) {
    for (size_t w = 0; w < words; w++) {
        plane[w] = 0;
        for (size_t n = 0; n < 64; n++)
            plane[w] |= (uint64_t)(numbers[64 * w + n] >> bit & 1) << n;
    }
    plane[words] = 0;
}

/* How often bits `lag` apart differ, of the first 64 `words` pairs. */
static uint64_t differences(const uint64_t *plane, size_t words, uint32_t lag) {
    const uint64_t *const later = plane + lag / 64;
    const uint32_t shift = lag % 64;
    uint64_t sum = 0;
    for (size_t w = 0; w < words; w++) {
        /* two shifts: one of 64 is not defined */
        const uint64_t moved = later[w] >> shift | later[w + 1] << 1 << (63 - shift);
        sum += (uint64_t)__builtin_popcountll(plane[w] ^ moved);
    }
    return sum;
}

int lags_scan(const uint32_t numbers[], size_t count, lag_finding *worst) {
    const size_t words = count / 64, compared = words - LAGS_MOST / 64;
    const double pairs = 64.0 * (double)compared;
    uint64_t *const plane = malloc((words + 1) * sizeof *plane);
    *worst = (lag_finding){0};
    if (!plane)
        return -1;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint64_t differ[LAGS_MOST + 1];
        fill_plane(plane, numbers, words, bit);
#pragma omp parallel for
        for (uint32_t lag = 1; lag <= LAGS_MOST; lag++)
            differ[lag] = differences(plane, compared, lag);
        for (uint32_t lag = 1; lag <= LAGS_MOST; lag++) {
            const double z = (pairs - 2 * (double)differ[lag]) / sqrt(pairs);
            if (fabs(z) > fabs(worst->z))
                *worst = (lag_finding){z, lag, bit};
        }
    }
    free(plane);
    return 0;
}
