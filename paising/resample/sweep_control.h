/* Adaptive sweeps: theta at each temperature is decided in the first run, from its population. It
 * is larger where members of a family stay correlated for longer.
 *
 * Resampling makes copies, sweeps make the copies independent. The energy shows how far: if all
 * replicas were independent, the sum of E over the descendants of n founders would have n times the
 * variance of one replica. The excess is the redundancy R / R_eff, at any family size. From 256
 * blocks of founders it is known to 10% as long as there are as many families. (R_eff in the data
 * files is that of the error bars, whose blocks must be longer than families. Where families are
 * large it is known to 30% only.)
 *
 * Steps add copies. Where relaxation is slow, R / R_eff - 1 falls as 1 / theta: one more sweep
 * lowers it by (R / R_eff - 1) / theta. In steps of equal dbeta sigma_E, the variance of beta F is
 * proportional to the sum of R / R_eff over the temperatures. For a given total of sweeps it is
 * smallest if one more sweep gains the same, g, at each temperature:
 *
 *   R / R_eff = 1 + g theta.
 *
 * theta approaches this with the value of r = R / R_eff extrapolated to the next temperature:
 *
 *   theta' = theta (r r / r_before) / (1 + g theta),
 *
 * limited to a factor of SWEEP_CONTROL_LARGEST_FACTOR per step, and to the range from 1 to a
 * maximum. Without the extrapolation theta rises too late and too far, because r lags the steps by
 * some temperatures. */
#ifndef PAISING_SWEEP_CONTROL_H
#define PAISING_SWEEP_CONTROL_H

#include "engine/histogram.h"

/* The largest factor by which theta changes, up or down, from one temperature to the next. */
#define SWEEP_CONTROL_LARGEST_FACTOR 4

typedef struct {
    double gain;       /* g; 0: theta is not adaptive */
    uint32_t most;     /* the largest theta */
    double theta;      /* as last decided, before rounding */
    double redundancy; /* R / R_eff at that decision; 1 before the first */
} sweep_control;

/* R / R_eff of the energy, from blocks of founders, between 1 and R; 1 for a population of one
 * energy. */
double sweep_control_redundancy(const histogram *h);

/* Begins at theta = 1, because the replicas at beta = 0 are independent. gain: g; most: the largest
 * theta. */
sweep_control sweep_control_start(double gain, uint32_t most);

/* Returns theta for the next temperature; `redundancy` is R / R_eff at this one. */
uint32_t sweep_control_next(sweep_control *c, double redundancy);

#endif
