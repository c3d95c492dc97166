/* Free energies of chains at fixed temperatures, from how often each energy level was met at each of them. With N(E) visits
 * at beta and N'(E) at the next beta', as many in all:
 *
 *   Bennett   beta'F' - beta F = D, where sum_E N(E) f(x - D) = sum_E N'(E) f(D - x), x = (beta' - beta) E, f(x) = 1 / (1 + exp(x))
 *             (C. H. Bennett, J. Comput. Phys. 22, 245, 1976)
 *   integral  h (<E> + <E>') / 2 - h^2 (<E^2>_c' - <E^2>_c) / 12 with h = beta' - beta: the trapezium rule with the correction by
 *             the slopes of <E>, so that what it leaves out falls as h^5
 *   eq. (9)   the multi-histogram analysis of all temperatures (reweighting.h)
 *
 * Fine energies are counted in bins, each with the sum of its energies. <E> is then that of all energies; in Bennett's
 * equation those of two temperatures stand for their mean where they are in one bin. Bins of width w miss D by less than (w
 * h)^2 / 48, which is 2.1e-5 (energy_bins).
 *
 * The sum over the steps from the first temperature on is beta F less that at the first temperature; at beta = 0 ln Z = N ln
 * 2 is known. Errors are jackknife errors over blocks of time (time_blocks.h). */
#ifndef PAISING_ENERGY_COUNTS_H
#define PAISING_ENERGY_COUNTS_H

#include "reweighting.h"
#include "time_blocks.h"

typedef struct {
    double bennett, error_bennett;
    double integral, error_integral;
    double entropy, error_entropy; /* beta <E> less beta F by Bennett */
} chain_free_energy; /* beta F and S of the whole lattice, less those of the first temperature; 0 there */

/* The bins for fine energies from -bound to bound, in units of J / unit, as levels at their lower ends: the width is 1/32 of
 * 1 / step for the largest step of beta, at most the whole range is ENERGY_BINS_MOST bins. */
#define ENERGY_BINS_MOST 16384
energy_levels energy_bins(int64_t bound, uint32_t unit, const double beta[], size_t temperatures);

/* Fills row[c->temperatures] at inverse temperatures beta[]; bins are levels, or those of energy_bins. Errors are nan with
 * less than two blocks. Returns 0, or -1 without memory. */
int energy_counts_free_energies(const block_counts *c, energy_levels levels, const double beta[],
                                chain_free_energy row[]);

/* A row of the multi-histogram analysis: per spin, beta F as above. */
typedef struct {
    double beta;
    double e, c, beta_f;
    double error_e, error_c, error_beta_f;
    double abs_m, error_abs_m; /* 0 of counts without sums of |M| */
} reweighted_row;

/* Makes the analysis on a grid: *rows are freed by the caller. Returns how it ended; *gap as reweighting_solve says. */
reweighting_status energy_counts_reweight(const block_counts *c, const spin_model *model,
                                          const double beta[], const beta_grid *grid,
                                          reweighted_row **rows, size_t *count, histogram_gap *gap);

#endif
