/* Means of chains over time (chain_means.h). */
#include "chain_means.h"

#include <math.h>
#include <stdlib.h>

int chain_means_create(chain_means *c, size_t temperatures, size_t chains) {
    *c = (chain_means){.temperatures = temperatures, .chains = chains};
    c->sum = calloc(temperatures * chains, sizeof *c->sum);
    return c->sum != NULL ? 0 : -1;
}

void chain_means_destroy(chain_means *c) {
    free(c->sum);
}

/* What chi-square over its degrees of freedom exceeds with the probability of CHAINS_DISAGREE_BEYOND (E. B. Wilson, M. M. Hilferty, Proc.
 * Natl. Acad. Sci. 17, 684, 1931). */
static double most_of(double freedom) {
    const double part = 2 / (9 * freedom), root = 1 - part + CHAINS_DISAGREE_BEYOND * sqrt(part);
    return root * root * root;
}

bool chain_means_agree(const chain_means *c, size_t k, double variance, double error) {
    const double *const sum = c->sum + k * c->chains;
    const double n = c->values, R = (double)c->chains;
    double mean = 0, square = 0;
    if (c->chains < 2 || c->values == 0)
        return true;
    for (size_t r = 0; r < c->chains; r++)
        mean += sum[r] / n / R;
    for (size_t r = 0; r < c->chains; r++)
        square += (sum[r] / n - mean) * (sum[r] / n - mean);
    return square / (R - 1) <= most_of(R - 1) * (R * error * error + variance / n);
}

bool chain_means_transfer(section_file *f, chain_means *c) {
    return SECTION_VALUE(f, c->values) &&
           section_transfer(f, c->sum, c->temperatures * c->chains * sizeof *c->sum);
}
