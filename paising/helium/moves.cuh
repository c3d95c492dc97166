/* Moves of atoms on a GPU. A walker has one thread block or several, each with a share of its atoms in shared memory.
 *
 * Moves are made in batches of up to 32 proposals, each by a warp, whose lanes take the atoms of the share. All proposals of a
 * batch are first held against the places before the batch; a proposal whose atom is in the batch already begins the next one.
 * What an accepted move changes in the sums of later proposals of its batch is a correction, and all are computed at the same
 * time, for each pair of proposals. Then one warp decides them in turn. So a batch costs one synchronisation, and the results
 * are those of moves one by one.
 *
 * With several blocks a walker, each writes its partial sums to global memory and waits until all have; then each makes the same
 * decisions. Partial sums have two places, used in turn: nobody writes over what another may still read.
 *
 * A macroupdate is 2 N^2 pairs. */
#ifndef PAISING_HELIUM_MOVES_CUH
#define PAISING_HELIUM_MOVES_CUH

#include "arithmetic.h"

#define BATCH 32
/* Of a block that moves atoms; proposals are drawn for as many updates. */
#define THREADS (32 * BATCH)
#define EVERY   0xffffffffu /* lanes */

/* What a launch is told. */
typedef struct {
    helium_constants h;
    uint32_t blocks, share;  /* of a walker; atoms of a block */
    uint32_t first_walker;   /* of this launch */
    uint32_t *coordinate;    /* [walkers][blocks][3][atoms]: each block has a copy of its own */
    longlong2 *partial;      /* [walkers][2][blocks][BATCH]: repulsions before and after */
    uint32_t *arrivals;      /* [walkers]: batches finished by blocks since the launch */
    uint64_t first, updates; /* number of the first update; how many */
} move_request;

/* --- Moves --- */

typedef struct {
    helium_proposal proposal[THREADS];
    uint32_t from[BATCH][3], to[BATCH][3];
    int32_t before[BATCH][BATCH], after[BATCH][BATCH]; /* corrections [accepted][later] */
    longlong2 sum[BATCH];                              /* of the only block of a walker */
    uint32_t size;                                     /* proposals of the batch */
} block_memory;

static __device__ int64_t sum_of_warp(int64_t x) {
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_down_sync(EVERY, x, distance);
    return x;
}

static __device__ int32_t repulsion_between(float scale, const uint32_t a[3], const uint32_t b[3]) {
    return helium_repulsion(scale, (int32_t)(a[0] - b[0]), (int32_t)(a[1] - b[1]),
                            (int32_t)(a[2] - b[2]));
}

/* Warp 0: the batch that begins at proposal `begin` of `end`. */
static __device__ void begin_batch(block_memory *m, const uint32_t *own, uint32_t atoms,
                                   uint32_t begin, uint32_t end) {
    const uint32_t lane = threadIdx.x, n = begin + lane;
    const uint32_t atom = n < end ? m->proposal[n].atom : ~lane;
    const uint32_t earlier = __match_any_sync(EVERY, atom) & ((1u << lane) - 1);
    const uint32_t stops = __ballot_sync(EVERY, n >= end || earlier != 0);
    const uint32_t size = stops == 0 ? BATCH : (uint32_t)__ffs((int)stops) - 1;
    if (lane < size)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = own[k * atoms + atom];
            m->from[lane][k] = from;
            m->to[lane][k] = from + (uint32_t)m->proposal[n].by[k];
        }
    if (lane == 0)
        m->size = size;
}

/* A warp: repulsions of a proposal with the atoms of the share; valid in lane 0. */
static __device__ longlong2 sum_share(float scale, const uint32_t *x, const uint32_t *y,
                                      const uint32_t *z, uint32_t atoms, uint32_t itself,
                                      const uint32_t from[3], const uint32_t to[3]) {
    const uint32_t a0 = from[0], a1 = from[1], a2 = from[2], b0 = to[0], b1 = to[1], b2 = to[2];
    int64_t before = 0, after = 0;
#pragma unroll 2
    for (uint32_t j = threadIdx.x % 32; j < atoms; j += 32) {
        const int32_t old = helium_repulsion(scale, (int32_t)(x[j] - a0), (int32_t)(y[j] - a1),
                                             (int32_t)(z[j] - a2));
        const int32_t now = helium_repulsion(scale, (int32_t)(x[j] - b0), (int32_t)(y[j] - b1),
                                             (int32_t)(z[j] - b2));
        before += j == itself ? 0 : old;
        after += j == itself ? 0 : now;
    }
    return make_longlong2(sum_of_warp(before), sum_of_warp(after));
}

