/* The kernel of a round (engine/rounds.h) in multi-spin coding: all groups in one launch, each with the flip rule of its own. It
 * equals the steps of the groups one by one (step.cuh), for lattices in shared memory with one strip a thread.
 *
 * A row of blocks makes a group. The rules are kernel arguments: the row picks its own, so that what depends on it stays the
 * same for all threads. Exchanges cost a word of the partner where a lane is exchanged:
 *
 *     child = own ^ ((own ^ partner) & accepted) */
#ifndef PAISING_CUDA_MSC_ROUNDS_CUH
#define PAISING_CUDA_MSC_ROUNDS_CUH

#include "cuda/msc/step.cuh"

/* What the sweeps of a group need of its step. */
struct group_step {
    const msc_population &own;
    const plane_branches &planes;
    const point_marks &points;
    const double *more_than;
};

static __device__ __forceinline__ const double *more_than_of(const group_step &step) {
    return step.more_than;
}

static __device__ __forceinline__ const site_rule *at_sites_of(const group_step &) {
    return NULL;
}

/* Reads the row of the block again, so that no register keeps it. */
static __device__ __forceinline__ uint32_t block_row() {
    uint32_t number;
    asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(number));
    return number;
}

/* Reports the replicas of word n of group k from the counts of its lanes. Threads: a full warp. */
static __device__ __forceinline__ void report_group_word(const msc_round &r, uint32_t k, uint32_t n,
                                                         const lane_counts &counts) {
    const uint32_t lane = threadIdx.x & 31, up = counts.up[lane], half = sites_of(r.own.shape) / 2;
    const uint32_t level = counts.bonds[lane] / 2, order = up > half ? up - half : half - up;
    const uint64_t word = (uint64_t)k * r.round.words + n;
    const int64_t energy = level_energy(r.own.replicas.levels, level);
    const order_moments of = moments_of(&r.own.replicas, order);
    cuda_group_sums *const sums = &r.round.sums[k];
    const uint32_t first = warp_min(level), end = warp_max(level + 1);
    r.own.replicas.level[word * MACHINE_LANES + lane] = level;
    atomicAdd(&r.round.levels[(size_t)k * r.own.replicas.levels.count + level], 1);
    if (lane == 0) {
        if (first < __ldcg(&sums->first))
            atomicMin(&sums->first, first);
        if (end > __ldcg(&sums->end))
            atomicMax(&sums->end, end);
    }
    add_to_blocks(
        &sums->all, 0,
        block_sums{1, energy, (uint64_t)(energy * energy), of.abs_m, of.m2, of.q_low, of.q_high});
}

template <typename LATTICE, int EACH>
static __global__ void __launch_bounds__(MOST_THREADS)
    make_round(const __grid_constant__ msc_round r) {
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const block_memory memory =
        part_memory<LATTICE, WHOLE_STEP, RNG_INDEPENDENT, true>(shared, r.own);
    const uint32_t quads = r.own.shape.quads, stride = blockDim.x / r.own.lattices;
    const uint32_t member = threadIdx.x % stride, group = threadIdx.x / stride;
    uint4 *const lattice = shared + group * quads;
    for (uint32_t n = threadIdx.x; n < r.own.lattices * 2 * MACHINE_LANES; n += blockDim.x)
        ((uint32_t *)memory.counts)[n] = 0;
    await_launch_before();

    const uint32_t n = block_number() * r.own.lattices + group, k = r.first + block_row(),
                   w = k * r.round.words + n;
    const bool active = n < r.round.words;
    const thread_strips strips = {active ? member : NO_STRIP / 2, stride, place_in_window(lattice),
                                  r.own.place.first_word + w};
    if (active) {
        const cuda_exchange x = exchange_of(r.round, k, n);
        const uint4 *const own = (const uint4 *)r.own.parents + (uint64_t)w * quads,
                           *const partner = (const uint4 *)r.own.parents + (uint64_t)x.word * quads;
        for (uint32_t at = member; at < quads; at += stride) {
            uint4 quad = __ldg(own + at);
            if (x.accepted) {
                const uint4 other = __ldg(partner + at);
                quad.x ^= (quad.x ^ other.x) & x.accepted;
                quad.y ^= (quad.y ^ other.y) & x.accepted;
                quad.z ^= (quad.z ^ other.z) & x.accepted;
                quad.w ^= (quad.w ^ other.w) & x.accepted;
            }
            lattice[at] = quad;
        }
    }
    __syncthreads();

    void *const lattices = shared_window();
    {
        const group_rule &rule = r.rule[block_row()];
        const group_step step = {r.own, rule.planes, rule.points,
                                 r.more_than + (size_t)k * BERNOULLI_MOST_POINTS};
        sweep_place at = {strips.owner, 0, lattices, LATTICE::distances(r.own.shape), {}, {}};
        at.board = place_on_board<LATTICE::words>(place_in_window(shared) + memory.boards,
                                                  rule.points.group);
        sweep_kept<LATTICE, RNG_INDEPENDENT, MACHINE_LANES, EACH>(step, r.own, strips, at);
    }

    allow_next_launch();
    measure_lattice<LATTICE, EACH>(lattices, r.own.shape, strips, stride < 32 ? stride : 32,
                                   &memory.counts[group]);
    const uint32_t swept = block_number() * r.own.lattices, row = r.first + block_row();
    if (swept + group < r.round.words) {
        uint4 *const to =
            (uint4 *)r.own.children + ((uint64_t)row * r.round.words + swept + group) * quads;
#pragma unroll 4
        for (uint32_t at = member; at < quads; at += stride)
            to[at] = lattice[at];
    }
    __syncthreads();
    for (uint32_t of = threadIdx.x / 32; of < r.own.lattices; of += blockDim.x / 32)
        if (swept + of < r.round.words)
            report_group_word(r, row, swept + of, memory.counts[of]);
}

#endif
