/* Sums of shares, and their errors (overlap_average.h). */
#include "overlap_average.h"

#include <math.h>
#include <stdlib.h>

#define SHARE_BITS 40
#define SHARE_ONE  0x1p40

int overlap_average_create(overlap_average *a, size_t temperatures, size_t bins) {
    *a = (overlap_average){.temperatures = temperatures, .bins = bins};
    a->row = calloc(temperatures, sizeof *a->row);
    a->bin = calloc(temperatures * bins, sizeof *a->bin);
    for (size_t i = 0; a->row != NULL && i < temperatures; i++)
        omp_init_lock(&a->row[i].lock);
    return a->row != NULL && a->bin != NULL ? 0 : -1;
}

void overlap_average_destroy(overlap_average *a) {
    for (size_t i = 0; a->row != NULL && i < a->temperatures; i++)
        omp_destroy_lock(&a->row[i].lock);
    free(a->row);
    free(a->bin);
    *a = (overlap_average){.row = NULL};
}

void overlap_average_add(overlap_average *a, size_t i, uint64_t pairs,
                         const overlap_share share[]) {
    overlap_bin_sums *const bin = a->bin + i * a->bins;
    if (pairs == 0)
        return;
    omp_set_lock(&a->row[i].lock);
    a->row[i].pairs += pairs;
    a->row[i].samples++;
    for (size_t n = 0; n < a->bins; n++) {
        const uint64_t fixed = (uint64_t)(share[n].share * SHARE_ONE + 0.5);
        bin[n].count += (uint64_t)share[n].count;
        bin[n].share += fixed;
        bin[n].squares += (uint128)fixed * fixed;
    }
    omp_unset_lock(&a->row[i].lock);
}

void overlap_average_add_run(overlap_average *a, const overlap_record *run) {
    overlap_share share[2 * OVERLAP_BINS];
    for (size_t i = 0; i < run->count; i++) {
        const double pairs = run->row[i].pairs;
        for (size_t n = 0; n < run->bins; n++) {
            const double count = run->bin[i * run->bins + n].count;
            share[n] = (overlap_share){.count = count, .share = count / pairs};
        }
        overlap_average_add(a, i, (uint64_t)pairs, share);
    }
}

/* The error of the mean of n shares, which is their jackknife error. Shares that agree have exactly 0. */
static double scatter_of(const overlap_bin_sums *bin, uint64_t n) {
    const uint128 spread = n * bin->squares - (uint128)bin->share * bin->share;
    const double samples = (double)n;
    return ldexp(sqrt((double)spread / (samples - 1)) / samples, -SHARE_BITS);
}

void overlap_average_shares(const overlap_average *a, size_t i, overlap_share share[]) {
    const overlap_bin_sums *const bin = a->bin + i * a->bins;
    const overlap_average_row *const row = &a->row[i];
    for (size_t n = 0; n < a->bins; n++) {
        const double count = (double)bin[n].count;
        const double scatter = row->samples > 1 ? scatter_of(&bin[n], row->samples) : NAN;
        share[n] = (overlap_share){
            .count = count,
            .share = ldexp((double)bin[n].share, -SHARE_BITS) / (double)row->samples,
            .error = overlap_share_error(scatter, (double)row->pairs, count)};
    }
}
