/* Walks of flat-histogram methods (engine/walk.h). They equal cpu/walk.c and reference/plain_flat.c bit for bit.
 *
 * All walkers try the same sites, so that a warp of 32 walkers has its spins as machine words, bit = walker: a site and its neighbours are
 * five or seven words, which all lanes read from one address each. The bonds that are satisfied are added for all walkers at once, in three
 * bit planes. Then each lane looks up its threshold by level and satisfied bonds, and decides by its own random number; a ballot is the word
 * of the flips. A lane keeps its level. Sites and bonds of a piece of the walk are looked up once a block.
 *
 * Time is latency: few warps fit. So the words of four attempts are read together where no two of the sites are equal or neighbours, and
 * nothing between the first and the last of the four branches. A lane without a walker stands at a level of its own behind the others, which
 * it cannot leave and nobody reads. All lanes store the word of a site, which is the same for all of them.
 *
 * Words, the table of thresholds and the histogram are in shared memory if they fit (PLACE 2), or the words alone (1), or nothing (0). At
 * L = 64 the table and the histogram take 96 KiB, and a warp 16, so that 7 warps are in a block of an H200. Floor: an attempt of a warp takes
 * some 15 cycles of shared memory: site, neighbours, five words and a store, a threshold and a count with some three conflicts each. That
 * is 2.1 ps for each of 32 walkers on 132 multiprocessors of 1.7 GHz; an H200 takes 3.9. */
#include "cuda/ssc/walk.h"

#include "cuda/engine/walk_blocks.cuh"

#define COPY_THREADS 128 /* a lattice of 2^26 sites has 2^22 of them: fewer than 65536 blocks */

struct walk_request {
    cuda_walk_window *window;
    const uint32_t *bond;
    uint32_t *words, *level, *least, *most;
    uint32_t sites, origin, number, begin, end, warps; /* origin: number of walker 0 */
    uint64_t table_bytes; /* of thresholds in shared memory, whole 16 bytes */
    stream_key key;
};

/* Of each attempt of a piece the site and those across its bonds, with bit 31 if J = -1; of four attempts, whether no two sites are equal or
 * neighbours. */
template <uint32_t Z> struct alignas(16) walk_piece {
    uint32_t site[PIECE];
    uint32_t bond[PIECE][Z];
    uint32_t apart[PIECE / 4];
};

template <uint32_t Z>
static __device__ void look_up(const walk_request &r, uint32_t first, walk_piece<Z> *piece) {
    for (uint32_t quad = threadIdx.x; quad < PIECE / 4; quad += blockDim.x) {
        const stream_block four = walk_sites(r.key, r.number, first / 4 + quad);
        uint32_t site[4];
        bool apart = true;
#pragma unroll
        for (uint32_t n = 0; n < 4; n++) {
            site[n] = walk_site(four.number[n], r.sites);
            piece->site[4 * quad + n] = site[n];
#pragma unroll
            for (uint32_t m = 0; m < n; m++)
                apart &= site[m] != site[n];
#pragma unroll
            for (uint32_t b = 0; b < Z; b++) {
                const uint32_t bond = r.bond[(uint64_t)site[n] * Z + b];
                piece->bond[4 * quad + n][b] = bond >> 1 | bond << 31;
#pragma unroll
                for (uint32_t m = 0; m < n; m++)
                    apart &= site[m] != bond >> 1;
            }
        }
        piece->apart[quad] = apart;
    }
}

/* Those of four attempts in registers, so that no attempt waits for them. */
template <uint32_t Z> struct four_sites { uint32_t site[4], bond[4][Z]; };

