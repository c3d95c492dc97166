/* Multi-histogram analysis of one run (eq. 9; Ferrenberg and Swendsen): the populations at all
 * temperatures together give one estimate of the density of states, and that the averages at any
 * temperature in between. Levels that were never occupied take no part.
 *
 *     Omega(E) = H(E) / sum_i R_i exp(beta_i F_i - beta_i E),    H(E) = sum_i P_i(E)
 *     exp(-beta F) = sum_E Omega(E) exp(-beta E)
 *
 * are solved for the beta_i F_i by reweighting_solve (reweighting_solver.c). The same weights of the levels, with the
 * means of |M|, M^2 and M^4 at fixed energy, which do not depend on the temperature, give |m|, m2,
 * m4. */
#ifndef PAISING_REWEIGHTING_H
#define PAISING_REWEIGHTING_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "fixed_point.h"
#include "observables.h"

/* Sums over the replicas of one level at all temperatures. */
typedef struct {
    double replicas; /* H(E) */
    double abs_m, m2, m4;
} reweighting_level;

typedef struct {
    double beta;
    double population; /* R_i */
    double beta_f;     /* of the annealing (eq. 4) */
    double correction; /* what reweighting_solve adds to it */
} reweighting_temperature;

typedef struct {
    energy_levels levels;
    size_t first, end;        /* every occupied level n has first <= n < end */
    reweighting_level *level; /* [levels.count] */
    fixed *ln_omega;          /* [levels.count] ln Omega(E) of the occupied levels, when solved */
    reweighting_temperature *temperature; /* [temperatures] */
    size_t temperatures;
    size_t room; /* temperatures that fit */
} reweighting;

/* Neighbouring temperatures whose histograms, and those of all on their two sides, do not overlap. */
typedef struct {
    double from, to; /* 0, 0: all overlap */
} histogram_gap;

typedef enum {
    REWEIGHTING_OK,
    REWEIGHTING_NO_OVERLAP,
    REWEIGHTING_NO_CONVERGENCE,
    REWEIGHTING_NO_MEMORY
} reweighting_status;

/* Allocates the level sums. Returns 0, or -1 without memory. */
int reweighting_create(reweighting *r, energy_levels levels);
void reweighting_destroy(reweighting *r);

/* Forgets a run, to begin with the next. */
void reweighting_clear(reweighting *r);

/* Adds the population at inverse temperature beta, whose free energy was found to be beta_f, in the
 * order of the temperatures. Returns 0, or -1 without memory. */
int reweighting_add(reweighting *r, const histogram *h, double beta, double beta_f);

/* Writes the sums, or reads them into a new analysis of the same levels: of `temperatures`
 * temperatures, as the rest of the simulation says. Returns false when something failed
 * (section_file.h). */
bool reweighting_transfer(section_file *f, reweighting *r, size_t temperatures);

/* Solves eq. (9) for the beta_i F_i and the ln Omega(E), until no beta_i F_i moves by 1e-10. Only
 * their differences are determined: that of the first temperature, usually beta = 0 where it is
 * known exactly, stays as it is.
 *
 * Between temperatures i and i + 1, both sides have C = sum_E H(E) p(E) (1 - p(E)) replicas in common,
 * p(E) the part of a level that comes from the temperatures up to i; the variance of the difference of
 * beta F across is 1 / C, but for what each side knows of it. Where C is below REWEIGHTING_COMMON, the
 * solution says nothing, and *gap becomes the worst of these places. */
#define REWEIGHTING_COMMON 0.1
reweighting_status reweighting_solve(reweighting *r, histogram_gap *gap);

/* After reweighting_solve: the averages at inverse temperature beta: beta, e, e2, c, abs_m, m2, m4
 * and beta_f of a row; the rest is 0. */
observables reweighting_at(const reweighting *r, uint64_t spins, double beta);

/* Equal steps from `start` on, the last one to exactly `end`. */
typedef struct {
    double start, end, step;
} beta_grid;

/* How many temperatures the grid has. */
size_t beta_grid_size(const beta_grid *grid);

/* After reweighting_solve: rows at the temperatures of the grid. The caller frees *rows. Returns 0, or
 * -1 without memory. */
int reweighting_rows(const reweighting *r, uint64_t spins, const beta_grid *grid,
                     observables **rows, size_t *count);

#endif
