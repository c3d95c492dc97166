/* Single-spin coding on the device: the Metropolis update of two replicas, in the nibbles of a byte. What this
 * computes, bit for bit: metropolis_sweep() in reference/plain.c. */
#ifndef PAISING_CUDA_SSC_FLIPS_CUH
#define PAISING_CUDA_SSC_FLIPS_CUH

#include "engine/ssc_numbers.h"
#include "population.h"

#define BLOCK_THREADS  256
#define BLOCKS_AT_ONCE 5 /* on a multiprocessor: what registers must allow */
#define UNROLLED_QUADS 8 /* of a thread, where their number is known */

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    uint32_t size; /* L */
    uint32_t half_bytes;
    uint32_t group; /* threads a pair */
    uint32_t sweeps;
    uint32_t temperature;
    ssc_keys keys;
    rounding thresholds;
    uint32_t first_replica; /* of the range, among those that streams are counted by */
};

/* --- quads: four sites of one row, as the bytes of a register --- */

/* Where a quad stands, and its neighbours in the other sub-lattice, as indices of quads. The one
 * across has its own index; the fourth neighbours are those across moved by a column, which
 * takes a byte from the quad beside. */
struct quad_place {
    uint32_t own, above, below, beside;
    uint32_t moved; /* byte selector of across and beside */
};

static __device__ __forceinline__ quad_place place_quad(uint32_t size, uint32_t parity,
                                                        uint32_t quad) {
    const uint32_t row_quads = size / 8, row = quad / row_quads, j = quad % row_quads;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < row_quads ? j + 1 : 0, left = j ? j - 1 : row_quads - 1;
    const bool to_right = (row + parity) % 2;
    return quad_place{quad, above * row_quads + j, below * row_quads + j,
                      row * row_quads + (to_right ? right : left), to_right ? 0x4321u : 0x2107u};
}

/* The neighbours up of each spin of a quad, 0 to 4. */
static __device__ __forceinline__ uint32_t ups_around(const uint32_t *other,
                                                      const quad_place &place) {
    const uint32_t across = other[place.own];
    const uint32_t side = __byte_perm(across, other[place.beside], place.moved);
    return other[place.above] + across + other[place.below] + side;
}

/* --- the same for lattices whose rows are not a multiple of four sites: site by site --- */

/* The neighbours up of the two spins of a site. */
static __device__ __forceinline__ uint32_t ups_around_site(const uint8_t *other, uint32_t size,
                                                           uint32_t parity, uint32_t site) {
    const uint32_t columns = size / 2, row = site / columns, j = site % columns;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < columns ? j + 1 : 0, left = j ? j - 1 : columns - 1;
    const uint32_t side = (row + parity) % 2 ? right : left;
    return other[above * columns + j] + other[site] + other[below * columns + j] +
           other[row * columns + side];
}

/* --- the Metropolis update, of as many spins as a register has nibbles --- */

/* The number d of antiparallel neighbours of each spin, from the number of those up. */
static __device__ __forceinline__ uint32_t antiparallel(uint32_t spins, uint32_t ups) {
    const uint32_t spin_up = spins * 0xf; /* all ones in the nibbles of spins up */
    return (ups & ~spin_up) | ((0x44444444u - ups) & spin_up);
}

/* How many of the two thresholds each of four numbers is below, in every other nibble from bit `from` on. In
 * C the compiler makes three instructions of a comparison and the addition that depends on it; these are two. */
static __device__ __forceinline__ uint32_t thresholds_above(const stream_block &b,
                                                            const threshold_set &t, uint32_t from) {
    uint32_t nibbles = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
#pragma unroll
        for (uint32_t d = 0; d < 2; d++)
            asm("{.reg .pred below;\n"
                "setp.lt.u32 below, %1, %2;\n"
                "@below add.u32 %0, %0, %3;}"
                : "+r"(nibbles)
                : "r"(b.number[n]), "r"(t.threshold[d]), "r"(1u << (8 * n + from)));
    return nibbles;
}

/* The spins after the update: one with d >= 2 flips; one with d < 2 gains the energy 8 - 4 d and flips if
 * its number is below threshold d. As the threshold of d = 0 is the lower one, these are the spins for which d
 * and the number of thresholds above make at least 2: with 6, bit 3 of the nibble. */
static __device__ __forceinline__ uint32_t flip(uint32_t spins, uint32_t ups, uint32_t above) {
    const uint32_t reached = antiparallel(spins, ups) + above + 0x66666666u;
    return spins ^ (reached >> 3 & 0x11111111u);
}

