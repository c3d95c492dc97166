/* The free energy of a run, accumulated along the temperatures (eq. 4), and its error.
 *
 * ln Z is a sum over all steps of the run, and what a family gained at one step it still has at the
 * next, so that the errors of the steps do not simply add up. The families fall into blocks by the
 * number of their founder, and each block is taken for a small run of its own. It would have found
 *
 *     Z_b = Z * product over steps k of (mean of tau_k over the parents whose founder is in b).
 *
 * These are as independent as families are, Z is their mean, and its error comes from a jackknife
 * over them. Held against the spread of 1500 runs (L = 8, R = 1000, rho_t = 10) it gives the
 * variance of ln Z to within that spread's own error, 4%. What looks simpler is wrong there: the
 * shares of the blocks in the final population, or rho_t, also contain the rounding of tau-hat to
 * whole copies, which Z does not, and give three times the variance; blocks by position in the
 * population are left by the families that drift through it, and give 10% less, with short blocks
 * 40%. */
#ifndef PAISING_FREE_ENERGY_H
#define PAISING_FREE_ENERGY_H

#include "base/section_file.h"
#include "blocking.h"
#include "engine/histogram.h"

typedef struct {
    double beta_f;    /* beta F = -ln Z of the whole lattice */
    double ln_q;      /* ln Q of the last step; 0 at beta = 0 */
    double ln_growth; /* sum over the steps of ln (R_k / R): by how much the new population
                                    is larger than the sum of tau-hat, R */
    double overlap;   /* the smallest of the steps so far (eq. 8); 1 at beta = 0 */
    double ln_z[BLOCKING_TOTAL]; /* ln (Z_b / Z) for every division into blocks (blocking.h);
                                    -infinity when the families of a block have died out */
} free_energy_path;

/* Begins a run of a lattice of `spins` spins at beta = 0, where Z = 2^spins. */
void free_energy_start(free_energy_path *f, uint64_t spins);

/* Adds a step: ln_q and overlap are those of the step, h is the histogram after it, which has the
 * parents' sums. */
void free_energy_step(free_energy_path *f, const histogram *h, double ln_q, double overlap);

/* ln Z of the whole lattice without each of `blocks` > 0 blocks, but for a constant: without[blocks];
 * -infinity where no other block lives. What the jackknife (blocking.h) makes of them is the error of beta F, nan if a
 * single block still lives. */
void free_energy_without(const free_energy_path *f, size_t blocks, double without[]);

/* Writes or reads it. Returns false when something failed (section_file.h). */
bool free_energy_transfer(section_file *file, free_energy_path *f);

#endif
