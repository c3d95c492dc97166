/* Thresholds rounded at random: decisions by 32-bit numbers with exact probabilities.
 *
 * A number r is below a threshold T with the probability T / 2^32, but 2^32 p = t + f has a fraction,
 * 0 <= f < 1. Cut off, it leaves exp(-8 beta) a tenth too small at beta = 2.5, and 0 above 2.77. So the
 * threshold is T = t + (u < f), u uniform in [0, 1), and P(r < T) = (t + f) / 2^32 = p. Lattices (in MSC
 * the 32 of a machine word together) have a u of their own for every 16 sweeps, a turn,
 *     u = u_0 + lattice / rho + turn / rho^2   modulo 1,    rho^3 = rho + 1,
 * with u_0 from Philox, once a temperature (streams.h): uniform, as u_0 is, and so evenly spread over lattices and turns (M.
 * Roberts' sequence R2) that close to a share f of them has T = t + 1. u and f have 64 bits. What f has behind them is
 * rounded at random likewise, once a temperature, so that p is missed by less than 2^-160: relatively by less than 2^-40 if
 * p > 2^-120, exp(-8 beta) at beta = 10, exp(-12 beta) at beta = 6.9. Only above 1 - 2^-32 there is no threshold left: such
 * a p is taken for that.
 *
 * Two decisions are not quite independent, as their T and T' are not: their covariance is
 * cov(T, T') / 2^64, at most f (1 - f) 2^-64 <= 2^-66, and their correlation at most 2^-32. It would show
 * where many flips are due to one rounding up; but the 32 N spins that share one have, in 16 sweeps,
 * 512 N / 2^32 of these: 0.0005 for L = 64, 1 for the largest lattice. */
#ifndef PAISING_ROUNDING_H
#define PAISING_ROUNDING_H

#include "model/model.h"
#include "streams.h"

#define ROUNDING_SWEEPS 16 /* of a turn */

/* 2^64 / rho and 2^64 / rho^2, odd. */
#define ROUNDING_LATTICE UINT64_C(0xc13fa9a902a6328f)
#define ROUNDING_TURN    UINT64_C(0x91e10da5c79e7b1d)

/* What the thresholds of a step are rounded from. */
typedef struct {
    uint64_t u;       /* 2^64 u_0 */
    uint64_t of_rest; /* the same for what is behind the fractions: a rest above it adds 1 */
    uint64_t fraction[MODEL_MAX_CHANGES]; /* 2^64 f; 0 where t = 2^32 - 1 */
    uint32_t whole[MODEL_MAX_CHANGES];    /* t */
} rounding;

/* The thresholds of a lattice in a turn. */
typedef struct {
    uint32_t threshold[MODEL_MAX_CHANGES]; /* accept when r < threshold */
} threshold_set;

/* 2^64 u of a lattice in the turn of a sweep; arguments as below. */
STREAM_FUNCTION uint64_t rounding_of(const rounding *from, uint32_t lattice, uint32_t sweep) {
    return from->u + lattice * ROUNDING_LATTICE + sweep / ROUNDING_SWEEPS * ROUNDING_TURN;
}

/* `lattice` counts replicas (SSC) or machine words (MSC) through the population. */
STREAM_FUNCTION threshold_set round_thresholds(const rounding *from, uint32_t lattice,
                                               uint32_t sweep) {
    const uint64_t u = rounding_of(from, lattice, sweep);
    threshold_set to;
    for (int n = 0; n < MODEL_MAX_CHANGES; n++)
        to.threshold[n] = from->whole[n] + (u < from->fraction[n]);
    return to;
}

#endif
