/* Walks of flat-histogram methods of spins that are not Ising's (engine/walk.h). They equal cpu/walk.c bit for bit.
 *
 * All walkers try the same sites, so that a warp of 32 walkers has its spins as [site][lane], a byte each: a site is 32 bytes in a row. Each
 * lane proposes a state of its own, finds what that costs from the bytes of its neighbours, and looks up its threshold. Sites and bonds
 * of a piece of the walk are looked up once a block. Spins and the histogram are in shared memory where they fit, else in device memory. */
#include "cuda/states/walk.h"

#include "cuda/engine/walk_blocks.cuh"

#define COPY_THREADS 256
#define LANES        32

struct state_walk {
    const cuda_walk_window *window;
    const uint32_t *bond;
    uint8_t *spins; /* [words][N][LANES] */
    uint32_t *level, *least, *most;
    uint32_t neighbours, changes;
    uint32_t origin; /* number of walker 0 */
    uint32_t number, begin, end, warps;
    int32_t spacing;
    uint32_t count_bytes, in_shared; /* walk_block */
    state_lattice lattice;
    stream_key key;
};

struct piece_of_walk {
    uint32_t site[PIECE], bond[PIECE][STATE_NEIGHBOURS];
};

/* The site and neighbours of each attempt of a piece. */
static __device__ void look_up(const state_walk &r, uint32_t first, piece_of_walk *piece) {
    for (uint32_t a = threadIdx.x; a < PIECE; a += blockDim.x) {
        const stream_block four = walk_sites(r.key, r.number, (first + a) / 4);
        const uint32_t site = walk_site(number_of(four, a % 4), r.lattice.sites);
        piece->site[a] = site;
        for (uint32_t b = 0; b < r.neighbours; b++)
            piece->bond[a][b] = r.bond[(uint64_t)site * r.neighbours + b] >> 1;
    }
}

/* One attempt of a walker. Returns by how many levels it goes up. */
static __device__ __forceinline__ uint32_t attempt(const state_walk &r, const cuda_walk_window &v,
                                                   uint8_t *spins, uint32_t lane, uint32_t site,
                                                   const uint32_t *bond, uint32_t at,
                                                   uint32_t number, uint32_t proposal) {
    uint8_t around[STATE_NEIGHBOURS];
    for (uint32_t b = 0; b < r.neighbours; b++)
        around[b] = spins[bond[b] * LANES + lane];
    uint8_t *const own = spins + site * LANES + lane;
    const uint32_t from = *own, to = walk_proposal(proposal, r.lattice.states, from);
    const walk_change change =
        walk_change_of(&r.lattice, r.spacing, around, r.neighbours, from, to);
    const bool moves = number >> 1 < __ldg(v.threshold + (at * r.changes + change.c));
    *own = (uint8_t)(moves ? to : from);
    return moves ? (uint32_t)change.up : 0;
}

/* blockIdx.y: the window. A warp whose first walker does not exist makes no attempts, but helps with the sites. */
static __global__ void __launch_bounds__(32 * MOST_WARPS)
    walk_states(const __grid_constant__ state_walk r) {
    extern __shared__ uint4 shared[];
    __shared__ piece_of_walk piece;
    const cuda_walk_window v = r.window[blockIdx.y];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sites = r.lattice.sites;
    const uint64_t word = (uint64_t)blockIdx.x * r.warps + warp, own = word * 32 + lane;
    const uint64_t bytes = (uint64_t)sites * LANES;
    const bool warp_exists = word * 32 < v.count, exists = own < v.count;
    uint32_t *const counts = (uint32_t *)shared;
    uint8_t *const stored = r.spins + (v.first_word + word) * bytes;
    uint8_t *const spins = r.in_shared ? (uint8_t *)shared + r.count_bytes + warp * bytes : stored;
    for (uint32_t n = threadIdx.x; n < v.levels && r.count_bytes > 0; n += blockDim.x)
        counts[n] = 0;
    for (uint32_t n = lane; n < bytes / 4 && r.in_shared && warp_exists; n += 32)
        ((uint32_t *)spins)[n] = ((const uint32_t *)stored)[n];
    const uint64_t k = v.first + own;
    uint32_t at = exists ? r.level[k] - v.lowest : 0, least = UINT32_MAX, most = 0, pieces = 0;
    const bool walks = exists && at < v.levels; /* the host misses the counts of others */
    for (uint32_t first = r.begin; first < r.end; first += PIECE) {
        __syncthreads();
        look_up(r, first, &piece);
        __syncthreads();
        const uint32_t count = min(PIECE, r.end - first);
        for (uint32_t a = 0; a < count && walks; a += 4) {
            const stream_block numbers =
                walk_numbers(r.key, r.number, (first + a) / 4, r.origin + (uint32_t)k);
            const stream_block proposals =
                walk_proposals(r.key, r.number, (first + a) / 4, r.origin + (uint32_t)k);
#pragma unroll
            for (uint32_t n = 0; n < 4; n++) {
                if (a + n >= count)
                    break;
                at += attempt(r, v, spins, lane, piece.site[a + n], piece.bond[a + n], at,
                              numbers.number[n], proposals.number[n]);
                if (r.count_bytes > 0)
                    atomicAdd(&counts[at], 1u);
                else
                    atomicAdd(&v.visits[at], 1ull);
                least = min(least, at);
                most = max(most, at);
            }
        }
        if (r.count_bytes > 0 && ++pieces % FLUSH_AFTER == 0)
            flush(v, counts);
    }
    if (r.count_bytes > 0)
        flush(v, counts);
    __syncwarp();
    for (uint32_t n = lane; n < bytes / 4 && r.in_shared && warp_exists; n += 32)
        ((uint32_t *)stored)[n] = ((const uint32_t *)spins)[n];
    if (walks) {
        r.level[k] = at + v.lowest;
        r.least[k] = least + v.lowest;
        r.most[k] = most + v.lowest;
    }
}

