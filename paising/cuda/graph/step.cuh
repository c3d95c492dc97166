/* The kernel of a temperature step of a graph (Sec. 3, "one replica per thread"). It equals cpu/ssc_graph.c bit for bit.
 *
 * A block is a warp, and a lane a replica. The word of a site has its spins of 32 replicas, bit = lane, 1 up. All lanes take the
 * sites in the same order, colour by colour, so that places, neighbours and couplings are the same for all: they are read once
 * for the warp, and what differs is one bit of a word. Four sites of a colour, a quad, are updated at once: they are no neighbours,
 * and share a call of Philox.
 *
 * The words of a warp stand in shared memory during the step, or in device memory where a graph is too large. A flip takes
 * about 2 instructions of loading and 2 of adding a neighbour, a quarter of Philox, and some 12 to look the threshold up and to flip. */
#ifndef PAISING_CUDA_GRAPH_STEP_CUH
#define PAISING_CUDA_GRAPH_STEP_CUH

#include "cuda/engine/population.h"
#include "cuda/graph/copies.cuh"
#include "cuda/graph/tables.h"
#include "engine/ssc_numbers.h"

struct graph_step {
    cuda_replicas replicas;  /* of the range */
    const uint32_t *parents; /* [words][stride] */
    uint32_t *children;      /* likewise */
    const uint4 *quads;      /* [quads] graph_quad */
    const int4 *base;        /* [quads] */
    const uint4 *rows;       /* [rows][2] graph_row */
    const int64_t *field;    /* [N] h; NULL: all are 0 */
    flip_table flips;        /* on the device */
    uint32_t sites, stride, quad_count;
    uint32_t sweeps, temperature;
    ssc_keys keys;
    rounding thresholds; /* of which u and of_rest are read */
    downhill_flips downhill;
    uint64_t first;         /* place of the range's first replica */
    uint32_t first_replica; /* its global number, for streams */
};

/* A warp's part of a step. IN_SHARED: the words of its sites are in shared memory, before the thresholds. FEW_CHANGES: thresholds are in
 * shared memory. COMPLEMENT: the flips of DOWNHILL_COMPLEMENT, or others. */
