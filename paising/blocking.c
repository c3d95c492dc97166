/* Division of a population into blocks, and the jackknife over them. */
#include "blocking.h"

#include <math.h>

double mean_family_size(const histogram *h) {
    return (double)h->family_squares / (double)h->population;
}

size_t blocking_choose(const histogram *h) {
    if (h->population < BLOCKING_FEWEST)
        return 0;
    const double length = BLOCKING_FAMILIES * mean_family_size(h);
    size_t blocks = POPULATION_BLOCKS;
    while (blocks > BLOCKING_FEWEST && (double)h->population < length * (double)blocks)
        blocks /= 2;
    return blocks;
}

double jackknife_error(const double *without, size_t n) {
    double mean = 0, squares = 0;
    for (size_t b = 0; b < n; b++)
        mean += without[b] / (double)n;
    for (size_t b = 0; b < n; b++)
        squares += (without[b] - mean) * (without[b] - mean);
    return sqrt(squares * (double)(n - 1) / (double)n);
}
