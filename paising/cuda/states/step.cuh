/* The kernel of a temperature step of spins that are not Ising's (engine/states.h). It equals cpu/ssc_states.c bit for bit.
 *
 * A block has a replica, whose spins, a byte each in the order of sites, stand in shared memory during the step, or in device memory
 * where they are too many. A thread updates the sites 4 n to 4 n + 3 of a colour: where Lx is a multiple of 4 and there are
 * two colours, these are two, which share a call of Philox. Below a ceiling what the proposals of a colour cost is found by all threads,
 * since its sites are no neighbours. One thread decides them in sequence, for each needs the energy behind the one before: about 14
 * cycles a site (the sum, its sign, the choice). */
#ifndef PAISING_CUDA_STATES_STEP_CUH
#define PAISING_CUDA_STATES_STEP_CUH

#include "cuda/engine/population.h"
#include "engine/rounding.h"
#include "engine/states.h"
#include "engine/streams.h"
#include "engine/walk.h"

struct states_step {
    cuda_replicas replicas; /* of the range */
    const uint8_t *parents; /* [capacity][stride] */
    uint8_t *children;      /* likewise */
    state_lattice lattice;
    state_rule rule;
    uint32_t stride; /* bytes of a replica, a multiple of 4 */
    uint32_t sweeps, temperature;
    stream_key key;
    uint64_t first;         /* place of the range's first replica */
    uint32_t first_replica; /* its global number, for streams */
    cluster_flips clusters; /* of the rule */
    rounding thresholds;    /* of bonds of clusters */
    uint32_t *label;        /* [capacity][N] of clusters; NULL: there are none */
};

/* What the threads of a block add up. */
struct states_sums {
    unsigned long long energy;
    uint32_t sites_in[STATES_MOST];
};

/* The state that site i gets by the numbers of its position. */
static __device__ __forceinline__ void update_site(const states_step &step, uint8_t *spin,
                                                   uint32_t i, const stream_block &four) {
    const state_lattice *const l = &step.lattice;
    const uint32_t x = i % l->edge[0], row = i / l->edge[0];
    uint8_t around[STATE_NEIGHBOURS];
    const uint32_t neighbours =
        state_neighbours(l, spin, i, x, row % l->edge[1], row / l->edge[1], around);
    spin[i] = (uint8_t)state_update(l, &step.rule, around, neighbours, spin[i],
                                    state_number(four.number, i));
}

static __device__ __forceinline__ bool has_colour(const state_lattice *l, uint32_t i,
                                                  uint32_t colour) {
    const uint32_t x = i % l->edge[0], row = i / l->edge[0];
    return i < l->sites && state_colour(l, x, row % l->edge[1], row / l->edge[1]) == colour;
}

/* Updates the sites of a colour. */
static __device__ __forceinline__ void sweep_colour(const states_step &step, uint8_t *spin,
                                                    uint32_t replica, uint32_t sweep,
                                                    uint32_t colour) {
    const state_lattice *const l = &step.lattice;
    for (uint32_t quad = threadIdx.x; 4 * quad < l->sites; quad += blockDim.x)
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t i = 4 * quad + half;
            const bool one = has_colour(l, i, colour), other = has_colour(l, i + 2, colour);
            if (!one && !other)
                continue;
            const stream_block four = stream_draw(step.key, STREAM_SSC, state_position(i), replica,
                                                  sweep, step.temperature);
            if (one)
                update_site(step, spin, i, four);
            if (other)
                update_site(step, spin, i + 2, four);
        }
}

/* --- clusters (cpu/clusters.c) --- */

static __device__ __forceinline__ uint32_t root_of(volatile uint32_t *label, uint32_t n) {
    while (label[n] != n)
        n = label[n];
    return n;
}

/* Hangs the larger root below the smaller one, as other threads do at the same time. A root that was another's by then goes on. */
static __device__ __forceinline__ void join(uint32_t *label, uint32_t a, uint32_t b) {
    for (;;) {
        a = root_of(label, a);
        b = root_of(label, b);
        if (a == b)
            return;
        const uint32_t larger = max(a, b), smaller = min(a, b);
        const uint32_t before = atomicMin(&label[larger], smaller);
        if (before == larger)
            return;
        a = before;
        b = smaller;
    }
}

/* Labels each site with the first one of its cluster. */
static __device__ __forceinline__ void label_clusters(const states_step &step, const uint8_t *spin,
                                                      uint32_t replica, uint32_t sweep,
                                                      uint32_t *label) {
    const state_lattice *const l = &step.lattice;
    const uint32_t left_out = round_thresholds(&step.thresholds, replica, sweep).threshold[0];
    for (uint32_t i = threadIdx.x; i < l->sites; i += blockDim.x)
        label[i] = i;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < l->sites; i += blockDim.x) {
        const stream_block b =
            stream_draw(step.key, STREAM_BONDS, i, replica, sweep, step.temperature);
        for (uint32_t d = 0, stride = 1; d < l->dimension; stride *= l->edge[d++]) {
            const bool across = i / stride % l->edge[d] == l->edge[d] - 1;
            const uint32_t to = across ? i - (l->edge[d] - 1) * stride : i + stride;
            const uint32_t number = d == 0 ? b.number[0] : d == 1 ? b.number[1] : b.number[2];
            if (spin[i] == spin[to] && number >= left_out)
                join(label, i, to);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < l->sites; i += blockDim.x)
        label[i] = root_of(label, i); /* roots stay, so that others find them meanwhile */
    __syncthreads();
}

