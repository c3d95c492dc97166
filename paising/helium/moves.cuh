/* Moves of atoms on a GPU. A walker has one thread block or several, each with a share of its atoms in shared memory, in groups
 * of 32 neighbours (order.cuh).
 *
 * Moves are made in batches of up to 32 proposals, each by a warp, whose lanes take the atoms of a group. All proposals of a
 * batch are first held against the places before the batch; a proposal whose atom is in the batch already begins the next one.
 * What an accepted move changes in the sums of later proposals of its batch is a correction, and all are computed at the same
 * time, for each pair of proposals. Then one warp decides them in turn. So a batch costs one synchronisation, and the results
 * are those of moves one by one.
 *
 * With several blocks a walker, each adds its partial sums to global memory and waits until all have; then each makes the same
 * decisions, and writes the same coordinates. Sums have three places, used in turn: one is cleared while another is read.
 *
 * The kernel may stay for many analyses: after each part of the moves it writes the atoms, and then how many moves were
 * accepted, to memory of the host, and goes on (slots.cuh).
 *
 * A macroupdate is 2 N^2 pairs, less those of groups beyond the reach of repulsions. */
#ifndef PAISING_HELIUM_MOVES_CUH
#define PAISING_HELIUM_MOVES_CUH

#include "analyses.cuh"
#include "slots.cuh"

#define BATCH   32
#define THREADS 512 /* of a block that moves atoms; proposals are drawn for as many updates */
#define WARPS   (THREADS / 32)

/* What a launch is told. */
typedef struct {
    helium_constants h;
    const helium_cubic *table;
    uint32_t blocks, groups;    /* of a walker; of a block, at most */
    uint32_t first_walker;      /* of this launch, among those of the engine */
    uint32_t first_number;      /* of the engine's first walker, for random numbers */
    uint32_t walkers;           /* of the engine */
    uint32_t *coordinate;       /* [walkers][3][atoms] */
    const uint32_t *place, *at; /* [walkers][atoms]: in the order (order.cuh) */
    uint64_atomic *sum;         /* [walkers][3][2][BATCH]: repulsions before and after */
    uint64_atomic *arrivals;    /* [walkers]: of blocks at meetings since the launch */
    uint64_t *accepted;         /* [walkers] */
    uint64_t first, updates;    /* number of the first update; how many up to an analysis */
    uint32_t times;             /* parts of so many updates */
    helium_analysis *analysis;  /* [times][walkers]: energies after each part; NULL: none */
    host_slots slots;           /* .coordinate NULL: none */
} move_request;

/* --- Groups of atoms --- */

/* A share of the atoms, as fractions of the box, and a box around each group. Where a group has no atom, there is NaN, which is
 * in reach of nothing. */
typedef struct {
    float *x[3];      /* [groups * GROUP] */
    float *centre[3]; /* [groups] */
    float *half[3];   /* [groups], edges */
} block_share;

static __host__ __device__ size_t share_bytes(uint32_t groups) {
    return (size_t)groups * 3 * (GROUP + 2) * sizeof(float);
}

static __device__ block_share share_at(float *memory, uint32_t groups) {
    block_share s;
    for (uint32_t k = 0; k < 3; k++) {
        s.x[k] = memory + k * groups * GROUP;
        s.centre[k] = memory + (3 * GROUP + k) * groups;
        s.half[k] = memory + (3 * GROUP + 3 + k) * groups;
    }
    return s;
}

static __device__ uint32_t coordinate_at(float fraction) {
    return (uint32_t)(fraction * 0x1p24f) << HELIUM_COARSE;
}

static __device__ float squared_distance(const float a[3], float x, float y, float z) {
    const float dx = apart(x, a[0]), dy = apart(y, a[1]), dz = apart(z, a[2]);
    return dx * dx + dy * dy + dz * dz;
}

/* The place of an atom in the share of a block; ~0: it belongs to another. */
static __device__ uint32_t place_in_share(uint32_t place, uint32_t blocks, uint32_t part) {
    const uint32_t group = place / GROUP;
    return group % blocks == part ? group / blocks * GROUP + place % GROUP : ~0u;
}