template <uint32_t Z>
static __device__ __forceinline__ four_sites<Z> read_four(const walk_piece<Z> *piece, uint32_t a) {
    four_sites<Z> f;
    const uint4 site = *(const uint4 *)(piece->site + a);
    f.site[0] = site.x, f.site[1] = site.y, f.site[2] = site.z, f.site[3] = site.w;
#pragma unroll
    for (uint32_t i = 0; i < Z; i++) { /* 4 Z numbers, four at a time */
        const uint4 x = *(const uint4 *)(&piece->bond[a][0] + 4 * i);
        const uint32_t of[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            f.bond[(4 * i + n) / Z][(4 * i + n) % Z] = of[n];
    }
    return f;
}

/* The sum of Z bits of each lane: bit planes 1, 2, 4. */
struct bit_sum {
    uint32_t one, two, four;
};

static __device__ __forceinline__ bit_sum sum_of_3(uint32_t a, uint32_t b, uint32_t c) {
    return bit_sum{a ^ b ^ c, (a & b) | (a & c) | (b & c), 0};
}

template <uint32_t Z> static __device__ __forceinline__ bit_sum sum_of(const uint32_t x[Z]) {
    const bit_sum s = sum_of_3(x[0], x[1], x[2]);
    if (Z == 4) {
        const uint32_t carry = s.one & x[3];
        return bit_sum{s.one ^ x[3], s.two ^ carry, s.two & carry};
    }
    const bit_sum t = sum_of_3(x[3], x[4], x[Z - 1]);
    const uint32_t carry = s.one & t.one;
    const bit_sum high = sum_of_3(s.two, t.two, carry);
    return bit_sum{s.one ^ t.one, high.one, high.two};
}

/* The spins of a site, and how many of its bonds each lane has satisfied. */
struct walk_look {
    uint32_t here, satisfied;
};

/* A word, from its index; the sign of a bond is shifted out. */
static __device__ __forceinline__ const uint32_t *word_of(const uint32_t *spins, uint32_t bond) {
    return (const uint32_t *)((const uint8_t *)spins + (bond << 2));
}

template <uint32_t Z>
static __device__ __forceinline__ walk_look look_at(const uint32_t *spins, uint32_t site,
                                                    const uint32_t bond[Z], uint32_t lane) {
    const uint32_t here = *word_of(spins, site);
    uint32_t satisfied[Z];
#pragma unroll
    for (uint32_t b = 0; b < Z; b++)
        satisfied[b] = ~(here ^ *word_of(spins, bond[b])) ^ (uint32_t)((int32_t)bond[b] >> 31);
    const bit_sum sum = sum_of<Z>(satisfied);
    return walk_look{here, (__funnelshift_r(sum.one, sum.one, lane) & 1) |
                               (__funnelshift_r(sum.two, sum.two, lane - 1) & 2) |
                               (__funnelshift_r(sum.four, sum.four, lane - 2) & 4)};
}

/* What a lane walks with. */
struct lane_walk {
    uint32_t *spins, *counts; /* counts: [levels + 1], PLACE 2 */
    const uint32_t *table;    /* [levels][Z + 1], and one level more if PLACE is 2 */
    unsigned long long *visits;
    uint32_t at, least, most;
    bool walks;
};

/* Whether a lane flips in an attempt; then it is in another level. */
template <uint32_t Z, uint32_t PLACE>
static __device__ __forceinline__ bool decide(lane_walk *w, uint32_t satisfied, uint32_t number) {
    const uint32_t *const entry = w->table + satisfied + w->at * (Z + 1);
    const uint32_t threshold = PLACE == 2 ? *entry : w->walks ? __ldg(entry) : 0;
    const bool flips = number >> 1 < threshold;
    w->at += flips ? satisfied - Z / 2 : 0;
    return flips;
}

/* Stores the word of a site behind an attempt, and counts the level. */
template <uint32_t PLACE>
static __device__ __forceinline__ void record(lane_walk *w, uint32_t site, uint32_t spins,
                                              uint32_t at) {
    *(uint32_t *)word_of(w->spins, site) = spins;
    if (PLACE == 2)
        atomicAdd(&w->counts[at], 1u);
    else if (w->walks)
        atomicAdd(&w->visits[at], 1ull);
    w->least = min(w->least, at);
    w->most = max(w->most, at);
}

/* Four attempts, or fewer, one behind the other. */
template <uint32_t Z, uint32_t PLACE>
static __device__ __forceinline__ void walk_singly(lane_walk *w, const four_sites<Z> &of,
                                                   const stream_block &four, uint32_t count,
                                                   uint32_t lane) {
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        if (n >= count)
            break;
        const walk_look look = look_at<Z>(w->spins, of.site[n], of.bond[n], lane);
        const bool flips = decide<Z, PLACE>(w, look.satisfied, four.number[n]);
        const uint32_t flipped = __ballot_sync(0xffffffffu, flips);
        __syncwarp(); /* all have looked */
        record<PLACE>(w, of.site[n], look.here ^ flipped, w->at);
        __syncwarp();
    }
}

