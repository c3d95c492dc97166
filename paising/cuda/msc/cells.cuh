/* Multi-spin coding on the device: the cubic lattice.
 *
 * A cell is a block of 2 x 2 x 2 sites, four of each sub-lattice. With words in the order
 *
 *     word                 0          1          2          3
 *     even sub-lattice  (0,0,0)    (1,1,0)    (1,0,1)    (0,1,1)
 *     odd sub-lattice   (1,0,0)    (0,1,0)    (0,0,1)    (1,1,1)
 *
 * the neighbours of word i inside the cell are words i, i ^ 1 and i ^ 2 of the other sub-lattice,
 * in directions x, y and z. The neighbours outside are the same words of adjacent cells:
 *
 * - in y, of the cell before for i = 0 and 2, else of the one behind;
 * - in z, of the cell before for i = 0 and 1, else of the one behind;
 * - in x, of the cell before for i = 0 and 3 of the even and i = 1 and 2 of the odd sub-lattice.
 *
 * Cells are counted along x, then y, then z. A strip is two consecutive cells, an even and an odd
 * one; the last strip may lack its odd cell. A thread mostly needs one or two words of a cell, so
 * that words of a kind are adjacent in memory. If rows have an even number of cells, both cells of
 * a strip are in one row (PAIRED). The order is then [sub-lattice][word of the cell][strip][cell of
 * the strip], else [sub-lattice][word of the cell][even, odd cells][strip]. */
#ifndef PAISING_CUDA_MSC_CELLS_CUH
#define PAISING_CUDA_MSC_CELLS_CUH

#include "cuda/msc/counters.cuh"
#include "cuda/msc/strip.cuh"

enum cell_direction { HERE, X_BEFORE, X_BEHIND, Y_BEFORE, Y_BEHIND, Z_BEFORE, Z_BEHIND, PLACES };

/* Place of a strip, or of none: offsets in bytes, from the first lattice on, of the first words of
 * its cells and of the adjacent cells, in the even sub-lattice. PAIRED: of the even cell only; the
 * odd cell's neighbours follow them, except in direction x. */
template <bool PAIRED> struct cell_place {
    uint32_t strip; /* number, or NO_STRIP */
    uint32_t at[PAIRED ? 1 : 2][PLACES];

    /* Returns the offset of the cell in direction d from the even or odd cell. */
    __device__ __forceinline__ uint32_t of(cell_direction d, int odd) const {
        const uint32_t word = sizeof(uint32_t);
        if (!PAIRED)
            return at[odd][d];
        if (d == X_BEFORE)
            return odd ? at[0][HERE] : at[0][X_BEFORE] + word;
        if (d == X_BEHIND)
            return odd ? at[0][X_BEHIND] : at[0][HERE] + word;
        return at[0][d] + odd * word;
    }

    __device__ __forceinline__ bool has_odd() const {
        return PAIRED || at[PAIRED ? 0 : 1][HERE] != at[0][HERE];
    }
};

/* The place of a strip of a lattice whose lanes are stripes: how many there are if the cells before it in z are those of the stripe
 * before, or the cells behind it those of the next one; else 0. */
struct striped_cell_place : cell_place<true> {
    uint32_t before, behind, first_lanes;
};

/* Words of a strip's cells, or of adjacent cells. */
struct cell_words {
    uint32_t word[2][4];
};

/* Couplings of a strip, by cell and sub-lattice: directions x, y, z inside the cell, then
 * outside. */
struct cell_bonds {
    uint32_t of[2][2];
};

/* The same where bonds may be missing, and which are. */
struct cut_cell_bonds {
    uint32_t of[2][2], missing[2][2];
};

/* Sums x and carries m of the bonds of a site, three bonds each. Where `spin` is 0, the number of
 * unsatisfied bonds is d = x1 + x2 + 2 (m1 + m2). Else the sums are of neighbouring spins, and all
 * four must be inverted. */
struct six_bonds {
    uint32_t x1, m1, x2, m2, spin;
};

/* CUT: with COUPLED; bonds may be missing. STRIPED: with PAIRED; lanes are stripes of a lattice. */
template <bool COUPLED, bool PAIRED, bool COMPLEMENT = false, bool CUT = false,
          bool STRIPED = false>
