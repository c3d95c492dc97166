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

#define BATCH     32
#define THREADS   512 /* of a block that moves atoms */
#define RESIDENT  2   /* such blocks of a multiprocessor */
#define PROPOSALS 512 /* that are drawn at a time */
#define WARPS     (THREADS / 32)

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
    float *x;       /* [groups][3][GROUP] */
    group_box *box; /* [groups][3] */
} block_share;

static __host__ __device__ size_t share_bytes(uint32_t groups) {
    return (size_t)groups * 3 * (GROUP * sizeof(float) + sizeof(group_box));
}

/* Of atom number `at` of the share, along axis k. */
static __device__ float *coordinate_of(const block_share *s, uint32_t at, uint32_t k) {
    return &s->x[(at / GROUP * 3 + k) * GROUP + at % GROUP];
}

static __device__ uint32_t coordinate_at(float fraction) {
    return (uint32_t)(fraction * 0x1p24f) << HELIUM_COARSE;
}

/* `inside`: the nearest images are those inside the box. */
template <bool inside>
static __device__ float squared_distance(const float a[3], float x, float y, float z) {
    const float dx = inside ? x - a[0] : apart(x, a[0]), dy = inside ? y - a[1] : apart(y, a[1]);
    const float dz = inside ? z - a[2] : apart(z, a[2]);
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
            *coordinate_of(s, n, k) = __int_as_float(0x7fffffff);
    __syncthreads();
    for (uint32_t a = threadIdx.x; a < atoms; a += THREADS) {
        const uint32_t at = place_in_share(r->place[(size_t)walker * atoms + a], r->blocks, part);
        for (uint32_t k = 0; k < 3 && at != ~0u; k++)
            *coordinate_of(s, at, k) = fraction_of(own[k * atoms + a]);
    }
    __syncthreads();
    for (uint32_t g = threadIdx.x / 32; g < r->groups; g += WARPS)
        for (uint32_t k = 0; k < 3; k++) {
            const group_box box = box_around(*coordinate_of(s, g * GROUP + lane, k));
            if (lane == 0)
                s->box[g * 3 + k] = box;
        }
    __syncthreads();
}

/* How a group lies to a place: out of reach; in reach; and so that no difference of coordinates goes over an edge of the box. */
typedef enum { OUT_OF_REACH, IN_REACH, IN_REACH_INSIDE } group_reach;

static __device__ group_reach reach_of_group(const group_box box[3], const float at[3],
                                             float reach) {
    float sum = 0;
    bool inside = true;
    for (uint32_t k = 0; k < 3; k++) {
        const float gap = fmaxf(apart(at[k], box[k].centre) - box[k].half, 0.0f);
        sum += gap * gap;
        inside = inside && fabsf(at[k] - box[k].centre) + box[k].span < 0.5f;
    }
    return sum >= reach ? OUT_OF_REACH : inside ? IN_REACH_INSIDE : IN_REACH;
}

/* Puts an atom to another place, and widens the box of its group. */
static __device__ void put_atom(const block_share *s, uint32_t at, const float to[3]) {
    group_box *const box = &s->box[at / GROUP * 3];
    for (uint32_t k = 0; k < 3; k++) {
        *coordinate_of(s, at, k) = to[k];
        atomicMax((int *)&box[k].half, __float_as_int(apart(to[k], box[k].centre) + 1e-6f));
        atomicMax((int *)&box[k].span, __float_as_int(fabsf(to[k] - box[k].centre) + 1e-6f));
    }
}

/* --- A batch --- */

/* Of an atom with others, before and after its move. */
typedef struct {
    uint64_t before, after;
} repulsions;

