/* Multi-spin coding on the device: the square lattice.
 *
 * A strip is eight rows of one column. Column j of row y of a sub-lattice is the site x = 2 j + ((y
 * + sub-lattice) mod 2). All four neighbours of a site are in the other sub-lattice: in column j of
 * rows y - 1, y and y + 1, and in row y in column j - 1 if x is even, j + 1 if it is odd. So the
 * fourth neighbours of a strip's even rows are in one column, those of its odd rows in another.
 * Even and odd rows are separate quads: [sub-lattice][strip row][even, odd rows][column].
 *
 * If Ly is no multiple of eight, the strips of the last row have 2, 4 or 6 rows. The words behind these are of no site: they are
 * updated like the others, and nobody reads them. */
#ifndef PAISING_CUDA_MSC_ROWS_CUH
#define PAISING_CUDA_MSC_ROWS_CUH

#include "cuda/msc/counters.cuh"
#include "cuda/msc/strip.cuh"

/* Place of a strip, or of none: offsets in bytes, from the first lattice on, of its quad of even
 * rows, of the quads at its sides, and of the rows above and below it, all in the even sub-lattice.
 */
struct square_place {
    uint32_t strip;       /* number, or NO_STRIP */
    uint32_t row, column; /* of strips */
    uint32_t at, above, below, left, right;
};

/* Returns the place of a strip in a row of strips that begins at `row_begin`. Its neighbours above
 * and below are those of a row between others. The caller sets `row`. */
static __device__ __forceinline__ square_place place_in_row(uint32_t strip, uint32_t row_begin,
                                                            uint32_t column, uint32_t columns) {
    const uint32_t quad = sizeof(uint4), word = sizeof(uint32_t);
    square_place s;
    s.strip = strip;
    s.column = column;
    s.at = kept(row_begin + column * quad);
    s.above = row_begin - (columns - column) * quad + 3 * word; /* last row of the odd rows above */
    s.below = row_begin + 2 * columns * quad + column * quad;
    s.left = kept(row_begin + (column ? column - 1 : columns - 1) * quad);
    s.right = kept(row_begin + (column + 1 < columns ? column + 1 : 0) * quad);
    return s;
}

/* The place of a strip of a lattice whose lanes are stripes: how many there are if the row above is that of the stripe before, or the
 * row below that of the next one; else 0. */
struct striped_place : square_place {
    uint32_t before, behind, first_lanes;
};

/* The place of a strip that may have fewer rows. */
struct uneven_place : square_place {
    uint32_t rows;
};

/* Neighbours of a strip's sites of one sub-lattice that are outside the strip: above, below, and at
 * the side. */
struct square_neighbours {
    uint32_t above, below;
    strip_rows side;
};

/* Couplings of a strip by sub-lattice: rows 0 to 3 in the directions above, here, below, side, then
 * rows 4 to 7. */
struct square_bonds {
    uint32_t of[2];
};

/* The same where bonds may be missing, and which are. */
struct cut_square_bonds {
    uint32_t of[2], missing[2];
};

/* CUT: with COUPLED; bonds may be missing. STRIPED: lanes are stripes of a lattice. UNEVEN: edges need not be multiples of 16. */
template <bool COUPLED, bool COMPLEMENT = false, bool CUT = false, bool STRIPED = false,
          bool UNEVEN = false>
struct square_lattice {
    static constexpr bool complement = COMPLEMENT, cut = CUT;
    static constexpr int classes = 2, words = CUT ? 3 : 2;
    static constexpr bool any_groups = UNEVEN;
    static constexpr int strip_bonds = 32, most_kept = CUT ? 0 : 1, points_together = 1;
    typedef typename std::conditional<
        STRIPED, striped_place,
        typename std::conditional<UNEVEN, uneven_place, square_place>::type>::type place;
    typedef typename std::conditional<
        CUT, cut_square_bonds,
        typename std::conditional<COUPLED, square_bonds, no_bonds>::type>::type bonds;

