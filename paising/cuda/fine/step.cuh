/* The kernel of a temperature step of a lattice without energy levels. It equals cpu/ssc_fine.c bit for bit.
 *
 * The layout is that of graphs (cuda/graph/step.cuh): a block is a warp and a lane a replica; neighbours and couplings are the same
 * for all lanes. Each flip is decided by comparing 64 binary digits of x with those of a probability w (engine/fine_flips.h). Here w is
 * estimated first, in single precision and to 2^-17 of itself, and x has its first 32 digits. Where both are further apart
 * than 2^-14 w, that decides. The digits of engine/fine_flips.h are computed for the others, one flip in some thousands.
 *
 * A flip in three dimensions takes a quarter of Philox, 18 instructions for its neighbours, and some 12 to decide it. */
#ifndef PAISING_CUDA_FINE_STEP_CUH
#define PAISING_CUDA_FINE_STEP_CUH

#include "cuda/engine/round_state.h"
#include "cuda/fine/levels.h"
#include "cuda/fine/tables.h"
#include "cuda/graph/copies.cuh"
#include "engine/ssc_numbers.h"

/* By how much an estimate may be wrong, of itself. Its errors: 33 x 2^-22.4 ln 2 by the rounding of its exponent, which is between
 * -33 and 0 where x is not 0; 2^-20 by adding 32 to that; 2^-22 by the hardware. The division of the heat bath adds 2^-21. */
#define FINE_MARGIN 0x1p-14f

struct fine_step {
    cuda_replicas replicas;  /* of the range */
    const uint32_t *parents; /* [words][sites] */
    uint32_t *children;      /* likewise */
    const int4 *base;        /* [2][quads] */
    const uint4 *rows;       /* [2][quads][2 d][2] graph_row */
    const fine_flips *flips; /* on the device */
    int64_t *energy;         /* [capacity] of all replicas */
    uint32_t *order;         /* likewise: |M| / order unit */
    uint32_t sites, quads;
    uint32_t sweeps, temperature;
    ssc_keys keys;
    rounding thresholds;    /* of which u is read */
    uint64_t first;         /* place of the range's first replica */
    uint32_t first_replica; /* its global number, for streams */
};

/* 2^x. */
static __device__ __forceinline__ float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

