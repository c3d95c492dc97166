/* Arguments of the kernels that measure overlaps (overlaps.cu), and how a lattice stands in memory. */
#ifndef PAISING_CUDA_REPORT_OVERLAP_REQUEST_CUH
#define PAISING_CUDA_REPORT_OVERLAP_REQUEST_CUH

#include "cuda/device/blocks.h"
#include "cuda/engine/bytes.h"
#include "cuda/report/overlap_pairs.h"
#include "engine/msc_layout.h"

#define FEW_MEMBERS  (CUDA_LOG_BYTES / sizeof(uint32_t)) /* whose logarithms are in a table */
#define STAGED_SITES 12288 /* of a lattice in shared memory, at most */
#define STAGED_EDGE  255   /* Lx of one, at most */

/* Arguments of the kernels. In two dimensions rows are counted along z: edge[1] is 1. */
struct overlap_request {
    cuda_pair_words words; /* [blocks] of the pairs */
    /* [Lz][Ly][pitch] where the site x, y, z stands in it; the missing bonds follow (missing_bonds) */
    const uint32_t *order;
    const uint32_t *other_order; /* the same of words.other */
    cuda_pairs pairs;
    uint32_t sites, edge[MODEL_MAX_DIMENSION];
    const int2 *wave[MODEL_MAX_DIMENSION];
    uint32_t direction[MODEL_MAX_DIMENSION]; /* of the model, that an edge has */
    uint32_t pitch;                          /* of the rows in order[] */
    uint32_t layers;                         /* of rows that are counted at a time */
    overlap_scale scale;
    overlap_report *report;
    uint32_t *differ_bins, *wall_bins; /* [OVERLAP_PARTS][bins] */
};

struct family_request {
    const uint32_t *family; /* [replicas] */
    uint64_t replicas;
    const uint32_t *log_of_few; /* [FEW_MEMBERS] family_log */
    overlap_report *report;
};

/* Arguments for one member of a launch batch. */
struct batch_request {
    overlap_request overlaps;
    family_request families;
    overlap_report *host;
};

static_assert(sizeof(batch_request) <= REQUEST_BYTES, "a request fits into its slot");

/* Whether a lattice of these edges stands in shared memory. */
static inline bool is_staged(uint32_t lx, uint64_t sites) {
    return sites <= STAGED_SITES && lx <= STAGED_EDGE;
}

/* Rows in shared memory begin in different banks. */
static inline uint32_t row_pitch(uint32_t columns, bool staged) {
    return staged ? columns | 1 : columns;
}

#endif
