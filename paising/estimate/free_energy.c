/* The free energy along the temperatures (eq. 4), and the partition function of each block. */
#include "free_energy.h"

#include "base/ieee_arrays.h"
#include "base/ieee_math.h"
#include "base/portable.h"

#include <math.h>
#include <string.h>

void free_energy_start(free_energy_path *f, uint64_t spins, uint32_t states) {
    memset(f, 0, sizeof *f);
    f->beta_f = -(double)spins * ieee_log(states);
    f->overlap = 1;
}

/* The parents of each block: their number, and the sum of their tau-hat. */
typedef struct {
    uint64_t parents[POPULATION_BLOCKS], tau_hat[POPULATION_BLOCKS];
} block_parents;

/* Adds to ln_z, for each block, ln of the mean tau-hat of its parents less that of all parents; for
 * the blocks, for pairs of blocks, and so on. tau-hat differs from the weight tau by a factor
 * common to all replicas, which cancels here. A block without parents gets -infinity. */
VECTORS_OF_EACH_PROCESSOR
static void add_blocks(double *ln_z, block_parents *p, double ln_mean) {
    double of_block[POPULATION_BLOCKS];
    for (size_t blocks = POPULATION_BLOCKS; blocks >= BLOCKING_FEWEST; blocks /= 2) {
        for (size_t b = 0; b < blocks; b++)
            of_block[b] = p->parents[b] == 0 ? 0 : (double)p->tau_hat[b] / (double)p->parents[b];
        ieee_log_all(of_block, blocks);
        for (size_t b = 0; b < blocks; b++)
            ln_z[b] += of_block[b] - ln_mean;
        ln_z += blocks;
        for (size_t b = 0; b < blocks / 2; b++) {
            p->parents[b] = p->parents[2 * b] + p->parents[2 * b + 1];
            p->tau_hat[b] = p->tau_hat[2 * b] + p->tau_hat[2 * b + 1];
        }
    }
}

void free_energy_step(free_energy_path *f, const histogram *h, double ln_q, double overlap) {
    f->beta_f -= ln_q;
    f->ln_q = ln_q;
    f->overlap = fmin(f->overlap, overlap);

    block_parents of;
    uint64_t parents = 0, sum = 0;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        parents += of.parents[b] = h->parent[b].parents;
        sum += of.tau_hat[b] = h->parent[b].tau_hat;
    }
    f->ln_growth += ieee_log((double)h->population / ((double)sum * 0x1p-32));
    const double mean = parents == 0 ? 0 : (double)sum / (double)parents;
    add_blocks(f->ln_z, &of, ieee_log(mean));
}

/* Where the blocks that remain are less than this part of the total, their sum is computed anew:
 * the difference of two sums has lost too many digits. At this limit 256 roundings of 1e-16 in
 * 1e-11 change the error by at most 1e-4 of itself, far below its own accuracy. */
#define LOST_PART 1e-11

/* ln of the sum of exp(ln_z) over all blocks but b; -infinity if all their families have died out. */
static double ln_sum_without(const double *ln_z, size_t blocks, size_t b) {
    double top = -INFINITY, sum = 0;
    for (size_t other = 0; other < blocks; other++)
        top = other == b ? top : fmax(top, ln_z[other]);
    if (top == -INFINITY)
        return top;
    for (size_t other = 0; other < blocks; other++)
        sum += other == b ? 0 : ieee_exp(ln_z[other] - top);
    return top + ieee_log(sum);
}

void free_energy_without(const free_energy_path *f, size_t blocks, double without[]) {
    const double *const ln_z = f->ln_z + 2 * (POPULATION_BLOCKS - blocks);
    double top = -INFINITY, sum = 0, z[POPULATION_BLOCKS];
    for (size_t b = 0; b < blocks; b++)
        top = fmax(top, ln_z[b]);
    for (size_t b = 0; b < blocks; b++)
        z[b] = ln_z[b] - top;
    ieee_exp_all(z, blocks);
    for (size_t b = 0; b < blocks; b++)
        sum += z[b];
    for (size_t b = 0; b < blocks; b++)
        without[b] = sum - z[b];
    ieee_log_all(without, blocks);
    for (size_t b = 0; b < blocks; b++)
        if (sum - z[b] < LOST_PART * sum) /* true of one block at most */
            without[b] = ln_sum_without(ln_z, blocks, b) - top;
}

bool free_energy_transfer(section_file *file, free_energy_path *f) {
    return SECTION_VALUE(file, f->beta_f) && SECTION_VALUE(file, f->ln_q) &&
           SECTION_VALUE(file, f->ln_growth) && SECTION_VALUE(file, f->overlap) &&
           SECTION_VALUE(file, f->ln_z);
}
