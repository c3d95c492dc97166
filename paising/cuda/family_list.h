/* Families of replicas, side by side: 32 bits of each; and 8 more where there are more than 2^32 founders, so that others
 * need neither the memory nor the time for them. */
#ifndef PAISING_CUDA_FAMILY_LIST_H
#define PAISING_CUDA_FAMILY_LIST_H

#include "base/portable.h"

#include <stddef.h>

struct family_list {
    uint32_t *low;
    uint8_t *high; /* NULL: no family needs it */

#ifdef __CUDACC__
    __host__ __device__ __forceinline__ uint64_t operator[](uint64_t k) const {
        return joined(k, low[k]);
    }

    /* Family k, whose lower half is known. */
    __host__ __device__ __forceinline__ uint64_t joined(uint64_t k, uint32_t half) const {
        return high ? (uint64_t)high[k] << 32 | half : half;
    }

    __host__ __device__ __forceinline__ void set(uint64_t k, uint64_t family) const {
        low[k] = (uint32_t)family;
        if (high)
            high[k] = (uint8_t)(family >> 32);
    }

    /* From a place on, which may stand before the list. */
    __host__ __device__ __forceinline__ family_list from(int64_t place) const {
        return family_list{low + place, high ? high + place : NULL};
    }
#endif
};

#endif