    static __host__ __device__ __forceinline__ uint32_t rows_of_strips(const lattice_shape &shape) {
        return (shape.edge[1] + (UNEVEN ? STRIP_ROWS - 1 : 0)) / STRIP_ROWS;
    }

    static __host__ __device__ __forceinline__ uint32_t word_of_site(const lattice_shape &shape,
                                                                     uint32_t site) {
        const uint32_t columns = shape.edge[0] / 2, column = site % columns;
        uint32_t row = site / columns;
        if (UNEVEN &&
            row >= shape.edge[1]) /* of the odd sub-lattice, which begins with a whole strip */
            row += rows_of_strips(shape) * STRIP_ROWS - shape.edge[1];
        return ((row / STRIP_ROWS * 2 + row % 2) * columns + column) * 4 + row % STRIP_ROWS / 2;
    }

    static __device__ __forceinline__ strip_distances distances(const lattice_shape &shape) {
        const uint32_t quad = sizeof(uint4);
        return strip_distances{shape.half_bytes, shape.edge[0] / 2 * quad};
    }

    /* Returns the place of a strip in a lattice at offset `lattice`, with periodic boundaries. */
    static __device__ __forceinline__ place place_of(const lattice_shape &shape, uint32_t number,
                                                     uint32_t lattice) {
        const uint32_t strip =
            number < shape.strips ? number
                                  : 0; /* without a strip, a valid place whose result is not used */
        const uint32_t columns = shape.edge[0] / 2, rows = rows_of_strips(shape),
                       row = strip / columns;
        const uint32_t row_bytes = 2 * columns * sizeof(uint4);
        square_place s = place_in_row(number == strip ? strip : NO_STRIP, lattice + row * row_bytes,
                                      strip % columns, columns);
        s.row = row;
        s.above = kept(s.above + (row ? 0 : rows * row_bytes));
        s.below = kept(s.below - (row + 1 < rows ? 0 : rows * row_bytes));
        if constexpr (UNEVEN) {
            const uint32_t last = shape.edge[1] - (rows - 1) * STRIP_ROWS; /* rows */
            if (row == 0)
                s.above = kept(s.above - (STRIP_ROWS - last) / 2 * (uint32_t)sizeof(uint32_t));
            return uneven_place{s, row + 1 < rows ? STRIP_ROWS : last};
        } else if constexpr (STRIPED) {
            const uint32_t stripes = stripes_of(shape);
            return striped_place{s, row ? 0 : stripes, row + 1 < rows ? 0 : stripes,
                                 shape.first_lanes};
        } else {
            return s;
        }
    }

    static __device__ __forceinline__ bonds bonds_of(const lattice_shape &shape, uint32_t number) {
        const uint32_t strip = number < shape.strips ? number : 0;
        if constexpr (CUT) {
            const uint2 b = ((const uint2 *)shape.couplings)[strip],
                        m = ((const uint2 *)shape.couplings)[shape.strips + strip];
            return cut_square_bonds{{b.x, b.y}, {m.x, m.y}};
        } else if constexpr (COUPLED) {
            const uint2 b = ((const uint2 *)shape.couplings)[strip];
            return square_bonds{{b.x, b.y}};
        } else {
            return no_bonds{};
        }
    }

    static __device__ __forceinline__ strip_rows spins_in(void *lattices, const sub_lattice &own,
                                                          const square_place &s) {
        return rows_of(*quad_at(lattices, s.at + own.part(0)),
                       *quad_at(lattices, s.at + own.part(1)));
    }

    static __device__ __forceinline__ void store(void *lattices, const sub_lattice &own,
                                                 const square_place &s, const strip_rows &spins) {
        *quad_at(lattices, s.at + own.part(0)) = even_rows(spins.row);
        *quad_at(lattices, s.at + own.part(1)) = odd_rows(spins.row);
    }

