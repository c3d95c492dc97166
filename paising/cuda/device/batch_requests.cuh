/* Companions on the device: populations of which one launch makes a part of the step, each in a row of blocks (blockIdx.y).
 * What the kernel is told of them stands in the host's memory, pinned, and a block fetches that of its own (bundle.h says
 * who goes with whom). */
#ifndef PAISING_CUDA_DEVICE_BATCH_REQUESTS_CUH
#define PAISING_CUDA_DEVICE_BATCH_REQUESTS_CUH

#include <stdint.h>

#define LAUNCH_BATCH_ENGINES 64
#define REQUEST_BYTES        4096 /* room for what a kernel is told of one */

/* Threads of a block beside those of steps: blocks that are no larger than those, since blocks of all streams are begun in
 * turn, and one that finds no multiprocessor with so many threads free has the others wait. */
#define BATCH_THREADS 64

struct batch_requests {
    const void *request[LAUNCH_BATCH_ENGINES];
    uint32_t count; /* rows of blocks */
};

#ifdef __CUDACC__

#include "cuda/device/launches.cuh"

/* Brings a request to the block's shared memory; called by all threads. */
template <typename REQUEST>
static __device__ __forceinline__ void fetch_request(REQUEST *shared, const void *request) {
    static_assert(sizeof(REQUEST) % sizeof(uint64_t) == 0, "whole numbers");
    const uint64_t *const from = (const uint64_t *)request;
    for (uint32_t n = threadIdx.x; n < sizeof(REQUEST) / sizeof(uint64_t); n += blockDim.x)
        ((uint64_t *)shared)[n] = from[n];
    __syncthreads();
}

/* The same for a launch of companions, which brings its own while the launch before ends. */
template <typename REQUEST>
static __device__ __forceinline__ void fetch_own_request(REQUEST *shared,
                                                         const batch_requests &all) {
    fetch_request(shared, all.request[blockIdx.y]);
    await_launch_before();
}

#endif
#endif
