/* Multi-spin coding on the device: adding the unsatisfied bonds and the spins up that threads have
 * counted, for every lane. */
#ifndef PAISING_CUDA_MSC_MEASURE_CUH
#define PAISING_CUDA_MSC_MEASURE_CUH

#include "cuda/msc/counters.cuh"
#include "engine/msc_layout.h"

/* Counts of a lattice's lanes. */
struct lane_counts {
    uint32_t bonds[MACHINE_LANES], up[MACHINE_LANES];
};

/* Adds the counters of `width` adjacent threads to the counts of their lattice. Even threads finish
 * the bonds, odd ones the spins. Threads: full warps. */
template <int SLICES>
static __device__ __forceinline__ void add_counters(const lattice_counters<SLICES> &c,
                                                    uint32_t width, lane_counts *counts) {
    const uint32_t member = threadIdx.x % width;
    const bool odd = member % 2;
    lane_counter<SLICES + 5> sum = {}; /* of 32 threads at most */
    lane_counter<SLICES> others;
#pragma unroll
    for (int k = 0; k < SLICES; k++) {
        sum.slice[k] = odd ? c.up.slice[k] : c.bonds.slice[k];
        others.slice[k] = __shfl_xor_sync(FULL_WARP, odd ? c.bonds.slice[k] : c.up.slice[k], 1);
    }
    sum.add(others);
#pragma unroll
    for (int stage = 1; stage < 5; stage++)
        if (1u << stage < width) {
            lane_counter<SLICES + 4> neighbours;
#pragma unroll
            for (int k = 0; k < SLICES + stage; k++)
                neighbours.slice[k] = __shfl_xor_sync(FULL_WARP, sum.slice[k], 1 << stage);
#pragma unroll
            for (int k = SLICES + stage; k < SLICES + 4; k++)
                neighbours.slice[k] = 0;
            sum.add(neighbours);
        }
    for (uint32_t lane = member / 2; lane < MACHINE_LANES; lane += width / 2)
        atomicAdd(odd ? &counts->up[lane] : &counts->bonds[lane], sum.count(lane));
}

#endif