/* Four attempts at sites that are no neighbours: all are looked at, then decided, then recorded. */
template <uint32_t Z, uint32_t PLACE>
static __device__ __forceinline__ void walk_together(lane_walk *w, const four_sites<Z> &of,
                                                     const stream_block &four, uint32_t lane) {
    walk_look look[4];
    uint32_t at[4];
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        look[n] = look_at<Z>(w->spins, of.site[n], of.bond[n], lane);
#pragma unroll
    for (uint32_t n = 0; n < 4; n++) {
        const bool flips = decide<Z, PLACE>(w, look[n].satisfied, four.number[n]);
        look[n].here ^= __ballot_sync(0xffffffffu, flips);
        at[n] = w->at;
    }
    __syncwarp(); /* all have looked */
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        record<PLACE>(w, of.site[n], look[n].here, at[n]);
    __syncwarp();
}

/* `count` attempts of a piece, from attempt `first` of the walk of walker k on. */
template <uint32_t Z, uint32_t PLACE>
static __device__ __forceinline__ void walk_on(const walk_request &r, const walk_piece<Z> &piece,
                                               uint32_t first, uint32_t count, uint32_t k,
                                               lane_walk *w) {
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t a = 0; a < count; a += 4) {
        const stream_block four = walk_numbers(r.key, r.number, (first + a) / 4, k);
        const four_sites<Z> of = read_four<Z>(&piece, a);
        if (piece.apart[a / 4] && a + 4 <= count)
            walk_together<Z, PLACE>(w, of, four, lane);
        else
            walk_singly<Z, PLACE>(w, of, four, count - a, lane);
    }
}

/* Counts of a block's histogram: one more than levels, and whole 16 bytes. */
static __host__ __device__ __forceinline__ uint32_t count_room(uint32_t levels) {
    return (levels + 4) / 4 * 4;
}

/* blockIdx.y: the window. A warp whose first walker does not exist makes no attempts, but helps with the sites. */
template <uint32_t Z, uint32_t PLACE>
static __global__ void __launch_bounds__(32 * MOST_WARPS, 1)
    walk_replicas(const __grid_constant__ walk_request r) {
    extern __shared__ uint4 shared[];
    __shared__ walk_piece<Z> piece;
    const cuda_walk_window v = r.window[blockIdx.y];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t word = (uint64_t)blockIdx.x * r.warps + warp, own = word * 32 + lane;
    const bool warp_exists = word * 32 < v.count, exists = own < v.count;
    uint32_t *const table = (uint32_t *)shared,
                    *const counts = (uint32_t *)((uint8_t *)shared + r.table_bytes),
                    *const copies = PLACE == 2 ? counts + count_room(v.levels) : (uint32_t *)shared;
    uint32_t *const stored = r.words + (v.first_word + word) * r.sites;
    uint32_t *const spins = PLACE > 0 ? copies + (uint64_t)warp * r.sites : stored;
    if (PLACE == 2) {
        for (uint32_t n = threadIdx.x; n < (v.levels + 1) * (Z + 1); n += blockDim.x)
            table[n] = n < v.levels * (Z + 1) ? v.threshold[n] : 0;
        for (uint32_t n = threadIdx.x; n < v.levels; n += blockDim.x)
            counts[n] = 0;
    }
    if (PLACE > 0 && warp_exists)
        for (uint32_t n = lane; n < r.sites; n += 32)
            spins[n] = stored[n];
    const uint64_t k = v.first + own;
    const uint32_t from = exists ? r.level[k] - v.lowest : 0;
    const bool walks = exists && from < v.levels; /* the host misses the counts of others */
    lane_walk w = {spins,
                   counts,
                   PLACE == 2 ? table : v.threshold,
                   v.visits,
                   walks ? from : v.levels,
                   UINT32_MAX,
                   0,
                   walks};
    uint32_t pieces = 0;
    for (uint32_t first = r.begin; first < r.end; first += PIECE) {
        __syncthreads();
        look_up<Z>(r, first, &piece);
        __syncthreads();
        if (warp_exists)
            walk_on<Z, PLACE>(r, piece, first, min(PIECE, r.end - first), r.origin + (uint32_t)k,
                              &w);
        if (PLACE == 2 && ++pieces % FLUSH_AFTER == 0)
            flush(v, counts);
    }
    if (PLACE == 2)
        flush(v, counts);
    if (PLACE > 0 && warp_exists)
        for (uint32_t n = lane; n < r.sites; n += 32)
            stored[n] = spins[n];
    if (walks) {
        r.level[k] = w.at + v.lowest;
        r.least[k] = w.least + v.lowest;
        r.most[k] = w.most + v.lowest;
    }
}