template <bool IN_SHARED, bool FEW_CHANGES, bool COMPLEMENT> struct graph_warp {
    const graph_step &step;
    uint32_t *words;           /* [stride] */
    const uint32_t *threshold; /* of change 0 */
    uint32_t lane, bit;
    bool active; /* there is such a replica in the range */
    uint64_t k;  /* its number there */
    uint32_t replica;

    /* The spins of a site, by 4 times its place. */
    __device__ __forceinline__ uint32_t at(uint32_t offset) const {
        return *(const uint32_t *)((const char *)words + offset);
    }

    /* Adds what neighbours up say. */
    __device__ __forceinline__ void add(int32_t &sum, uint32_t offset, uint32_t weight) const {
        if (at(offset) & bit)
            sum += (int32_t)weight;
    }

    /* What flips of a quad's sites cost if they are up, in units of the spacing. */
    __device__ __forceinline__ int4 along(uint32_t n, const uint4 &quad) const {
        int4 sum = __ldg(step.base + n);
#pragma unroll 2
        for (uint32_t row = quad.z; row < quad.w; row++) {
            const uint4 left = __ldg(step.rows + 2 * row), right = __ldg(step.rows + 2 * row + 1);
            add(sum.x, left.x, left.y);
            add(sum.y, left.z, left.w);
            add(sum.z, right.x, right.y);
            add(sum.w, right.z, right.w);
        }
        return sum;
    }

    /* Whether a spin flips, with u of the replica and turn. The further digits of a threshold matter once in 2^32 times. */
    __device__ __forceinline__ bool flips(int32_t change, uint32_t r, uint64_t u) const {
        const uint32_t t = FEW_CHANGES ? threshold[change] : __ldg(threshold + change);
        if (r == t)
            return flip_of_table(&step.flips, step.downhill, change, r, u, step.thresholds.of_rest);
        return (r < t) != (COMPLEMENT && change < 0);
    }

    /* The word of a site after its flips. */
    __device__ __forceinline__ uint32_t flipped(uint32_t word, int32_t sum, uint32_t r,
                                                uint64_t u) const {
        const bool made = flips(word & bit ? sum : -sum, r, u);
        return word ^ __ballot_sync(EVERY_LANE, made && active);
    }

    __device__ __forceinline__ void sweep_quad(uint32_t n, const ssc_moment &moment,
                                               uint64_t u) const {
        const uint4 quad = __ldg(step.quads + n);
        const stream_block four =
            ssc_numbers(&step.keys, ssc_place_of(&step.keys, n, step.temperature), moment);
        const int4 sum = along(n, quad);
        const uint32_t *const own = words + quad.x; /* missing ones are others behind it */
        const uint32_t a = flipped(own[0], sum.x, four.number[0], u),
                       b = flipped(own[1], sum.y, four.number[1], u),
                       c = flipped(own[2], sum.z, four.number[2], u),
                       d = flipped(own[3], sum.w, four.number[3], u);
        if (lane < quad.y)
            words[quad.x + lane] = lane == 0 ? a : lane == 1 ? b : lane == 2 ? c : d;
        __syncwarp();
    }

    __device__ __forceinline__ void sweep() const {
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            const ssc_moment moment = ssc_moment_of(&step.keys, replica, sweep);
            const uint64_t u = rounding_of(&step.thresholds, replica, sweep);
#pragma unroll 1
            for (uint32_t n = 0; n < step.quad_count; n++)
                sweep_quad(n, moment, u);
        }
    }

    /* Adds up s times what a flip of the spin up would cost, and counts spins up. */
    __device__ __forceinline__ void add_site(uint32_t place, int32_t sum, int64_t &cost,
                                             int64_t &fields, uint32_t &ups) const {
        const bool up = words[place] & bit;
        cost += up ? sum : -sum;
        ups += up;
        if (step.field)
            fields += up ? __ldg(step.field + place) : -__ldg(step.field + place);
    }

    /* E is -(B + H), B the sum of J s s over the bonds and H that of h s; the sum of what flips cost is 4 B + 2 H. */
    __device__ __forceinline__ void measure() const {
        int64_t cost = 0, fields = 0;
        uint32_t ups = 0;
        for (uint32_t n = 0; n < step.quad_count; n++) {
            const uint4 quad = __ldg(step.quads + n);
            const int4 sum = along(n, quad);
            add_site(quad.x, sum.x, cost, fields, ups);
            if (quad.y > 1)
                add_site(quad.x + 1, sum.y, cost, fields, ups);
            if (quad.y > 2)
                add_site(quad.x + 2, sum.z, cost, fields, ups);
            if (quad.y > 3)
                add_site(quad.x + 3, sum.w, cost, fields, ups);
        }
        const energy_levels levels = step.replicas.levels;
        const int64_t above = -(levels.spacing * cost) - 2 * fields - 4 * levels.lowest;
        const uint32_t level = active ? (uint32_t)(above / (4 * levels.spacing)) : 0;
        const int64_t m = 2 * (int64_t)ups - step.sites;
        const uint32_t order = (uint32_t)((m < 0 ? -m : m) / step.replicas.order_unit);
        report_levels(&step.replicas, active, k, level, order);
        report_blocks(&step.replicas, &step.replicas.interval, active, k,
                      step.replicas.report->population, level, order);
        report_founders(&step.replicas, active, k, level);
    }

    /* Collects the spins of the parents: four sites of a parent at a time, turned into words of four sites. */
    __device__ __forceinline__ void collect() const {
        const uint32_t parent = step.replicas.parent[k], shift = parent % MACHINE_LANES;
        const uint4 *const from =
            (const uint4 *)(step.parents + (uint64_t)(parent / MACHINE_LANES) * step.stride);
        for (uint32_t four = 0; four < step.stride / 4; four++) {
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

/* The block's warp, with words in shared memory or in device memory. thresholds: of change -most on. */
template <bool IN_SHARED, bool FEW_CHANGES, bool COMPLEMENT>
static __device__ __forceinline__ graph_warp<IN_SHARED, FEW_CHANGES, COMPLEMENT>
graph_warp_of(const graph_step &step, uint32_t *room, const uint32_t *thresholds) {
    const uint64_t word = step.first / MACHINE_LANES + blockIdx.x,
                   place = word * MACHINE_LANES + threadIdx.x;
    const bool active =
        place >= step.first && place - step.first < step.replicas.report->population;
    const uint64_t k = active ? place - step.first : 0;
    return {step,
            IN_SHARED ? room : step.children + word * step.stride,
            thresholds + step.flips.most,
            threadIdx.x,
            1u << threadIdx.x,
            active,
            k,
            step.first_replica + (uint32_t)k};
}

/* Makes parts of a step for the block's word of the range, if the population has it. */
template <bool IN_SHARED, typename WARP>
static __device__ __forceinline__ void make_graph_step(const WARP &warp, step_parts parts) {
    const graph_step &step = warp.step;
    const uint64_t population = step.replicas.report->population,
                   word = step.first / MACHINE_LANES + blockIdx.x;
    if (population == 0 || population > step.replicas.capacity ||
        word * MACHINE_LANES >= step.first + population)
        return;
    uint32_t *const mine = step.children + word * step.stride;
    if (parts & PART_SELECT)
        warp.collect();
    else if (IN_SHARED)
        for (uint32_t i = threadIdx.x; i < step.stride; i += 32)
            warp.words[i] = mine[i];
    __syncwarp();
    if (parts & PART_SWEEP)
        warp.sweep();
    if (parts & PART_MEASURE) /* lets publish become resident */
        allow_next_launch();
    if (parts & PART_MEASURE)
        warp.measure();
    if (IN_SHARED && parts & (PART_SELECT | PART_SWEEP))
        for (uint32_t i = threadIdx.x; i < step.stride; i += 32)
            mine[i] = warp.words[i];
}

/* Each block for one word of the range. */
template <bool IN_SHARED, bool FEW_CHANGES, bool COMPLEMENT>
static __global__ void __launch_bounds__(32)
    step_graph(const __grid_constant__ graph_step step, step_parts parts) {
    extern __shared__ uint4 shared[];
    uint32_t *const room = (uint32_t *)shared;
    uint32_t *const table = room + (IN_SHARED ? step.stride + 4 : 0);
    const uint32_t changes = 2 * step.flips.most + 1;
    if (FEW_CHANGES && parts & PART_SWEEP)
        for (uint32_t n = threadIdx.x; n < changes; n += 32)
            table[n] = step.flips.threshold[n];
    make_graph_step<IN_SHARED>(graph_warp_of<IN_SHARED, FEW_CHANGES, COMPLEMENT>(
                                   step, room, FEW_CHANGES ? table : step.flips.threshold),
                               parts);
}

#endif