typedef struct {
    helium_proposal proposal[PROPOSALS];
    float from[BATCH][3], to[BATCH][3];
    uint32_t at[BATCH];                                /* in the share, or ~0 */
    int32_t before[BATCH][BATCH], after[BATCH][BATCH]; /* corrections [accepted][later] */
    repulsions sum[BATCH];                             /* of the only block of a walker */
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

/* A lane: adds its atoms of the groups that are bits of `near`, from x on. `inside`: no difference goes over an edge. */
template <bool inside>
static __device__ void add_groups(repulsions *sum, float scale, const float *x, uint32_t near,
                                  const float from[3], const float to[3]) {
    for (; near != 0; near &= near - 1) {
        const float *const at = x + (__ffs((int)near) - 1) * 3 * GROUP;
        const float x0 = at[0], x1 = at[GROUP], x2 = at[2 * GROUP];
        sum->before += helium_repulsion_at(scale, squared_distance<inside>(from, x0, x1, x2));
        sum->after += helium_repulsion_at(scale, squared_distance<inside>(to, x0, x1, x2));
    }
}

/* A warp: repulsions of proposal n of the batch with the atoms of the share; valid in lane 0. */
static __device__ repulsions sum_share(const block_memory *m, uint32_t n, const block_share *s,
                                       uint32_t groups, const helium_constants *h) {
    const uint32_t lane = threadIdx.x % 32;
    const float from[3] = {m->from[n][0], m->from[n][1], m->from[n][2]};
    const float to[3] = {m->to[n][0], m->to[n][1], m->to[n][2]};
    repulsions sum = {0, 0};
    if (lane == 0 && m->at[n] != ~0u) { /* less the atom itself, which is met below */
        sum.before -= HELIUM_SATURATED;
        sum.after -= helium_repulsion_at(h->repulsion,
                                         squared_distance<false>(to, from[0], from[1], from[2]));
    }
    for (uint32_t first = 0; first < groups; first += 32) {
        const uint32_t group = first + lane;
        group_reach a = OUT_OF_REACH, b = OUT_OF_REACH;
        if (group < groups) {
            a = reach_of_group(&s->box[group * 3], from, h->reach);
            b = reach_of_group(&s->box[group * 3], to, h->reach);
        }
        const bool near = a != OUT_OF_REACH || b != OUT_OF_REACH;
        const bool inside = a == IN_REACH_INSIDE && b == IN_REACH_INSIDE;
        const float *const x = coordinate_of(s, first * GROUP + lane, 0);
        add_groups<true>(&sum, h->repulsion, x, __ballot_sync(EVERY, inside), from, to);
        add_groups<false>(&sum, h->repulsion, x, __ballot_sync(EVERY, near && !inside), from, to);
    }
    return {(uint64_t)sum_of_warp((int64_t)sum.before), (uint64_t)sum_of_warp((int64_t)sum.after)};
}

/* A lane: what proposal n, if it is accepted, changes for a later one. */
static __device__ void correct(block_memory *m, uint32_t n, uint32_t later, float scale) {
    const float *const from = m->from[n], *const to = m->to[n];
    int32_t change[2];
    for (int end = 0; end < 2; end++) {
        const float *const at = end == 0 ? m->from[later] : m->to[later];
        const uint32_t there =
            helium_repulsion_at(scale, squared_distance<false>(at, to[0], to[1], to[2]));
        change[end] =
            (int32_t)(there - helium_repulsion_at(
                                  scale, squared_distance<false>(at, from[0], from[1], from[2])));
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
static __device__ uint32_t decide(const block_memory *m, repulsions sum, int64_t bound,
                                  uint32_t size) {
    const uint32_t lane = threadIdx.x;
    uint32_t accepted = 0, open = EVERY >> (32 - size);
    for (;;) {
        const uint32_t would =
            __ballot_sync(EVERY, helium_accepts(sum.before, sum.after, bound)) & open;
        if (would == 0)
            return accepted;
        const uint32_t n = (uint32_t)__ffs((int)would) - 1;
        accepted |= 1u << n;
        open &= 0u - (2u << n); /* those after n */
        if (open >> lane & 1) {
            sum.before += (uint64_t)(int64_t)m->before[n][lane];
            sum.after += (uint64_t)(int64_t)m->after[n][lane];
        }
    }
}

/* Warp 0: the sums of all blocks for each proposal, by a meeting; those before last are cleared for the batch after next. */
static __device__ repulsions sum_blocks(const move_request *r, uint32_t walker, uint32_t part,
                                        uint32_t size, uint64_t batch, uint64_t meetings) {
    const uint32_t lane = threadIdx.x;
    uint64_atomic *const sum = r->sum + (size_t)walker * 6 * BATCH;
    if (lane == 0)
        meet(&r->arrivals[walker], meetings * r->blocks);
    __syncwarp();
    const uint64_atomic *const now = sum + batch % 3 * 2 * BATCH;
    repulsions all = {0, 0};
    if (lane < size)
        all = {__ldcg(&now[lane]), __ldcg(&now[BATCH + lane])};
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

/* Proposal number n of a walker. */
static __device__ helium_proposal propose(const helium_constants *h, uint32_t walker, uint64_t n) {
    const uint32_t high = (uint32_t)(n >> 32), low = (uint32_t)n;
    return helium_propose(h, stream_draw(h->key, STREAM_HELIUM, 0, walker, high, low),
                          stream_draw(h->key, STREAM_HELIUM, 1, walker, high, low));
}

/* Makes r->updates moves from number `first` on. Returns how many were accepted; valid in warp 0. */
static __device__ uint64_t make_moves(const move_request *r, const block_share *share,
                                      block_memory *m, block_progress *b, uint64_t first) {
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, atoms = r->h.atoms;
    uint32_t *const own = r->coordinate + (size_t)b->walker * 3 * atoms;
    uint64_t moved = 0;
    for (uint64_t done = 0; done < r->updates; done += PROPOSALS) {
        const uint32_t end = (uint32_t)min((uint64_t)PROPOSALS, r->updates - done);
        __syncthreads();
        for (uint32_t p = threadIdx.x; p < PROPOSALS; p += THREADS)
            m->proposal[p] = propose(&r->h, r->first_number + b->walker, first + done + p);
        __syncthreads();
        for (uint32_t at = 0, size; at < end; at += size) {
            if (warp == 0)
                begin_batch(m, r, b->walker, b->part, at, end);
            __syncthreads();
            size = m->size;
            uint64_atomic *const sums =
                r->sum + ((size_t)b->walker * 3 + b->batches % 3) * 2 * BATCH;
            for (uint32_t p = warp; p < size; p += WARPS) {
                const repulsions sum = sum_share(m, p, share, b->groups, &r->h);
                if (lane == 0 && r->blocks == 1)
                    m->sum[p] = sum;
                else if (lane == 0) {
                    atomicAdd(&sums[p], (uint64_atomic)sum.before);
                    atomicAdd(&sums[BATCH + p], (uint64_atomic)sum.after);
                }
                if (lane > p && lane < size)
                    correct(m, p, lane, r->h.repulsion);
            }
            __syncthreads();
            const uint64_t batch = b->batches++;
            b->meetings++;
            if (warp != 0)
                continue;
            const repulsions sum = r->blocks > 1
                                       ? sum_blocks(r, b->walker, b->part, size, batch, b->meetings)
                                       : m->sum[min(lane, size - 1)];
            const helium_proposal p = m->proposal[min(at + lane, PROPOSALS - 1u)];
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

static __global__ void __launch_bounds__(THREADS, RESIDENT)
    move_atoms(const __grid_constant__ move_request r) {
    extern __shared__ float memory[];
    __shared__ block_memory m;
    const uint32_t all = (r.h.atoms + GROUP - 1) / GROUP, part = blockIdx.x % r.blocks;
    block_progress b = {r.first_walker + blockIdx.x / r.blocks, part,
                        part < all ? (all - part + r.blocks - 1) / r.blocks : 0, 0, 0};
    const block_share share = {memory, (group_box *)(memory + r.groups * 3 * GROUP)};
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
