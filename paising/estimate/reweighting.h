/* Multi-histogram analysis of one run (eq. 9; Ferrenberg and Swendsen). The populations at all
 * temperatures together give one estimate of the density of states, which gives the averages at any
 * temperature in between. Levels that were never occupied take no part.
 *
 *     Omega(E) = H(E) / sum_i R_i exp(beta_i F_i - beta_i E),    H(E) = sum_i P_i(E)
 *     exp(-beta F) = sum_E Omega(E) exp(-beta E)
 *
 * reweighting_solve solves these for the beta_i F_i (reweighting_solver.c). |m|, m2 and m4 follow
 * from the same weights of the levels and the means of |M|, M^2 and M^4 at fixed energy, which do
 * not depend on the temperature. */
#ifndef PAISING_REWEIGHTING_H
#define PAISING_REWEIGHTING_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "fixed_point.h"
#include "observables.h"

/* Sums over the replicas of one level, of all temperatures. */
typedef struct {
    double replicas; /* H(E) */
    double abs_m, m2, m4;
} reweighting_level;

typedef struct {
    double beta;
    double population; /* R_i */
    double beta_f;     /* of the annealing (eq. 4) */
    double correction; /* the correction to beta_f that reweighting_solve finds */
} reweighting_temperature;

typedef struct {
    energy_levels levels;
    size_t first, end;        /* every occupied level n has first <= n < end */
    reweighting_level *level; /* [levels.count] */
    fixed *ln_omega; /* [levels.count] ln Omega(E) of occupied levels; set by reweighting_solve */
    reweighting_temperature *temperature; /* [temperatures] */
    size_t temperatures;
    size_t room; /* allocated elements of `temperature` */
} reweighting;

/* A pair of neighbouring temperatures across which the histograms do not overlap. */
typedef struct {
    double from, to; /* 0, 0: no gap */
} histogram_gap;

typedef enum {
    REWEIGHTING_OK,
    REWEIGHTING_NO_OVERLAP,
    REWEIGHTING_NO_CONVERGENCE,
    REWEIGHTING_NO_MEMORY
} reweighting_status;

/* The levels of an analysis: those of the model. Energies without levels are counted in bins of equal width,
 * REWEIGHTING_BINS between -sum |J| - sum |h| and the opposite, and stand for the middle of their bin. With bins of width w,
 * e is missed by less than w / 2 N, where one energy has nearly all the weight, else by the order of its square. */
#define REWEIGHTING_BINS 262143
energy_levels reweighting_levels(const spin_model *model);

/* sum |J| + sum |h| of a model without levels, in its units; 0 without a sample. */
int64_t reweighting_bound(const spin_model *model);

/* Allocates the level sums. Returns 0, or -1 without memory. */
int reweighting_create(reweighting *r, energy_levels levels);
void reweighting_destroy(reweighting *r);

/* Removes all populations. Memory is kept for the next run. */
void reweighting_clear(reweighting *r);

/* Adds the sums of a population to those of its levels. */
void reweighting_add_levels(reweighting *r, const histogram *h);

/* Adds the population at beta; beta_f is its free energy (eq. 4). Temperatures come in rising
 * order. Returns 0, or -1 without memory. */
int reweighting_add(reweighting *r, const histogram *h, double beta, double beta_f);

/* Writes the sums, or reads those of `temperatures` temperatures into a new analysis of the same
 * levels. Returns false on failure (section_file.h). */
bool reweighting_transfer(section_file *f, reweighting *r, size_t temperatures);

/* Solves eq. (9) for the beta_i F_i and the ln Omega(E), until no beta_i F_i changes by 1e-10. Only
 * their differences are determined. The beta F of the first temperature is kept; it is usually beta
 * = 0, where it is known exactly.
 *
 * Temperatures up to i and those after it have C = sum_E H(E) p(E) (1 - p(E)) replicas in common,
 * where p(E) is the fraction of level E that comes from temperatures up to i. The variance of the
 * difference of beta F across this place is 1 / C, besides the errors of both sides. If C <
 * REWEIGHTING_COMMON anywhere, the solution is meaningless, and *gap becomes the place with the
 * least C. */
#define REWEIGHTING_COMMON 0.1
reweighting_status reweighting_solve(reweighting *r, histogram_gap *gap);

/* The averages at inverse temperature beta, after reweighting_solve. Fills beta, e, e2, e3, e4, c,
 * abs_m, m2, m4 and beta_f of the row; all else is 0. */
observables reweighting_at(const reweighting *r, uint64_t spins, double beta);

/* Equal steps from `start`; the last one ends exactly at `end`. */
typedef struct {
    double start, end, step;
} beta_grid;

/* The number of temperatures of the grid. */
size_t beta_grid_size(const beta_grid *grid);

/* Computes rows at the temperatures of the grid, after reweighting_solve. The caller frees *rows.
 * Returns 0, or -1 without memory. */
int reweighting_rows(const reweighting *r, uint64_t spins, const beta_grid *grid,
                     observables **rows, size_t *count);

#endif
