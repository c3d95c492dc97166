/* The multi-spin-coded kernels of the CUDA engine. */
#ifndef PAISING_CUDA_MSC_H
#define PAISING_CUDA_MSC_H

#include "population.h"

/* The spins of a population in multi-spin coding. */
typedef struct {
    uint32_t size; /* L */
    uint32_t word; /* p */
    rng_mode rng;
    uint64_t machine_words; /* capacity */
    uint32_t *spins;        /* device [machine_words][2][L][L/2], bit = lane (msc_layout.h) */
    uint32_t *next;         /* the same, for the resampled population */
    uint64_t *streams;      /* device, MWC states where a lattice is too large for one block */
    int concurrent;         /* blocks in flight where `streams` or large lattices are used */
    const struct msc_kernel *kernel[WHOLE_STEP + 1]; /* by step_parts: what makes them */
} cuda_msc;

/* The blocks that keep MWC states in device memory, on the device in use (bytes.h). */
uint32_t cuda_msc_stream_blocks(uint32_t size);

/* Allocates, and chooses the kernels; returns 0, or -1 with p->failed set. */
int cuda_msc_create(cuda_msc *m, cuda_population *p, const engine_config *config);
void cuda_msc_destroy(cuda_msc *m);

/* Queues random spins for the founders of p. */
void cuda_msc_randomise(cuda_msc *m, cuda_population *p, stream_key key);

/* Queues a temperature step, or a part of it, for a range of the population: the children are
 * collected from their parents, which must be known, swept, measured and reported. A range that is
 * collected is the whole population. */
void cuda_msc_step(cuda_msc *m, cuda_population *p, const engine_step *step, step_parts parts,
                   const cuda_range *range);

/* Queues the copying of replicas first .. first+count-1 of a population of `replicas` between the
 * population and device memory in the format of engine/engine.h. */
void cuda_msc_save(cuda_msc *m, cuda_population *p, uint64_t replicas, uint64_t first,
                   uint64_t count, uint8_t *bytes);
void cuda_msc_load(cuda_msc *m, cuda_population *p, uint64_t replicas, uint64_t first,
                   uint64_t count, const uint8_t *bytes);

#endif
