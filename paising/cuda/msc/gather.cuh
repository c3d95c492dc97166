/* Multi-spin coding on the device: collecting the 32 replicas of a machine word from their parents,
 * with the networks of networks.h. Mostly children are in the order of their parents, and one or
 * two windows hold all parents of a word. Any other order only takes more windows, up to one a
 * child. */
#ifndef PAISING_CUDA_MSC_GATHER_CUH
#define PAISING_CUDA_MSC_GATHER_CUH

#include "cuda/msc/networks.h"
#include "cuda/msc/request.cuh"

/* A window: the 32 slots up to that of its last parent. Their spins are in machine word `word` and
 * in the one before. */
struct alignas(16) gather_window {
    uint32_t word;
    uint8_t up;      /* distance of the last parent from bit 31 */
    uint8_t parents; /* parents with children */
    bool crosses;    /* some of them are in the word before */
    bool gaps;       /* parents without children lie between them */
    uint32_t compress[NETWORK_STAGES];
};

/* Sources of the 32 lanes of a machine word. */
struct alignas(16) gather_plan {
    uint32_t windows, spread[NETWORK_STAGES];
    gather_window window[MACHINE_LANES];
};

/* Returns the slot of the parent of this thread's lane in machine word w. A lane without replica
 * uses the parent of the lane before. Threads: a full warp. */
static __device__ __forceinline__ uint32_t slot_of_parent(const msc_population &own,
                                                          const msc_place &place, uint64_t w) {
    const uint32_t lane = threadIdx.x & 31;
    const msc_layout children =
        msc_layout_of(own.word, own.rng, children_of(own.replicas, place.interval));
    const msc_layout parents = msc_layout_of(own.word, own.rng, own.parent_count);
    const uint64_t k = msc_replica(&children, w * MACHINE_LANES + lane);
    const bool occupied = k < children.replicas;
    const uint32_t slot =
        occupied ? (uint32_t)msc_slot(&parents, own.replicas.parent[k + place.inherited]) : 0;
    const uint32_t before = __ballot_sync(FULL_WARP, occupied) & ((2u << lane) - 1);
    return __shfl_sync(FULL_WARP, slot, 31 - __clz((int)before));
}

/* Prefetches the lattice of a machine word to the L2 cache. */
static __device__ __forceinline__ void expect_lattice(const msc_population &own, uint32_t word) {
#if __CUDA_ARCH__ >= 900
    const uint32_t bytes = own.shape.quads * (uint32_t)sizeof(uint4);
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :
                 : "l"((const char *)own.parents + (uint64_t)word * bytes), "r"(bytes));
#endif
}

/* Makes the plan of machine word w. Threads: a full warp. */
static __device__ __forceinline__ void fill_plan(gather_plan *plan, const msc_population &own,
                                                 const msc_place &place, uint64_t w) {
    const uint32_t lane = threadIdx.x & 31;
    const uint32_t slot = slot_of_parent(own, place, w),
                   before = __shfl_up_sync(FULL_WARP, slot, 1);
    if (lane == 0 || slot / MACHINE_LANES != before / MACHINE_LANES)
        expect_lattice(own, slot / MACHINE_LANES);
    const uint32_t firsts =
        __ballot_sync(FULL_WARP, lane == 0 || slot != before); /* first children of their parents */
    const uint32_t rank = __popc(firsts & ((2u << lane) - 1)) - 1; /* of the parent */
    uint32_t windows = 0;
    for (uint32_t first = 0, next; first < MACHINE_LANES; first = next) {
        const uint32_t first_slot = __shfl_sync(FULL_WARP, slot, first);
        const uint32_t others = __ballot_sync(
            FULL_WARP, lane > first && (slot < before || slot - first_slot >= MACHINE_LANES));
        next = others ? __ffs((int)others) - 1 : MACHINE_LANES;
        const uint32_t last_slot = __shfl_sync(FULL_WARP, slot, next - 1);
        const uint32_t last_rank = __shfl_sync(FULL_WARP, rank, next - 1);
        const uint32_t below = last_slot - slot, way = below - (last_rank - rank);
        const bool gaps = __shfl_sync(FULL_WARP, way, first) > 0;
        gather_window *const window = &plan->window[windows++];
        for (uint32_t k = 0; gaps && k < NETWORK_STAGES; k++) {
            const bool here = lane >= first && lane < next;
            const uint32_t mask =
                warp_or(here ? compress_mask(MACHINE_LANES - 1 - below, way, k) : 0);
            if (lane == first)
                window->compress[k] = mask;
        }
        if (lane == first) {
            window->word = last_slot / MACHINE_LANES;
            window->up = (uint8_t)(MACHINE_LANES - 1 - last_slot % MACHINE_LANES);
            window->parents = (uint8_t)(last_rank - rank + 1);
            window->crosses = first_slot / MACHINE_LANES < window->word;
            window->gaps = gaps;
        }
    }
    for (uint32_t k = 0; k < NETWORK_STAGES; k++) {
        const uint32_t mask = warp_or(spread_mask(lane, lane - rank, k));
        if (lane == 0)
            plan->spread[k] = mask;
    }
    if (lane == 0)
        plan->windows = windows;
}

