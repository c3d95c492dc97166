/* Lattices of words of 32 samples on the device: those of multi-spin coding (cells.cuh, rows.cuh), but for the couplings, of which each
 * bond has a word.
 *
 * A quad holds the words of four sites of a strip in one direction; those of the strips of a lattice are adjacent:
 * [sub-lattice][cell][x, y, z inside the cell, x, y, z outside][strip] in three dimensions, and
 * [sub-lattice][rows 0 to 3, 4 to 7][above, here, below, side][strip] in two. */
#ifndef PAISING_CUDA_SAMPLES_LATTICES_CUH
#define PAISING_CUDA_SAMPLES_LATTICES_CUH

#include "cuda/msc/cells.cuh"
#include "cuda/msc/rows.cuh"

/* Couplings of a strip: its first quad, and the distance from quad to quad. */
struct sample_bonds {
    const uint4 *quad;
    uint32_t strips;

    __device__ __forceinline__ uint4 at(uint32_t n) const {
        return __ldg(quad + n * strips);
    }
};

static __device__ __forceinline__ uint32_t word_of(const uint4 &quad, int i) {
    return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
}

template <bool PAIRED> struct sample_cells : cell_lattice<true, PAIRED> {
    typedef cell_lattice<true, PAIRED> base;
    typedef cell_lattice<false, PAIRED> plain; /* for the lattice where two chains differ */
    typedef sample_bonds bonds;
    typedef typename base::place place;
    static constexpr uint32_t bond_quads = 24;
    static constexpr int points_together = 2;

    /* Adds up the unsatisfied bonds of a strip's words, whose neighbours are in sub-lattice `other`. */
    static __device__ __forceinline__ void add_bonds(void *lattices, const strip_spins &spins,
                                                     const sub_lattice &other, const place &p,
                                                     const bonds &b, six_bonds six[STRIP_ROWS]) {
        const uint32_t *const here = spins.other.row, first = other.parity ? 0 : bond_quads / 2;
        const cell_words y_before = base::words_in(lattices, other, p, Y_BEFORE),
                         y_behind = base::words_in(lattices, other, p, Y_BEHIND);
        const cell_words z_before = base::words_in(lattices, other, p, Z_BEFORE),
                         z_behind = base::words_in(lattices, other, p, Z_BEHIND);
#pragma unroll
        for (uint32_t c = 0; c < 2; c++) {
            uint4 j[6];
#pragma unroll
            for (uint32_t d = 0; d < 6; d++)
                j[d] = b.at(first + 6 * c + d);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t n = 4 * c + i, spin = spins.own.row[n];
                const bool is_before = (i == 0 || i == 3) == (other.parity != 0);
                const uint32_t x = is_before ? p.of(X_BEFORE, c) : p.of(X_BEHIND, c);
                const uint32_t around[6] = {here[n],
                                            here[n ^ 1],
                                            here[n ^ 2],
                                            *word_at(lattices, x + other.part(i)),
                                            (i % 2 ? y_behind : y_before).word[c][i ^ 1],
                                            (i / 2 ? z_behind : z_before).word[c][i ^ 2]};
                uint32_t bond[6];
#pragma unroll
                for (uint32_t d = 0; d < 6; d++)
                    bond[d] = xor3(around[d], word_of(j[d], i), spin);
                six[n].x1 = xor3(bond[0], bond[1], bond[2]);
                six[n].m1 = majority(bond[0], bond[1], bond[2]);
                six[n].x2 = xor3(bond[3], bond[4], bond[5]);
                six[n].m2 = majority(bond[3], bond[4], bond[5]);
            }
        }
    }

    /* As cell_lattice::examine, with d = x1 + x2 + 2 (m1 + m2) unsatisfied bonds. */
    static __device__ __forceinline__ strip_flips<3> examine(void *lattices,
                                                             const strip_spins &spins,
                                                             const sub_lattice &other,
                                                             const place &p, const bonds &b) {
        strip_flips<3> f;
        six_bonds six[STRIP_ROWS];
        add_bonds(lattices, spins, other, p, b, six);
#pragma unroll
        for (int n = 0; n < STRIP_ROWS; n++) {
            const six_bonds s = six[n];
            f.anyway[n] = majority(s.m1, s.m2, s.x1 | s.x2);
            f.of[0][n] = s.x1 ^ s.x2;
            f.of[1][n] = xor3(s.m1, s.m2, s.x1 & s.x2);
        }
        return f;
    }

    /* 48 bonds, each with one end in the even sub-lattice. Spins are not counted. */
    static __device__ __forceinline__ strip_counters count(void *lattices,
                                                           const lattice_shape &shape,
                                                           const place &p, const bonds &b) {
        const strip_distances d = base::distances(shape);
        const sub_lattice even = sub_lattice_of(d, 0), odd = sub_lattice_of(d, 1);
        const strip_spins spins = {base::spins_in(lattices, even, p),
                                   base::spins_in(lattices, odd, p)};
        uint32_t ones[8], twos[12], fours[14], eights[7], sixteens[3];
        six_bonds six[STRIP_ROWS];
        add_bonds(lattices, spins, odd, p, b, six);
#pragma unroll
        for (int n = 0; n < STRIP_ROWS; n++) {
            const uint32_t there = n < 4 || p.has_odd() ? UINT32_MAX : 0;
            const uint32_t both = six[n].x1 & six[n].x2;
            ones[n] = (six[n].x1 ^ six[n].x2) & there;
            twos[n] = xor3(six[n].m1, six[n].m2, both) & there;
            fours[n] = majority(six[n].m1, six[n].m2, both) & there;
        }
        strip_counters count = {};
        count.bonds.slice[0] = add_masks(ones, twos + 8);
        count.bonds.slice[1] = add_masks(twos, fours + 8);
        count.bonds.slice[2] = add_masks(fours, eights);
        count.bonds.slice[3] = add_masks(eights, sixteens);
        count.bonds.slice[4] = add_masks(sixteens, &count.bonds.slice[5]);
        return count;
    }
};