/* --- bytes to words, and back --- */

struct walk_copy {
    const cuda_walk_window *window;
    uint8_t *spins;
    uint32_t *words;
    uint32_t half_bytes, half_sites, lx, ly;
};

/* The site, as in couplings.h, of place m of a sub-lattice. */
static __device__ __forceinline__ uint32_t site_at(const walk_copy &c, uint32_t parity,
                                                   uint32_t m) {
    const uint32_t row = 2 * m / c.lx;
    return 2 * m + ((parity + row % c.ly + row / c.ly) & 1);
}

/* One thread for 16 places of a sub-lattice of the walkers of a word; blockIdx.z: the window. A byte 1 is spin up. */
template <bool TO_WORDS> static __global__ void copy_walkers(const __grid_constant__ walk_copy c) {
    const cuda_walk_window v = c.window[blockIdx.z];
    const uint32_t chunks = c.half_bytes / 16, chunk = blockIdx.y * blockDim.x + threadIdx.x;
    const uint64_t first = (uint64_t)blockIdx.x * 32;
    if (chunk >= 2 * chunks || first >= v.count)
        return;
    const uint32_t parity = chunk >= chunks, begin = (chunk - parity * chunks) * 16;
    const uint32_t lanes = (uint32_t)min((uint64_t)32, v.count - first);
    uint32_t *const words = c.words + (v.first_word + blockIdx.x) * (2 * c.half_sites);
    uint8_t *const bytes =
        c.spins + (v.first + first) * (2 * c.half_bytes) + parity * c.half_bytes + begin;
    uint32_t of[16];
#pragma unroll
    for (uint32_t i = 0; i < 16; i++)
        of[i] = TO_WORDS || begin + i >= c.half_sites ? 0 : words[site_at(c, parity, begin + i)];
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint4 *const sixteen = (uint4 *)(bytes + (uint64_t)lane * (2 * c.half_bytes));
        uint32_t four[4] = {};
        if (TO_WORDS) {
            const uint4 x = *sixteen;
            four[0] = x.x, four[1] = x.y, four[2] = x.z, four[3] = x.w;
        }
#pragma unroll
        for (uint32_t i = 0; i < 16; i++)
            if (TO_WORDS)
                of[i] |= (four[i / 4] >> 8 * (i % 4) & 1) << lane;
            else
                four[i / 4] |= (of[i] >> lane & 1) << 8 * (i % 4);
        if (!TO_WORDS)
            *sixteen = make_uint4(four[0], four[1], four[2], four[3]);
    }
