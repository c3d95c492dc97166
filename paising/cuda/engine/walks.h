/* Device memory of the walks of flat-histogram methods (engine/walk.h), and what goes there and back. */
#ifndef PAISING_CUDA_ENGINE_WALKS_H
#define PAISING_CUDA_ENGINE_WALKS_H

#include "cuda/engine/population.h"
#include "engine/walk.h"

/* Walkers with the same weights, as the kernel sees them. Pointers are to device memory. */
typedef struct {
    uint64_t first, count;
    uint64_t first_word; /* of their machine words */
    uint32_t lowest, levels;
    const uint32_t *threshold;  /* [levels][walk_changes] */
    unsigned long long *visits; /* [levels] */
} cuda_walk_window;

/* Device memory for walks, made by the first one and as large as the largest. */
typedef struct {
    uint32_t *bond; /* [N][z] walk_bonds; NULL: not made yet, or it is a graph: the next two */
    walk_site_of_graph *site;
    walk_link *link;
    /* [words][N] spins of 32 walkers of a window in each word; of spins with a byte eight times as many */
    uint32_t *words;
    uint32_t *threshold;
    unsigned long long *visits;
    cuda_walk_window *window;
    uint32_t *extremes; /* [2][replicas] */
    uint64_t words_room, rows_room, windows_room, replicas_room;
} cuda_walks;

/* What a walk needs: rows are the levels of all windows, words those of 32 walkers. */
typedef struct {
    uint64_t rows, words, most_words, replicas;
    uint32_t most_levels;
} walk_sizes;

walk_sizes cuda_walks_sizes(const engine_walk *walk);

/* Makes room, copies windows and thresholds to the device, and clears the histograms. A site of 32 walkers has words_of_site words. */
void cuda_walks_send(cuda_walks *w, cuda_population *p, const spin_model *model,
                     const engine_walk *walk, const walk_sizes *sizes, uint32_t words_of_site);

/* Copies histograms and extremes back, and waits for them. */
void cuda_walks_receive(const cuda_walks *w, cuda_population *p, const engine_walk *walk,
                        const walk_sizes *sizes);
void cuda_walks_destroy(cuda_walks *w);

#endif
