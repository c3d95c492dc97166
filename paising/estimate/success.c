/* Independent runs that reach an energy or miss it (success.h). */
#include "success.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define QUANTILE  1.959963984540054 /* of the normal distribution, for 95% */
#define BOOTSTRAP 1000
#define SIGMA     0.15865525393145705 /* probability below one standard deviation */

miss_estimate success_missed(size_t hits, size_t runs) {
    if (runs == 0)
        return (miss_estimate){NAN, 0, 1};
    const double n = (double)runs, p = (n - (double)hits) / n, z2 = QUANTILE * QUANTILE / n;
    const double middle = (p + z2 / 2) / (1 + z2),
                 half = sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
    return (miss_estimate){p, fmax(0, middle - half), fmin(1, middle + half)};
}

double success_runs(double missed) {
    if (missed >= 1)
        return INFINITY;
    const double enough = 1 - SUCCESS_WANTED;
    return missed <= enough ? 1 : ieee_log(enough) / ieee_log(missed);
}

/* The next number of the generator splitmix64. */
static uint64_t next_random(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The runs that reach the energy among as many, each drawn from `runs` of which `hits` do. */
static size_t resampled(size_t hits, size_t runs, uint64_t *random) {
    size_t found = 0;
    for (size_t n = 0; n < runs; n++)
        found += next_random(random) % runs < hits;
    return found;
}

static double bootstrap_error(size_t hits, size_t runs) {
    double effort[BOOTSTRAP];
    uint64_t random = 1;
    for (size_t b = 0; b < BOOTSTRAP; b++)
        effort[b] = success_runs(success_missed(resampled(hits, runs, &random), runs).missed);
    qsort(effort, BOOTSTRAP, sizeof *effort, compare);
    const size_t outside = (size_t)(SIGMA * BOOTSTRAP);
    const double error = (effort[BOOTSTRAP - 1 - outside] - effort[outside]) / 2;
    return isfinite(error) ? error : NAN;
}

success_effort success_effort_of(size_t hits, size_t runs) {
    if (runs == 0)
        return (success_effort){NAN, NAN, NAN, NAN};
    const miss_estimate p = success_missed(hits, runs);
    return (success_effort){.runs = success_runs(p.missed),
                            .error = bootstrap_error(hits, runs),
                            .least = success_runs(p.least),
                            .most = success_runs(p.most)};
}
