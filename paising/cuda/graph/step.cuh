/* The kernel of a temperature step of a graph (Sec. 3, "one replica per thread"). It equals cpu/ssc_graph.c bit for bit.
 *
 * A block is a warp, and a lane a replica. The word of a site has its spins of 32 replicas, bit = lane, 1 up. All lanes take the
 * sites in the same order, colour by colour (but below a ceiling), so that places, neighbours and couplings are the same for all: they are read once
 * for the warp, and what differs is one bit of a word. Four sites of a colour, a quad, are updated at once: they are no neighbours,
 * and share a call of Philox.
 *
 * The words of a warp stand in shared memory during the step, or in device memory where a graph is too large. A flip takes
 * about 2 instructions of loading and 2 of adding a neighbour, a quarter of Philox, and some 12 to look the threshold up and to flip.
 * Measured on an H200 with 1000 sites and R = 1e5: 2.9 ps at degree 4, 3.6 at 6. With 4000 sites fewer warps fit, and it is 4.3 and 5.7. */
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
    int64_t ceiling;        /* the highest level of below.cuh */
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
    bool active;           /* there is such a replica in the range */
    uint32_t active_lanes; /* of which there are */
    uint64_t k;            /* its number there */
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

    /* Adds the next COUNT neighbours of a quad's sites, whose loads are in flight together. */
    template <int COUNT>
    __device__ __forceinline__ void add_rows(int4 &sum, const uint4 *row) const {
        uint4 of[2 * COUNT];
#pragma unroll
        for (int n = 0; n < 2 * COUNT; n++)
            of[n] = __ldg(row + n);
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            const uint4 left = of[2 * n], right = of[2 * n + 1];
            add(sum.x, left.x, left.y);
            add(sum.y, left.z, left.w);
            add(sum.z, right.x, right.y);
            add(sum.w, right.z, right.w);
        }
    }

    /* What flips of a quad's sites cost if they are up, in units of the spacing. */
    __device__ __forceinline__ int4 along(const uint4 &quad, int4 sum) const {
        const uint4 *row = step.rows + 2 * quad.z;
        uint32_t left = quad.w - quad.z;
#pragma unroll 1
        for (; left >= 4; left -= 4, row += 8)
            add_rows<4>(sum, row);
        if (left & 2) {
            add_rows<2>(sum, row);
            row += 4;
        }
        if (left & 1)
            add_rows<1>(sum, row);
        return sum;
    }

    /* What the flip of a spin costs. */
    __device__ __forceinline__ int32_t change_of(uint32_t word, int32_t sum) const {
        return word & bit ? sum : -sum;
    }

    /* Whether a spin flips. further: its number and its threshold have the same digits, and further ones decide. */
    __device__ __forceinline__ bool flips(int32_t change, uint32_t r, bool &further) const {
        const uint32_t t = FEW_CHANGES ? threshold[change] : __ldg(threshold + change);
        further = further || r == t;
        return (r < t) != (COMPLEMENT && change < 0);
    }

    /* The same with all digits. */
    __device__ __forceinline__ bool flips_exactly(int32_t change, uint32_t r,
                                                  uint32_t sweep) const {
        return flip_of_table(&step.flips, step.downhill, change, r,
                             rounding_of(&step.thresholds, replica, sweep),
                             step.thresholds.of_rest);
    }

    /* Updates the sites of quad n. No branch depends on a lane, but for one in 2^25 quads, whose digits do not suffice. */
    __device__ __forceinline__ void sweep_quad(uint32_t n, const uint4 &quad, const int4 &base,
                                               const ssc_moment &moment, uint32_t sweep) const {
        const stream_block four =
            ssc_numbers(&step.keys, ssc_place_of(&step.keys, n, step.temperature), moment);
        const int4 sum = along(quad, base);
        const uint32_t *const own = words + quad.x; /* missing ones are others behind it */
        const uint32_t word[4] = {own[0], own[1], own[2], own[3]};
        const int32_t change[4] = {change_of(word[0], sum.x), change_of(word[1], sum.y),
                                   change_of(word[2], sum.z), change_of(word[3], sum.w)};
        bool made[4], further = false;
#pragma unroll
        for (int i = 0; i < 4; i++)
            made[i] = flips(change[i], four.number[i], further);
        if (__any_sync(EVERY_LANE, further))
#pragma unroll
            for (int i = 0; i < 4; i++)
                made[i] = flips_exactly(change[i], four.number[i], sweep);
        uint32_t flipped[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            flipped[i] = word[i] ^ (__ballot_sync(EVERY_LANE, made[i]) & active_lanes);
        const uint32_t first = lane & 1 ? flipped[1] : flipped[0],
                       second = lane & 1 ? flipped[3] : flipped[2];
        __syncwarp(); /* all have looked */
        if (lane < quad.y)
            words[quad.x + lane] = lane & 2 ? second : first;
        __syncwarp();
    }

    /* The next quad is loaded while one is updated. */
    __device__ __forceinline__ void sweep() const {
        uint4 quad = __ldg(step.quads);
        int4 base = __ldg(step.base);
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            const ssc_moment moment = ssc_moment_of(&step.keys, replica, sweep);
#pragma unroll 1
            for (uint32_t n = 0; n < step.quad_count; n++) {
                const uint32_t next = n + 1 < step.quad_count ? n + 1 : 0;
                const uint4 next_quad = __ldg(step.quads + next);
                const int4 next_base = __ldg(step.base + next);
                sweep_quad(n, quad, base, moment, sweep);
                quad = next_quad;
                base = next_base;
            }
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

    /* The level of the energy, and the spins up. E is -(B + H), B the sum of J s s over the bonds and H that of h s; the sum of what flips
     * cost is 4 B + 2 H. */
    __device__ __forceinline__ uint32_t level_of(uint32_t &ups) const {
        int64_t cost = 0, fields = 0;
        ups = 0;
        for (uint32_t n = 0; n < step.quad_count; n++) {
            const uint4 quad = __ldg(step.quads + n);
            const int4 sum = along(quad, __ldg(step.base + n));
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
        return active ? (uint32_t)(above / (4 * levels.spacing)) : 0;
    }

    __device__ __forceinline__ void measure() const {
        uint32_t ups;
        const uint32_t level = level_of(ups);
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
            __ballot_sync(EVERY_LANE, active),
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
