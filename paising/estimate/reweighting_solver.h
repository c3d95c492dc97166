/* The solution of the equations of multi-histogram analysis (eq. 9).
 *
 * They say that the shares p_iE of the temperatures in the levels (reweighting_matrix.h) divide the
 * replicas rightly, sum_E H(E) p_iE = R_i, and iterating them is
 *     f_i -> f_i - ln(sum_E H(E) p_iE / R_i),    f_i = beta_i F_i.
 * With hundreds of overlapping temperatures this takes more than ten thousand iterations: a change
 * spreads only by the width of a histogram at a time, and the f_i move by less than 1e-10 when they
 * are a thousand times as far from the solution. But that is the minimum of a convex function,
 *     A(f) = sum_E H(E) ln D(E) - sum_i R_i f_i,
 * and it is found here by Newton's method: some six steps, each from a banded system of equations
 * solved by preconditioned conjugate gradients. The step is then the distance to the solution, and
 * it has to be below 1e-10, also from exponentials taken anew at the solution. */
#ifndef PAISING_REWEIGHTING_SOLVER_H
#define PAISING_REWEIGHTING_SOLVER_H

#include "reweighting.h"

/* Sets the corrections of r's temperatures and r->ln_omega. */
reweighting_status reweighting_iterate(reweighting *r);

#endif