/* --- lattices to lanes, and back --- */

/* One thread a site of a walker; blockIdx.y: the window. */
template <bool TO_LANES>
static __global__ void copy_states(const cuda_walk_window *window, state_lattices lattices,
                                   uint8_t *lanes, uint32_t sites) {
    const cuda_walk_window v = window[blockIdx.y];
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, k = n / sites;
    const uint32_t site = (uint32_t)(n % sites);
    if (k >= v.count)
        return;
    uint8_t *const there = lanes + ((v.first_word + k / LANES) * sites + site) * LANES + k % LANES,
                   *const here = lattices.spins + (v.first + k) * lattices.stride + site;
    if (TO_LANES)
        *there = *here;
    else
        *here = *there;
}

/* --- launches --- */

void cuda_states_walk(cuda_walks *w, const state_lattices *l, const spin_model *m,
                      cuda_population *p, const engine_walk *walk) {
    const walk_sizes s = cuda_walks_sizes(walk);
    const size_t limit = (size_t)p->shared_limit,
                 room = limit > sizeof(piece_of_walk) ? limit - sizeof(piece_of_walk) : 0;
    const walk_block block = walk_block_of(&s, m->sites * LANES, room);
    cuda_walks_send(w, p, m, walk, &s, LANES / sizeof(uint32_t));
    const state_walk r = {.window = w->window,
                          .bond = w->bond,
                          .spins = (uint8_t *)w->words,
                          .level = p->device.level,
                          .least = w->extremes,
                          .most = w->extremes + s.replicas,
                          .neighbours = m->coordination,
                          .changes = walk_changes(m),
                          .origin = (uint32_t)p->device.interval.origin,
                          .number = walk->number,
                          .begin = walk->begin,
                          .end = walk->begin + walk->attempts,
                          .warps = block.warps,
                          .spacing = (int32_t)m->levels.spacing,
                          .count_bytes = block.count_bytes,
                          .in_shared = block.in_shared,
                          .lattice = state_lattice_of(m),
                          .key = walk->key};
    if (!p->failed)
        cuda_allow_shared(p, (const void *)walk_states, block.shared_bytes);
    if (p->failed)
        return;
    const unsigned windows = (unsigned)walk->windows;
    const uint64_t copies = s.most_words * LANES * m->sites;
    const dim3 of_copy((unsigned)((copies + COPY_THREADS - 1) / COPY_THREADS), windows),
        blocks((unsigned)((s.most_words + r.warps - 1) / r.warps), windows);
    copy_states<true>
        <<<of_copy, COPY_THREADS, 0, p->stream>>>(w->window, *l, r.spins, r.lattice.sites);
    walk_states<<<blocks, 32 * r.warps, block.shared_bytes, p->stream>>>(r);
    copy_states<false>
        <<<of_copy, COPY_THREADS, 0, p->stream>>>(w->window, *l, r.spins, r.lattice.sites);
    cuda_check_launch(p, "walk_states");
    cuda_walks_receive(w, p, walk, &s);
}
