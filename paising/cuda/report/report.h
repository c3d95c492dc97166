/* What a CUDA engine reports of a population. */
#ifndef PAISING_CUDA_REPORT_REPORT_H
#define PAISING_CUDA_REPORT_REPORT_H

#include "engine/histogram.h"
#include "engine/overlaps.h"

#define COUNTERS   4 /* blocks that bring the counts of a report to the host, */
#define PUBLISHERS 8 /* and the rest */

/* The head of a report; on the host the counts and the other level sums follow (published_counts, published_sums). */
typedef struct {
    uint64_t population;
    uint64_t families;
    uint64_t family_squares;
    uint32_t first, end; /* occupied levels */
    uint32_t done
        [PUBLISHERS];   /* on the host: 1, that block has brought its part of all but the counts */
    uint32_t finished;  /* on the device: blocks that have; */
    uint32_t joined;    /* 1: another stream has added its part */
    uint64_t offspring; /* on the device, while a share selects: tiles << 40 | their children */
    family_run edge[2]; /* of a population whose families were counted apart from a selection */
    block_sums block[POPULATION_BLOCKS];
    founder_sums founder[POPULATION_BLOCKS];
    parent_sums parent[POPULATION_BLOCKS];
} cuda_report;

/* What the next step is decided by, on the host: each number behind the mark of its report, mark << 32 | number, which says
 * that it has come. So neither the device nor the host waits until all are there to tell, or to be told. */
typedef struct {
    uint64_t population, first, end;
    uint64_t replicas[]; /* of each level from the first occupied one on */
} report_counts;

/* Numbers of level sums that are published apart from how many replicas there are, which is the first of them. */
#define OTHER_NUMBERS ((uint32_t)(sizeof(level_sums) / sizeof(uint64_t)) - 1)

/* Where these stand on the host, behind room for the counts of so many levels; and how large a report is there. */
SHARED_FUNCTION report_counts *published_counts(cuda_report *report) {
    return (report_counts *)(report + 1);
}

SHARED_FUNCTION uint64_t *published_sums(cuda_report *report, size_t levels) {
    return published_counts(report)->replicas + levels;
}

static inline size_t published_bytes(size_t levels) {
    return sizeof(cuda_report) + sizeof(report_counts) +
           levels * (1 + OTHER_NUMBERS) * sizeof(uint64_t);
}

/* How many children a selection makes, in the host's memory: told as soon as that is known, while their parents are noted. */
typedef struct {
    uint64_t published; /* 0: it is not known yet */
} selection_count;

#define PUBLISHED_CHILDREN(children) (2 * (uint64_t)(children) + 1)

/* Which bins of a histogram have pairs: those before `end`, as many as `left` of all at its end. Both are 0 where none has. */
typedef struct {
    uint32_t left, end;
} overlap_range;

/* The head of what is reported of overlaps (engine/overlaps.h). The histograms follow it: [OVERLAP_PARTS][differ_bins],
 * then [OVERLAP_PARTS][wall_bins]. */
typedef struct {
    uint64_t done;               /* on the host, of companions: 1, it is all there */
    overlap_range differ, walls; /* outside of these bins the histograms of companions are not */
    uint64_t relatives, family_logs;
    overlap_block block[OVERLAP_BLOCKS];
} overlap_report;

/* Level sums are kept in several sets where there are many replicas and few levels: many add to the same at a time, and
 * would wait for each other. */
#define MOST_SUM_SETS  32
#define SUM_SETS_BYTES (512 << 10) /* that more than one take at most */
#define SET_REPLICAS   1024        /* that share one at least */

static inline uint32_t level_sum_sets(uint64_t levels, uint64_t replicas) {
    uint32_t sets = MOST_SUM_SETS;
    while (sets > 1 && (sets * levels * sizeof(level_sums) > SUM_SETS_BYTES ||
                        (uint64_t)sets * SET_REPLICAS > replicas))
        sets /= 2;
    return sets;
}

#endif
