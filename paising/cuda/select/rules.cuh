/* Numbers of children of a tile's parents, by the rule: one of three ways (resample/rules.h). */
#ifndef PAISING_CUDA_SELECT_RULES_CUH
#define PAISING_CUDA_SELECT_RULES_CUH

#include "cuda/select/points.cuh"

/* Poisson numbers, one parent after the other. The code for one is long, and small populations wait
 * until it is loaded: a loop has one copy of it. */
static __device__ __forceinline__ void count_poisson(const selection &s, uint64_t j, uint32_t count,
                                                     const uint64_t tau_hat[4],
                                                     uint32_t *children) {
#pragma unroll 1
    for (uint32_t n = 0; n < count; n++) {
        const uint64_t low = n % 2 == 0 ? tau_hat[0] : tau_hat[1],
                       high = n % 2 == 0 ? tau_hat[2] : tau_hat[3];
        children[n] = (uint32_t)resampling_copies_of(RESAMPLE_POISSON, s.numbers,
                                                     (uint32_t)(s.replicas.interval.origin + j + n),
                                                     NULL, n < 2 ? low : high);
    }
}

/* Sets children[] of the calling thread's `count` parents from number j on, with these tau-hat, by
 * the rule. `room`: shared memory, one number for each parent of the tile; a thread uses those of
 * its own parents. */
template <resampling_rule RULE>
static __device__ __forceinline__ void find_children(const selection &s, uint64_t j, uint32_t count,
                                                     const uint64_t tau_hat[4], uint32_t *room,
                                                     uint32_t children[4]) {
    constexpr resampling_way way = resampling_way_of(RULE);
    uint64_t end = 0, before = 0,
             offset = 0; /* on the line; children before; of systematic points */
    stream_block four = {{0, 0, 0, 0}};
    if constexpr (way == BY_PLACE) {
        uint64_t weight = 0;
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            weight += n < count ? resampling_weight(RULE, tau_hat[n]) : 0;
        end = stretch_on_line(s, weight).mine;
        offset = systematic_offset(s.line, s.numbers);
        before = resampling_before(RULE, s.line, s.numbers, offset, end);
    } else if constexpr (way == BY_POINTS) {
        count_fallen<RULE>(s, count, tau_hat, room);
    } else if constexpr (RULE == RESAMPLE_POISSON) {
        count_poisson(s, j, count, tau_hat, room + 4 * threadIdx.x);
    } else {
        four = resampling_shared(s.numbers, s.replicas.interval.origin + j);
    }
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        children[n] = 0;
        if (n >= count)
            continue;
        if constexpr (way == BY_PLACE) {
            end += resampling_weight(RULE, tau_hat[n]);
            const uint64_t with = resampling_before(RULE, s.line, s.numbers, offset, end);
            children[n] = (uint32_t)(with - before);
            before = with;
        } else if constexpr (way == BY_POINTS) {
            children[n] = (uint32_t)resampling_sure(RULE, tau_hat[n]) + room[4 * threadIdx.x + n];
        } else if constexpr (RULE == RESAMPLE_POISSON) {
            children[n] = room[4 * threadIdx.x + n];
        } else {
            children[n] = (uint32_t)resampling_copies_of(
                RULE, s.numbers, (uint32_t)(s.replicas.interval.origin + j + n), &four, tau_hat[n]);
        }
    }
}

#endif
