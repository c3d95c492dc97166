/* Loads of device memory that other threads may write at the same time. */
#ifndef PAISING_CUDA_DEVICE_LOADS_CUH
#define PAISING_CUDA_DEVICE_LOADS_CUH

#include <stdint.h>

/* Relaxed load. */
static __device__ __forceinline__ uint64_t load_relaxed(const uint64_t *number) {
    uint64_t seen;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(number) : "memory");
    return seen;
}

/* Acquire load: also makes visible what was written before the loaded number. It is slower than a
 * relaxed load, but faster than a relaxed load and a fence. */
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
