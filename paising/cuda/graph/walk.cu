/* Walks of flat-histogram methods on graphs (engine/walk.h). They equal cpu/walk.c and reference/plain_flat.c bit for bit.
 *
 * All walkers try the same sites, so that a warp of 32 walkers has its spins as machine words, bit = walker. A site and its neighbours are
 * words, each of which all lanes read from one address. Each lane adds the weights of its neighbours that are up, looks up its threshold by level
 * and change, and decides by a number of its own; a ballot is the word of the flips. Sites of a piece of the walk are looked up once a
 * block, links and thresholds are read through the cache. Words and the histogram are in shared memory where they fit, else in device memory. */
#include "cuda/graph/walk.h"

#include "cuda/engine/walk_blocks.cuh"

#define COPY_THREADS 256
#define LANES        32
#define ALL_LANES    0xffffffffu

struct graph_walk {
    const cuda_walk_window *window;
    const uint4 *site; /* [N] walk_site_of_graph */
    const uint2 *link; /* walk_link */
    uint32_t *words;   /* [words][N] */
    uint32_t *level, *least, *most;
    uint32_t sites, changes, origin, number, begin, end, warps; /* origin: number of walker 0 */
    uint32_t count_bytes, in_shared;                            /* walk_block */
    stream_key key;
};

/* The site of each attempt of a piece. */
static __device__ void look_up(const graph_walk &r, uint32_t first, uint4 *piece) {
    for (uint32_t a = threadIdx.x; a < PIECE; a += blockDim.x) {
        const stream_block four = walk_sites(r.key, r.number, (first + a) / 4);
        piece[a] = __ldg(r.site + walk_site(number_of(four, a % 4), r.sites));
    }
}

/* What a lane walks with. */
struct graph_lane {
    uint32_t *words, *counts; /* counts: NULL: they are in device memory */
    uint32_t bit, at, least, most;
    bool walks;
};

/* One attempt of all walkers of a warp. site: walk_site_of_graph. */
static __device__ __forceinline__ void attempt(const graph_walk &r, const cuda_walk_window &v,
                                               graph_lane *w, const uint4 &site, uint32_t number) {
    const uint32_t here = w->words[site.x];
    int32_t cost = (int32_t)site.w;
#pragma unroll 4
    for (uint32_t n = site.y; n < site.z; n++) {
        const uint2 link = __ldg(r.link + n);
        cost += w->words[link.x] & w->bit ? (int32_t)link.y : 0;
    }
    const walk_change change = walk_graph_change(cost, here & w->bit, r.changes / 2);
    const uint32_t threshold =
        w->walks ? __ldg(v.threshold + ((uint64_t)w->at * r.changes + change.c)) : 0;
    const bool flips = number >> 1 < threshold;
    w->at += flips ? (uint32_t)change.up : 0;
    const uint32_t flipped = __ballot_sync(ALL_LANES, flips);
    __syncwarp(); /* all have looked */
    w->words[site.x] = here ^ flipped;
    if (w->walks && w->counts)
        atomicAdd(&w->counts[w->at], 1u);
    else if (w->walks)
        atomicAdd(&v.visits[w->at], 1ull);
    w->least = min(w->least, w->at);
    w->most = max(w->most, w->at);
    __syncwarp();
}

/* `count` attempts of a piece, from attempt `first` of the walk of walker k on. */
static __device__ __forceinline__ void walk_on(const graph_walk &r, const cuda_walk_window &v,
                                               const uint4 *piece, uint32_t first, uint32_t count,
                                               uint32_t k, graph_lane *w) {
    for (uint32_t a = 0; a < count; a += 4) {
        const stream_block four = walk_numbers(r.key, r.number, (first + a) / 4, k);
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            if (a + n < count)
                attempt(r, v, w, piece[a + n], four.number[n]);
    }
}