static __device__ void fill_share(const block_share *s, const move_request *r, uint32_t walker,
                                  uint32_t part) {
    const uint32_t atoms = r->h.atoms, lane = threadIdx.x % 32;
    const uint32_t *const own = r->coordinate + (size_t)walker * 3 * atoms;
    for (uint32_t n = threadIdx.x; n < r->groups * GROUP; n += THREADS)
        for (uint32_t k = 0; k < 3; k++)
            s->x[k][n] = __int_as_float(0x7fffffff);
    __syncthreads();
    for (uint32_t a = threadIdx.x; a < atoms; a += THREADS) {
        const uint32_t at = place_in_share(r->place[(size_t)walker * atoms + a], r->blocks, part);
        for (uint32_t k = 0; k < 3 && at != ~0u; k++)
            s->x[k][at] = fraction_of(own[k * atoms + a]);
    }
    __syncthreads();
    for (uint32_t g = threadIdx.x / 32; g < r->groups; g += WARPS)
        for (uint32_t k = 0; k < 3; k++) {
            const group_box box = box_around(s->x[k][g * GROUP + lane]);
            if (lane == 0) {
                s->centre[k][g] = box.centre;
                s->half[k][g] = box.half;
            }
        }
    __syncthreads();
}

/* Whether an atom of the group may be in reach of a place. */
static __device__ bool in_reach(const block_share *s, uint32_t group, const float at[3],
                                float reach) {
    float sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const float gap = fmaxf(apart(at[k], s->centre[k][group]) - s->half[k][group], 0.0f);
        sum += gap * gap;
    }
    return sum < reach;
}

/* Puts an atom to another place, and widens the box of its group. */
static __device__ void put_atom(const block_share *s, uint32_t at, const float to[3]) {
    const uint32_t group = at / GROUP;
    for (uint32_t k = 0; k < 3; k++) {
        s->x[k][at] = to[k];
        atomicMax((int *)&s->half[k][group],
                  __float_as_int(apart(to[k], s->centre[k][group]) + 1e-6f));
    }
}

/* --- A batch --- */

typedef struct {
    helium_proposal proposal[THREADS];
    float from[BATCH][3], to[BATCH][3];
    uint32_t at[BATCH];                                /* in the share, or ~0 */
    int32_t before[BATCH][BATCH], after[BATCH][BATCH]; /* corrections [accepted][later] */
    longlong2 sum[BATCH];                              /* of the only block of a walker */
    uint32_t size;                                     /* proposals of the batch */
} block_memory;

/* Warp 0: the batch that begins at proposal `begin` of `end`. */
static __device__ void begin_batch(block_memory *m, const move_request *r, uint32_t walker,
                                   uint32_t part, uint32_t begin, uint32_t end) {
    const uint32_t lane = threadIdx.x, n = begin + lane, atoms = r->h.atoms;
    const uint32_t *const own = r->coordinate + (size_t)walker * 3 * atoms;
    const uint32_t atom = n < end ? m->proposal[n].atom : ~lane;
    const uint32_t earlier = __match_any_sync(EVERY, atom) & ((1u << lane) - 1);
    const uint32_t stops = __ballot_sync(EVERY, n >= end || earlier != 0);
    const uint32_t size = stops == 0 ? BATCH : (uint32_t)__ffs((int)stops) - 1;
    if (lane < size) {
        m->at[lane] = place_in_share(r->place[(size_t)walker * atoms + atom], r->blocks, part);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = __ldcg(&own[k * atoms + atom]);
            m->from[lane][k] = fraction_of(from);
            m->to[lane][k] = fraction_of(from + (uint32_t)m->proposal[n].by[k]);
        }
    }
    if (lane == 0)
        m->size = size;
}

/* A warp: repulsions of proposal n of the batch with the atoms of the share; valid in lane 0. */
static __device__ longlong2 sum_share(const block_memory *m, uint32_t n, const block_share *s,
                                      uint32_t groups, const helium_constants *h) {
    const uint32_t lane = threadIdx.x % 32;
    const float from[3] = {m->from[n][0], m->from[n][1], m->from[n][2]};
    const float to[3] = {m->to[n][0], m->to[n][1], m->to[n][2]};
    int64_t before = 0, after = 0;
    if (lane == 0 && m->at[n] != ~0u) { /* the atom itself, which is met below */
        before = -HELIUM_SATURATED;
        after = -helium_repulsion_at(h->repulsion, squared_distance(to, from[0], from[1], from[2]));
    }
    for (uint32_t first = 0; first < groups; first += 32) {
        const uint32_t group = first + lane;
        uint32_t near =
            __ballot_sync(EVERY, group < groups && (in_reach(s, group, from, h->reach) ||
                                                    in_reach(s, group, to, h->reach)));
        for (; near != 0; near &= near - 1) {
            const uint32_t j = (first + (uint32_t)__ffs((int)near) - 1) * GROUP + lane;
            const float x = s->x[0][j], y = s->x[1][j], z = s->x[2][j];
            before += helium_repulsion_at(h->repulsion, squared_distance(from, x, y, z));
            after += helium_repulsion_at(h->repulsion, squared_distance(to, x, y, z));
        }
    }
    return make_longlong2(sum_of_warp(before), sum_of_warp(after));
}