    static __device__ __forceinline__ square_neighbours neighbours_in(void *lattices,
                                                                      const sub_lattice &other,
                                                                      const place &s) {
        const uint32_t even_side = other.parity ? s.left : s.right,
                       odd_side = other.parity ? s.right : s.left;
        square_neighbours n;
        n.above = *word_at(lattices, s.above + other.part(0));
        n.below = *word_at(lattices, s.below + other.part(0));
        n.side = rows_of(*quad_at(lattices, even_side + other.part(0)),
                         *quad_at(lattices, odd_side + other.part(1)));
        if constexpr (STRIPED) {
            if (s.before)
                n.above = from_stripe_before(n.above, s.before, s.first_lanes);
            if (s.behind)
                n.below = from_stripe_behind(n.below, s.behind, s.first_lanes);
        }
        return n;
    }

    /* Sets the row behind the last one of a strip to that below it. */
    static __device__ __forceinline__ void close_strip(strip_rows &other, uint32_t below,
                                                       const place &at) {
        if constexpr (UNEVEN) {
            other.row[2] = at.rows == 2 ? below : other.row[2];
            other.row[4] = at.rows == 4 ? below : other.row[4];
            other.row[6] = at.rows == 6 ? below : other.row[6];
        }
    }

    /* Removes words without a site. */
    static __device__ __forceinline__ void clear_behind(strip_rows &rows, const place &at) {
        if constexpr (UNEVEN) {
#pragma unroll
            for (int i = 2; i < STRIP_ROWS; i++)
                rows.row[i] = (uint32_t)i < at.rows ? rows.row[i] : 0;
        }
    }

    /* Inverts the neighbours' spins of row i where the bond is -1. */
    static __device__ __forceinline__ void gauge(uint32_t bonds, int i, uint32_t &above,
                                                 uint32_t &here, uint32_t &below, uint32_t &side) {
        const uint32_t first = i / 4 * 4, site = i % 4;
        above ^= bond_mask(bonds, first, site);
        here ^= bond_mask(bonds, first + 1, site);
        below ^= bond_mask(bonds, first + 2, site);
        side ^= bond_mask(bonds, first + 3, site);
    }

    /* Replaces the neighbours' spins of row i by the spin itself where the bond is missing. Returns all ones if the site has an
     * odd number of bonds. */
    static __device__ __forceinline__ uint32_t leave_out(uint32_t missing, int i, uint32_t spin,
                                                         uint32_t &above, uint32_t &here,
                                                         uint32_t &below, uint32_t &side) {
        const uint32_t first = i / 4 * 4, site = i % 4;
        const uint32_t m[4] = {bond_mask(missing, first, site), bond_mask(missing, first + 1, site),
                               bond_mask(missing, first + 2, site),
                               bond_mask(missing, first + 3, site)};
        above = select(m[0], spin, above);
        here = select(m[1], spin, here);
        below = select(m[2], spin, below);
        side = select(m[3], spin, side);
        return xor3(m[0], m[1], m[2]) ^ m[3];
    }

