/* Multi-spin coding on the device: counting lane by lane. */
#ifndef PAISING_CUDA_MSC_COUNTERS_CUH
#define PAISING_CUDA_MSC_COUNTERS_CUH

#include "cuda/device/lane_counters.cuh"
#include "cuda/msc/strip.cuh"

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