/* A lane: what proposal n, if it is accepted, changes for a later one. */
static __device__ void correct(block_memory *m, uint32_t n, uint32_t later, float scale) {
    const float *const from = m->from[n], *const to = m->to[n];
    int32_t change[2];
    for (int end = 0; end < 2; end++) {
        const float *const at = end == 0 ? m->from[later] : m->to[later];
        const int32_t with = helium_repulsion_at(scale, squared_distance(at, to[0], to[1], to[2]));
        change[end] =
            with - helium_repulsion_at(scale, squared_distance(at, from[0], from[1], from[2]));
    }
    m->before[n][later] = change[0];
    m->after[n][later] = change[1];
}

/* Thread 0: waits until so many blocks have arrived. */
static __device__ void meet(uint64_atomic *arrivals, uint64_t expected) {
    __threadfence();
    atomicAdd(arrivals, 1);
    while (*(volatile uint64_atomic *)arrivals < expected)
        ;
    __threadfence();
}

/* Warp 0: decides the batch in turn. Returns the accepted proposals, a bit each. */
static __device__ uint32_t decide(const block_memory *m, longlong2 sum, int64_t bound,
                                  uint32_t size) {
    const uint32_t lane = threadIdx.x;
    uint32_t accepted = 0, open = EVERY >> (32 - size);
    for (;;) {
        const uint32_t would = __ballot_sync(EVERY, helium_accepts(sum.x, sum.y, bound)) & open;
        if (would == 0)
            return accepted;
        const uint32_t n = (uint32_t)__ffs((int)would) - 1;
        accepted |= 1u << n;
        open &= 0u - (2u << n); /* those after n */
        if (open >> lane & 1) {
            sum.x += m->before[n][lane];
            sum.y += m->after[n][lane];
        }
    }
}

/* Warp 0: the sums of all blocks for each proposal, by a meeting; those before last are cleared for the batch after next. */
static __device__ longlong2 sum_blocks(const move_request *r, uint32_t walker, uint32_t part,
                                       uint32_t size, uint64_t batch, uint64_t meetings) {
    const uint32_t lane = threadIdx.x;
    uint64_atomic *const sum = r->sum + (size_t)walker * 6 * BATCH;
    if (lane == 0)
        meet(&r->arrivals[walker], meetings * r->blocks);
    __syncwarp();
    const uint64_atomic *const now = sum + batch % 3 * 2 * BATCH;
    longlong2 all = make_longlong2(0, 0);
    if (lane < size)
        all = make_longlong2((int64_t)__ldcg(&now[lane]), (int64_t)__ldcg(&now[BATCH + lane]));
    if (part == 0)
        for (uint32_t k = 0; k < 2; k++)
            __stcg(&sum[(batch + 2) % 3 * 2 * BATCH + k * BATCH + lane], 0);
    return all;
}

/* --- The kernel --- */

/* What a block keeps from one part of the moves to the next. */
typedef struct {
    uint32_t walker, part, groups;
    uint64_t batches, meetings; /* since the launch */
} block_progress;

