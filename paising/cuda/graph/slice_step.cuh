/* Sweeps of a graph whose bonds have the same |J|, without fields (slices.h). They equal those of step.cuh bit for bit.
 *
 * The warp has 32 replicas, and takes 32 places of a colour at a time, a group.
 *   1. A lane is a replica. Of each place it draws the random number and finds its rank, below how many thresholds it is, by
 *      bisection. The binary digits of the ranks of all replicas are words, which go to shared memory.
 *   2. A lane is a place. It adds up the satisfied bonds of all 32 replicas at once, digit by digit, so that the class of
 *      the flip is some words, too, and compares it with the ranks.
 * A neighbour thus costs a warp some 12 instructions for 32 x 32 spins. A flip takes 11 instructions of Philox, 6 for the rank where
 * there are 3 thresholds, 11 where there are 7, and some 3 for the place. */
#ifndef PAISING_CUDA_GRAPH_SLICE_STEP_CUH
#define PAISING_CUDA_GRAPH_SLICE_STEP_CUH

#include "cuda/device/lane_counters.cuh"
#include "cuda/graph/slices.h"
#include "cuda/graph/step.cuh"

#define SLICE_BLOCKS 32 /* of a multiprocessor: the registers of a thread are that few */

struct slice_tables {
    const uint4 *groups;   /* [count] slice_group */
    const int32_t *start;  /* [count][32] */
    const uint32_t *links; /* [rows][32] */
    uint32_t count, shift, odd;
    int32_t change[SLICE_RANKS];
};

/* The part of a warp. BITS: of the ranks. With four of them the 15 thresholds do not stay in registers, and a flip takes longer
 * than in step.cuh. */
