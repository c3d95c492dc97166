/* The report of a CUDA engine: layout on the device and in pinned memory. */
#ifndef PAISING_CUDA_REPORT_REPORT_H
#define PAISING_CUDA_REPORT_REPORT_H

#include "engine/histogram.h"
#include "engine/overlaps.h"

#define COUNTERS   4 /* blocks that publish the counts */
#define PUBLISHERS 8 /* blocks that publish the rest */

/* Head of a report. On the host the counts and the other level sums follow it (published_counts,
 * published_sums). */
typedef struct {
    uint64_t population;
    uint64_t families;
    uint64_t family_squares;
    uint32_t first, end;       /* occupied levels */
    uint32_t done[PUBLISHERS]; /* host: 1, block n has published its part of the rest */
    uint32_t finished;         /* device: blocks that have published */
    uint32_t joined;           /* device: 1, the other stream has added its part */
    /* device, during the selection of an interval: tiles << 40 | their children */
    uint64_t offspring;
    family_run edge[2]; /* first and last family, if counted apart from a selection */
    block_sums block[POPULATION_BLOCKS];
    founder_sums founder[POPULATION_BLOCKS];
    parent_sums parent[POPULATION_BLOCKS];
} cuda_report;

/* The counts, by which the next step is decided, on the host. Each is mark << 32 | number, where
 * the mark is that of its report. So the host can use each number as soon as it arrives. */
typedef struct {
    uint64_t population, first, end;
    uint64_t replicas[]; /* of each level from the first occupied one on */
} report_counts;

/* Level sums apart from the number of replicas, which is the first. */
#define OTHER_NUMBERS ((uint32_t)(sizeof(level_sums) / sizeof(uint64_t)) - 1)

/* Addresses of the counts and of the other sums in pinned memory, with room for `levels` counts
 * between them; and the size of a published report. */
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

/* The number of children of a selection, in pinned memory. The kernel writes it as soon as it is
 * known, before the offspring list is complete. */
typedef struct {
    uint64_t published; /* 0: not known yet; else PUBLISHED_CHILDREN(number) */
} selection_count;

#define PUBLISHED_CHILDREN(children) (2 * (uint64_t)(children) + 1)

/* The bins of a histogram that have pairs: before `end`, and within the last `left` of all bins.
 * Both are 0 if there are none. */
typedef struct {
    uint32_t left, end;
} overlap_range;

/* Head of an overlap report (engine/overlaps.h). The histograms follow:
 * [OVERLAP_PARTS][differ_bins], then [OVERLAP_PARTS][wall_bins]. */
typedef struct {
    uint64_t done;               /* host, in a launch batch: 1, the report is complete */
    overlap_range differ, walls; /* in a launch batch only these bins are published */
    uint64_t relatives, family_logs;
    overlap_block block[OVERLAP_BLOCKS];
} overlap_report;

/* Level sums are kept in several sets where many replicas share few levels. Otherwise their atomic
 * additions would wait for each other. */
#define MOST_SUM_SETS  32
#define SUM_SETS_BYTES (512 << 10) /* of several sets together, at most */
#define SET_REPLICAS   1024        /* replicas a set, at least */

static inline uint32_t level_sum_sets(uint64_t levels, uint64_t replicas) {
    uint32_t sets = MOST_SUM_SETS;
    while (sets > 1 && (sets * levels * sizeof(level_sums) > SUM_SETS_BYTES ||
                        (uint64_t)sets * SET_REPLICAS > replicas))
        sets /= 2;
    return sets;
}

#endif
