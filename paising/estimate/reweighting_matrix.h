/* The matrix of multi-histogram analysis (eq. 9): p_iE = R_i exp(f_i - beta_i E) / D(E), where f_i
 * is beta_i F_i and D(E) the sum of the numerators over i. It is the probability that a replica of
 * energy E comes from temperature i. Rows are the occupied levels, and each holds only the
 * temperatures that matter to it.
 *
 * Exponentials are taken once, of differences in fixed point, as N times beta is subtracted from
 * itself; after that, a change of the f_i multiplies the columns. */
#ifndef PAISING_REWEIGHTING_MATRIX_H
#define PAISING_REWEIGHTING_MATRIX_H

#include "reweighting.h"

typedef struct {
    size_t rows, temperatures;
    size_t widest;    /* temperatures of the longest row */
    fixed *beta;      /* [temperatures] */
    fixed *ln_weight; /* [temperatures] ln R_i + f_i, as the matrix was made */
    double *replicas; /* [rows] H(E) */
    size_t *first;    /* [rows] the first temperature of a row */
    size_t *start;    /* [rows + 1] where the row starts in p */
    double *p;        /* [start[rows]] */
} sharing;

/* Makes the matrix for the f_i = beta_f + correction of r's temperatures, and sets r->ln_omega.
 * Returns 0, or -1 without memory; sharing_free is due in either case. */
int sharing_create(sharing *m, reweighting *r);
void sharing_free(sharing *m);

/* Adds scale * step[i] to every f_i. `factor` is room for as many numbers as there are
 * temperatures. */
void sharing_move(sharing *m, const double *step, double scale, double *factor);

/* The replicas that temperature i is given are share[i] + lost[i] = sum_E H p_i, where lost[i] is what
 * rounding leaves out of the sums: the solution is where they differ from R_i by nothing. */
void sharing_sum(const sharing *m, double *share, double *lost);

/* image = Hessian x. The Hessian is that of A(f) (reweighting_solver.c), sum_E H p_i (delta_ij -
 * p_j), which is 0 if all x_i are the same. */
void sharing_apply_hessian(const sharing *m, const double *x, double *image);

/* The elements of the Hessian within `width` of its diagonal: band[i * (width + 1) + k] is element
 * (i, i - k). */
void sharing_hessian_band(const sharing *m, size_t width, double *band);

/* The least of the replicas that the temperatures up to number i have in common with those after it,
 * C of reweighting_solve, over all i; *at becomes that i. `common` is room for as many numbers as there are
 * temperatures. INFINITY for a single temperature. */
double sharing_weakest(const sharing *m, double *common, size_t *at);

/* sum_i a_i b_i, in an order that does not depend on the machine. */
double dot_product(const double *a, const double *b, size_t n);

#endif
