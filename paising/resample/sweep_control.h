/* Sweeps at each temperature that are decided in the first run, from its population: more where relatives do not
 * forget each other.
 *
 * Resampling makes relatives, sweeps make them strangers. How far they have come shows in the energy: were all
 * replicas strangers, the sum of E over the descendants of a block of founders would have the variance of as many
 * single replicas. What it has more is the redundancy R / R_eff, however large families have become; from 256 blocks of
 * founders it is known to a tenth as long as there are as many families. (R_eff of the data files is that of the error
 * bars, whose blocks must be longer than families: where these are large it is known to a third.)
 *
 * Steps add relatives, and where relaxation is slow R / R_eff - 1 falls as 1 / theta: another sweep takes (R / R_eff - 1) /
 * theta off it. The variance of beta F, in steps of equal dbeta sigma_E, is proportional to the sum of R / R_eff over the
 * temperatures; it is smallest for so many sweeps in all if a sweep more is worth the same at each of them, a gain g:
 *
 *   R / R_eff = 1 + g theta.
 *
 * theta moves there by what R / R_eff, r, will be at the next temperature if it goes on as it came here:
 *
 *   theta' = theta (r r / r_before) / (1 + g theta),
 *
 * by no more than a factor at a time, from 1 to a maximum. Without the look ahead theta comes too late and too
 * large: r remembers for some temperatures what families were made. */
#ifndef PAISING_SWEEP_CONTROL_H
#define PAISING_SWEEP_CONTROL_H

#include "engine/histogram.h"

/* What theta is multiplied or divided by from one temperature to the next, at most. */
#define SWEEP_CONTROL_LARGEST_FACTOR 4

typedef struct {
    double gain;       /* what a sweep more is to be worth; 0: theta is not decided here */
    uint32_t most;     /* the largest theta */
    double theta;      /* as decided last, before it is rounded */
    double redundancy; /* R / R_eff by which it was decided; 1 before */
} sweep_control;

/* R / R_eff of the energy by blocks of founders, from 1 to R; 1 for a population of one energy. */
double sweep_control_redundancy(const histogram *h);

/* Begins at theta = 1, since the replicas of beta = 0 are strangers. */
sweep_control sweep_control_start(double gain, uint32_t most);

/* theta at the next temperature, where `redundancy` is R / R_eff at this one. */
uint32_t sweep_control_next(sweep_control *c, double redundancy);

#endif
