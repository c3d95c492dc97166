/* The free energy along the temperatures (eq. 4), and the partition function of each block. */
#include "free_energy.h"

#include "base/ieee_arrays.h"
#include "base/ieee_math.h"

#include <math.h>
#include <string.h>

void free_energy_start(free_energy_path *f, uint64_t spins) {
    memset(f, 0, sizeof *f);
    f->beta_f = -(double)spins * ieee_log(2);
    f->overlap = 1;
}

/* The parents of one block, or of several. */
typedef struct {
    uint64_t parents;
    uint128 tau_hat;
} block_parents;

/* The same number: the processor converts those of 64 bits, a library the others. */
static double number_of(uint128 x) {
    return x >> 64 ? (double)x : (double)(uint64_t)x;
}

/* ln of the mean tau-hat of each block's parents, -infinity without any. tau-hat is the weight tau but for a factor that
 * all replicas share, and which cancels in the ratio of the blocks' means to the mean of all. */
static void ln_mean_copies(const block_parents block[], size_t count, double ln_mean[]) {
    for (size_t b = 0; b < count; b++)
        ln_mean[b] =
            block[b].parents == 0 ? 0 : number_of(block[b].tau_hat) / (double)block[b].parents;
    ieee_log_all(ln_mean, count);
}

void free_energy_step(free_energy_path *f, const histogram *h, double ln_q, double overlap) {
    f->beta_f -= ln_q;
    f->ln_q = ln_q;
    f->overlap = fmin(f->overlap, overlap);

    block_parents block[POPULATION_BLOCKS], all = {0, 0};
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        block[b] = (block_parents){h->parent[b].parents, histogram_tau_hat(h, b)};
        all.parents += block[b].parents;
        all.tau_hat += block[b].tau_hat;
    }

    f->ln_growth += ieee_log((double)h->population / ((double)all.tau_hat * 0x1p-32));
    double ln_mean, of_block[POPULATION_BLOCKS];
    ln_mean_copies(&all, 1, &ln_mean);
    double *ln_z = f->ln_z;
    for (size_t blocks = POPULATION_BLOCKS; blocks >= BLOCKING_FEWEST; blocks /= 2) {
        ln_mean_copies(block, blocks, of_block);
        for (size_t b = 0; b < blocks; b++)
            ln_z[b] += of_block[b] - ln_mean;
        ln_z += blocks;
        for (size_t b = 0; b < blocks / 2; b++) {
            block[b].parents = block[2 * b].parents + block[2 * b + 1].parents;
            block[b].tau_hat = block[2 * b].tau_hat + block[2 * b + 1].tau_hat;
        }
    }
}

/* Blocks that are together less than this part of the whole are added up anew: the difference of the
 * two sums has lost their digits. What it has lost above that, 256 roundings of 1e-16 in 1e-11, moves
 * the error by 1e-4 of itself at most, which it is not known to. */
#define LOST_PART 1e-11

/* ln of the sum of exp(ln_z) over the blocks but b; -infinity when none of them lives. */
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
        if (sum - z[b] < LOST_PART * sum) /* one block at most */
            without[b] = ln_sum_without(ln_z, blocks, b) - top;
}

bool free_energy_transfer(section_file *file, free_energy_path *f) {
    return SECTION_VALUE(file, f->beta_f) && SECTION_VALUE(file, f->ln_q) &&
           SECTION_VALUE(file, f->ln_growth) && SECTION_VALUE(file, f->overlap) &&
           SECTION_VALUE(file, f->ln_z);
}
