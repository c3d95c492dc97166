/* Blocks of walkers, a warp for each machine word of them: what the kernels of walks have in common. */
#ifndef PAISING_CUDA_ENGINE_WALK_BLOCKS_CUH
#define PAISING_CUDA_ENGINE_WALK_BLOCKS_CUH

#include "cuda/engine/walks.h"

#define PIECE       256 /* attempts whose sites are looked up together */
#define MOST_WARPS  8
#define FLUSH_AFTER 4096 /* pieces: counts of 32 MOST_WARPS walkers stay below 2^32 */

/* Number n of four, where n is known at run time only. */
static __device__ __forceinline__ uint32_t number_of(const stream_block &four, uint32_t n) {
    return n == 0   ? four.number[0]
           : n == 1 ? four.number[1]
           : n == 2 ? four.number[2]
                    : four.number[3];
}

/* Adds a block's histogram to that of the window, and clears it. All threads of the block call it. */
static __device__ void flush(const cuda_walk_window &v, uint32_t *counts) {
    __syncthreads();
    for (uint32_t n = threadIdx.x; n < v.levels; n += blockDim.x) {
        if (counts[n] > 0)
            atomicAdd(&v.visits[n], (unsigned long long)counts[n]);
        counts[n] = 0;
    }
    __syncthreads();
}

/* What a block keeps in shared memory, beside its piece. */
typedef struct {
    uint32_t count_bytes; /* of the histogram, whole 16 bytes; 0: it is in device memory */
    uint32_t in_shared;   /* the spins are */
    uint32_t warps;
    size_t shared_bytes; /* of both */
} walk_block;

/* The histogram if it fits, and the spins of as many warps as fit beside it: `each` bytes a warp, `room` bytes in all. */
static inline walk_block walk_block_of(const walk_sizes *s, size_t each, size_t room) {
    const size_t counts = ((size_t)s->most_levels + 3) / 4 * 16,
                 count_bytes = counts <= room ? counts : 0, fit = (room - count_bytes) / each;
    const uint32_t wanted = s->most_words < MOST_WARPS ? (uint32_t)s->most_words : MOST_WARPS,
                   warps = fit > 0 && fit < wanted ? (uint32_t)fit : wanted;
    return walk_block{(uint32_t)count_bytes, fit > 0, warps,
                      count_bytes + (fit > 0 ? warps * each : 0)};
}

#endif
