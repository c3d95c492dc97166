/* Requests of a launch batch (engine/launch_batch.h). One launch serves several populations, each
 * with a row of blocks (blockIdx.y). The arguments of each population are a request in pinned
 * memory; every block copies the request of its row to shared memory. */
#ifndef PAISING_CUDA_DEVICE_BATCH_REQUESTS_CUH
#define PAISING_CUDA_DEVICE_BATCH_REQUESTS_CUH

#include <stdint.h>

#define LAUNCH_BATCH_ENGINES 64
#define BATCH_REQUESTS       3    /* of a population, one for each kernel */
#define REQUEST_BYTES        4096 /* room for one request */

/* Threads of a block of the small kernels. These blocks are no larger than those of steps: blocks
 * of all streams start in turn, and a large one would hold up the others until a multiprocessor has
 * room for it. */
#define BATCH_THREADS 64

struct batch_requests {
    const void *request[LAUNCH_BATCH_ENGINES];
    uint32_t count; /* rows of blocks */
};

#ifdef __CUDACC__

#include "cuda/device/launches.cuh"

/* Copies a request to shared memory. All threads of the block must call it. */
template <typename REQUEST>
static __device__ __forceinline__ void fetch_request(REQUEST *shared, const void *request) {
    static_assert(sizeof(REQUEST) % sizeof(uint64_t) == 0, "whole numbers");
    const uint64_t *const from = (const uint64_t *)request;
    for (uint32_t n = threadIdx.x; n < sizeof(REQUEST) / sizeof(uint64_t); n += blockDim.x)
        ((uint64_t *)shared)[n] = from[n];
    __syncthreads();
}

/* Copies the request of the block's row, while the launch before ends. */
template <typename REQUEST>
static __device__ __forceinline__ void fetch_own_request(REQUEST *shared,
                                                         const batch_requests &all) {
    fetch_request(shared, all.request[blockIdx.y]);
    await_launch_before();
}

#endif
#endif