/* Draws the states of clusters (ssc_states_flip). All sites of one have the same state before. */
static __device__ __forceinline__ void flip_clusters(const states_step &step, uint8_t *spin,
                                                     uint32_t replica, uint32_t sweep,
                                                     const uint32_t *label) {
    const state_lattice *const l = &step.lattice;
    const bool one = step.clusters == CLUSTERS_ONE;
    const uint32_t chosen =
        one ? label[cluster_site(step.key, replica, sweep, step.temperature, l->sites)] : 0;
    for (uint32_t i = threadIdx.x; i < l->sites; i += blockDim.x) {
        if (one && label[i] != chosen)
            continue;
        const stream_block b =
            stream_draw(step.key, STREAM_SITE, label[i], replica, sweep, step.temperature);
        const uint64_t x = (uint64_t)b.number[3] << 32 | b.number[2];
        const uint32_t other = (uint32_t)high_product(x, l->states - 1);
        spin[i] = (uint8_t)(one ? other + (other >= spin[i]) : high_product(x, l->states));
    }
    __syncthreads();
}

/* --- sweeps below a ceiling (state_below) --- */

#define NO_ROOM (1 << 30) /* a cost in levels; there are fewer */

/* The sites of a colour in a quad, a bit each, and the states that are proposed for them, a byte each. */
struct quad_proposals {
    uint32_t sites, states;
};

/* Sites of a colour in a quad, at most. */
static __device__ __forceinline__ uint32_t below_slots(const state_lattice *l) {
    return l->colours == 2 ? 2 : 4;
}

/* Proposes states for a quad. cost[below_slots] becomes what they cost, in levels, in the order of the sites; of a slot without a site
 * NO_ROOM. */
static __device__ __forceinline__ quad_proposals propose(const states_step &step,
                                                         const uint8_t *spin, uint32_t replica,
                                                         uint32_t sweep, uint32_t colour,
                                                         uint32_t quad, int32_t *cost) {
    const state_lattice *const l = &step.lattice;
    const int32_t spacing = (int32_t)step.replicas.levels.spacing;
    quad_proposals p = {0, 0};
    stream_block four = {};
    uint32_t drawn = UINT32_MAX, slot = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t i = 4 * quad + n;
        if (!has_colour(l, i, colour))
            continue;
        if (state_position(i) != drawn)
            four = stream_draw(step.key, STREAM_SSC, state_position(i), replica, sweep,
                               step.temperature);
        drawn = state_position(i);
        const uint32_t x = i % l->edge[0], row = i / l->edge[0],
                       to = (uint32_t)high_product(state_number(four.number, i), l->states);
        uint8_t around[STATE_NEIGHBOURS];
        const uint32_t neighbours =
            state_neighbours(l, spin, i, x, row % l->edge[1], row / l->edge[1], around);
        cost[slot++] =
            to != spin[i] ? walk_change_of(l, spacing, around, neighbours, spin[i], to).up : 0;
        p.sites |= 1u << n;
        p.states |= to << 8 * n;
    }
    for (; slot < below_slots(l); slot++)
        cost[slot] = NO_ROOM;
    return p;
}

/* Makes a change if there is room for its cost, which becomes whether it is made. */
static __device__ __forceinline__ void decide(int32_t &cost, int32_t &room) {
    const int32_t left = room - cost;
    cost = left >= 0;
    room = left >= 0 ? left : room;
}

/* Decides some changes in sequence, four at a time. room: levels up to the ceiling. */
static __device__ __forceinline__ void decide_all(int4 *cost, uint32_t fours, int32_t &room) {
    int4 next = cost[0];
    for (uint32_t n = 0; n < fours; n++) {
        int4 four = next;
        next = cost[n + 1 < fours ? n + 1 : n];
        decide(four.x, room);
        decide(four.y, room);
        decide(four.z, room);
        decide(four.w, room);
        cost[n] = four;
    }
}

/* Makes the changes of a quad that were decided for. */
static __device__ __forceinline__ void make_changes(const quad_proposals &p, const int32_t *made,
                                                    uint8_t *four) {
    uint32_t slot = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        if (p.sites >> n & 1 && made[slot++])
            four[n] = (uint8_t)(p.states >> 8 * n);
}