    /* Flipping a spin with d antiparallel neighbours costs the energy 8 - 4 d. With d < 2 a random
     * decision is needed; with d >= 2 the spin always flips. Let x and m be sum and carry of three
     * neighbours, and e the fourth. Then 2 m + x + e neighbours are up, and d has the parity x ^ e.
     * If the spin is up, d < 2 where 2 m + x + e >= 3: m is set, and x or e. If it is down, d < 2
     * where 2 m + x + e <= 1: m is not set, and x and e are not both. d > 2 is the same of the opposite spin, and d = 2
     * where 2 m + x + e is. */
    static __device__ __forceinline__ strip_flips<words> examine(void *lattices,
                                                                 const strip_spins &spins,
                                                                 const sub_lattice &opposite,
                                                                 const place &at, const bonds &b) {
        const strip_rows &own = spins.own;
        strip_rows other = spins.other;
        const square_neighbours n = neighbours_in(lattices, opposite, at);
        close_strip(other, n.below, at);
        strip_flips<words> f;
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            uint32_t above = i > 0 ? other.row[i - 1] : n.above;
            uint32_t below = i < STRIP_ROWS - 1 ? other.row[i + 1] : n.below;
            uint32_t here = other.row[i], side = n.side.row[i];
            if constexpr (CUT)
                f.of[1][i] = leave_out(opposite.parity ? b.missing[0] : b.missing[1], i, own.row[i],
                                       above, here, below, side);
            if constexpr (COUPLED)
                gauge(opposite.parity ? b.of[0] : b.of[1], i, above, here, below, side);
            const uint32_t x = xor3(above, here, below), m = majority(above, here, below);
            if constexpr (COMPLEMENT) {
                const uint32_t not_both =
                    lop3<0x7e>(own.row[i], x, side);              /* spin ? ~(x & e) : x | e */
                f.falls[i] = lop3<0x28>(m, own.row[i], not_both); /* (m ^ spin) & not_both */
                f.anyway[i] = lop3<0x18>(m, x, side);             /* m != x = e */
            } else {
                const uint32_t either =
                    lop3<0xe7>(own.row[i], x, side);             /* spin ? x | e : ~(x & e) */
                f.anyway[i] = lop3<0x6f>(either, own.row[i], m); /* ~either | (spin ^ m) */
            }
            f.of[0][i] = x ^ side;
            if constexpr (CUT && COMPLEMENT) {
                const uint32_t odd = f.of[1][i];
                f.falls[i] |= f.anyway[i] & odd;
                f.of[0][i] ^= f.falls[i] & odd; /* d = 1 or 2 */
                f.anyway[i] &= ~odd;
            }
        }
        return f;
    }

    /* 32 bonds, each with one end in the even sub-lattice, and 16 spins. */
    static __device__ __forceinline__ strip_counters count(void *lattices,
                                                           const lattice_shape &shape,
                                                           const place &at, const bonds &b) {
        const strip_distances d = distances(shape);
        strip_rows spins = spins_in(lattices, sub_lattice_of(d, 0), at),
                   others = spins_in(lattices, sub_lattice_of(d, 1), at);
        const square_neighbours n = neighbours_in(lattices, sub_lattice_of(d, 1), at);
        close_strip(others, n.below, at);
        strip_counters c;
        uint32_t ones[8], twos[20], fours[10], eights[5], sixteens[2];
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            uint32_t above = i > 0 ? others.row[i - 1] : n.above;
            uint32_t below = i < STRIP_ROWS - 1 ? others.row[i + 1] : n.below;
            uint32_t spin = spins.row[i], here = others.row[i], side = n.side.row[i];
            if constexpr (CUT)
                leave_out(b.missing[0], i, spin, above, here, below, side);
            if constexpr (COUPLED)
                gauge(b.of[0], i, above, here, below, side);
            /* Three bonds sum to (x ^ spin) + 2 (m ^ spin). With the fourth, here ^ spin, the ones
             * cancel the spin. */
            const uint32_t x = xor3(above, below, side), m = majority(above, below, side);
            ones[i] = x ^ here;
            twos[2 * i] = m ^ spin;
            twos[2 * i + 1] = lop3<0x42>(x, here, spin); /* (x ^ spin) & (here ^ spin) */
            if constexpr (UNEVEN) {
                if ((uint32_t)i >= at.rows)
                    ones[i] = twos[2 * i] = twos[2 * i + 1] = 0;
            }
        }
        clear_behind(spins, at);
        clear_behind(others, at);
        c.bonds.slice[0] = add_masks(ones, twos + 2 * STRIP_ROWS);
        c.bonds.slice[1] = add_masks(twos, fours);
        c.bonds.slice[2] = add_masks(fours, eights);
        c.bonds.slice[3] = add_masks(eights, sixteens);
        c.bonds.slice[4] = add_masks(sixteens, &c.bonds.slice[5]);
        c.up = count_up(spins, others);
        return c;
    }
};

#endif
