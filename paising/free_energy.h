/* The free energy of a run, accumulated along the temperatures (eq. 4), and its error.
 *
 * ln Z is a sum over all steps of the run, and what a family gained at one step it keeps at the
 * next, so that the errors of the steps do not simply add up. The families fall into blocks by the
 * number of their founder, and each block is taken for a small run of its own: relative to the
 * whole, the partition function that block b would have found is Z_b / Z = prod_k (mean of tau_k
 * over the parents of step k whose founder is in b), the blocks are independent as families are, Z
 * is their mean, and its error is that of a jackknife over them. Measured against the spread of
 * hundreds of runs of small lattices, this gives the variance of ln Z to its statistical error of
 * some 5%. What looks simpler is wrong: the shares of the blocks in the final population (or rho_t,
 * from them) contain the rounding of tau-hat to whole copies, which Z does not, and give up to
 * three times the variance at small steps; blocks by position in the population are left by the
 * families that drift through it, and give up to 40% less if the blocks are short, 10% if they are
 * long. */
#ifndef PAISING_FREE_ENERGY_H
#define PAISING_FREE_ENERGY_H

#include "blocking.h"
#include "histogram.h"

typedef struct {
    double beta_f;               /* beta F = -ln Z of the whole lattice */
    double ln_q;                 /* ln Q of the last step; 0 at beta = 0 */
    double ln_z[BLOCKING_TOTAL]; /* ln (Z_b / Z) for every division into blocks (blocking.h);
                                    -infinity when the families of a block have died out */
} free_energy;

/* Begins a run of a lattice of `spins` spins at beta = 0, where Z = 2^spins. */
void free_energy_start(free_energy *f, uint64_t spins);

/* Adds a step: ln_q is that of the step, h the histogram after it, which has the parents' sums. */
void free_energy_step(free_energy *f, const histogram *h, double ln_q);

/* The error of beta F of the whole lattice from `blocks` blocks (blocking.h). */
double free_energy_error(const free_energy *f, size_t blocks);

#endif