/* Thread 0: waits until all blocks of the walker have finished so many batches. */
static __device__ void meet(uint32_t *arrivals, uint32_t expected) {
    __threadfence();
    atomicAdd(arrivals, 1);
    while (*(volatile uint32_t *)arrivals < expected)
        ;
    __threadfence();
}

/* Warp 0: decides the batch in turn. Returns the accepted proposals, a bit each. */
static __device__ uint32_t decide(const block_memory *m, longlong2 sum, int64_t bound,
                                  uint32_t size) {
    const uint32_t lane = threadIdx.x;
    uint32_t accepted = 0;
    for (uint32_t n = 0; n < size; n++) {
        const uint32_t now = __ballot_sync(EVERY, lane == n && helium_accepts(sum.x, sum.y, bound));
        accepted |= now;
        if (now != 0 && lane > n && lane < size) {
            sum.x += m->before[n][lane];
            sum.y += m->after[n][lane];
        }
    }
    return accepted;
}

/* accepted[walkers] counts. */
static __global__ void __launch_bounds__(THREADS)
    move_atoms(const move_request r, uint64_t *accepted) {
    extern __shared__ uint32_t share[];
    __shared__ block_memory m;
    const uint32_t atoms = r.h.atoms, part = blockIdx.x % r.blocks;
    const uint32_t walker = r.first_walker + blockIdx.x / r.blocks;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t begin = part * r.share;
    const uint32_t mine = begin < atoms ? min(r.share, atoms - begin) : 0;
    uint32_t *const own = r.coordinate + ((size_t)walker * r.blocks + part) * 3 * atoms;
    uint32_t *const x = share, *const y = x + r.share, *const z = y + r.share;
    for (uint32_t j = threadIdx.x; j < mine; j += THREADS)
        for (uint32_t k = 0; k < 3; k++)
            share[k * r.share + j] = own[k * atoms + begin + j];
    uint32_t batches = 0, moved = 0;
    for (uint64_t done = 0; done < r.updates; done += THREADS) {
        const uint32_t end = (uint32_t)min((uint64_t)THREADS, r.updates - done);
        const uint64_t n = r.first + done + threadIdx.x;
        __syncthreads();
        m.proposal[threadIdx.x] = helium_propose(
            &r.h, stream_draw(r.h.key, STREAM_HELIUM, 0, walker, (uint32_t)(n >> 32), (uint32_t)n),
            stream_draw(r.h.key, STREAM_HELIUM, 1, walker, (uint32_t)(n >> 32), (uint32_t)n));
        __syncthreads();
        for (uint32_t at = 0, size; at < end; at += size) {
            if (warp == 0)
                begin_batch(&m, own, atoms, at, end);
            __syncthreads();
            size = m.size;
            longlong2 *const partial =
                r.partial + (((size_t)walker * 2 + batches % 2) * r.blocks) * BATCH;
            if (warp < size) {
                const longlong2 sum =
                    sum_share(r.h.repulsion, x, y, z, mine, m.proposal[at + warp].atom - begin,
                              m.from[warp], m.to[warp]);
                if (lane == 0 && r.blocks == 1)
                    m.sum[warp] = sum;
                else if (lane == 0)
                    __stcg(&partial[part * BATCH + warp], sum);
                if (lane > warp && lane < size) {
                    m.before[warp][lane] =
                        repulsion_between(r.h.repulsion, m.from[lane], m.to[warp]) -
                        repulsion_between(r.h.repulsion, m.from[lane], m.from[warp]);
                    m.after[warp][lane] =
                        repulsion_between(r.h.repulsion, m.to[lane], m.to[warp]) -
                        repulsion_between(r.h.repulsion, m.to[lane], m.from[warp]);
                }
            }
            batches++;
            __syncthreads();
            if (warp != 0)
                continue;
            longlong2 sum = lane < size && r.blocks == 1 ? m.sum[lane] : make_longlong2(0, 0);
            if (r.blocks > 1) {
                if (lane == 0)
                    meet(&r.arrivals[walker], batches * r.blocks);
                __syncwarp();
                for (uint32_t b = 0; lane < size && b < r.blocks; b++) {
                    const longlong2 s = __ldcg(&partial[b * BATCH + lane]);
                    sum.x += s.x;
                    sum.y += s.y;
                }
            }
            const helium_proposal p = m.proposal[min(at + lane, THREADS - 1u)];
            const uint32_t yes = decide(&m, sum, p.bound, size);
            moved += __popc(yes);
            if (yes >> lane & 1)
                for (uint32_t k = 0; k < 3; k++) {
                    own[k * atoms + p.atom] = m.to[lane][k];
                    if (p.atom - begin < mine)
                        share[k * r.share + p.atom - begin] = m.to[lane][k];
                }
            __syncwarp();
        }
    }
    if (threadIdx.x == 0 && part == 0)
        accepted[walker] += moved;
}

#endif
