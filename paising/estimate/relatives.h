/* How much alike relatives still are, and what that does to the number of families.
 *
 * R / rho_t families are enough to know an error from if what a family is worth does not depend on how
 * many it has become: where the sweeps have made its members forget each other, a row is as good with few
 * families as with many. Near the transition they have not. There the largest families are those that have
 * found order first, rho_t and the energy err together, and the runs with the largest R / rho_t are those
 * which have not yet found what they should: their energy is too high, and so is their trust in it. Over
 * 2000 runs (L = 16, R = 4000, theta = 2, steps of 0.04) the correlation of e with ln rho_t is 0.01 at
 * beta = 0.2, -0.12 at 0.32, -0.46 at 0.36 and -0.83 at 0.4, and coverage falls with it.
 *
 * Relatives stand next to each other. If they are as different as strangers, the energy of n neighbours in a
 * row, summed, has n times the variance of one replica; if not, more: the kinship is the ratio, 1.03,
 * 1.12, 1.7 and 4.1 at these four. From blocks as short as families it is known to some 10%, from every
 * run, whereas the blocks of the error bars, which are long, know it to 40% only. */
#ifndef PAISING_RELATIVES_H
#define PAISING_RELATIVES_H

#include "engine/histogram.h"

/* Fewer sure families than this: one run does not know its error. */
#define TRUSTED_FAMILIES 100

typedef struct {
    double ratio;  /* of the mean square of the blocks' sums of E to that of strangers' */
    double noise;  /* its standard deviation among strangers */
    double length; /* replicas of a block */
} relatives_correlation;

/* The kinship of a population of which so many are excited (observables.h); without replicas enough, or all of one
 * energy: that of strangers. */
relatives_correlation relatives_of(const histogram *h, double excited);

/* R / rho_t, divided by 1 + RELATIVES_WEIGHT times what relatives add to the variance of the mean energy,
 * by as much as it is seen above its noise. */
double relatives_effective_families(relatives_correlation k, double population, double rho_t);

#endif