/* blockIdx.y: the window. A warp whose first walker does not exist makes no attempts, but helps with the sites. */
static __global__ void __launch_bounds__(32 * MOST_WARPS)
    walk_graph(const __grid_constant__ graph_walk r) {
    extern __shared__ uint4 shared[];
    __shared__ uint4 piece[PIECE];
    const cuda_walk_window v = r.window[blockIdx.y];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t word = (uint64_t)blockIdx.x * r.warps + warp, own = word * 32 + lane;
    const bool warp_exists = word * 32 < v.count, exists = own < v.count;
    uint32_t *const counts = (uint32_t *)shared, *const copies = (uint32_t *)((uint8_t *)shared +
                                                                              r.count_bytes);
    uint32_t *const stored = r.words + (v.first_word + word) * r.sites;
    uint32_t *const words = r.in_shared ? copies + (uint64_t)warp * r.sites : stored;
    for (uint32_t n = threadIdx.x; n < v.levels && r.count_bytes > 0; n += blockDim.x)
        counts[n] = 0;
    for (uint32_t n = lane; n < r.sites && r.in_shared && warp_exists; n += 32)
        words[n] = stored[n];
    const uint64_t k = v.first + own;
    const uint32_t from = exists ? r.level[k] - v.lowest : 0;
    graph_lane w = {words, r.count_bytes > 0 ? counts : NULL, 1u << lane, from, UINT32_MAX,
                    0,     exists && from < v.levels}; /* the host misses the counts of others */
    uint32_t pieces = 0;
    for (uint32_t first = r.begin; first < r.end; first += PIECE) {
        __syncthreads();
        look_up(r, first, piece);
        __syncthreads();
        if (warp_exists)
            walk_on(r, v, piece, first, min(PIECE, r.end - first), r.origin + (uint32_t)k, &w);
        if (r.count_bytes > 0 && ++pieces % FLUSH_AFTER == 0)
            flush(v, counts);
    }
    if (r.count_bytes > 0)
        flush(v, counts);
    for (uint32_t n = lane; n < r.sites && r.in_shared && warp_exists; n += 32)
        stored[n] = words[n];
    if (w.walks) {
        r.level[k] = w.at + v.lowest;
        r.least[k] = w.least + v.lowest;
        r.most[k] = w.most + v.lowest;
    }
}

/* --- words of the population to those of windows, and back --- */

/* One thread a site of 32 walkers of a window, whose bits are in one or two words of the population; blockIdx.y: the window. On the way back
 * what differs is changed, since windows may share words. */
template <bool TO_WALKERS>
static __global__ void copy_words(const cuda_walk_window *window, graph_words spins,
                                  uint32_t *words, uint32_t sites) {
    const cuda_walk_window v = window[blockIdx.y];
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, word = n / sites;
    const uint32_t place = (uint32_t)(n % sites);
    if (word * LANES >= v.count)
        return;
    const uint64_t first = v.first + word * LANES;
    const uint32_t lanes = (uint32_t)min((uint64_t)LANES, v.count - word * LANES),
                   shift = (uint32_t)(first % LANES);
    const bool two = shift + lanes > LANES;
    uint32_t *const own = spins.spins + first / LANES * spins.stride + place,
                    *const walkers = words + (v.first_word + word) * sites + place;
    const uint32_t now = __funnelshift_r(*own, two ? own[spins.stride] : 0, shift);
    if (TO_WALKERS) {
        *walkers = now;
        return;
    }
    const uint32_t changed = (*walkers ^ now) & (ALL_LANES >> (LANES - lanes));
    atomicXor(own, changed << shift);
    if (two)
        atomicXor(own + spins.stride, changed >> (LANES - shift));
}

/* --- launches --- */

void cuda_graph_walk(cuda_walks *w, const graph_words *spins, const spin_model *m,
                     cuda_population *p, const engine_walk *walk) {
    const walk_sizes s = cuda_walks_sizes(walk);
    const size_t limit = (size_t)p->shared_limit, piece_bytes = PIECE * sizeof(uint4);
    const walk_block block = walk_block_of(&s, m->sites * sizeof(uint32_t),
                                           limit > piece_bytes ? limit - piece_bytes : 0);
    cuda_walks_send(w, p, m, walk, &s, 1);
    const graph_walk r = {.window = w->window,
                          .site = (const uint4 *)w->site,
                          .link = (const uint2 *)w->link,
                          .words = w->words,
                          .level = p->device.level,
                          .least = w->extremes,
                          .most = w->extremes + s.replicas,
                          .sites = (uint32_t)m->sites,
                          .changes = walk_changes(m),
                          .origin = (uint32_t)p->device.interval.origin,
                          .number = walk->number,
                          .begin = walk->begin,
                          .end = walk->begin + walk->attempts,
                          .warps = block.warps,
                          .count_bytes = block.count_bytes,
                          .in_shared = block.in_shared,
                          .key = walk->key};
    if (!p->failed)
        cuda_allow_shared(p, (const void *)walk_graph, block.shared_bytes);
    if (p->failed)
        return;
    const unsigned windows = (unsigned)walk->windows;
    const uint64_t copies = s.most_words * m->sites;
    const dim3 of_copy((unsigned)((copies + COPY_THREADS - 1) / COPY_THREADS), windows),
        blocks((unsigned)((s.most_words + r.warps - 1) / r.warps), windows);
    copy_words<true><<<of_copy, COPY_THREADS, 0, p->stream>>>(w->window, *spins, r.words, r.sites);
    walk_graph<<<blocks, 32 * r.warps, block.shared_bytes, p->stream>>>(r);
    copy_words<false><<<of_copy, COPY_THREADS, 0, p->stream>>>(w->window, *spins, r.words, r.sites);
    cuda_check_launch(p, "walk_graph");
    cuda_walks_receive(w, p, walk, &s);
}
