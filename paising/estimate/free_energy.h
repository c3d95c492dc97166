/* The free energy of a run, accumulated along the temperatures (eq. 4), and its error.
 *
 * ln Z is a sum over all steps of the run. What a family gained at one step it keeps at the next,
 * so that the errors of the steps are correlated. Therefore families are grouped into blocks by the
 * number of their founder, and each block is treated as a small run, with the estimate
 *
 *     Z_b = Z * product over steps k of (mean of tau_k over the parents whose founder is in b).
 *
 * The Z_b are as independent as families are, and Z is their mean. The error of ln Z comes from a
 * jackknife over them. Two simpler ways are wrong. Shares of blocks in the final population, and
 * rho_t, also contain the rounding of tau-hat to whole copies, which Z does not: their variance is
 * too large. Blocks by position in the population lose families that drift out of them: their
 * variance is too small. */
#ifndef PAISING_FREE_ENERGY_H
#define PAISING_FREE_ENERGY_H

#include "base/section_file.h"
#include "blocking.h"
#include "engine/histogram.h"

typedef struct {
    double beta_f;    /* beta F = -ln Z of the whole lattice */
    double ln_q;      /* ln Q of the last step (eq. 1); 0 at beta = 0 */
    double ln_growth; /* sum over the steps of ln (R_k / R): the size of the new population relative
                       * to R, the sum of tau-hat */
    double overlap;   /* the smallest overlap of the steps so far (eq. 8); 1 at beta = 0 */
    double ln_z[BLOCKING_TOTAL]; /* ln (Z_b / Z) for every division into blocks (blocking.h);
                                  * -infinity if the families of a block have died out */
} free_energy_path;

/* Begins a run at beta = 0, where Z = states^spins. */
void free_energy_start(free_energy_path *f, uint64_t spins, uint32_t states);

/* Adds a step: its ln_q and its overlap. h is the histogram after the step, with the sums over the
 * parents. */
void free_energy_step(free_energy_path *f, const histogram *h, double ln_q, double overlap);

/* Fills without[blocks] with ln Z of the whole lattice without each block, up to a common constant.
 * blocks > 0. An element is -infinity where all other blocks have died out. The jackknife error
 * (blocking.h) of these is the error of beta F; it is nan if families of only one block live. */
void free_energy_without(const free_energy_path *f, size_t blocks, double without[]);

/* Writes or reads *f. Returns false on failure (section_file.h). */
bool free_energy_transfer(section_file *file, free_energy_path *f);

#endif