/* Makes r->updates moves from number `first` on. Returns how many were accepted; valid in warp 0. */
static __device__ uint64_t make_moves(const move_request *r, const block_share *share,
                                      block_memory *m, block_progress *b, uint64_t first) {
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, atoms = r->h.atoms;
    uint32_t *const own = r->coordinate + (size_t)b->walker * 3 * atoms;
    uint64_t moved = 0;
    for (uint64_t done = 0; done < r->updates; done += THREADS) {
        const uint32_t end = (uint32_t)min((uint64_t)THREADS, r->updates - done);
        const uint64_t n = first + done + threadIdx.x;
        const uint32_t high = (uint32_t)(n >> 32), number = r->first_number + b->walker;
        __syncthreads();
        m->proposal[threadIdx.x] = helium_propose(
            &r->h, stream_draw(r->h.key, STREAM_HELIUM, 0, number, high, (uint32_t)n),
            stream_draw(r->h.key, STREAM_HELIUM, 1, number, high, (uint32_t)n));
        __syncthreads();
        for (uint32_t at = 0, size; at < end; at += size) {
            if (warp == 0)
                begin_batch(m, r, b->walker, b->part, at, end);
            __syncthreads();
            size = m->size;
            uint64_atomic *const sums =
                r->sum + ((size_t)b->walker * 3 + b->batches % 3) * 2 * BATCH;
            for (uint32_t p = warp; p < size; p += WARPS) {
                const longlong2 sum = sum_share(m, p, share, b->groups, &r->h);
                if (lane == 0 && r->blocks == 1)
                    m->sum[p] = sum;
                else if (lane == 0) {
                    atomicAdd(&sums[p], (uint64_atomic)sum.x);
                    atomicAdd(&sums[BATCH + p], (uint64_atomic)sum.y);
                }
                if (lane > p && lane < size)
                    correct(m, p, lane, r->h.repulsion);
            }
            __syncthreads();
            const uint64_t batch = b->batches++;
            b->meetings++;
            if (warp != 0)
                continue;
            const longlong2 sum = r->blocks > 1
                                      ? sum_blocks(r, b->walker, b->part, size, batch, b->meetings)
                                      : m->sum[min(lane, size - 1)];
            const helium_proposal p = m->proposal[min(at + lane, THREADS - 1u)];
            const uint32_t yes = decide(m, sum, p.bound, size);
            moved += (uint64_t)__popc(yes);
            if (yes >> lane & 1) {
                for (uint32_t k = 0; k < 3; k++)
                    __stcg(&own[k * atoms + p.atom], coordinate_at(m->to[lane][k]));
                if (m->at[lane] != ~0u)
                    put_atom(share, m->at[lane], m->to[lane]);
            }
            __syncwarp();
        }
    }
    __syncthreads();
    return moved;
}

/* Energies of a walker by all of its blocks. */
static __device__ void analyse_in_place(const move_request *r, const block_progress *b,
                                        helium_analysis *analysis) {
    __shared__ atom_tile<THREADS> tile;
    const uint32_t *const own = r->coordinate + (size_t)b->walker * 3 * r->h.atoms;
    const uint32_t *const at = r->at + (size_t)b->walker * r->h.atoms;
    for (uint32_t begin = b->part * THREADS; begin < r->h.atoms; begin += r->blocks * THREADS)
        sum_partners(&tile, &r->h, r->table, own, at, begin, &analysis->sums, NULL);
}

static __global__ void __launch_bounds__(THREADS, 2)
    move_atoms(const __grid_constant__ move_request r) {
    extern __shared__ float memory[];
    __shared__ block_memory m;
    const uint32_t all = (r.h.atoms + GROUP - 1) / GROUP, part = blockIdx.x % r.blocks;
    block_progress b = {r.first_walker + blockIdx.x / r.blocks, part,
                        part < all ? (all - part + r.blocks - 1) / r.blocks : 0, 0, 0};
    const block_share share = share_at(memory, r.groups);
    fill_share(&share, &r, b.walker, b.part);
    for (uint32_t t = 0; t < r.times; t++) {
        const uint64_t moved = make_moves(&r, &share, &m, &b, r.first + t * r.updates);
        if (r.analysis != NULL)
            analyse_in_place(&r, &b, &r.analysis[(size_t)t * r.walkers + b.walker]);
        if (r.slots.coordinate == NULL) {
            if (threadIdx.x == 0 && part == 0)
                r.accepted[b.walker] += moved;
            continue;
        }
        slots_write(&r.slots, t, b.walker, r.coordinate + (size_t)b.walker * 3 * r.h.atoms,
                    part * THREADS + threadIdx.x, r.blocks * THREADS);
        __syncthreads();
        b.meetings++;
        if (threadIdx.x == 0) {
            if (r.blocks > 1)
                meet(&r.arrivals[b.walker], b.meetings * r.blocks);
            if (part == 0)
                slots_say(&r.slots, t, b.walker, moved);
        }
        __syncthreads();
    }
}

#endif
