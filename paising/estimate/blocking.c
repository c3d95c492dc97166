/* Division of a population into blocks, and the jackknife. */
#include "blocking.h"

#include "base/portable.h"

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

/* The jackknife error from the sum and the sum of squares of the differences from the first
 * estimate; nan stays nan. */
static double error_of(double sum, double squares, double blocks) {
    const double spread = squares - sum * sum / blocks;
    return sqrt((spread < 0 ? 0 : spread) * (blocks - 1) / blocks);
}

/* Quantities per pass: the loops over them become vector instructions. */
#define AT_ONCE 64

VECTORS_OF_EACH_PROCESSOR
void jackknife_errors(const double *without, size_t n, size_t count, double error[]) {
    for (size_t first = 0; first < count; first += AT_ONCE) {
        const size_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        double sum[AT_ONCE] = {0}, squares[AT_ONCE] = {0};
        for (size_t b = 1; b < n; b++)
            for (size_t i = 0; i < some; i++) {
                const double d = without[b * count + first + i] - without[first + i];
                sum[i] += d;
                squares[i] += d * d;
            }
        for (size_t i = 0; i < some; i++)
            error[first + i] = error_of(sum[i], squares[i], (double)n);
    }
}

double jackknife_error(const double *without, size_t n) {
    double error;
    jackknife_errors(without, n, 1, &error);
    return error;
}
