/* The correlation of relatives, from sums of the energy over blocks. */
#include "relatives.h"

#include <math.h>

/* Shorter blocks give more of them. Blocks shorter than this contain too few pairs of relatives. */
#define SHORTEST_BLOCK 8
#define FEWEST_BLOCKS  32

/* With weight 1 the number of effective families would be R_eff / rho_t. With 3, rows cease to be
 * trusted before errors of e and rho_t become correlated (by 0.2 or less there). */
#define RELATIVES_WEIGHT 3

static size_t choose_blocks(uint64_t population) {
    size_t blocks = POPULATION_BLOCKS;
    while (blocks > FEWEST_BLOCKS && population < SHORTEST_BLOCK * blocks)
        blocks /= 2;
    return blocks;
}

/* Energies are taken about their mean, so that nothing cancels. */
static double mean_energy(const histogram *h) {
    int64_t sum = 0;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        sum += h->block[b].energy;
    return (double)sum / (double)h->population;
}

static double sum_of_squares(const histogram *h, double mean) {
    double sum = 0;
    for (size_t n = h->first; n < h->end; n++) {
        const double off = (double)histogram_energy(h, n) - mean;
        sum += (double)h->level[n].replicas * off * off;
    }
    return sum;
}

static double sum_of_block_squares(const histogram *h, double mean, size_t blocks) {
    const size_t merged = POPULATION_BLOCKS / blocks;
    double sum = 0;
    for (size_t b = 0; b < blocks; b++) {
        double off = 0;
        for (size_t k = b * merged; k < (b + 1) * merged; k++)
            off += (double)h->block[k].energy - (double)h->block[k].replicas * mean;
        sum += off * off;
    }
    return sum;
}

/* The mean square of n Gaussian sums has a relative variance of 2 / n. Rare excitations, `excited`
 * in number, add 1 / excited. */
relatives_correlation relatives_of(const histogram *h, double excited) {
    const size_t blocks = choose_blocks(h->population);
    const double b = (double)blocks, length = (double)h->population / b;
    const double mean = mean_energy(h), squares = sum_of_squares(h, mean);
    if (h->population < blocks || !(squares > 0))
        return (relatives_correlation){.ratio = 1, .length = length};
    return (relatives_correlation){.ratio = sum_of_block_squares(h, mean, blocks) / squares * b /
                                            (b - 1),
                                   .noise = sqrt(2 / b + 1 / excited),
                                   .length = length};
}

/* A block shorter than a family contains only part of its pairs; `unseen` corrects for that. */
double relatives_effective_families(relatives_correlation k, double population, double rho_t) {
    const double seen = fmax(0, k.ratio - 1 - k.noise);
    const double unseen = k.length > 1 ? fmax(1, (rho_t - 1) / (k.length - 1)) : 1;
    return population / rho_t / (1 + RELATIVES_WEIGHT * seen * unseen);
}
