/* Tables for the mode `independent`: how many bit planes, and the corrections that they leave. */
#include "bernoulli.h"

#include "base/ieee_math.h"

#include <math.h>
#include <string.h>

/* Points a group may expect. Fewer need more planes, more cost more corrections; half a point for
 * 256 lanes is near the optimum on CPUs and GPUs alike. */
#define MEAN_POINTS 0.5

/* p without the digits behind the first `bits`. */
static double first_bits(double p, uint32_t bits) {
    return ldexp(floor(ldexp(p, (int)bits)), -(int)bits);
}

/* lambda_c: the density of points that lifts the first bits of p to p. */
static double correction_density(double p, uint32_t planes) {
    const double decided = first_bits(p, planes);
    return -ieee_log1p(-(p - decided) / (1 - decided));
}

/* 0 <= x < 2^32 as a whole number and a fraction. */
static uint32_t split(double x, uint64_t *fraction) {
    *fraction = (uint64_t)(0x1p64 * (x - floor(x)));
    return (uint32_t)x;
}

/* last[] of a Poisson number: r > last[n] has the probability of more than n points, the sum of their
 * terms from the smallest on. */
static void fill_last(bernoulli_table *table, bernoulli_fractions *fractions, double mean) {
    double term[BERNOULLI_MAX_POINTS + 1], more = 0;
    term[0] = ieee_exp(-mean);
    for (uint32_t n = 1; n <= BERNOULLI_MAX_POINTS; n++)
        term[n] = term[n - 1] * mean / n;
    for (uint32_t n = BERNOULLI_MAX_POINTS; n-- > 0;) {
        more += term[n + 1];
        table->last[n] = UINT32_MAX - split(0x1p32 * more, &fractions->last[n]);
    }
}

void bernoulli_fill(bernoulli_table *table, bernoulli_fractions *fractions,
                    const double probability[], size_t classes) {
    double p[MODEL_MAX_GAPS], density[MODEL_MAX_GAPS], largest;
    uint32_t planes = 0;
    for (size_t c = 0; c < classes; c++)
        p[c] = probability[c] > 1 - 0x1p-22 ? first_bits(probability[c], 32) : probability[c];
    do {
        planes++;
        largest = 0;
        for (size_t c = 0; c < classes; c++) {
            density[c] = correction_density(p[c], planes);
            largest = fmax(largest, density[c]);
        }
    } while (planes < 32 && largest * BERNOULLI_GROUP > MEAN_POINTS);

    memset(table, 0, sizeof *table);
    memset(fractions, 0, sizeof *fractions);
    table->planes = planes;
    for (size_t c = 0; c < classes; c++) {
        table->bits[c] = (uint32_t)ldexp(p[c], (int)planes);
        table->thin[c] = split(largest > 0 ? ldexp(density[c] / largest, BERNOULLI_MARK_BITS) : 0,
                               &fractions->thin[c]);
    }
    fill_last(table, fractions, largest * BERNOULLI_GROUP);
}

bernoulli_table bernoulli_round(const bernoulli_table *table, const bernoulli_fractions *fractions,
                                uint64_t of_last, uint64_t of_thin) {
    bernoulli_table to = *table;
    for (size_t n = 0; n < BERNOULLI_MAX_POINTS; n++)
        to.last[n] -= of_last < fractions->last[n];
    for (size_t c = 0; c < MODEL_MAX_GAPS; c++)
        to.thin[c] += of_thin < fractions->thin[c];
    return to;
}
