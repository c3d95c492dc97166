/* What is claimed of an ensemble, as z-scores: each has the normal distribution of unit variance
 * where the program is right, and is held against one limit.
 *
 * value       averages over runs weighted by eqs. (6) and (7), freed of their bias of order 1/M by
 *             the jackknife, against what is expected, at every temperature; the error is that of
 *             the scatter of the runs
 * chi-square  the same deviations at up to 8 temperatures together, with their covariance over the
 *             runs (Hotelling's T^2): many small deviations of one sign show here
 * 1 sigma,    how often a run is off by less than one and two of the errors that it gives itself, in
 * 2 sigma     the rows that it trusts, against Student's t with as many degrees of freedom as the
 *             error has blocks, less one; the scatter of the runs says what deviation is chance
 * scatter     how far the mean energies of the runs scatter at high temperature and small steps,
 *             where replicas are independent: R (e - <e>)^2 / <(E/N - <e>)^2>, averaged over the
 *             temperatures, is 1
 * R mean,     R_i against eq. (2), summed over all resamplings: each has the mean sum tau-hat and
 * R variance  the variance sum f (1 - f), f the fractions of the tau-hat, given the population
 *             before it
 * histograms  the multi-histogram analysis (eq. 9), averaged over the runs, at every point of its
 *             grid
 * weights     eqs. (6), (7) and the jackknife as the program has them against those of this file:
 *             the largest difference, per spin, in units of 1e-8
 * bias a/R    plain averages of single runs: R times their bias is the same for every R (bias.h)
 * no bias     averages weighted by eqs. (6) and (7) over groups of the same runs (bias.h)
 * same rows   of the sweeps in which faults are planted, without one: the rows of SSC, bit for bit
 * trusted 1,  coverage within one and two sigma of the rows that are trusted, at each temperature
 * trusted 2   (trusted.h) */
#ifndef PAISING_PHYSICS_CLAIMS_H
#define PAISING_PHYSICS_CLAIMS_H

#include "ensemble.h"

typedef enum { ENERGY, SPECIFIC_HEAT, BETA_F, ENTROPY, ABS_M, M2, M4, QUANTITIES } quantity;

extern const char *const quantity_name[QUANTITIES];

/* A quantity of a row, per spin. */
double quantity_value(const observables *row, quantity q, double spins);

/* The error that a run gives itself; nan where it gives none. */
double quantity_error(const observables *row, quantity q, double spins);

/* What is expected at one temperature; nan: not known. */
typedef struct {
    double value[QUANTITIES];
    double error[QUANTITIES]; /* 0 where it is exact */
} expectation;

/* The averages over all runs at one temperature. */
typedef struct {
    double value[QUANTITIES];
    double error[QUANTITIES];
} estimate;

typedef enum {
    CHECK_VALUE,
    CHECK_CHI_SQUARE,
    CHECK_ONE_SIGMA,
    CHECK_TWO_SIGMA,
    CHECK_SCATTER,
    CHECK_R_MEAN,
    CHECK_R_VARIANCE,
    CHECK_HISTOGRAMS,
    CHECK_WEIGHTS,
    CHECK_BIAS,
    CHECK_NO_BIAS,
    CHECK_SAME_ROWS,
    CHECK_TRUSTED_ONE,
    CHECK_TRUSTED_TWO,
    CHECKS
} check_kind;

extern const char *const check_name[CHECKS];

typedef struct {
    check_kind check;
    quantity of;        /* QUANTITIES: not of one quantity */
    size_t comparisons; /* 0: nothing could be compared */
    double z;           /* the largest in magnitude */
    double beta;        /* where; nan: all temperatures together */
    double observed, expected;
} finding;

#define MAX_FINDINGS 64

typedef struct {
    finding list[MAX_FINDINGS];
    size_t count;
} findings;

/* Checks an ensemble. expected[] belongs to its temperatures, grid[] to the points of its
 * multi-histogram analysis, if it has one; estimates[temperatures] is filled. One-run errors and
 * the scatter are checked where the replicas of a run are independent, `independent`. Returns 0, or -1
 * without memory. */
int claims_check(const ensemble *s, const expectation expected[], const expectation grid[],
                 int independent, estimate estimates[], findings *found);

/* The probability that |t| < x for Student's t. */
double student_within(double x, double degrees);

/* Appends a finding: of z[count] the largest in magnitude. */
void findings_add(findings *found, finding f);

#endif
