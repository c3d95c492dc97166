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

/* A strip's spins of the sub-lattice that is updated, and of the other one. */
struct strip_spins {
    strip_rows own, other;
};

/* What is to be known of a strip's own spins. A spin with d < 2 antiparallel neighbours
 * gains the energy 8 - 4 d by flipping and needs a random decision, with d >= 2 it flips anyway. With x and m sum
 * and carry of three neighbours and e the fourth, the number of neighbours up is 2 m + x + e: d has the parity
 * x ^ e. If the spin is up, d < 2 where 2 m + x + e >= 3: m is set, and x or e; if it is down, where
 * 2 m + x + e <= 1: m is not set, and x and e are not both. */
static __device__ __forceinline__ strip_flips examine(const strip_spins &spins,
                                                      const strip_neighbours &n) {
    const strip_rows &own = spins.own, &other = spins.other;
    strip_flips f;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        const uint32_t above = i > 0 ? other.row[i - 1] : n.above;
        const uint32_t below = i < STRIP_ROWS - 1 ? other.row[i + 1] : n.below;
        const uint32_t x = xor3(above, other.row[i], below), e = n.side.row[i];
        const uint32_t m = majority(above, other.row[i], below);
        const uint32_t either = lop3<0xe7>(own.row[i], x, e); /* spin ? x | e : ~(x & e) */
        f.anyway[i] = lop3<0x6f>(either, own.row[i], m);      /* ~either | (spin ^ m) */
        f.parity[i] = x ^ e;
    }
    return f;
}

/* Where a thread is in a sweep. */
struct sweep_place {
    uint32_t machine_word, half_sweep;
    void *lattices;
    strip_distances distances;
    board_place board;
    threshold_set limits; /* of the modes that compare numbers */
};

/* Whether a strip, whose group has so many, is there. */
template <rng_mode RNG>
static __device__ __forceinline__ bool has_strip(const sweep_place &at, const strip_place &place,
                                                 uint32_t group) {
    return RNG == RNG_INDEPENDENT ? member_of_group(at.board) < group : place.strip != NO_STRIP;
}

/* A strip's spins before the half sweep; where there is no strip, some that nobody writes meanwhile. */
static __device__ __forceinline__ strip_spins load_spins(const sweep_place &at,
                                                         const strip_place &place, bool there) {
    const sub_lattice own = sub_lattice_of(at.distances, at.half_sweep % 2),
                      other = sub_lattice_of(at.distances, (at.half_sweep + 1) % 2);
    return strip_spins{spins_in(at.lattices, there ? own : other, place),
                       spins_in(at.lattices, other, place)};
}

/* Updates a strip's own spins; called by full warps, in vain where there is no strip. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void flip_strip(const msc_step &step, const sweep_place &at,
                                                  const strip_place &place, uint32_t group,
                                                  strip_stream &s, strip_spins &spins) {
    const sub_lattice own = sub_lattice_of(at.distances, at.half_sweep % 2),
                      other = sub_lattice_of(at.distances, (at.half_sweep + 1) % 2);
    strip_flips f = examine(spins, neighbours_in(at.lattices, other, place));
    if (RNG == RNG_INDEPENDENT) {
        put_on_board(at.board, f);
        throw_points(at.board, step.points, group, at.half_sweep, 2 * step.sweeps, s);
        decide_by_planes(step.planes, s.mwc, f);
        take_from_board(at.board, f);
    } else {
        decide_by_comparison<RNG, LANES>(step, at.limits, at.machine_word, step.size,
                                         at.half_sweep / 2, own.parity, place.row, place.column, f);
        __syncwarp(); /* so that the compiler loads the spins once more: registers are scarce */
        spins = load_spins(at, place, has_strip<RNG>(at, place, group));
    }
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) /* spin ^ (anyway | accept) */
        spins.own.row[i] = lop3<0x1e>(spins.own.row[i], f.anyway[i], f.accept[i]);
    if (has_strip<RNG>(at, place, group)) {
        *quad_at(at.lattices, place.at + own.even) = even_rows(spins.own.row);
        *quad_at(at.lattices, place.at + own.odd) = odd_rows(spins.own.row);
    }
}

/* Strips of a thread, EACH of them at most, with their streams in registers. */
template <int EACH> struct kept_strips {
    strip_place place[EACH];
    strip_stream stream[EACH];
    uint32_t group[EACH]; /* strips of it */
    strip_spins spins;    /* of a single one, in turn of each sub-lattice */
};

/* Whether a thread keeps the spins of its strip, too: that saves a quarter of the accesses to shared memory. There are
 * registers for one strip; mode `lcg` has none left. */
template <rng_mode RNG, int EACH> static __host__ __device__ constexpr bool keeps_spins() {
    return RNG == RNG_INDEPENDENT && EACH == 1;
}

/* Updates strips N to END - 1 of a thread. */
template <rng_mode RNG, int LANES, int N, int END, int EACH>
static __device__ __forceinline__ void flip_strips(kept_strips<EACH> &kept, const msc_step &step,
                                                   const sweep_place &at) {
    if constexpr (N < END) {
        const strip_place &place = kept.place[N];
        const uint32_t group = kept.group[N];
        if (N == 0 || __any_sync(FULL_WARP, place.strip != NO_STRIP)) {
            strip_spins spins;
            if constexpr (keeps_spins<RNG, EACH>())
                spins = kept.spins;
            else
                spins = load_spins(at, place, has_strip<RNG>(at, place, group));
            flip_strip<RNG, LANES>(step, at, place, group, kept.stream[N], spins);
            if constexpr (keeps_spins<RNG, EACH>())
                kept.spins = strip_spins{spins.other, spins.own};
        }
        flip_strips<RNG, LANES, N + 1, END>(kept, step, at);
    }
}

#endif