struct cell_lattice {
    static constexpr bool complement = COMPLEMENT, cut = CUT;
    static constexpr int classes = 3, words = CUT ? 4 : 3;
    static constexpr bool any_groups = true;
    static constexpr int strip_bonds = 48, most_kept = 0, points_together = 1;
    typedef typename std::conditional<STRIPED, striped_cell_place, cell_place<PAIRED>>::type place;
    typedef typename std::conditional<
        CUT, cut_cell_bonds, typename std::conditional<COUPLED, cell_bonds, no_bonds>::type>::type
        bonds;

    /* Returns the word of a site. Sites are counted along x, then y, then z in their sub-
     * lattice. */
    static __host__ __device__ __forceinline__ uint32_t word_of_site(const lattice_shape &shape,
                                                                     uint32_t site) {
        const uint32_t half = shape.quads * 2, parity = site >= half, index = site - parity * half;
        const uint32_t columns = shape.edge[0] / 2, line = index / columns,
                       cell_x = index % columns, y = line % shape.edge[1], z = line / shape.edge[1];
        const uint32_t x = (y + z + parity) % 2; /* in the cell */
        const uint32_t word = parity ? (x ? z % 2 * 3 : 1 + z % 2) : (x ? 1 + z % 2 : z % 2 * 3);
        const uint32_t cell = (z / 2 * (shape.edge[1] / 2) + y / 2) * columns + cell_x;
        return parity * half + word * (half / 4) + first_word_of(shape, cell);
    }

    /* Returns the index of a cell's first word in a sub-lattice. */
    static __host__ __device__ __forceinline__ uint32_t first_word_of(const lattice_shape &shape,
                                                                      uint32_t cell) {
        return PAIRED ? cell : cell / 2 + cell % 2 * shape.strips;
    }

    static __device__ __forceinline__ strip_distances distances(const lattice_shape &shape) {
        return strip_distances{shape.half_bytes, shape.eighth_bytes};
    }

    static __device__ __forceinline__ place place_of(const lattice_shape &shape, uint32_t number,
                                                     uint32_t lattice) {
        const uint32_t strip = number < shape.strips ? number : 0;
        const uint32_t cells = shape.quads / 2, row = shape.edge[0] / 2,
                       layer = row * (shape.edge[1] / 2);
        place p;
        if constexpr (STRIPED) {
            const uint32_t stripes = stripes_of(shape), z = 2 * strip / layer;
            p.before = z ? 0 : stripes;
            p.behind = (z + 1) * layer < cells ? 0 : stripes;
            p.first_lanes = shape.first_lanes;
        }
        p.strip = number == strip ? strip : NO_STRIP;
#pragma unroll
        for (uint32_t odd = 0; odd < (PAIRED ? 1 : 2); odd++) {
            const uint32_t cell = min(2 * strip + odd, cells - 1);
            const uint32_t x = cell % row, y = cell / row * row % layer, z = cell / layer * layer;
            const uint32_t in_row = cell - x, in_layer = cell - y, in_all = cell - z;
            const uint32_t last = PAIRED ? 1 : 0; /* the cell behind is the odd one's */
            const uint32_t cells_at[PLACES] = {cell,
                                               in_row + (x ? x - 1 : row - 1),
                                               in_row + (x + 1 + last < row ? x + 1 + last : 0),
                                               in_layer + (y ? y - row : layer - row),
                                               in_layer + (y + row < layer ? y + row : 0),
                                               in_all + (z ? z - layer : cells - layer),
                                               in_all + (z + layer < cells ? z + layer : 0)};
#pragma unroll
            for (int d = 0; d < PLACES; d++)
                p.at[odd][d] =
                    kept(lattice + first_word_of(shape, PAIRED ? cells_at[d] & ~1u : cells_at[d]) *
                                       (uint32_t)sizeof(uint32_t));
        }
        return p;
    }

    static __device__ __forceinline__ bonds bonds_of(const lattice_shape &shape, uint32_t number) {
        const uint32_t strip = number < shape.strips ? number : 0;
        if constexpr (CUT) {
            const uint4 b = ((const uint4 *)shape.couplings)[strip],
                        m = ((const uint4 *)shape.couplings)[shape.strips + strip];
            return cut_cell_bonds{{{b.x, b.y}, {b.z, b.w}}, {{m.x, m.y}, {m.z, m.w}}};
        } else if constexpr (COUPLED) {
            const uint4 b = ((const uint4 *)shape.couplings)[strip];
            return cell_bonds{{{b.x, b.y}, {b.z, b.w}}};
        } else {
            return no_bonds{};
        }
    }

