/* A sub-lattice whose rows are whole quads (visits.cu): a thread updates QUADS quads, one behind the other in a row. Its
 * words of the row across, above, below, before and behind are one load each, and one more has the byte at an end.
 *
 * Cost of a spin: a quarter of a Philox call, of which 8 of 10 rounds are its own, 32 instructions a quad; then 15 for the
 * thresholds and some 20 for loads, neighbours and flips: 17 by count, and 3 bytes of traffic to memory or cache. Numbers
 * depend on no spin. So they are made before the kernel waits for the launch before it, whose end they fill. */
#ifndef PAISING_CUDA_SSC_ROWS_CUH
#define PAISING_CUDA_SSC_ROWS_CUH

#include "cuda/ssc/attempts.cuh"

#define ROW_THREADS 128

/* --- places --- */

/* A row of a sub-lattice, and the rows around it. */
struct row_place {
    uint32_t y, z, here, above, below, before, behind; /* the first sites of rows */
};

template <uint32_t DIMENSION>
static __device__ __forceinline__ row_place place_of(const visit_sweep &c, uint32_t row) {
    const uint32_t half = c.edge[0] / 2, ly = c.edge[1], lz = c.edge[2],
                   y = DIMENSION == 3 ? row % ly : row, z = DIMENSION == 3 ? row / ly : 0;
    row_place p = {y, z, row * half, 0, 0, 0, 0};
    p.above = (y > 0 ? row - 1 : row + ly - 1) * half;
    p.below = (y + 1 < ly ? row + 1 : row + 1 - ly) * half;
    if (DIMENSION == 3) {
        p.before = (z > 0 ? row - ly : row + (lz - 1) * ly) * half;
        p.behind = (z + 1 < lz ? row + ly : y) * half;
    }
    return p;
}

static __device__ __forceinline__ bool has_colour(const visit_sweep &c, uint32_t x, uint32_t y,
                                                  uint32_t z) {
    const uint32_t t = c.plan.tile;
    return ((x / t + y / t + z / t) & 1) == c.stage.colour;
}

/* A byte 1 for those sites of a quad that are in tiles of the colour. x: the column of the first one. */
static __device__ __forceinline__ uint32_t in_colour(const visit_sweep &c, const row_place &p,
                                                     uint32_t x) {
    uint32_t active = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        active |= (uint32_t)has_colour(c, x + 2 * n, p.y, p.z) << 8 * n;
    return active;
}

/* --- words of a row --- */

template <uint32_t QUADS> struct __align__(4 * QUADS) row_words {
    uint32_t quad[QUADS];
};

template <uint32_t QUADS>
static __device__ __forceinline__ row_words<QUADS> words_at(const uint8_t *sites, uint32_t at) {
    return *(const row_words<QUADS> *)(sites + at);
}

template <uint32_t QUADS>
static __device__ __forceinline__ void add(row_words<QUADS> &to, const row_words<QUADS> &words) {
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        to.quad[n] += words.quad[n];
}

/* Adds the words across moved by a site: to the front where `odd`, as beside() does. `end`: the site behind or before them. */
template <uint32_t QUADS>
static __device__ __forceinline__ void
add_moved(row_words<QUADS> &to, const row_words<QUADS> &across, uint32_t end, uint32_t odd) {
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++) {
        const uint32_t before = n > 0 ? across.quad[n - 1] : end << 24,
                       behind = n + 1 < QUADS ? across.quad[n + 1] : end;
        to.quad[n] += __byte_perm(across.quad[n], odd ? behind : before, odd ? 0x4321u : 0x2107u);
    }
}

/* The neighbours up of the words' sites, by bytes. j: the first one in its row. */
template <uint32_t DIMENSION, uint32_t QUADS>
static __device__ __forceinline__ row_words<QUADS>
ups_of_words(const visit_sweep &c, const uint8_t *others, const row_place &p, uint32_t j,
             uint32_t odd) {
    const uint32_t half = c.edge[0] / 2, behind = j + 4 * QUADS,
                   at_end = odd ? (behind < half ? behind : 0) : (j > 0 ? j : half) - 1;
    const row_words<QUADS> across = words_at<QUADS>(others, p.here + j);
    row_words<QUADS> ups = across;
    add(ups, words_at<QUADS>(others, p.above + j));
    add(ups, words_at<QUADS>(others, p.below + j));
    if (DIMENSION == 3) {
        add(ups, words_at<QUADS>(others, p.before + j));
        add(ups, words_at<QUADS>(others, p.behind + j));
    }
    add_moved(ups, across, others[p.here + at_end], odd);
    return ups;
}

