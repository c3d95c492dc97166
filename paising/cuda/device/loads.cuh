/* What a thread sees in the device's memory that others may write meanwhile. */
#ifndef PAISING_CUDA_DEVICE_LOADS_CUH
#define PAISING_CUDA_DEVICE_LOADS_CUH

#include <stdint.h>

/* What stands there. */
static __device__ __forceinline__ uint64_t load_relaxed(const uint64_t *number) {
    uint64_t seen;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(number) : "memory");
    return seen;
}

/* The same, and all that was written before that, also by others; which takes the block longer, and a fence behind a glance
 * longer still. */
static __device__ __forceinline__ uint64_t load_acquire(const uint64_t *number) {
    uint64_t seen;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(number) : "memory");
    return seen;
}

static __device__ __forceinline__ uint32_t load_acquire(const uint32_t *number) {
    uint32_t seen;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(number) : "memory");
    return seen;
}

#endif
