/* The matrix of multi-histogram analysis (eq. 9): p_iE = R_i exp(f_i - beta_i E) / D(E), where f_i
 * = beta_i F_i and D(E) is the sum of the numerators over i. p_iE is the probability that a replica
 * of energy E comes from temperature i. Rows are the occupied levels. A row stores only the
 * temperatures that matter to its level.
 *
 * Exponentials are computed once, from differences in fixed point, because N beta is subtracted
 * from itself. Afterwards a change of f_i multiplies column i. */
#ifndef PAISING_REWEIGHTING_MATRIX_H
#define PAISING_REWEIGHTING_MATRIX_H

#include "reweighting.h"

typedef struct {
    size_t rows, temperatures;
    size_t widest;    /* temperatures in the longest row */
    fixed *beta;      /* [temperatures] */
    fixed *ln_weight; /* [temperatures] ln R_i + f_i at the time of creation */
    double *replicas; /* [rows] H(E) */
    size_t *first;    /* [rows] the first temperature of a row */
    size_t *start;    /* [rows + 1] where the row starts in p */
    double *p;        /* [start[rows]] */
} sharing;

/* Creates the matrix for f_i = beta_f + correction of the temperatures of *r, and sets r->ln_omega.
 * Returns 0, or -1 without memory. The caller calls sharing_free in either case. */
int sharing_create(sharing *m, reweighting *r);
void sharing_free(sharing *m);

/* Adds scale * step[i] to every f_i. factor[temperatures] is a work array of the caller. */
void sharing_move(sharing *m, const double *step, double scale, double *factor);

/* Fills share[i] + lost[i] = sum_E H p_i, the replicas assigned to temperature i; lost[i] is the
 * rounding error of the sum. At the solution this equals R_i. */
void sharing_sum(const sharing *m, double *share, double *lost);

/* image = Hessian x. The Hessian is that of A(f) (reweighting_solver.c), sum_E H p_i (delta_ij -
 * p_j). It maps constant vectors to 0. */
void sharing_apply_hessian(const sharing *m, const double *x, double *image);

/* Fills the elements of the Hessian within `width` of its diagonal: band[i * (width + 1) + k] is
 * element (i, i - k). */
void sharing_hessian_band(const sharing *m, size_t width, double *band);

/* The least number of replicas that temperatures up to i and those after it have in common, over
 * all i: the C of reweighting_solve. *at becomes that i. common[temperatures] is a work array of
 * the caller. INFINITY for a single temperature. */
double sharing_weakest(const sharing *m, double *common, size_t *at);

/* sum_i a_i b_i, summed in an order that does not depend on the machine. */
double dot_product(const double *a, const double *b, size_t n);

#endif