/* A warp's part of a step. IN_SHARED: the words of its sites are in shared memory. COMPLEMENT: the flips of
 * DOWNHILL_COMPLEMENT. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT> struct fine_warp {
    const fine_step &step;
    uint32_t *words; /* [sites], and a few */
    uint32_t lane, bit;
    bool active;    /* there is such a replica in the range */
    uint64_t k;     /* its number there */
    uint64_t first; /* place of the range's first replica */
    uint32_t replica;
    const fine_flips *flips;
    float exponent; /* - 2 beta / unit log2 e */

    /* Adds what a neighbour up says. */
    __device__ __forceinline__ void add(int32_t &sum, uint32_t offset, uint32_t weight) const {
        if (*(const uint32_t *)((const char *)words + offset) & bit)
            sum += (int32_t)weight;
    }

    /* The local fields of a quad's sites. */
    __device__ __forceinline__ int4 fields(uint32_t quad) const {
        const uint4 *const row = step.rows + (size_t)quad * (4 * DIMENSION);
        int4 sum = __ldg(step.base + quad);
#pragma unroll
        for (uint32_t n = 0; n < 2 * DIMENSION; n++) {
            const uint4 left = __ldg(row + 2 * n), right = __ldg(row + 2 * n + 1);
            add(sum.x, left.x, left.y);
            add(sum.y, left.z, left.w);
            add(sum.z, right.x, right.y);
            add(sum.w, right.z, right.w);
        }
        return sum;
    }

    /* What a flip costs, halved. */
    __device__ __forceinline__ int32_t half_cost(uint32_t word, int32_t field) const {
        return word & bit ? field : -field;
    }

    /* Whether the estimate decides a flip, and how. */
    __device__ __forceinline__ bool decide(int32_t half, uint32_t r, bool &sure) const {
        const float cost = (float)(COMPLEMENT && half < 0 ? -half : half);
        float chance = power_of_two(fmaf(cost, exponent, 32.f)); /* 2^32 w */
        if (COMPLEMENT)
            chance = __fdividef(chance, fmaf(chance, 0x1p-32f, 1.f));
        const float x = (float)r;
        const bool below = x < fmaf(chance, 1 - FINE_MARGIN, -1.f);
        sure = below || x > chance * (1 + FINE_MARGIN);
        return below != (COMPLEMENT && half < 0);
    }

    __device__ __noinline__ static bool decide_exactly(const fine_flips *flips, int32_t half,
                                                       uint32_t r, uint64_t u) {
        return fine_flip(flips, COMPLEMENT ? DOWNHILL_COMPLEMENT : DOWNHILL_ALWAYS,
                         2 * (int64_t)half, r, u);
    }

    __device__ __forceinline__ void sweep_quad(uint32_t parity, uint32_t n,
                                               const ssc_moment &moment, uint64_t u) const {
        const uint32_t quad = parity * step.quads + n, place = parity * (step.sites / 2) + 4 * n,
                       sites = min(step.sites / 2 - 4 * n, 4u);
        const stream_block four =
            ssc_numbers(&step.keys, ssc_place_of(&step.keys, quad, step.temperature), moment);
        const int4 field = fields(quad);
        const uint32_t *const own = words + place; /* missing ones are others behind it */
        const uint32_t old[4] = {own[0], own[1], own[2], own[3]};
        const int32_t half[4] = {half_cost(old[0], field.x), half_cost(old[1], field.y),
                                 half_cost(old[2], field.z), half_cost(old[3], field.w)};
        bool made[4], sure[4];
#pragma unroll
        for (uint32_t i = 0; i < 4; i++)
            made[i] = decide(half[i], four.number[i], sure[i]);
        if (!(sure[0] && sure[1] && sure[2] && sure[3]))
#pragma unroll
            for (uint32_t i = 0; i < 4; i++)
                if (!sure[i])
                    made[i] = decide_exactly(flips, half[i], four.number[i], u);
        uint32_t mine = 0; /* the word of site `lane` of the quad */
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t word = old[i] ^ __ballot_sync(EVERY_LANE, made[i] && active);
            mine = lane == i ? word : mine;
        }
        if (lane < sites)
            words[place + lane] = mine;
        __syncwarp();
    }

    __device__ __forceinline__ void sweep() const {
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            const ssc_moment moment = ssc_moment_of(&step.keys, replica, sweep);
            const uint64_t u = rounding_of(&step.thresholds, replica, sweep);
#pragma unroll 1
            for (uint32_t parity = 0; parity < 2; parity++)
#pragma unroll 1
                for (uint32_t n = 0; n < step.quads; n++)
                    sweep_quad(parity, n, moment, u);
        }
    }

    /* Each bond of an even site is counted once: E = - sum of s times its field, over the even sub-lattice. */
    __device__ __forceinline__ void measure() const {
        int64_t energy = 0;
        uint32_t ups = 0;
        for (uint32_t n = 0; n < step.quads; n++) {
            const int4 field = fields(n);
            const uint32_t *const own = words + 4 * n;
            energy -= half_cost(own[0], field.x);
            energy -= half_cost(own[1], field.y);
            if (4 * n + 2 < step.sites / 2)
                energy -= (int64_t)half_cost(own[2], field.z) + half_cost(own[3], field.w);
        }
        for (uint32_t i = 0; i < step.sites; i++)
            ups += (words[i] & bit) != 0;
        if (!active)
            return;
        const uint32_t up = 2 * ups;
        step.energy[first + k] = energy;
        step.order[first + k] =
            (up < step.sites ? step.sites - up : up - step.sites) / step.replicas.order_unit;
    }

    /* Collects the spins of the parents: four sites of a parent at a time, turned into words of four sites. */
    __device__ __forceinline__ void collect() const {
        const uint32_t parent = step.replicas.parent[k], shift = parent % MACHINE_LANES;
        const uint4 *const from =
            (const uint4 *)(step.parents + (uint64_t)(parent / MACHINE_LANES) * step.sites);
        for (uint32_t four = 0; four < step.sites / 4; four++) {
            const uint4 of = from[four];
            const uint32_t a = __ballot_sync(EVERY_LANE, of.x >> shift & 1),
                           b = __ballot_sync(EVERY_LANE, of.y >> shift & 1),
                           c = __ballot_sync(EVERY_LANE, of.z >> shift & 1),
                           d = __ballot_sync(EVERY_LANE, of.w >> shift & 1);
            if (lane < 4)
                words[4 * four + lane] = lane == 0 ? a : lane == 1 ? b : lane == 2 ? c : d;
        }
    }
};

