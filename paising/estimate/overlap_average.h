/* Averages of P(q) and P(q_l) over samples of the disorder: the mean of the samples' own shares, in
 * which every sample counts alike, however many pairs it has. Errors are those of the scatter of the
 * samples, with the error of counting few pairs (counting.h). Sums are exact, so that the order in
 * which samples are added has no influence. */
#ifndef PAISING_OVERLAP_AVERAGE_H
#define PAISING_OVERLAP_AVERAGE_H

#include "base/wide.h"
#include "overlap_record.h"

#include <omp.h>

/* Sums over samples of a bin: pairs, shares and squares of shares, in units of 2^-40. */
typedef struct {
    uint64_t count, share;
    uint128 squares;
} overlap_bin_sums;

typedef struct {
    uint64_t pairs;   /* of all samples */
    uint64_t samples; /* those with pairs of different families */
    omp_lock_t lock;  /* of the row and its bins */
} overlap_average_row;

typedef struct {
    size_t temperatures, bins; /* bins of a row: those of P(q), then those of P(q_l) */
    overlap_average_row *row;  /* [temperatures] */
    overlap_bin_sums *bin;     /* [temperatures][bins] */
} overlap_average;

/* Begins an average without samples; at most 2^20 of them can be added. Returns 0, or -1 without
 * memory; overlap_average_destroy may be called in each case. */
int overlap_average_create(overlap_average *a, size_t temperatures, size_t bins);
void overlap_average_destroy(overlap_average *a);

/* Adds a sample at temperature number i: its pairs, and the count and share of each bin, share[bins].
 * A sample without pairs has no shares, and is left out. Thread: any, at any time. */
void overlap_average_add(overlap_average *a, size_t i, uint64_t pairs, const overlap_share share[]);

/* Adds a sample of one run at all temperatures, from the rows of the run. Thread: any, at any time. */
void overlap_average_add_run(overlap_average *a, const overlap_record *run);

/* Fills share[bins] at temperature number i. The error of a single sample is nan. */
void overlap_average_shares(const overlap_average *a, size_t i, overlap_share share[]);

#endif
