/* Walks of flat-histogram methods on a GPU (engine/walk.h). */
#ifndef PAISING_CUDA_SSC_WALK_H
#define PAISING_CUDA_SSC_WALK_H

#include "cuda/engine/population.h"

/* Walkers with the same weights, as the kernel sees them. Pointers are to device memory. */
typedef struct {
    uint64_t first, count;
    uint64_t first_word; /* of their machine words */
    uint32_t lowest, levels;
    const uint32_t *threshold;  /* [levels][z + 1] */
    unsigned long long *visits; /* [levels] */
} cuda_walk_window;

/* Device memory for walks, made by the first one and as large as the largest. */
typedef struct {
    uint32_t *bond;  /* [N][z] walk_bonds; NULL: not made yet */
    uint32_t *words; /* [words][N] spins of 32 walkers of a window in each word */
    uint32_t *threshold;
    unsigned long long *visits;
    cuda_walk_window *window;
    uint32_t *extremes; /* [2][replicas] */
    uint64_t words_room, rows_room, windows_room, replicas_room;
} cuda_walks;

/* The lattices of the population, in device memory (ssc.h). */
typedef struct {
    uint8_t *spins;
    uint32_t half_bytes;
} walk_lattices;

/* Makes a walk, and waits for it. A failure sets p->failed. Pre: the levels of the walkers are in p->device.level. */
void cuda_ssc_walk(cuda_walks *w, const walk_lattices *lattices, const spin_model *model,
                   cuda_population *p, const engine_walk *walk);
void cuda_walks_destroy(cuda_walks *w);

#endif
