/* What the kernels of a selection (selection.cu) are told, and tau-hat at hand for them. */
#ifndef PAISING_CUDA_SELECT_REQUEST_CUH
#define PAISING_CUDA_SELECT_REQUEST_CUH

#include "cuda/engine/population.h"
#include "resample/rules.h"

#include <cub/block/block_scan.cuh>

#define THREADS (TILE_PARENTS / 4) /* of a block, which has a tile: four parents each */

#define FULL_WARP 0xffffffffu

#define GIVEN_LEVELS 456 /* as a launch has room for */

struct selection {
    cuda_replicas replicas;
    uint64_t parents;
    uint32_t first_level, levels; /* that are occupied */
    selection_numbers numbers;
    parent_line line;
    counted_points counted; /* by rules whose points fall anywhere (points.h) */
    uint32_t mark; /* 2 x the number of the selection; 1 more where all tiles so far are meant */
    uint32_t skip; /* children whose parents are not noted */
    selection_count *count; /* where the host waits for how many there are; NULL: it does not */
    bool again;             /* the sums over the founders' blocks are there already */
    bool counts_families;
    uint64_t tau_hat[GIVEN_LEVELS]; /* [levels]; of more, it stands in replicas.tau_hat */
};

static_assert(sizeof(selection) <= 4096, "the limit on kernel arguments of every toolkit");

/* Where tau-hat of the first occupied level stands, for all threads; `room` is shared memory for it. */
static __device__ __forceinline__ const uint64_t *tau_hat_at_hand(uint64_t room[GIVEN_LEVELS],
                                                                  const selection &s) {
    if (s.levels > GIVEN_LEVELS)
        return s.replicas.tau_hat;
    for (uint32_t n = threadIdx.x; n < s.levels; n += THREADS)
        room[n] = s.tau_hat[n];
    __syncthreads();
    return room;
}

/* The first of the rising numbers of a tile that exceeds x; the last one, if none before it does. */
static __device__ __forceinline__ uint32_t first_in_tile(const uint32_t *numbers, uint32_t x) {
    uint32_t first = 0;
#pragma unroll
    for (uint32_t half = TILE_PARENTS / 2; half > 0; half /= 2)
        first += numbers[first + half - 1] <= x ? half : 0;
    return first;
}

#endif
