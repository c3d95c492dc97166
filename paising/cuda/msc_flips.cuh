/* Multi-spin coding on the device: the Metropolis update. What this computes: metropolis_sweep() in
 * reference/plain.c, for 32 replicas at once, the random numbers being others. */
#ifndef PAISING_CUDA_MSC_FLIPS_CUH
#define PAISING_CUDA_MSC_FLIPS_CUH

#include "msc_comparison.cuh"

/* A strip's stream at the beginning of a temperature. */
static __device__ __forceinline__ strip_stream seeded_stream(const msc_step &step, uint32_t strip,
                                                             uint32_t machine_word) {
    const stream_block seed =
        stream_draw(step.key, STREAM_MWC, strip, machine_word, 0, step.temperature);
    return strip_stream{mwc_seed(seed.number[0], seed.number[1], seed.number[2], seed.number[3]),
                        0};
}

/* A strip's spins of one sub-lattice, of spins and their neighbours. A spin with d < 2 antiparallel neighbours
 * gains the energy 8 - 4 d by flipping and needs a random decision, with d >= 2 it flips anyway. With x and m sum
 * and carry of three neighbours and e the fourth, the number of neighbours up is 2 m + x + e: d has the parity
 * x ^ e. If the spin is up, d < 2 where 2 m + x + e >= 3: m is set, and x or e; if it is down, where
 * 2 m + x + e <= 1: m is not set, and x and e are not both. */
static __device__ __forceinline__ strip_flips examine(const strip_rows &spins,
                                                      const strip_neighbours &n) {
    strip_flips f;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        const uint32_t above = i > 0 ? n.here.row[i - 1] : n.above;
        const uint32_t below = i < STRIP_ROWS - 1 ? n.here.row[i + 1] : n.below;
        const uint32_t x = xor3(above, n.here.row[i], below), e = n.side.row[i];
        const uint32_t m = majority(above, n.here.row[i], below);
        const uint32_t either = lop3<0xe7>(spins.row[i], x, e); /* spin ? x | e : ~(x & e) */
        f.needs[i] = lop3<0x90>(either, spins.row[i], m);       /* either & ~(spin ^ m) */
        f.parity[i] = x ^ e;
    }
    return f;
}

/* Where a thread is in a sweep. */
struct sweep_place {
    uint32_t machine_word, half_sweep;
    void *lattices, *shared;
    strip_distances distances;
    board_place board;
    threshold_set limits; /* of the modes that compare numbers */
};

/* Updates the spins of one sub-lattice in one strip, whose group has so many strips; called by full warps, in vain
 * where there is no strip. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void flip_strip(const msc_step &step, const sweep_place &at,
                                                  const strip_place &place, uint32_t group,
                                                  strip_stream &s) {
    const uint32_t size = step.size, parity = at.half_sweep % 2;
    const bool has_strip =
        RNG == RNG_INDEPENDENT ? member_of_group(at.board) < group : place.strip != NO_STRIP;
    const uint32_t own = has_strip ? parity : !parity; /* in vain one reads what nobody writes */
    uint4 *const even = even_quad(at.lattices, at.distances, own, place);
    uint4 *const odd = odd_quad(at.lattices, at.distances, own, place);
    const strip_rows spins = strip_of(*even, *odd);
    strip_flips f = examine(spins, neighbours_of(at.lattices, at.distances, parity, place));
    strip_rows hits = {};
    if (RNG == RNG_INDEPENDENT) {
        throw_points(at.shared, at.board, step.points, group, at.half_sweep, 2 * step.sweeps, s, f);
        decide_by_planes(step.planes, s.mwc, f);
        hits = take_hits(at.shared, at.board);
    } else {
        decide_by_comparison<RNG, LANES>(step, at.limits, at.machine_word, size, at.half_sweep / 2,
                                         parity, place.strip, f);
    }
    uint32_t flipped[STRIP_ROWS];
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) /* spin ^ (~needs | accept) */
        flipped[i] = lop3<0x4b>(spins.row[i], f.needs[i], f.accept[i] | hits.row[i]);
    if (has_strip) {
        *even = even_rows(flipped);
        *odd = odd_rows(flipped);
    }
}

/* Strips of a thread, EACH of them at most, with their streams in registers. */
template <int EACH> struct kept_strips {
    strip_place place[EACH];
    strip_stream stream[EACH];
    uint32_t group[EACH]; /* strips of it */
};

/* Updates strips N to END - 1 of a thread. */
template <rng_mode RNG, int LANES, int N, int END, int EACH>
static __device__ __forceinline__ void flip_strips(kept_strips<EACH> &kept, const msc_step &step,
                                                   const sweep_place &at) {
    if constexpr (N < END) {
        if (N == 0 || __any_sync(FULL_WARP, kept.place[N].strip != NO_STRIP))
            flip_strip<RNG, LANES>(step, at, kept.place[N], kept.group[N], kept.stream[N]);
        flip_strips<RNG, LANES, N + 1, END>(kept, step, at);
    }
}

#endif