/* --- decisions of a warp --- */

/* What decides flips: lane d has the threshold for d unsatisfied bonds. Bit 7 of a byte d + `always` is set where a spin
 * flips for sure, and of d + `opposite` where it flips unless its number is below the threshold. */
struct warp_decisions {
    uint32_t threshold, always, opposite;
};

template <uint32_t DIMENSION>
static __device__ __forceinline__ warp_decisions warp_decisions_of(const visit_sweep &c,
                                                                   uint32_t replica,
                                                                   uint32_t sweep) {
    const uint32_t bonds = 2 * DIMENSION, d = min(threadIdx.x % 32, bonds),
                   from = c.downhill == DOWNHILL_COMPLEMENT && d > DIMENSION ? bonds - d : d;
    warp_decisions by;
    by.threshold = c.thresholds.whole[from] +
                   (rounding_of(&c.thresholds, replica, sweep) < c.thresholds.fraction[from]);
    by.always = c.downhill == DOWNHILL_ALWAYS ? (128 - DIMENSION) * 0x01010101u : 0;
    by.opposite = c.downhill == DOWNHILL_COMPLEMENT ? (127 - DIMENSION) * 0x01010101u : 0;
    return by;
}

/* attempted() of attempts.cuh. All lanes of the warp must call it. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t attempted_in_warp(const warp_decisions &by, uint32_t own,
                                                             uint32_t ups, uint32_t active,
                                                             const stream_block &numbers) {
    const uint32_t d = unsatisfied_bytes<DIMENSION>(own, ups);
    uint32_t below = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4;
         n++) /* the lane is the byte: what is above its five bits is not read */
        add_if_below(below, numbers.number[n], __shfl_sync(~0u, by.threshold, d >> 8 * n),
                     1u << 8 * n);
    return own ^ ((((d + by.always) >> 7 | below) ^ ((d + by.opposite) >> 7)) & active);
}

/* --- the kernel --- */

/* Updates the sub-lattice, or what is in the tiles of a colour. The grid has a column of blocks for each replica. */
template <uint32_t DIMENSION, uint32_t QUADS>
static __global__ void __launch_bounds__(ROW_THREADS)
    visit_rows(const __grid_constant__ visit_sweep c) {
    const uint32_t quads = c.sites / 8, half = c.edge[0] / 2, k = blockIdx.x,
                   replica = c.first_replica + k, hit = c.sweep + c.stage.first,
                   first = (blockIdx.y * ROW_THREADS + threadIdx.x) * QUADS;
    const bool exists = first < quads;
    const uint32_t quad = exists ? first : 0;
    const row_place p = place_of<DIMENSION>(c, 4 * quad / half);
    const uint32_t j = 4 * quad - p.here, odd = (p.y + p.z + c.parity) & 1;
    const ssc_moment moment = ssc_moment_of(&c.keys, replica, hit);
    const warp_decisions by = warp_decisions_of<DIMENSION>(c, replica, hit);
    uint32_t active[QUADS], any = 0;
    stream_block numbers[QUADS];
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        any |= active[n] = c.in_tiles ? in_colour(c, p, 2 * (j + 4 * n) + odd) : 0x01010101u;
    if (!__any_sync(~0u, exists && any)) {
        await_launch_before();
        return;
    }
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        numbers[n] = ssc_numbers(
            &c.keys, ssc_place_of(&c.keys, c.parity * quads + quad + n, c.temperature), moment);
    allow_next_launch();
    await_launch_before();
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes), *const spins =
                                                                             lattice +
                                                                             c.parity *
                                                                                 c.half_bytes;
    const bool there = has_replica(c, k);
    row_words<QUADS> own = words_at<QUADS>(spins, p.here + j);
    const row_words<QUADS> ups =
        ups_of_words<DIMENSION, QUADS>(c, lattice + (1 - c.parity) * c.half_bytes, p, j, odd);
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        own.quad[n] =
            attempted_in_warp<DIMENSION>(by, own.quad[n], ups.quad[n], active[n], numbers[n]);
    if (exists && there && any)
        *(row_words<QUADS> *)(spins + p.here + j) = own;
}

#endif
