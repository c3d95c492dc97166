/* What a step in inverse temperature does to a population: its weights, before anything is drawn
 * (eqs. 1, 2, 8). Replicas of one energy have one weight, so that everything here is a sum over the
 * occupied energy levels, not over the replicas.
 *
 * h is the histogram of the population at beta, which must not be empty; dbeta = beta' - beta. */
#ifndef PAISING_RESAMPLING_H
#define PAISING_RESAMPLING_H

#include "engine/engine.h"

/* ln Q(beta, beta'), the estimated ln of the ratio of the partition functions (eq. 1). */
double resampling_ln_q(const histogram *h, double dbeta);

/* Fills tau_hat[n], for each occupied level n of tau_hat[h->levels.count], with the expected number
 * of copies of a replica, tau-hat = (target / R) exp(-dbeta E_n) / Q (eq. 2), rounded to 32.32
 * fixed point. Other levels are left as they are. tau-hat is at most `target`, the target
 * population size; from 2^31 on it would be cut off there. Returns ln Q. */
double resampling_tau_hat(const histogram *h, double dbeta, uint64_t target, uint64_t *tau_hat);

/* The line of the parents by a rule (line.h), whose tau-hat stand in tau_hat[]: target children, less those that
 * parents have for sure, fall on it. Nothing by rules that have none. */
parent_line resampling_line(const histogram *h, resampling_rule rule, const uint64_t *tau_hat,
                            uint64_t target);

/* The overlap of the energy histograms at beta and beta', between 0 and 1 (eq. 8):
 *     alpha = (1/R) sum_j min(1, exp(-dbeta E_j) / Q),
 * which is 1 at dbeta = 0 and falls from there. The factor R / R_{i-1} of eq. (8) is left out: with
 * it the overlap at dbeta = 0 can be below the one that is asked for, and there is no solution. */
double resampling_overlap(const histogram *h, double dbeta);

/* The standard deviation of the energy. */
double resampling_spread(const histogram *h);

/* How many of the replicas carry the weights of the step, (sum w)^2 / sum w^2 of w = exp(-dbeta E): R at
 * dbeta = 0, and falling from there. */
double resampling_carriers(const histogram *h, double dbeta);

#endif
