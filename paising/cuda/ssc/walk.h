/* Walks of flat-histogram methods on a GPU (engine/walk.h). */
#ifndef PAISING_CUDA_SSC_WALK_H
#define PAISING_CUDA_SSC_WALK_H

#include "cuda/engine/walks.h"

/* The lattices of the population, in device memory (ssc.h). */
typedef struct {
    uint8_t *spins;
    uint32_t half_bytes;
} walk_lattices;

/* Makes a walk, and waits for it. A failure sets p->failed. Pre: the levels of the walkers are in p->device.level. */
void cuda_ssc_walk(cuda_walks *w, const walk_lattices *lattices, const spin_model *model,
                   cuda_population *p, const engine_walk *walk);

#endif
