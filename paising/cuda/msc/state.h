/* What the multi-spin-coded engine holds, and the steps that it makes. */
#ifndef PAISING_CUDA_MSC_STATE_H
#define PAISING_CUDA_MSC_STATE_H

#include "cuda/engine/spins.h"
#include "cuda/msc/launch.h"
#include "cuda/msc/measure.cuh"

#define MOST_ROWS_OF_BLOCKS 32768u /* of blocks, less than what a grid may have */

/* The spins of a population in multi-spin coding. */
typedef struct {
    uint32_t word; /* p */
    rng_mode rng;
    visit_plan visits;      /* the checkerboard or tiles */
    uint64_t machine_words; /* capacity */
    /* device [machine_words][N], bit = lane (engine/msc_layout.h, strip.cuh) */
    uint32_t *spins;
    /* device: the same for the resampled population, or packed replicas */
    uint32_t *next;
    void *scratch;       /* device, for lattices too large for a block (request.cuh) */
    lane_counts *counts; /* device [machine_words], of stripes; NULL: lanes are lattices */
    uint32_t *couplings; /* device, for models with couplings (couplings.h) */
    msc_levels levels;   /* of the sample */
    word_range begun;    /* words of the next step that msc_begin has queued; or none */
    group_rule *rules;   /* [groups] of rounds; NULL: there are none */
    double *more_than;   /* device [groups][BERNOULLI_MOST_POINTS] of their rules */
    bool *complement;    /* [groups]: which kernel has the flips of these */
    msc_launches launches;
} cuda_msc;

/* Words from one machine word's lattices to the next's. */
static inline uint64_t words_each(const cuda_msc *m) {
    return (uint64_t)m->launches.shape.quads * 4;
}

/* Functions of the table of the coding (engine/spins.h), in steps.cu. */
bool msc_begin(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
               const child_assignment *children, prelaunch *prelaunch);
bool msc_ahead(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
               const prelaunch *prelaunch);
void msc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                 const cuda_range *range);
void msc_exchange(void *state);

extern const cuda_batch_spins msc_batch;
extern const cuda_round_spins msc_rounds;

#endif