/* The exponent of a table; not read without sweeps. */
static __device__ __forceinline__ float exponent_of(const fine_flips *flips) {
    return (float)(-2 * M_LOG2E * flips->rate);
}

/* Makes parts of a step: each block for one word of the range. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT>
static __global__ void __launch_bounds__(32)
    step_fine(const __grid_constant__ fine_step step, step_parts parts) {
    extern __shared__ uint4 shared[];
    const uint64_t population = step.replicas.report->population;
    const uint64_t word = step.first / MACHINE_LANES + blockIdx.x;
    const uint64_t place = word * MACHINE_LANES + threadIdx.x;
    if (population == 0 || population > step.replicas.capacity ||
        word * MACHINE_LANES >= step.first + population)
        return;
    uint32_t *const mine = step.children + word * step.sites, *const room = (uint32_t *)shared;
    const bool active = place >= step.first && place - step.first < population;
    const uint64_t k = active ? place - step.first : 0;
    const fine_warp<DIMENSION, IN_SHARED, COMPLEMENT> warp = {
        step,        IN_SHARED ? room : mine,
        threadIdx.x, 1u << threadIdx.x,
        active,      k,
        step.first,  step.first_replica + (uint32_t)k,
        step.flips,  parts & PART_SWEEP ? exponent_of(step.flips) : 0};
    if (parts & PART_SELECT)
        warp.collect();
    else if (IN_SHARED)
        for (uint32_t i = threadIdx.x; i < step.sites; i += 32)
            room[i] = mine[i];
    __syncwarp();
    if (parts & PART_SWEEP)
        warp.sweep();
    if (parts & PART_MEASURE)
        warp.measure();
    if (IN_SHARED && parts & (PART_SELECT | PART_SWEEP))
        for (uint32_t i = threadIdx.x; i < step.sites; i += 32)
            mine[i] = room[i];
}

/* A round of groups (engine/rounds.h). */
struct fine_round {
    fine_step step; /* of all groups; flips[groups] */
    cuda_round round;
    uint32_t chains; /* replicas of a group, whole words */
    fine_keys keys;
    uint64_t *key; /* [groups][chains] */
};

/* Makes the step of a group behind its exchanges, each block for one word: blockIdx.y is the group. It equals the steps of the groups
 * one by one, with given parents. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT>
static __global__ void __launch_bounds__(32, 32) round_fine(const __grid_constant__ fine_round r) {
    extern __shared__ uint4 shared[];
    const fine_step &step = r.step;
    const uint32_t n = blockIdx.x, g = blockIdx.y, lane = threadIdx.x, k = n * MACHINE_LANES + lane;
    const uint64_t first = (uint64_t)g * r.chains, word = (uint64_t)g * r.round.words + n;
    uint32_t *const mine = step.children + word * step.sites;
    uint32_t *const words = IN_SHARED ? (uint32_t *)shared : mine;
    await_launch_before();
    const cuda_exchange x = exchange_of(r.round, g, n);
    const uint32_t *const own = step.parents + word * step.sites, *const partner =
                                                                      step.parents +
                                                                      (uint64_t)x.word * step.sites;
    for (uint32_t i = lane; i < step.sites; i += 32)
        words[i] = x.accepted ? own[i] ^ ((own[i] ^ partner[i]) & x.accepted) : own[i];
    __syncwarp();
    const fine_flips *const flips = step.flips + g;
    const fine_warp<DIMENSION, IN_SHARED, COMPLEMENT> warp = {step,  words,
                                                              lane,  1u << lane,
                                                              true,  k,
                                                              first, (uint32_t)first + k,
                                                              flips, exponent_of(flips)};
    warp.sweep();
    warp.measure();
    for (uint32_t i = lane; IN_SHARED && i < step.sites; i += 32)
        mine[i] = words[i];
    r.key[first + k] = fine_key_of(r.keys, g, step.energy[first + k]);
    const order_moments of = moments_of(&step.replicas, step.order[first + k]);
    add_to_blocks(&r.round.sums[g].all, 0,
                  block_sums{1, 0, 0, of.abs_m, of.m2, of.q_low, of.q_high});
}

#endif
