/* What a CUDA engine reports of a population. */
#ifndef PAISING_CUDA_REPORT_H
#define PAISING_CUDA_REPORT_H

#include "engine/histogram.h"

/* The head of a report. The level sums of the levels first .. end-1 follow it. */
typedef struct {
    uint64_t population;
    uint64_t families;
    uint64_t family_squares;
    uint32_t first, end; /* occupied levels */
    uint32_t done;       /* blocks that have published their part; on the host, 1: all have */
    block_sums block[POPULATION_BLOCKS];
    founder_sums founder[POPULATION_BLOCKS];
    parent_sums parent[POPULATION_BLOCKS];
} cuda_report;

#endif
