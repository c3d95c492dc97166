/* Multi-spin coding on the device: the update. It equals update_strip() in
 * reference/plain_msc.h, for 32 replicas at once. For the eight words of a strip, in mode
 * `independent`:
 *
 *     anyway   lanes with 2 or more of 4 bonds unsatisfied, 3 of 6 (dE <= 0):
 *              examine (rows.cuh, cells.cuh);
 *              and lanes that points hit: throw_points (points.cuh)
 *     accept   = 0; for each bit plane, with a random word r, where the digit of the lane's class
 *              is 1: accept | r, where it is 0: accept & r: decide_by_planes (planes.cuh)
 *     spin    ^= anyway | accept
 *
 * With the complement spins whose flip lowers the energy are turned over at once, ties are accepted anyway, and
 *     spin    ^= (anyway | accept) & r,  with one more random word r */
#ifndef PAISING_CUDA_MSC_FLIPS_CUH
#define PAISING_CUDA_MSC_FLIPS_CUH

#include "cuda/msc/comparison.cuh"

/* Returns a strip's random stream at the beginning of a temperature. */
static __device__ __forceinline__ strip_stream seeded_stream(const msc_population &own,
                                                             uint32_t strip,
                                                             uint32_t machine_word) {
    const stream_block seed =
        stream_draw(own.key, STREAM_MWC, strip, machine_word, 0, own.temperature);
    return strip_stream{mwc_seed(seed.number[0], seed.number[1], seed.number[2], seed.number[3]),
                        0};
}

/* Where a thread is in a sweep. */
struct sweep_place {
    uint32_t machine_word, half_sweep;
    void *lattices;
    strip_distances distances;
    board_place board;
    threshold_set limits; /* for the modes that compare numbers */
};

/* Whether a strip exists; `group`: the strips of its group. */
template <rng_mode RNG, typename PLACE>
static __device__ __forceinline__ bool has_strip(const sweep_place &at, const PLACE &place,
                                                 uint32_t group) {
    return RNG == RNG_INDEPENDENT ? member_of_group(at.board) < group : place.strip != NO_STRIP;
}

/* Returns a strip's spins before the half sweep. Without a strip it reads spins that no thread
 * writes at that time. */
template <typename LATTICE>
static __device__ __forceinline__ strip_spins load_spins(const sweep_place &at,
                                                         const typename LATTICE::place &place,
                                                         bool there) {
    const sub_lattice other = sub_lattice_of(at.distances, (at.half_sweep + 1) % 2);
    sub_lattice own = sub_lattice_of(at.distances, at.half_sweep % 2);
    own.begin = there ? own.begin : other.begin;
    return strip_spins{LATTICE::spins_in(at.lattices, own, place),
                       LATTICE::spins_in(at.lattices, other, place)};
}

/* Updates a strip's own spins. Threads: full warps; threads without a strip compute without
 * effect. */
template <typename LATTICE, rng_mode RNG, int LANES, typename STEP>
static __device__ __forceinline__ void
flip_strip(const STEP &step, const sweep_place &at, const typename LATTICE::place &place,
           const typename LATTICE::bonds &bonds, uint32_t group, strip_stream &s,
           strip_spins &spins) {
    const sub_lattice own = sub_lattice_of(at.distances, at.half_sweep % 2),
                      other = sub_lattice_of(at.distances, (at.half_sweep + 1) % 2);
    strip_flips<LATTICE::words> f = LATTICE::examine(at.lattices, spins, other, place, bonds);
    if constexpr (LATTICE::complement) {
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++)
            spins.own.row[i] ^= f.falls[i];
        if (LATTICE::most_kept == 0 && has_strip<RNG>(at, place, group))
            LATTICE::store(at.lattices, own, place, spins.own);
    }
    if constexpr (RNG == RNG_INDEPENDENT) {
        put_on_board(at.board, f);
        throw_points<LATTICE>(at.board, step.points, more_than_of(step), at_sites_of(step), group,
                              at.half_sweep, 2 * step.own.sweeps, s);
        if constexpr (LATTICE::cut)
            decide_at_sites<LATTICE::classes>(step.at_sites, s.mwc, f);
        else
            decide_by_planes(step.planes, s.mwc, f);
        take_from_board(at.board, f);
    } else {
        decide_by_comparison<RNG, LANES>(step, at.limits, at.machine_word, at.half_sweep / 2,
                                         own.parity, place.row, place.column, f);
        __syncwarp(); /* makes the compiler load the spins again: registers are scarce */
    }
    if (RNG != RNG_INDEPENDENT || LATTICE::most_kept == 0)
        spins = load_spins<LATTICE>(at, place, has_strip<RNG>(at, place, group));
    if constexpr (LATTICE::complement) {
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            f.accept[i] = lop3<0xa8>(f.anyway[i], f.accept[i], mwc_next(&s.mwc)); /* (a | b) & r */
            f.anyway[i] = 0;
        }
    }
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) /* spin ^ (anyway | accept) */
        spins.own.row[i] = lop3<0x1e>(spins.own.row[i], f.anyway[i], f.accept[i]);
    if (has_strip<RNG>(at, place, group))
        LATTICE::store(at.lattices, own, place, spins.own);
}

/* At most EACH strips of a thread, with their random streams in registers. */
template <typename LATTICE, int EACH> struct kept_strips {
    typename LATTICE::place place[EACH];
    typename LATTICE::bonds bonds[EACH];
    strip_stream stream[EACH];
    uint32_t group[EACH]; /* strips of its group */
    strip_spins spins;    /* if EACH is 1, of the sub-lattice to be updated and the other */
};

/* Whether a thread keeps the spins of its strip in registers. That saves a quarter of the accesses
 * to shared memory. There are registers for one strip at most, and in mode `lcg` for none. */
template <typename LATTICE, rng_mode RNG, int EACH>
static __host__ __device__ constexpr bool keeps_spins() {
    return RNG == RNG_INDEPENDENT && EACH <= LATTICE::most_kept;
}

/* Updates strips N to END - 1 of a thread. */
template <typename LATTICE, rng_mode RNG, int LANES, int N, int END, int EACH, typename STEP>
static __device__ __forceinline__ void flip_strips(kept_strips<LATTICE, EACH> &kept,
                                                   const STEP &step, const sweep_place &at) {
    if constexpr (N < END) {
        const typename LATTICE::place &place = kept.place[N];
        const uint32_t group = kept.group[N];
        if (N == 0 || __any_sync(FULL_WARP, place.strip != NO_STRIP)) {
            strip_spins spins;
            if constexpr (keeps_spins<LATTICE, RNG, EACH>())
                spins = kept.spins;
            else
                spins = load_spins<LATTICE>(at, place, has_strip<RNG>(at, place, group));
            flip_strip<LATTICE, RNG, LANES>(step, at, place, kept.bonds[N], group, kept.stream[N],
                                            spins);
            if constexpr (keeps_spins<LATTICE, RNG, EACH>())
                kept.spins = strip_spins{spins.other, spins.own};
        }
        flip_strips<LATTICE, RNG, LANES, N + 1, END>(kept, step, at);
    }
}

#endif
