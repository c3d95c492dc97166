/* The kernels of lattices without energy levels: a temperature step (step.cuh), and a round of groups. EDGE: that of a cube whose sweeps are
 * made by patterns (rows.cuh), whose warps have one word; 0: other ones. */
#ifndef PAISING_CUDA_FINE_KERNELS_CUH
#define PAISING_CUDA_FINE_KERNELS_CUH

#include "cuda/fine/rows.cuh"

/* The exponent of a table; not read without sweeps. */
static __device__ __forceinline__ float exponent_of(const fine_flips *flips) {
    return (float)(-2 * M_LOG2E * flips->rate);
}

/* Makes parts of a step: each block for WORDS words of the range, as far as there are. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT, uint32_t WORDS, uint32_t EDGE>
static __global__ void __launch_bounds__(32)
    step_fine(const __grid_constant__ fine_step step, step_parts parts) {
    extern __shared__ uint4 shared[];
    const uint64_t population = step.replicas.report->population, end = step.first + population;
    const uint64_t first = step.first / MACHINE_LANES + (uint64_t)blockIdx.x * WORDS;
    if (population == 0 || population > step.replicas.capacity || first * MACHINE_LANES >= end)
        return;
    fine_warp<DIMENSION, IN_SHARED, COMPLEMENT, WORDS> warp = {
        step, threadIdx.x, 1u << threadIdx.x, step.flips,
        parts & PART_SWEEP ? exponent_of(step.flips) : 0};
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        const uint64_t place = (first + w) * MACHINE_LANES + threadIdx.x;
        uint32_t *const mine = step.children + (first + w) * step.sites;
        warp.take(w, IN_SHARED ? (uint32_t *)shared + w * fine_room(step.sites) : mine,
                  place >= step.first && place < end, place - step.first);
        if (warp.word[w].active == 0)
            continue;
        if (parts & PART_SELECT)
            warp.collect(w);
        else if (IN_SHARED)
            warp.copy(warp.word[w].site, mine);
    }
    __syncwarp();
    if (parts & PART_SWEEP) {
        if constexpr (EDGE > 0)
            sweep_rows<EDGE>(warp, step.pattern);
        else
            warp.sweep();
    }
    if (parts & PART_MEASURE)
        warp.measure();
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++)
        if (IN_SHARED && parts & (PART_SELECT | PART_SWEEP) && warp.word[w].active != 0)
            warp.copy(step.children + (first + w) * step.sites, warp.word[w].site);
}

/* A round of groups (engine/rounds.h). */
struct fine_round {
    fine_step step; /* of all groups; flips[groups] */
    cuda_round round;
    uint32_t first;  /* group of the launch */
    uint32_t chains; /* replicas of a group, whole words */
    fine_keys keys;
    uint64_t *key; /* [groups][chains] */
};

/* Makes the step of a group behind its exchanges, each block for WORDS words, as far as there are: blockIdx.y counts groups. It
 * equals the steps of the groups one by one, with given parents. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT, uint32_t WORDS, uint32_t EDGE>
static __global__ void __launch_bounds__(32, WORDS == 1 ? 32 : 16)
    round_fine(const __grid_constant__ fine_round r) {
    extern __shared__ uint4 shared[];
    const fine_step &step = r.step;
    const uint32_t g = r.first + blockIdx.y, lane = threadIdx.x, first = blockIdx.x * WORDS;
    const fine_flips *const flips = step.flips + g;
    await_launch_before();
    fine_warp<DIMENSION, IN_SHARED, COMPLEMENT, WORDS> warp = {step, lane, 1u << lane, flips,
                                                               exponent_of(flips)};
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        const uint32_t n = first + w;
        const bool there = n < r.round.words;
        const uint64_t word = (uint64_t)g * r.round.words + n;
        uint32_t *const sites = IN_SHARED ? (uint32_t *)shared + w * fine_room(step.sites)
                                          : step.children + word * step.sites;
        warp.take(w, sites, there, (uint64_t)g * r.chains + n * MACHINE_LANES + lane);
        if (!there)
            continue;
        const cuda_exchange x = exchange_of(r.round, g, n);
        const uint32_t *const own = step.parents + word * step.sites, *const partner =
                                                                          step.parents +
                                                                          (uint64_t)x.word *
                                                                              step.sites;
        for (uint32_t i = lane; i < step.sites; i += 32)
            sites[i] = x.accepted ? own[i] ^ ((own[i] ^ partner[i]) & x.accepted) : own[i];
    }
    __syncwarp();
    if constexpr (EDGE > 0)
        sweep_rows<EDGE>(warp, step.pattern + (size_t)g * step.sites * PATTERNS);
    else
        warp.sweep();
    warp.measure();
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        if (warp.word[w].active == 0)
            continue;
        const uint64_t k = warp.word[w].k;
        if (IN_SHARED)
            warp.copy(step.children + ((uint64_t)g * r.round.words + first + w) * step.sites,
                      warp.word[w].site);
        r.key[k] = fine_key_of(r.keys, g, step.energy[k]);
        const order_moments of = moments_of(&step.replicas, step.order[k]);
        add_to_blocks(&r.round.sums[g].all, 0,
                      block_sums{1, 0, 0, of.abs_m, of.m2, of.q_low, of.q_high});
    }
}

#endif