    /* Loads the words of the cells in a direction. PAIRED: not in direction x. */
    static __device__ __forceinline__ cell_words words_in(void *lattices, const sub_lattice &of,
                                                          const place &p, cell_direction d) {
        cell_words w;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            if (PAIRED) {
                const uint2 both = *(uint2 *)word_at(lattices, p.of(d, 0) + of.part(i));
                w.word[0][i] = both.x;
                w.word[1][i] = both.y;
            } else {
                w.word[0][i] = *word_at(lattices, p.of(d, 0) + of.part(i));
                w.word[1][i] = *word_at(lattices, p.of(d, 1) + of.part(i));
            }
            if constexpr (STRIPED)
                for (uint32_t c = 0; c < 2; c++) {
                    if (d == Z_BEFORE && p.before)
                        w.word[c][i] = from_stripe_before(w.word[c][i], p.before, p.first_lanes);
                    if (d == Z_BEHIND && p.behind)
                        w.word[c][i] = from_stripe_behind(w.word[c][i], p.behind, p.first_lanes);
                }
        }
        return w;
    }

    /* Returns a strip's spins of a sub-lattice. A missing odd cell is replaced by the even one. */
    static __device__ __forceinline__ strip_rows spins_in(void *lattices, const sub_lattice &own,
                                                          const place &p) {
        const cell_words w = words_in(lattices, own, p, HERE);
        strip_rows spins;
#pragma unroll
        for (uint32_t n = 0; n < STRIP_ROWS; n++)
            spins.row[n] = w.word[n / 4][n % 4];
        return spins;
    }

    static __device__ __forceinline__ void store(void *lattices, const sub_lattice &own,
                                                 const place &p, const strip_rows &spins) {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            if (PAIRED) {
                *(uint2 *)word_at(lattices, p.of(HERE, 0) + own.part(i)) =
                    make_uint2(spins.row[i], spins.row[4 + i]);
            } else {
                *word_at(lattices, p.of(HERE, 0) + own.part(i)) = spins.row[i];
                if (p.has_odd())
                    *word_at(lattices, p.of(HERE, 1) + own.part(i)) = spins.row[4 + i];
            }
        }
    }

    /* Adds up the bonds of a strip's words, whose neighbours are in sub-lattice `other`. */
    static __device__ __forceinline__ void read_bonds(void *lattices, const strip_spins &spins,
                                                      const sub_lattice &other, const place &p,
                                                      const bonds &b, six_bonds six[STRIP_ROWS],
                                                      uint32_t odd[STRIP_ROWS]) {
        const uint32_t *const here = spins.other.row;
        const cell_words y_before = words_in(lattices, other, p, Y_BEFORE),
                         y_behind = words_in(lattices, other, p, Y_BEHIND);
        const cell_words z_before = words_in(lattices, other, p, Z_BEFORE),
                         z_behind = words_in(lattices, other, p, Z_BEHIND);
#pragma unroll
        for (uint32_t n = 0; n < STRIP_ROWS; n++) {
            const uint32_t c = n / 4, i = n % 4, spin = spins.own.row[n];
            const bool is_before = (i == 0 || i == 3) == (other.parity != 0);
            const uint32_t x = is_before ? p.of(X_BEFORE, c) : p.of(X_BEHIND, c);
            uint32_t around[6] = {here[n],
                                  here[n ^ 1],
                                  here[n ^ 2],
                                  *word_at(lattices, x + other.part(i)),
                                  (i % 2 ? y_behind : y_before).word[c][i ^ 1],
                                  (i / 2 ? z_behind : z_before).word[c][i ^ 2]};
            six[n].spin = spin;
            if constexpr (COUPLED) {
                const uint32_t bonds = other.parity ? b.of[c][0] : b.of[c][1];
#pragma unroll
                for (uint32_t d = 0; d < 6; d++)
                    if constexpr (CUT) {
                        const uint32_t missing =
                            bond_mask(other.parity ? b.missing[c][0] : b.missing[c][1], d, i);
                        /* (around ^ spin) & ~missing */
                        around[d] = lop3<0x14>(around[d], spin, missing) ^ bond_mask(bonds, d, i);
                        odd[n] = d ? odd[n] ^ missing : missing;
                    } else {
                        around[d] = xor3(around[d], bond_mask(bonds, d, i), spin);
                    }
                six[n].spin = 0;
            }
            six[n].x1 = xor3(around[0], around[1], around[2]);
            six[n].m1 = majority(around[0], around[1], around[2]);
            six[n].x2 = xor3(around[3], around[4], around[5]);
            six[n].m2 = majority(around[3], around[4], around[5]);
        }
    }

    /* Flipping a spin with d unsatisfied bonds costs the energy 12 - 4 d. With d < 3 a random
     * decision is needed. With d >= 3 the spin always flips: both m are set, or one m and one x.
     * For spins up, whose neighbours were not inverted, x1 | x2 becomes x1 & x2, and all is
     * inverted. Otherwise d has the parity x1 ^ x2; it is 2 where one m is set, or both x. */
    static __device__ __forceinline__ strip_flips<words> examine(void *lattices,
                                                                 const strip_spins &spins,
                                                                 const sub_lattice &other,
                                                                 const place &p, const bonds &b) {
        strip_flips<words> f;
        six_bonds six[STRIP_ROWS];
        read_bonds(lattices, spins, other, p, b, six, f.of[words - 2]);
#pragma unroll
        for (int n = 0; n < STRIP_ROWS; n++) {
            const six_bonds s = six[n];
            const uint32_t either = COUPLED ? s.x1 | s.x2 : lop3<0xd4>(s.x1, s.x2, s.spin);
            const uint32_t carry = majority(s.m1, s.m2, either);
            const uint32_t both =
                COUPLED ? s.x1 & s.x2 : lop3<0x42>(s.x1, s.x2, s.spin); /* of bonds */
            f.anyway[n] = COUPLED ? carry : carry ^ s.spin;
            f.of[0][n] = s.x1 ^ s.x2;
            f.of[1][n] = xor3(s.m1, s.m2, both);
            if constexpr (COMPLEMENT) { /* d = of[0] + 2 of[1] + 4 falls */
                f.falls[n] = majority(both, s.m1 ^ s.spin, s.m2 ^ s.spin);
                f.anyway[n] = f.of[0][n] & f.of[1][n];
                f.of[1][n] = lop3<0x12>(f.of[1][n], f.of[0][n], f.falls[n]); /* d = 2 or 4 */
                if constexpr (CUT) {
                    const uint32_t odd = f.of[2][n], three = f.anyway[n];
                    const uint32_t two = (f.of[1][n] & ~f.falls[n]) | three; /* d = 2 or 3 */
                    f.of[1][n] = select(odd, two, f.of[1][n]);
                    f.falls[n] |= three & odd;
                    f.of[0][n] ^= f.falls[n] & odd; /* d = 1 or 4 */
                    f.anyway[n] = three & ~odd;
                }
            }
        }
        return f;
    }

    /* 48 bonds, each with one end in the even sub-lattice, and 16 spins. */
    static __device__ __forceinline__ strip_counters count(void *lattices,
                                                           const lattice_shape &shape,
                                                           const place &p, const bonds &b) {
        const strip_distances d = distances(shape);
        const sub_lattice even = sub_lattice_of(d, 0), odd = sub_lattice_of(d, 1);
        strip_spins spins = {spins_in(lattices, even, p), spins_in(lattices, odd, p)};
        uint32_t ones[8], twos[12], fours[14], eights[7], sixteens[3];
        six_bonds six[STRIP_ROWS];
        uint32_t odd_sites[STRIP_ROWS];
        read_bonds(lattices, spins, odd, p, b, six, odd_sites);
#pragma unroll
        for (int n = 0; n < STRIP_ROWS; n++) {
            const uint32_t there = n < 4 || p.has_odd() ? UINT32_MAX : 0;
            const uint32_t s = six[n].spin, x1 = six[n].x1 ^ s, x2 = six[n].x2 ^ s,
                           m1 = six[n].m1 ^ s, m2 = six[n].m2 ^ s;
            ones[n] = (x1 ^ x2) & there;
            twos[n] = xor3(m1, m2, x1 & x2) & there;
            fours[n] = majority(m1, m2, x1 & x2) & there;
            spins.own.row[n] &= there;
            spins.other.row[n] &= there;
        }
        strip_counters count;
        count.bonds.slice[0] = add_masks(ones, twos + 8);
        count.bonds.slice[1] = add_masks(twos, fours + 8);
        count.bonds.slice[2] = add_masks(fours, eights);
        count.bonds.slice[3] = add_masks(eights, sixteens);
        count.bonds.slice[4] = add_masks(sixteens, &count.bonds.slice[5]);
        count.up = count_up(spins.own, spins.other);
        return count;
    }
};

#endif