template <int BITS, bool COMPLEMENT> struct slice_warp : graph_warp<true, false, COMPLEMENT> {
    const slice_tables &tables;
    uint32_t *digits; /* [BITS][32] of the places of a group */

    __device__ __forceinline__ slice_warp(const graph_warp<true, false, COMPLEMENT> &warp,
                                          const slice_tables &t, uint32_t *room)
        : graph_warp<true, false, COMPLEMENT>(warp), tables(t), digits(room) {
    }

    /* The threshold of a change for u: flip_of_table(). */
    __device__ __forceinline__ uint32_t threshold_of(int32_t change, uint64_t u) const {
        const flip_table &t = this->step.flips;
        if (change < 0)
            return 0; /* no number is below */
        const uint32_t n = t.most + (uint32_t)change;
        return t.threshold[n] + (u < t.fraction[n] + (this->step.thresholds.of_rest < t.rest[n]));
    }

    /* The digits of the ranks of a number in all lanes, the most significant first. least[rank]: the threshold. */
    __device__ __forceinline__ void find_rank(uint32_t r, const uint32_t least[1 << BITS],
                                              uint32_t digit[BITS]) const {
        bool is[BITS];
#pragma unroll
        for (int b = 0; b < BITS; b++) {
            /* the thresholds that this digit may decide, by the digits before */
            uint32_t at[1 << BITS];
#pragma unroll
            for (int n = 0; n < 1 << b; n++)
                at[n] = least[(2 * n + 1) << (BITS - 1 - b)];
#pragma unroll
            for (int d = b - 1; d >= 0; d--)
#pragma unroll
                for (int n = 0; n < 1 << d; n++)
                    at[n] = is[d] ? at[2 * n + 1] : at[2 * n];
            is[b] = r < at[0];
            digit[b] = __ballot_sync(EVERY_LANE, is[b]);
        }
    }

    /* Part 1, for the quads of a group. */
    __device__ __forceinline__ void draw(const uint4 &group, const uint32_t least[1 << BITS],
                                         const ssc_moment &moment) const {
        const uint32_t quads = ((group.w & 0xffff) + 3) / 4;
#pragma unroll 2
        for (uint32_t q = 0; q < quads; q++) {
            const stream_block four = ssc_numbers(
                &this->step.keys,
                ssc_place_of(&this->step.keys, group.y + q, this->step.temperature), moment);
            uint32_t digit[4][BITS];
#pragma unroll
            for (int n = 0; n < 4; n++)
                find_rank(four.number[n], least, digit[n]);
            if (this->lane == 0)
#pragma unroll
                for (int b = 0; b < BITS; b++)
                    *(uint4 *)(digits + b * SLICE_PLACES + 4 * q) =
                        make_uint4(digit[0][b], digit[1][b], digit[2][b], digit[3][b]);
        }
    }

    /* Adds a bond to the classes, where it is satisfied. class_of[]: the digits of v, the least significant first; the last one is
     * the sign. */
    __device__ __forceinline__ void add_bond(uint32_t class_of[BITS + 1], uint32_t own,
                                             uint32_t link) const {
        const uint32_t passed = 0 - tables.shift; /* the first digit adds nothing */
        uint32_t carry = ~(own ^ this->at(link & ~3u)) ^ (0 - (link & 1));
#pragma unroll
        for (int b = 0; b <= BITS; b++) {
            const uint32_t digit = class_of[b];
            class_of[b] = digit ^ (b == 0 ? carry & ~passed : carry);
            carry = carry & (b == 0 ? digit | passed : digit);
        }
    }

    /* Which spins flip, by classes and ranks. */
    __device__ __forceinline__ uint32_t flips_of(const uint32_t class_of[BITS + 1]) const {
        const uint32_t falls = class_of[BITS];
        if (COMPLEMENT) { /* |v|, or of odd numbers of bonds what is not v */
            uint32_t below = 0, carry = tables.odd ? 0 : falls;
#pragma unroll
            for (int b = 0; b < BITS; b++) {
                const uint32_t turned = class_of[b] ^ falls, digit = turned ^ carry;
                carry = turned & carry;
                below = majority(~digit, digits[(BITS - 1 - b) * SLICE_PLACES + this->lane], below);
            }
            return below ^ falls;
        }
        uint32_t above = 0;
#pragma unroll
        for (int b = 0; b < BITS; b++)
            above =
                majority(class_of[b], ~digits[(BITS - 1 - b) * SLICE_PLACES + this->lane], above);
        return falls | ~above;
    }

    /* Part 2. */
    __device__ __forceinline__ void flip(uint32_t n, const uint4 &group) const {
        const uint32_t place = group.x + this->lane, rows = group.w >> 16;
        if (this->lane >= (group.w & 0xffff))
            return;
        const int32_t start = __ldg(tables.start + n * SLICE_PLACES + this->lane) -
                              (int32_t)(COMPLEMENT && tables.odd);
        const uint32_t *link = tables.links + (uint64_t)group.z * SLICE_PLACES + this->lane;
        const uint32_t own = this->words[place];
        uint32_t class_of[BITS + 1];
#pragma unroll
        for (int b = 0; b <= BITS; b++)
            class_of[b] = 0 - ((uint32_t)start >> b & 1);
#pragma unroll 2
        for (uint32_t row = 0; row < rows; row++, link += SLICE_PLACES)
            add_bond(class_of, own, __ldg(link));
        this->words[place] = own ^ (flips_of(class_of) & this->active_lanes);
    }

    __device__ __forceinline__ void sweep() const {
        uint32_t least[1 << BITS] = {};
        for (uint32_t sweep = 0; sweep < this->step.sweeps; sweep++) {
            const ssc_moment moment = ssc_moment_of(&this->step.keys, this->replica, sweep);
            if (sweep % ROUNDING_SWEEPS == 0) {
                const uint64_t u = rounding_of(&this->step.thresholds, this->replica, sweep);
#pragma unroll
                for (int rank = 1; rank < 1 << BITS; rank++)
                    least[rank] = threshold_of(tables.change[rank], u);
            }
#pragma unroll 1
            for (uint32_t n = 0; n < tables.count; n++) {
                const uint4 group = __ldg(tables.groups + n);
                draw(group, least, moment);
                __syncwarp();
                flip(n, group);
                __syncwarp();
            }
        }
    }
};

/* Makes parts of a step: each block for one word of the range. */
template <int BITS, bool COMPLEMENT>
static __global__ void __launch_bounds__(32, SLICE_BLOCKS)
    step_slices(const __grid_constant__ graph_step step, step_parts parts,
                const __grid_constant__ slice_tables tables) {
    extern __shared__ uint4 shared[];
    uint32_t *const room = (uint32_t *)shared;
    make_graph_step<true>(slice_warp<BITS, COMPLEMENT>(graph_warp_of<true, false, COMPLEMENT>(
                                                           step, room, step.flips.threshold),
                                                       tables, room + step.stride + 4),
                          parts);
}

#endif
