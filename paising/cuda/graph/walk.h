/* Walks of flat-histogram methods on a GPU, of graphs (engine/walk.h). */
#ifndef PAISING_CUDA_GRAPH_WALK_H
#define PAISING_CUDA_GRAPH_WALK_H

#include "cuda/engine/walks.h"

/* The spins of the population, in device memory: words of a site of 32 replicas, [words][stride], bit = replica % 32. */
typedef struct {
    uint32_t *spins;
    uint32_t stride;
} graph_words;

/* Makes a walk, and waits for it. A failure sets p->failed. Pre: the levels of the walkers are in p->device.level. */
void cuda_graph_walk(cuda_walks *w, const graph_words *spins, const spin_model *model,
                     cuda_population *p, const engine_walk *walk);

#endif
