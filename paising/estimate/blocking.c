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
    double sum = 0, squares = 0; /* of the differences from the first */
    for (size_t b = 1; b < n; b++) {
        const double d = without[b] - without[0];
        sum += d;
        squares += d * d;
    }
    const double blocks = (double)n, spread = squares - sum * sum / blocks;
    return sqrt((spread < 0 ? 0 : spread) * (blocks - 1) / blocks); /* nan stays nan */
}
