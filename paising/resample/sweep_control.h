/* Sweeps at each temperature that are decided in the first run, from its population: more where relatives do not
 * forget each other.
 *
 * Resampling makes relatives, sweeps make them strangers. How far they have come shows in the energy: were all
 * replicas strangers, the sum of E over the descendants of a block of founders would have the variance of as many
 * single replicas. What it has more is R / R_eff, however large families have become; from 256 blocks of founders it
 * is known to a tenth as long as there are as many families. (R_eff of the data files is that of the error bars, whose
 * blocks must be longer than families: where these are large it is known to a third.)
 *
 * theta is multiplied by what R_eff / R, k, lacks of the fraction f that is asked for, where it would be at the next
 * temperature if it went on as it came here:
 *
 *   theta' = theta f / (k k / k_before),
 *
 * by no more than a factor at a time, from 1 to a maximum. Without the look ahead theta comes too late and too
 * large: k remembers for some temperatures what families were made. */
#ifndef PAISING_SWEEP_CONTROL_H
#define PAISING_SWEEP_CONTROL_H

#include "engine/histogram.h"

/* What theta is multiplied or divided by from one temperature to the next, at most. */
#define SWEEP_CONTROL_LARGEST_FACTOR 4

typedef struct {
    double fraction; /* what R_eff / R is to be; 0: theta is not decided here */
    uint32_t most;   /* the largest theta */
    double theta;    /* as decided last, before it is rounded */
    double kept;     /* R_eff / R by which it was decided; 1 before */
} sweep_control;

/* R_eff / R of the energy by blocks of founders, from 1 / R to 1; 1 for a population of one energy. */
double sweep_control_kept(const histogram *h);

/* Begins at theta = 1, since the replicas of beta = 0 are strangers. */
sweep_control sweep_control_start(double fraction, uint32_t most);

/* theta at the next temperature, where `kept` is R_eff / R at this one. */
uint32_t sweep_control_next(sweep_control *c, double kept);

#endif