#pragma unroll
    for (uint32_t i = 0; i < 16; i++)
        if (TO_WORDS && begin + i < c.half_sites)
            words[site_at(c, parity, begin + i)] = of[i];
}

/* --- launches --- */

struct walk_kernels {
    void (*function[3])(const walk_request); /* by PLACE */
    size_t piece_bytes;
};

template <uint32_t Z> static walk_kernels kernels_of() {
    return walk_kernels{{walk_replicas<Z, 0>, walk_replicas<Z, 1>, walk_replicas<Z, 2>},
                        sizeof(walk_piece<Z>)};
}

/* What a block keeps in shared memory. */
struct walk_shape {
    uint32_t place, warps;
    size_t table_bytes, shared_bytes;
};

/* As many warps as fit beside the tables, or without tables if fewer than half of them would. */
static walk_shape shape_of(const spin_model *m, uint32_t levels, uint64_t words, size_t limit,
                           size_t piece_bytes) {
    const size_t each = m->sites * sizeof(uint32_t),
                 table = ((levels + 1) * (m->coordination + 1) * sizeof(uint32_t) + 15) / 16 * 16,
                 tables = table + count_room(levels) * sizeof(uint32_t),
                 room = limit > piece_bytes ? limit - piece_bytes : 0;
    const uint32_t wanted = words < MOST_WARPS ? (uint32_t)words : MOST_WARPS;
    const size_t beside = room > tables ? (room - tables) / each : 0, alone = room / each;
    if (beside >= (wanted + 1) / 2) {
        const uint32_t warps = beside < wanted ? (uint32_t)beside : wanted;
        return walk_shape{2, warps, table, tables + warps * each};
    }
    if (alone > 0) {
        const uint32_t warps = alone < wanted ? (uint32_t)alone : wanted;
        return walk_shape{1, warps, 0, warps * each};
    }
    return walk_shape{0, wanted, 0, 0};
}

void cuda_ssc_walk(cuda_walks *w, const walk_lattices *l, const spin_model *m, cuda_population *p,
                   const engine_walk *walk) {
    const walk_sizes s = cuda_walks_sizes(walk);
    const walk_kernels kernels = m->coordination == 4 ? kernels_of<4>() : kernels_of<6>();
    const walk_shape shape =
        shape_of(m, s.most_levels, s.most_words, (size_t)p->shared_limit, kernels.piece_bytes);
    const void *const function = (const void *)kernels.function[shape.place];
    cuda_walks_send(w, p, m, walk, &s, 1);
    if (!p->failed)
        cuda_allow_shared(p, function, shape.shared_bytes);
    if (p->failed)
        return;
    const walk_copy copy = {
        w->window,  l->spins,  w->words, l->half_bytes, (uint32_t)(m->sites / 2),
        m->edge[0], m->edge[1]};
    const walk_request request = {w->window,
                                  w->bond,
                                  w->words,
                                  p->device.level,
                                  w->extremes,
                                  w->extremes + s.replicas,
                                  (uint32_t)m->sites,
                                  (uint32_t)p->device.interval.origin,
                                  walk->number,
                                  walk->begin,
                                  walk->begin + walk->attempts,
                                  shape.warps,
                                  shape.table_bytes,
                                  walk->key};
    const unsigned windows = (unsigned)walk->windows;
    const dim3 of_copy((unsigned)s.most_words,
                       (2 * l->half_bytes / 16 + COPY_THREADS - 1) / COPY_THREADS, windows),
        blocks((unsigned)((s.most_words + shape.warps - 1) / shape.warps), windows);
    copy_walkers<true><<<of_copy, COPY_THREADS, 0, p->stream>>>(copy);
    kernels.function[shape.place]<<<blocks, 32 * shape.warps, shape.shared_bytes, p->stream>>>(
        request);
    copy_walkers<false><<<of_copy, COPY_THREADS, 0, p->stream>>>(copy);
    cuda_check_launch(p, "walk_replicas (SSC)");
    cuda_walks_receive(w, p, walk, &s);
}
