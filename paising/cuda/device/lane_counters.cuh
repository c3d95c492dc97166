/* Words of 32 lanes: three-input logic, and counting lane by lane. */
#ifndef PAISING_CUDA_DEVICE_LANE_COUNTERS_CUH
#define PAISING_CUDA_DEVICE_LANE_COUNTERS_CUH

#include <stdint.h>

#define FULL_WARP 0xffffffffu

/* --- three-input logic, one instruction each, whatever the compiler makes of C --- */

template <int TABLE>
static __device__ __forceinline__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return d;
}

static __device__ __forceinline__ uint32_t xor3(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0x96>(a, b, c);
}
static __device__ __forceinline__ uint32_t majority(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0xe8>(a, b, c);
}
static __device__ __forceinline__ uint32_t select(uint32_t mask, uint32_t a, uint32_t b) {
    return lop3<0xca>(mask, a, b); /* mask ? a : b */
}

/* --- counters --- */

/* Adds masks lane by lane: returns the sum modulo 2, and writes COUNT / 2 carries, which count
 * twice. */
template <int COUNT>
static __device__ __forceinline__ uint32_t add_masks(const uint32_t (&mask)[COUNT],
                                                     uint32_t *carry) {
    uint32_t sum = mask[0];
#pragma unroll
    for (int n = 1; n + 1 < COUNT; n += 2) {
        carry[n / 2] = majority(sum, mask[n], mask[n + 1]);
        sum = xor3(sum, mask[n], mask[n + 1]);
    }
    if (COUNT % 2 == 0) {
        carry[COUNT / 2 - 1] = sum & mask[COUNT - 1];
        sum ^= mask[COUNT - 1];
    }
    return sum;
}

/* Bit-sliced counters: slice[k] has bit k of the count of every lane. */
template <int SLICES> struct lane_counter {
    uint32_t slice[SLICES];

    /* Adds counters of the same size or a smaller one. */
    template <int OTHERS> __device__ __forceinline__ void add(const lane_counter<OTHERS> &other) {
        uint32_t carry = 0;
#pragma unroll
        for (int k = 0; k < SLICES; k++) {
            const uint32_t a = slice[k], b = k < OTHERS ? other.slice[k] : 0;
            slice[k] = xor3(a, b, carry);
            carry = majority(a, b, carry);
        }
    }

    /* Returns the count of a lane. */
    __device__ __forceinline__ uint32_t count(uint32_t lane) const {
        uint32_t n = 0;
#pragma unroll
        for (int k = 0; k < SLICES; k++)
            n |= (slice[k] >> lane & 1) << k;
        return n;
    }
};

#endif
