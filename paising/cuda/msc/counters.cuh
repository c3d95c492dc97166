/* Multi-spin coding on the device: counting lane by lane. */
#ifndef PAISING_CUDA_MSC_COUNTERS_CUH
#define PAISING_CUDA_MSC_COUNTERS_CUH

#include "cuda/msc/strip.cuh"

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

/* Counts of unsatisfied bonds and of spins up. */
template <int SLICES> struct lattice_counters { lane_counter<SLICES> bonds, up; };

/* Counts of a strip: at most 48 bonds, and 16 spins. */
typedef lattice_counters<6> strip_counters;

/* Returns the spins up of a strip. */
static __device__ __forceinline__ lane_counter<6> count_up(const strip_rows &even,
                                                           const strip_rows &odd) {
    lane_counter<6> up;
    uint32_t ones[2 * STRIP_ROWS], twos[8], fours[4], eights[2];
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        ones[2 * i] = even.row[i];
        ones[2 * i + 1] = odd.row[i];
    }
    up.slice[0] = add_masks(ones, twos);
    up.slice[1] = add_masks(twos, fours);
    up.slice[2] = add_masks(fours, eights);
    up.slice[3] = add_masks(eights, &up.slice[4]);
    up.slice[5] = 0;
    return up;
}

#endif
