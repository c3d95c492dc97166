/* The weights of one step in inverse temperature, before anything is drawn (eqs. 1, 2, 8). Replicas
 * of one energy have one weight, so that every sum is over the occupied energy levels, not over the
 * replicas.
 *
 * h is the histogram of the population at beta, which must not be empty; dbeta = beta' - beta. Of fine energies sums are exact
 * (engine/fine_weights.h), and ln Q, overlap and copies need no levels where an engine has added up the weights. */
#ifndef PAISING_RESAMPLING_H
#define PAISING_RESAMPLING_H

#include "engine/engine.h"

#include <stdbool.h>

/* ln Q(beta, beta'), the estimated log-ratio of the partition functions (eq. 1). */
double resampling_ln_q(const histogram *h, double dbeta);

/* Fills tau_hat[n] for each occupied level n; tau_hat has h->levels.count elements, of which the
 * others are not written. tau-hat is the expected number of copies of a replica, (target / R)
 * exp(-dbeta E_n) / Q (eq. 2), rounded to 32.32 fixed point. It is at most `target`, the target
 * population size, and is capped at 2^31. Returns ln Q. */
double resampling_tau_hat(const histogram *h, double dbeta, uint64_t target, uint64_t *tau_hat);

/* Fills *copies, by which an engine makes the same tau-hat. Returns false if the report has no weights for the step
 * (histogram.next). */
bool resampling_copies(const histogram *h, double dbeta, uint64_t target, expected_copies *copies);

/* The line of the parents for a rule (line.h), from tau_hat[]; NULL: from the report's weights for the step, where
 * resampling_copies was true. The number of points is `target` less the children that parents have for sure. Rules that use no
 * line get an empty one. */
parent_line resampling_line(const histogram *h, resampling_rule rule, const uint64_t *tau_hat,
                            uint64_t target);

/* The overlap of the energy histograms at beta and beta' (eq. 8), between 0 and 1:
 *     alpha = (1/R) sum_j min(1, exp(-dbeta E_j) / Q).
 * It is 1 at dbeta = 0 and falls from there. The factor R / R_{i-1} of eq. (8) is left out: with it
 * the overlap at dbeta = 0 can be below the target overlap, and no step would reach the target. */
double resampling_overlap(const histogram *h, double dbeta);

/* The standard deviation of the energy, in the units of the energy levels. */
double resampling_spread(const histogram *h);

/* The effective number of replicas that carry the weights of the step, (sum w)^2 / sum w^2 with w =
 * exp(-dbeta E): R at dbeta = 0, and falling from there. */
double resampling_carriers(const histogram *h, double dbeta);

#endif
