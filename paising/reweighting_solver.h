/* The solution of the equations of multi-histogram analysis (eq. 9).
 *
 * Let p_iE = R_i exp(f_i - beta_i E) / D(E), D(E) the sum of the numerators over i: the probability
 * that a replica of energy E comes from temperature i. Eq. (9) says that they share out the
 * replicas rightly, sum_E H(E) p_iE = R_i, and iterating it is f_i -> f_i - ln(sum_E H(E) p_iE /
 * R_i). With hundreds of overlapping temperatures this takes thousands of iterations: a change
 * spreads only over the width of a histogram at a time, and it moves by less than 1e-10 long before
 * it has arrived. The equations are the stationary point of a convex function of the f_i, A(f) =
 * sum_E H(E) ln D(E) - sum_i R_i f_i, so that here it is found by Newton's method, the steps damped
 * as suits sums of exponentials (which converges from anywhere) and each solved by conjugate
 * gradients; the step is then the distance to the solution, and it has to be below 1e-10.
 * Exponentials are taken once, with the f_i of the annealing, and then only multiplied; at the end
 * once more, to check the solution with them. */
#ifndef PAISING_REWEIGHTING_SOLVER_H
#define PAISING_REWEIGHTING_SOLVER_H

#include "reweighting.h"

/* Sets the corrections of r's temperatures and r->ln_omega. */
reweighting_status reweighting_iterate(reweighting *r);

#endif
