/* Counts in successive blocks of a series (time_blocks.h). */
#include "time_blocks.h"

#include <stdlib.h>
#include <string.h>

int block_counts_create(block_counts *c, size_t temperatures, size_t bins) {
    *c = (block_counts){.temperatures = temperatures, .bins = bins};
    c->count = calloc(TIME_BLOCKS * temperatures * bins, sizeof *c->count);
    return c->count != NULL ? 0 : -1;
}

int block_counts_add_energies(block_counts *c) {
    c->above = calloc(TIME_BLOCKS * c->temperatures * c->bins, sizeof *c->above);
    return c->above != NULL ? 0 : -1;
}

void block_counts_destroy(block_counts *c) {
    free(c->count);
    free(c->order);
    free(c->above);
    *c = (block_counts){.count = NULL};
}

uint64_t *block_counts_at(const block_counts *c, size_t block, size_t k) {
    return c->count + (block * c->temperatures + k) * c->bins;
}

void block_counts_count(block_counts *c, size_t block, size_t k, energy_levels bins,
                        const histogram *h) {
    const uint64_t width = (uint64_t)bins.spacing;
    const size_t bin = (block * c->temperatures + k) * c->bins;
    uint64_t number = 0; /* of the bin of the energy before: many energies have the same one */
    for (size_t n = h->first; n < h->end; n++) {
        const uint64_t above = (uint64_t)(h->energy[n] - bins.lowest);
        if (above - number * width >= width)
            number = above / width;
        c->count[bin + number] += h->level[n].replicas;
        c->above[bin + number] += h->level[n].replicas * (above - number * width);
    }
}

bool block_counts_has(const block_counts *c, size_t block) {
    const uint64_t *const first = block_counts_at(c, block, 0);
    size_t n = 0;
    while (n < c->bins && first[n] == 0)
        n++;
    return n < c->bins;
}

static void sum_of(const block_counts *c, const uint64_t from[], size_t without, uint64_t sum[]) {
    const size_t all = c->temperatures * c->bins;
    memset(sum, 0, all * sizeof *sum);
    for (size_t b = 0; b < TIME_BLOCKS; b++)
        for (size_t n = 0; n < all && b != without; n++)
            sum[n] += from[b * all + n];
}

void block_counts_sum(const block_counts *c, size_t without, uint64_t sum[]) {
    sum_of(c, c->count, without, sum);
}

void block_counts_sum_above(const block_counts *c, size_t without, uint64_t sum[]) {
    sum_of(c, c->above, without, sum);
}

void block_counts_sum_order(const block_counts *c, size_t without, uint64_t sum[]) {
    sum_of(c, c->order, without, sum);
}

int block_counts_widen(block_counts *c, size_t below, size_t above) {
    const size_t bins = below + c->bins + above, rows = TIME_BLOCKS * c->temperatures;
    uint64_t *const count = calloc(rows * bins, sizeof *count), *const order = calloc(
                                                                    rows * bins, sizeof *order);
    if (count == NULL || order == NULL) {
        free(count);
        free(order);
        return -1;
    }
    for (size_t n = 0; n < rows && c->bins > 0; n++) {
        memcpy(count + n * bins + below, c->count + n * c->bins, c->bins * sizeof *count);
        memcpy(order + n * bins + below, c->order + n * c->bins, c->bins * sizeof *order);
    }
    free(c->count);
    free(c->order);
    c->count = count;
    c->order = order;
    c->bins = bins;
    return 0;
}

bool block_counts_transfer(section_file *f, block_counts *c) {
    const size_t bytes = TIME_BLOCKS * c->temperatures * c->bins * sizeof *c->count;
    return section_transfer(f, c->count, bytes) &&
           (c->above == NULL || section_transfer(f, c->above, bytes)) &&
           (c->order == NULL || section_transfer(f, c->order, bytes));
}
