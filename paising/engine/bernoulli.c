/* Tables for the mode `independent`: how many bit planes, and the corrections that they leave. */
#include "bernoulli.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define STRIP_LANES  256 /* 8 words of 32 */
#define GROUP_STRIPS 32

/* With more planes any probability is as near as ALMOST_ONE. */
#define MOST_PLANES 45
#define ALMOST_ONE  (1 - 0x1p-45)

/* Points that a group may expect, so that BERNOULLI_MOST_POINTS are enough. */
#define MOST_EXPECTED 240

/* What a turn costs in which every strip of a group throws a point, in bit planes; and half a turn is idle. It was 22
 * instructions of a GPU against 36. A CPU takes more, 2.0 ns a strip against 1.2 with AVX-512 and 3.0 against 2.2 with
 * AVX2 (times of sweeps at L = 64, fitted over beta). It stays as it is: all decisions of the mode follow from it. */
#define TURN_COST 0.7

/* lambda_c: the density of points that lifts f_c / 2^K to p. */
static double correction_density(double p, uint32_t planes) {
    const double decided = ldexp(floor(ldexp(p, (int)planes)), -(int)planes);
    return -ieee_log1p(-(p - decided) / (1 - decided));
}

/* The largest density of the classes. */
static double largest_density(const double p[], size_t classes, uint32_t planes) {
    double largest = 0;
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, correction_density(p[c], planes));
    return largest;
}

static uint32_t cheapest_planes(const double p[], size_t classes, uint32_t group) {
    uint32_t cheapest = MOST_PLANES;
    double least = INFINITY;
    for (uint32_t planes = 0; planes <= MOST_PLANES && planes < least; planes++) {
        const double points_a_strip = largest_density(p, classes, planes) * STRIP_LANES;
        const double turns = points_a_strip > 0 ? points_a_strip + 0.5 : 0;
        if (points_a_strip * group <= MOST_EXPECTED && planes + TURN_COST * turns < least) {
            least = planes + TURN_COST * turns;
            cheapest = planes;
        }
    }
    return cheapest;
}

#define NEVER 0x1p-200 /* no uniform number has so many digits */

/* P(more than n) of the Poisson distribution, summed from its far end so that small ones are right. */
static void fill_tail(double more_than[], double mean) {
    double term[2 * BERNOULLI_MOST_POINTS], sum = 0;
    uint32_t terms = 1; /* behind them all are next to 0, and more_than[] is */
    term[0] = ieee_exp(-mean);
    for (; terms < 2 * BERNOULLI_MOST_POINTS && (terms <= mean || term[terms - 1] > NEVER); terms++)
        term[terms] = term[terms - 1] * (mean / terms);
    for (uint32_t n = terms - 1; n > 0; n--) {
        sum += term[n];
        if (n <= BERNOULLI_MOST_POINTS)
            more_than[n - 1] = sum < 1 ? sum : 1;
    }
}

void bernoulli_fill(bernoulli_table *table, bernoulli_classes *odd, const double probability[],
                    size_t classes, uint64_t strips) {
    double p[2 * MODEL_MAX_GAPS];
    const size_t all = odd != NULL ? 2 * classes : classes;
    for (size_t c = 0; c < all; c++)
        p[c] = fmin(probability[c], ALMOST_ONE);
    memset(table, 0, sizeof *table);
    table->group = 1;
    while (table->group < GROUP_STRIPS && 2 * table->group <= strips)
        table->group *= 2;
    table->planes = cheapest_planes(p, all, table->group);
    const double largest = largest_density(p, all, table->planes);
    for (size_t c = 0; c < all; c++) {
        const bool is_odd = c >= classes;
        uint64_t *const bits = is_odd ? &odd->bits[c - classes] : &table->bits[c];
        double *const thin = is_odd ? &odd->thin[c - classes] : &table->thin[c];
        *bits = (uint64_t)ldexp(p[c], (int)table->planes);
        *thin = largest > 0 ? correction_density(p[c], table->planes) / largest : 0;
    }
    fill_tail(table->more_than, largest * STRIP_LANES * table->group);
}