/* Updates all sites. costs[blockDim.x * below_slots]; room is that of thread 0. */
static __device__ __forceinline__ void sweep_below(const states_step &step, uint8_t *spin,
                                                   uint32_t replica, uint32_t sweep, int4 *costs,
                                                   int32_t &room) {
    const state_lattice *const l = &step.lattice;
    const uint32_t quads = (l->sites + 3) / 4, slots = below_slots(l);
    int32_t *const cost = (int32_t *)costs + threadIdx.x * slots;
    for (uint32_t colour = 0; colour < l->colours; colour++) {
        for (uint32_t first = 0; first < quads; first += blockDim.x) {
            const uint32_t quad = first + threadIdx.x, here = min(blockDim.x, quads - first);
            const quad_proposals p = propose(step, spin, replica, sweep, colour, quad, cost);
            __syncthreads();
            if (threadIdx.x == 0)
                decide_all(costs, (here * slots + 3) / 4, room);
            __syncthreads();
            make_changes(p, cost, spin + 4 * quad);
        }
        __syncthreads();
    }
}

/* --- measurements, and the step --- */

/* Adds up the energy, and the sites in each state. All threads call it, and see the sums behind it. */
static __device__ __forceinline__ void add_up(const states_step &step, const uint8_t *spin,
                                              states_sums *sums) {
    const state_lattice *const l = &step.lattice;
    int64_t energy = 0;
    for (uint32_t n = threadIdx.x; n < STATES_MOST; n += blockDim.x)
        sums->sites_in[n] = 0;
    if (threadIdx.x == 0)
        sums->energy = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < l->sites; i += blockDim.x) {
        const uint32_t x = i % l->edge[0], row = i / l->edge[0];
        uint8_t around[STATE_NEIGHBOURS];
        state_neighbours(l, spin, i, x, row % l->edge[1], row / l->edge[1], around);
        energy += state_energy(l, around, spin[i]);
        atomicAdd(&sums->sites_in[spin[i]], 1u);
    }
    atomicAdd(&sums->energy, (unsigned long long)energy); /* modulo 2^64 */
    __syncthreads();
}

/* Makes parts of a step: each block for one replica of the range. Dynamic shared memory: 16 bytes a thread below a ceiling, and the spins if
 * IN_SHARED. */
template <bool IN_SHARED>
static __global__ void step_states(const __grid_constant__ states_step step, step_parts parts) {
    extern __shared__ uint4 shared[];
    __shared__ states_sums sums;
    const uint64_t population = step.replicas.report->population, k = blockIdx.x;
    if (population == 0 || population > step.replicas.capacity || k >= population)
        return;
    const uint32_t words = step.stride / 4, replica = step.first_replica + (uint32_t)k;
    uint32_t *const mine = (uint32_t *)(step.children + (step.first + k) * step.stride);
    const uint32_t *const from =
        parts & PART_SELECT
            ? (const uint32_t *)(step.parents + (uint64_t)step.replicas.parent[k] * step.stride)
            : mine;
    uint32_t *const at =
        IN_SHARED ? (uint32_t *)(shared + (step.rule.bounded ? blockDim.x : 0)) : mine;
    uint8_t *const spin = (uint8_t *)at;
    for (uint32_t n = threadIdx.x; n < words && at != from; n += blockDim.x)
        at[n] = from[n];
    __syncthreads();
    if (parts & PART_SWEEP && step.rule.bounded) {
        add_up(step, spin, &sums);
        int32_t room =
            (int32_t)((step.rule.most - (int64_t)sums.energy) / step.replicas.levels.spacing);
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
            sweep_below(step, spin, replica, sweep, (int4 *)shared, room);
    } else if (parts & PART_SWEEP && step.clusters != CLUSTERS_NONE) {
        uint32_t *const label = step.label + (step.first + k) * step.lattice.sites;
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            label_clusters(step, spin, replica, sweep, label);
            flip_clusters(step, spin, replica, sweep, label);
        }
    } else if (parts & PART_SWEEP) {
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
            for (uint32_t colour = 0; colour < step.lattice.colours; colour++) {
                sweep_colour(step, spin, replica, sweep, colour);
                __syncthreads();
            }
    }
    if (parts & PART_MEASURE) {
        allow_next_launch(); /* lets publish become resident */
        add_up(step, spin, &sums);
        const energy_levels levels = step.replicas.levels;
        const int counts = threadIdx.x == 0;
        const uint32_t level = (uint32_t)(((int64_t)sums.energy - levels.lowest) / levels.spacing);
        if (threadIdx.x < 32) {
            const uint32_t order =
                (uint32_t)(state_order(&step.lattice, sums.sites_in) / step.replicas.order_unit);
            report_levels(&step.replicas, counts, k, level, order);
            report_blocks(&step.replicas, &step.replicas.interval, counts, k, population, level,
                          order);
            report_founders(&step.replicas, counts, k, level);
        }
    }
    for (uint32_t n = threadIdx.x; n < words && IN_SHARED; n += blockDim.x)
        mine[n] = at[n];
}

#endif
