/* Pairs of replicas on the device, and the buffers of their overlaps (overlaps.h). */
#ifndef PAISING_CUDA_REPORT_OVERLAP_PAIRS_H
#define PAISING_CUDA_REPORT_OVERLAP_PAIRS_H

#include "cuda/engine/spins.h"

/* Buffers of a model with couplings; empty for other models. */
typedef struct {
    int2 *waves; /* device: cosine and sine of each x, [Lx] [Ly] [Lz] */
    /* device: where the site x, y, z stands in a word of D; behind it the bonds that are missing, if any may be */
    uint32_t *order;
    uint32_t *read_order;   /* device: the same in the order of `read` (engine/engine.h) */
    uint32_t *log_of_few;   /* device: family_log of small families */
    overlap_report *report; /* device; the histograms follow */
    overlap_report *host;   /* pinned; the same layout */
} cuda_overlaps;

/* Pairs of a population. The first replicas are in this engine, adjacent; of the second ones the
 * families are here. */
typedef struct {
    const uint32_t *family, *partner; /* device [count] */
    uint64_t count, number,
        pairs; /* pairs `number`, `number` + 1, ... of `pairs` of the population */
} cuda_pairs;

#endif
