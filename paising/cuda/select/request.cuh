/* Arguments of the selection kernels (selection.cu). */
#ifndef PAISING_CUDA_SELECT_REQUEST_CUH
#define PAISING_CUDA_SELECT_REQUEST_CUH

#include "cuda/engine/population.h"
#include "resample/rules.h"

#include <cub/block/block_scan.cuh>

#define THREADS (TILE_PARENTS / 4) /* of a block, which has one tile: four parents a thread */

#define FULL_WARP 0xffffffffu

#define GIVEN_LEVELS 456 /* as many as fit into the arguments of a kernel */

struct selection {
    cuda_replicas replicas;
    uint64_t parents;
    uint32_t first_level, levels; /* occupied levels */
    selection_numbers numbers;
    parent_line line;
    counted_points counted; /* by rules that throw points (point_counts.h) */
    uint32_t mark;          /* 2 x the number of the selection; plus 1 for sums over all tiles */
    uint32_t skip;          /* children before the first listed one */
    selection_count *count; /* where the host polls for the number; NULL: it does not */
    bool again;             /* the sums over the founders' blocks are complete */
    bool counts_families;
    uint64_t tau_hat[GIVEN_LEVELS]; /* [levels]; if there are more, in replicas.tau_hat */
};

static_assert(sizeof(selection) <= 4096, "the limit on kernel arguments of every toolkit");

/* Returns tau-hat of the first occupied level on, copied to shared memory `room` if it fits. All
 * threads of the block must call it. */
static __device__ __forceinline__ const uint64_t *tau_hat_at_hand(uint64_t room[GIVEN_LEVELS],
                                                                  const selection &s) {
    if (s.levels > GIVEN_LEVELS)
        return s.replicas.tau_hat;
    for (uint32_t n = threadIdx.x; n < s.levels; n += THREADS)
        room[n] = s.tau_hat[n];
    __syncthreads();
    return room;
}

/* Returns the index of the first of a tile's increasing numbers that exceeds x, or the last
 * index. */
static __device__ __forceinline__ uint32_t first_in_tile(const uint32_t *numbers, uint32_t x) {
    uint32_t first = 0;
#pragma unroll
    for (uint32_t half = TILE_PARENTS / 2; half > 0; half /= 2)
        first += numbers[first + half - 1] <= x ? half : 0;
    return first;
}

#endif
