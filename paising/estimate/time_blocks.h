/* Successive blocks of a series of measurements, for jackknife errors of what is not a mean of the series: measurement t of n stands
 * in block floor(16 t / n). Errors hold where a block is long compared with the autocorrelation time, as it is in rows that are
 * trusted (series_rows.h). */
#ifndef PAISING_TIME_BLOCKS_H
#define PAISING_TIME_BLOCKS_H

#include "base/section_file.h"
#include "engine/histogram.h"

#include <stddef.h>
#include <stdint.h>

#define TIME_BLOCKS 16

/* The block of measurement t of `planned`. */
static inline size_t time_block_of(size_t t, size_t planned) {
    return t * TIME_BLOCKS / planned;
}

/* How often things were counted: in each block, at each temperature, in each of some bins. */
typedef struct {
    size_t temperatures, bins;
    uint64_t *count; /* [TIME_BLOCKS][temperatures][bins] */
    uint64_t *order; /* likewise, sums of |M| over what is counted; NULL: of no order parameter */
    uint64_t *above; /* likewise, sums of E less the lower end of the bin; NULL: bins are levels */
} block_counts;

/* Makes room. Returns 0, or -1 without memory. */
int block_counts_create(block_counts *c, size_t temperatures, size_t bins);

/* Makes room for the sums of energies in bins besides. Returns 0, or -1 without memory. */
int block_counts_add_energies(block_counts *c);
void block_counts_destroy(block_counts *c);

/* The bins of a block at temperature k. */
uint64_t *block_counts_at(const block_counts *c, size_t block, size_t k);

/* Counts the replicas of a population of fine energies. bins: where bin n begins, and how wide it is. */
void block_counts_count(block_counts *c, size_t block, size_t k, energy_levels bins,
                        const histogram *h);

/* Whether a block has counts at the first temperature: a series that ended early has none in its last blocks. */
bool block_counts_has(const block_counts *c, size_t block);

/* Fills sum[temperatures][bins] with the counts of all blocks but one; TIME_BLOCKS: of all. */
void block_counts_sum(const block_counts *c, size_t without, uint64_t sum[]);

/* The same of the sums of energies; and of the sums of |M|. */
void block_counts_sum_above(const block_counts *c, size_t without, uint64_t sum[]);
void block_counts_sum_order(const block_counts *c, size_t without, uint64_t sum[]);

/* Makes counts of bins with sums of |M|, or of `below` more bins before the first and `above` behind the last one; new ones are 0.
 * Returns 0, or -1 without memory. */
int block_counts_widen(block_counts *c, size_t below, size_t above);

/* Writes or reads the counts. Returns false on failure (section_file.h). */
bool block_counts_transfer(section_file *f, block_counts *c);

#endif
