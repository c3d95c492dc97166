/* Sweeps at each temperature that are decided in the first run, from its population: more where relatives do not
 * forget each other.
 *
 * Resampling makes relatives, sweeps make them strangers. How far they have come shows in the energy: were all
 * replicas strangers, the sum of E over the descendants of a block of founders would have the variance of as many
 * single replicas. What it has more is R / R_eff, which is unbiased however large families have become, and by
 * 256 blocks of founders is known to a tenth as long as there are as many families; R_eff by the blocks of the error
 * bars, which must be longer than families, is known to a third only where families are large.
 *
 * theta follows it as the step of an integrator of differential equations follows its error, by a proportional and
 * an integral part:
 *
 *   theta' = theta (f / k)^0.6 (k_before / k)^1,      k = R_eff / R now, k_before one temperature ago,
 *
 * by no more than a factor at a time, from 1 to a maximum. k remembers theta for some temperatures, since families
 * stay; the integral part alone would come too late and oscillate. */
#ifndef PAISING_SWEEP_CONTROL_H
#define PAISING_SWEEP_CONTROL_H

#include "engine/histogram.h"

/* What theta is multiplied or divided by from one temperature to the next, at most. */
#define SWEEP_CONTROL_LARGEST_FACTOR 2

typedef struct {
    double fraction; /* what R_eff / R is to be, f; 0: theta is not decided here */
    uint32_t most;   /* the largest theta */
    double theta;    /* as decided last, before it is rounded */
    double kept;     /* R_eff / R by which it was decided; 1 before */
} sweep_control;

/* R_eff / R of the energy by blocks of founders, above 0 and at most 1; 1 for a population of one energy. */
double sweep_control_kept(const histogram *h);

/* Begins at theta = 1, since the replicas of beta = 0 are strangers. */
sweep_control sweep_control_start(double fraction, uint32_t most);

/* theta at the next temperature, where `kept` is R_eff / R at this one. */
uint32_t sweep_control_next(sweep_control *c, double kept);

#endif
