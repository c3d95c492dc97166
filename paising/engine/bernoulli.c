/* Tables for the mode `independent`: how many bit planes, and the corrections that they leave. */
#include "bernoulli.h"

#include "base/ieee_math.h"

#include <math.h>
#include <string.h>

/* Points a group may expect. Fewer need more planes, more cost more corrections; half a point for
 * 256 lanes is near the optimum on CPUs and GPUs alike. */
#define MEAN_POINTS 0.5

/* lambda_c: the density of points that lifts floor(T / 2^(32-planes)) to T. */
static double correction_density(uint32_t threshold, uint32_t planes) {
    const uint64_t decided = (uint64_t)threshold >> (32 - planes) << (32 - planes);
    const double missing = (double)(threshold - decided);
    return -ieee_log1p(-missing / (double)((UINT64_C(1) << 32) - decided));
}

void bernoulli_fill(bernoulli_table *table, const uint32_t threshold[], size_t classes) {
    double density[MODEL_MAX_GAPS], largest;
    uint32_t planes = 0;
    do {
        planes++;
        largest = 0;
        for (size_t c = 0; c < classes; c++) {
            density[c] = correction_density(threshold[c], planes);
            largest = fmax(largest, density[c]);
        }
    } while (planes < 32 && largest * BERNOULLI_GROUP > MEAN_POINTS);

    memset(table, 0, sizeof *table);
    table->planes = planes;
    for (size_t c = 0; c < classes; c++) {
        table->bits[c] = threshold[c] >> (32 - planes);
        table->thin[c] =
            largest > 0 ? (uint32_t)lround(ldexp(density[c] / largest, BERNOULLI_MARK_BITS)) : 0;
    }

    const double mean = largest * BERNOULLI_GROUP;
    double term = ieee_exp(-mean), cumulative = 0;
    for (uint32_t n = 0; n < BERNOULLI_MAX_POINTS; n++) {
        cumulative += term;
        term *= mean / (n + 1);
        const double numbers = floor(ldexp(cumulative, 32) + 0.5);
        table->last[n] = numbers >= 0x1p32 ? UINT32_MAX : (uint32_t)(numbers - 1);
    }
}
