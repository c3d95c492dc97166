/* The free energy along the temperatures (eq. 4), and the partition function of each block. */
#include "free_energy.h"

#include <math.h>
#include <string.h>

void free_energy_start(free_energy_path *f, uint64_t spins) {
    memset(f, 0, sizeof *f);
    f->beta_f = -(double)spins * log(2);
    f->overlap = 1;
}

/* tau-hat is the weight tau but for a factor that all replicas share, and which cancels in the
 * ratio of the blocks' means to the mean of all. */
static double ln_mean_copies(parent_sums s) {
    return s.parents == 0 ? -INFINITY : log((double)s.copies / (double)s.parents);
}

void free_energy_step(free_energy_path *f, const histogram *h, double ln_q, double overlap) {
    f->beta_f -= ln_q;
    f->ln_q = ln_q;
    f->overlap = fmin(f->overlap, overlap);

    parent_sums block[POPULATION_BLOCKS];
    memcpy(block, h->parent, sizeof block);
    parent_sums all = {0, 0};
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        all.parents += block[b].parents;
        all.copies += block[b].copies;
    }

    double *ln_z = f->ln_z;
    for (size_t blocks = POPULATION_BLOCKS; blocks >= BLOCKING_FEWEST; blocks /= 2) {
        for (size_t b = 0; b < blocks; b++)
            ln_z[b] += ln_mean_copies(block[b]) - ln_mean_copies(all);
        ln_z += blocks;
        for (size_t b = 0; b < blocks / 2; b++) {
            block[b].parents = block[2 * b].parents + block[2 * b + 1].parents;
            block[b].copies = block[2 * b].copies + block[2 * b + 1].copies;
        }
    }
}

double free_energy_error(const free_energy_path *f, size_t blocks) {
    if (blocks == 0)
        return NAN;
    const double *const ln_z = f->ln_z + 2 * (POPULATION_BLOCKS - blocks);
    double top = -INFINITY, sum = 0;
    for (size_t b = 0; b < blocks; b++)
        top = fmax(top, ln_z[b]);
    for (size_t b = 0; b < blocks; b++)
        sum += exp(ln_z[b] - top);
    double without[POPULATION_BLOCKS]; /* ln Z without block b, but for a constant */
    for (size_t b = 0; b < blocks; b++)
        without[b] = log(sum - exp(ln_z[b] - top));
    return jackknife_error(without, blocks);
}

bool free_energy_transfer(section_file *file, free_energy_path *f) {
    return SECTION_VALUE(file, f->beta_f) && SECTION_VALUE(file, f->ln_q) &&
           SECTION_VALUE(file, f->overlap) && SECTION_VALUE(file, f->ln_z);
}