/* --- a temperature step --- */

/* SIZE is L where it is known at compile time, ANY_QUADS for other multiples of eight, ANY_SITES
 * for other sizes. */
#define ANY_SITES 0
#define ANY_QUADS 1

/* Threads a pair: as many as a sub-lattice has quads, in a power of two. */
static __host__ __device__ constexpr uint32_t group_for(uint32_t size) {
    uint32_t group = 1;
    while (group < BLOCK_THREADS && 4 * group < size * size / 2)
        group *= 2;
    return group;
}

/* What decides the spins of a pair in a sweep. */
struct pair_sweep {
    threshold_set thresholds[2];
    ssc_moment moment[2];
};

/* The thresholds above the numbers of a quad, in the nibbles of its spins. */
static __device__ __forceinline__ uint32_t decide_quad(const ssc_step &step,
                                                       const pair_sweep &sweep, uint32_t quad) {
    const ssc_place place = ssc_place_of(&step.keys, quad, step.temperature);
    uint32_t above = 0;
#pragma unroll
    for (uint32_t n = 0; n < 2; n++)
        above += thresholds_above(ssc_numbers(&step.keys, place, sweep.moment[n]),
                                  sweep.thresholds[n], 4 * n);
    return above;
}

/* The quads of a sub-lattice that fall to a thread. Where everything is known, they are a whole, even number
 * of rows apart, so that their neighbours stand at the same distances but at the edges of the lattice. */
template <uint32_t SIZE> struct thread_quads {
    static constexpr uint32_t row = SIZE / 8, apart = group_for(SIZE),
                              count = SIZE * SIZE / 8 / apart;
    static_assert(count == 1 || apart % (2 * row) == 0, "rows apart");
    quad_place first, last;

    __device__ __forceinline__ thread_quads(const ssc_step &, uint32_t parity, uint32_t member)
        : first(place_quad(SIZE, parity, member)),
          last(place_quad(SIZE, parity, member + (count - 1) * apart)) {
    }

    __device__ __forceinline__ quad_place place(uint32_t n) const {
        const uint32_t own = first.own + n * apart;
        return quad_place{own, n == 0 ? first.above : own - row,
                          n == count - 1 ? last.below : own + row, first.beside + n * apart,
                          first.moved};
    }
};

template <> struct thread_quads<ANY_QUADS> {
    uint32_t size, parity, member, apart, count;

    __device__ __forceinline__ thread_quads(const ssc_step &step, uint32_t parity, uint32_t member)
        : size(step.size), parity(parity), member(member), apart(step.group),
          count((step.size * step.size / 8 + step.group - 1 - member) / step.group) {
    }

    __device__ __forceinline__ quad_place place(uint32_t n) const {
        return place_quad(size, parity, member + n * apart);
    }
};

/* The update of a thread's part of one sub-lattice. */
template <uint32_t SIZE>
static __device__ __forceinline__ void
sweep_sub_lattice(uint8_t *lattice, uint32_t half_bytes, const ssc_step &step,
                  const pair_sweep &sweep, uint32_t parity, uint32_t member) {
    uint8_t *const own = lattice + parity * half_bytes;
    const uint8_t *const other = lattice + (parity ? 0 : half_bytes);
    const uint32_t size = SIZE > ANY_QUADS ? SIZE : step.size, sites = size * size / 2;
    const uint32_t quads = (sites + 3) / 4;
    if constexpr (SIZE == ANY_SITES) {
        for (uint32_t quad = member; quad < quads; quad += step.group) {
            const uint32_t above = decide_quad(step, sweep, parity * quads + quad);
            for (uint32_t n = 0; n < 4 && 4 * quad + n < sites; n++) {
                const uint32_t site = 4 * quad + n;
                const uint32_t ups = ups_around_site(other, size, parity, site);
                own[site] = (uint8_t)flip(own[site], ups, above >> 8 * n & 0xff);
            }
        }
    } else {
        const thread_quads<SIZE> mine(step, parity, member);
        constexpr int unrolled = SIZE > ANY_QUADS ? UNROLLED_QUADS : 1;
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            uint32_t *const spins = (uint32_t *)own + place.own;
            *spins = flip(*spins, ups_around((const uint32_t *)other, place),
                          decide_quad(step, sweep, parity * quads + place.own));
        }
    }
}

#endif
