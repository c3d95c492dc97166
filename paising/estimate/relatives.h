/* The correlation of relatives, and the effective number of families.
 *
 * If sweeps make the members of a family independent, a row with few families is as good as one
 * with many. R / rho_t families then suffice to know an error. Near a transition they do not. There
 * the largest families are those that found order first, so that rho_t and the energy err together.
 * The runs with the largest R / rho_t are then those that have not found the order yet: their
 * energy is too high, and they are trusted too much.
 *
 * Relatives are neighbours in the population. If they are independent, the energy summed over n
 * neighbours has n times the variance of one replica; if not, more. The ratio is the correlation of
 * relatives: it grows from 1 to several towards the transition. From blocks as short as families
 * each run knows it to about 10%. The blocks of the error bars are long, and know it to 40% only. */
#ifndef PAISING_RELATIVES_H
#define PAISING_RELATIVES_H

#include "engine/histogram.h"

/* The least number of effective families at which one run knows its error. */
#define TRUSTED_FAMILIES 100

typedef struct {
    double ratio;  /* mean square of the blocks' sums of E, relative to that of independent
                    * replicas */
    double noise;  /* standard deviation of the ratio for independent replicas */
    double length; /* replicas in a block */
} relatives_correlation;

/* The correlation of relatives of a population with `excited` excited replicas (observables.h).
 * With too few replicas, or a single energy, the result is that of independent replicas. */
relatives_correlation relatives_of(const histogram *h, double excited);

/* R / rho_t, divided by 1 + RELATIVES_WEIGHT times the excess of the variance of the mean energy.
 * Only the part of the excess above its noise counts. */
double relatives_effective_families(relatives_correlation k, double population, double rho_t);

#endif