struct sample_rows : square_lattice<true, false, false, false, true> {
    typedef square_lattice<true, false, false, false, true> base;
    typedef square_lattice<false, false, false, false, true> plain;
    typedef sample_bonds bonds;
    static constexpr int most_kept = 0;
    static constexpr uint32_t bond_quads = 16;

    /* The neighbours of a row, with the spins over a bond of -1 inverted. */
    struct row_neighbours {
        uint32_t above, here, below, side;
    };

    static __device__ __forceinline__ void find_neighbours(void *lattices, const strip_spins &spins,
                                                           const sub_lattice &opposite,
                                                           const place &at, const bonds &b,
                                                           row_neighbours row[STRIP_ROWS]) {
        const uint32_t first = opposite.parity ? 0 : bond_quads / 2;
        const square_neighbours n = neighbours_in(lattices, opposite, at);
        strip_rows other = spins.other;
        close_strip(other, n.below, at);
#pragma unroll
        for (uint32_t half = 0; half < 2; half++) {
            uint4 j[4];
#pragma unroll
            for (uint32_t d = 0; d < 4; d++)
                j[d] = b.at(first + 4 * half + d);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int i = 4 * half + k;
                row[i].above = (i > 0 ? other.row[i - 1] : n.above) ^ word_of(j[0], k);
                row[i].here = other.row[i] ^ word_of(j[1], k);
                row[i].below = (i < STRIP_ROWS - 1 ? other.row[i + 1] : n.below) ^ word_of(j[2], k);
                row[i].side = n.side.row[i] ^ word_of(j[3], k);
            }
        }
    }

    /* As square_lattice::examine. */
    static __device__ __forceinline__ strip_flips<2> examine(void *lattices,
                                                             const strip_spins &spins,
                                                             const sub_lattice &opposite,
                                                             const place &at, const bonds &b) {
        strip_flips<2> f;
        row_neighbours row[STRIP_ROWS];
        find_neighbours(lattices, spins, opposite, at, b, row);
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            const uint32_t x = xor3(row[i].above, row[i].here, row[i].below),
                           m = majority(row[i].above, row[i].here, row[i].below),
                           either = lop3<0xe7>(spins.own.row[i], x, row[i].side);
            f.anyway[i] = lop3<0x6f>(either, spins.own.row[i], m);
            f.of[0][i] = x ^ row[i].side;
        }
        return f;
    }

    /* 32 bonds, each with one end in the even sub-lattice. Spins are not counted. */
    static __device__ __forceinline__ strip_counters count(void *lattices,
                                                           const lattice_shape &shape,
                                                           const place &at, const bonds &b) {
        const strip_distances d = distances(shape);
        const strip_spins spins = {spins_in(lattices, sub_lattice_of(d, 0), at),
                                   spins_in(lattices, sub_lattice_of(d, 1), at)};
        row_neighbours row[STRIP_ROWS];
        find_neighbours(lattices, spins, sub_lattice_of(d, 1), at, b, row);
        strip_counters c = {};
        uint32_t ones[8], twos[20], fours[10], eights[5], sixteens[2];
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            const uint32_t is_site = (uint32_t)i < at.rows ? UINT32_MAX : 0,
                           spin = spins.own.row[i];
            const uint32_t x = xor3(row[i].above, row[i].below, row[i].side),
                           m = majority(row[i].above, row[i].below, row[i].side);
            ones[i] = (x ^ row[i].here) & is_site;
            twos[2 * i] = (m ^ spin) & is_site;
            twos[2 * i + 1] = lop3<0x42>(x, row[i].here, spin) & is_site;
        }
        c.bonds.slice[0] = add_masks(ones, twos + 2 * STRIP_ROWS);
        c.bonds.slice[1] = add_masks(twos, fours);
        c.bonds.slice[2] = add_masks(fours, eights);
        c.bonds.slice[3] = add_masks(eights, sixteens);
        c.bonds.slice[4] = add_masks(sixteens, &c.bonds.slice[5]);
        return c;
    }
};

#endif