/* Quads that a thread collects at a time; their loads are in flight together. */
#define GATHERED_QUADS 2
#define GATHERED_WORDS (4 * GATHERED_QUADS)

struct gathered {
    uint32_t word[GATHERED_WORDS];
};

static __device__ __forceinline__ void load_gathered(gathered &to, const uint4 *lattice,
                                                     uint32_t distance) {
#pragma unroll
    for (uint32_t q = 0; q < GATHERED_QUADS; q++) {
        const uint4 quad = __ldg(lattice + q * distance);
        to.word[4 * q] = quad.x;
        to.word[4 * q + 1] = quad.y;
        to.word[4 * q + 2] = quad.z;
        to.word[4 * q + 3] = quad.w;
    }
}

static __device__ __forceinline__ void store_gathered(uint4 *lattice, uint32_t at,
                                                      uint32_t distance, const gathered &g) {
#pragma unroll
    for (uint32_t q = 0; q < GATHERED_QUADS; q++)
        lattice[at + q * distance] =
            make_uint4(g.word[4 * q], g.word[4 * q + 1], g.word[4 * q + 2], g.word[4 * q + 3]);
}

/* Returns two quads of the children's lattice, `distance` apart. `parents` is the first of them in
 * machine word 0; a machine word has `quads` quads. */
static __device__ __forceinline__ gathered gather(const gather_plan *plan, const uint4 *parents,
                                                  uint32_t quads, uint32_t distance) {
    gathered child = {}, high, low = {};
    uint32_t held = UINT32_MAX; /* the machine word in `low` */
    for (uint32_t n = plan->windows; n-- > 0;) {
        const gather_window window = plan->window[n];
        high = low;
        if (window.word != held)
            load_gathered(high, parents + (uint64_t)window.word * quads, distance);
        low = high;
        held = window.word - window.crosses;
        if (window.crosses)
            load_gathered(low, parents + (uint64_t)held * quads, distance);
        gathered bits;
#pragma unroll
        for (uint32_t i = 0; i < GATHERED_WORDS; i++)
            bits.word[i] = join(low.word[i], high.word[i], window.up);
        if (window.gaps)
#pragma unroll
            for (uint32_t i = 0; i < GATHERED_WORDS; i++)
                bits.word[i] = compress(bits.word[i], window.compress);
#pragma unroll
        for (uint32_t i = 0; i < GATHERED_WORDS; i++)
            child.word[i] = join(bits.word[i], child.word[i], window.parents);
    }
#pragma unroll
    for (uint32_t i = 0; i < GATHERED_WORDS; i++)
        child.word[i] = spread(child.word[i], plan->spread);
    return child;
}

#endif
