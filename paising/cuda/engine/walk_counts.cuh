/* The histogram of a block's walkers in shared memory. */
#ifndef PAISING_CUDA_ENGINE_WALK_COUNTS_CUH
#define PAISING_CUDA_ENGINE_WALK_COUNTS_CUH

#include "cuda/engine/walks.h"

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

#endif
