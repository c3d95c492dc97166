/* Sweeps of a graph below an energy ceiling (engine/ceiling.h). They equal those of cpu/ssc_graph.c bit for bit.
 *
 * A lane is a replica as in step.cuh, and keeps the room that its energy has up to the ceiling. What flips of a quad cost is found for its
 * sites at once, since they are no neighbours; the decisions follow one another. All replicas of a warp visit the same site, so that each
 * has its sites in sequence, and 32 are at work. */
#ifndef PAISING_CUDA_GRAPH_BELOW_CUH
#define PAISING_CUDA_GRAPH_BELOW_CUH

#include "cuda/graph/step.cuh"
#include "engine/ceiling.h"

/* The part of a warp. Thresholds are not read. */
template <bool IN_SHARED> struct below_warp : graph_warp<IN_SHARED, false, false> {
    __device__ __forceinline__ below_warp(const graph_warp<IN_SHARED, false, false> &warp)
        : graph_warp<IN_SHARED, false, false>(warp) {
    }

    /* Updates the sites of quad n. room: from the energy up to the ceiling, in levels. */
    __device__ __forceinline__ void sweep_quad(uint32_t n, const ssc_moment &moment,
                                               int64_t &room) const {
        const graph_step &step = this->step;
        const uint4 quad = __ldg(step.quads + n);
        const stream_block four =
            ssc_numbers(&step.keys, ssc_place_of(&step.keys, n, step.temperature), moment);
        const int4 sum = this->along(quad, __ldg(step.base + n));
        const int32_t of[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            if (i >= quad.y)
                break;
            const uint32_t word = this->words[quad.x + i];
            const int32_t change = this->change_of(word, of[i]);
            const bool made = this->active && flips_below(change, room, four.number[i]);
            room -= made ? change : 0;
            const uint32_t flips = __ballot_sync(EVERY_LANE, made);
            __syncwarp();
            if (this->lane == 0)
                this->words[quad.x + i] = word ^ flips;
        }
        __syncwarp();
    }

    __device__ __forceinline__ void sweep() const {
        const graph_step &step = this->step;
        uint32_t ups;
        int64_t room = step.ceiling - (int64_t)this->level_of(ups);
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            const ssc_moment moment = ssc_moment_of(&step.keys, this->replica, sweep);
            const stream_block random =
                ssc_numbers(&step.keys, ssc_place_of(&step.keys, step.quad_count, step.temperature),
                            ssc_moment_of(&step.keys, 0, sweep));
            const quad_order order = order_below(step.quad_count, random.number);
            uint32_t quad = order.first;
#pragma unroll 1
            for (uint32_t n = 0; n < step.quad_count; n++) {
                sweep_quad(quad, moment, room);
                quad = (quad + order.apart) % step.quad_count;
            }
        }
    }
};

/* Each block for one word of the range. */
template <bool IN_SHARED>
static __global__ void __launch_bounds__(32)
    step_below(const __grid_constant__ graph_step step, step_parts parts) {
    extern __shared__ uint4 shared[];
    make_graph_step<IN_SHARED>(below_warp<IN_SHARED>(graph_warp_of<IN_SHARED, false, false>(
                                   step, (uint32_t *)shared, step.flips.threshold)),
                               parts);
}

#endif
