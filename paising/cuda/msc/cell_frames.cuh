/* Tiles of cubic lattices in shared memory (tiles.cu): [sub-lattice][word of the cell][tile][strip of the frame] pairs of cells. A
 * frame has the strips of the tile, and behind them those at its six faces, of which some words are neighbours (cells.cuh). */
#ifndef PAISING_CUDA_MSC_CELL_FRAMES_CUH
#define PAISING_CUDA_MSC_CELL_FRAMES_CUH

#include "cuda/msc/cells.cuh"
#include "cuda/msc/tile_frames.cuh"

/* Words of a strip: bit i for word i of the even sub-lattice, bit 4 + i for that of the odd one. Those that are neighbours of a tile
 * behind the strip in x, y, z, and of one before it. */
#define ALL_WORDS      0xffu
#define WORDS_X_BEFORE 0x96u
#define WORDS_X_BEHIND 0x69u
#define WORDS_Y_BEFORE 0xaau
#define WORDS_Y_BEHIND 0x55u
#define WORDS_Z_BEFORE 0xccu
#define WORDS_Z_BEHIND 0x33u

static __host__ __device__ __forceinline__ uint32_t frame_strips(const msc_tiles &t) {
    return t.strips + 2 * (t.rows * t.layers + t.columns * t.layers + t.columns * t.rows);
}

/* The number of a strip in the frame. One of its coordinates may be -1, or that behind the last one. */
static __device__ __forceinline__ uint32_t strip_of_frame(const msc_tiles &t, const strip_at &s) {
    const uint32_t x_face = t.rows * t.layers, y_face = t.columns * t.layers,
                   z_face = t.columns * t.rows;
    if (s.column >= t.columns)
        return t.strips + (s.column == t.columns ? x_face : 0) + s.layer * t.rows + s.row;
    if (s.row >= t.rows)
        return t.strips + 2 * x_face + (s.row == t.rows ? y_face : 0) + s.layer * t.columns +
               s.column;
    if (s.layer >= t.layers)
        return t.strips + 2 * (x_face + y_face) + (s.layer == t.layers ? z_face : 0) +
               s.row * t.columns + s.column;
    return (s.layer * t.rows + s.row) * t.columns + s.column;
}

template <bool COMPLEMENT> struct cell_frames {
    typedef cell_lattice<false, true, COMPLEMENT> lattice;
    static constexpr uint32_t blocks_at_once = 3; /* on a multiprocessor: a limit on registers */

    static uint32_t tile_bytes(const msc_tiles &t) {
        return 2 * 4 * frame_strips(t) * (uint32_t)sizeof(uint2);
    }

    static __device__ __forceinline__ strip_at strips_of(const lattice_shape &shape) {
        return strip_at{shape.edge[0] / 4, shape.edge[1] / 2, shape.edge[2] / 2};
    }

    static __device__ __forceinline__ strip_distances in_frame(const msc_tiles &t, uint32_t tiles) {
        const uint32_t part = tiles * frame_strips(t) * (uint32_t)sizeof(uint2);
        return strip_distances{4 * part, part};
    }

    /* The address of a strip in shared memory, of its first word. */
    static __device__ __forceinline__ uint32_t address(const msc_tiles &t, const tile_memory &m,
                                                       uint32_t tile, const strip_at &s) {
        return m.frames + (tile * frame_strips(t) + strip_of_frame(t, s)) * (uint32_t)sizeof(uint2);
    }

    static __device__ __forceinline__ typename lattice::place
    place_of(const msc_tiles &t, const tile_memory &m, const tile_strip &s, uint32_t strip) {
        const strip_at &at = s.own;
        const strip_at strips[PLACES] = {at,
                                         {at.column - 1, at.row, at.layer},
                                         {at.column + 1, at.row, at.layer},
                                         {at.column, at.row - 1, at.layer},
                                         {at.column, at.row + 1, at.layer},
                                         {at.column, at.row, at.layer - 1},
                                         {at.column, at.row, at.layer + 1}};
        typename lattice::place p;
        p.strip = strip;
#pragma unroll
        for (int d = 0; d < PLACES; d++)
            p.at[0][d] = kept(address(t, m, s.tile, strips[d]));
        return p;
    }

    /* Copies some words of a strip of the lattice to the frame. Lanes are those of the stripe before (-1), or behind (1). */
    static __device__ __forceinline__ void copy(const tile_memory &m, const lattice_shape &shape,
                                                const strip_at &from, uint32_t to, uint32_t words,
                                                int stripe) {
        const uint32_t at = ((from.layer * m.rows + from.row) * m.columns + from.column) *
                            (uint32_t)sizeof(uint2),
                       stripes = stripes_of(shape), first = shape.first_lanes;
#pragma unroll
        for (uint32_t n = 0; n < 8; n++) {
            if ((words >> n & 1) == 0)
                continue;
            uint2 cells = *(const uint2 *)word_at(
                m.lattice, at + sub_lattice_of(m.distances, n / 4).part(n % 4));
            if (stripe < 0)
                cells = make_uint2(from_stripe_before(cells.x, stripes, first),
                                   from_stripe_before(cells.y, stripes, first));
            if (stripe > 0)
                cells = make_uint2(from_stripe_behind(cells.x, stripes, first),
                                   from_stripe_behind(cells.y, stripes, first));
            *(uint2 *)word_at(shared_window(), to + sub_lattice_of(m.in_frame, n / 4).part(n % 4)) =
                cells;
        }
    }

    /* Copies a strip, and what is next to it if it is at a face of its tile. */
    static __device__ __forceinline__ void load(const msc_tiles &t, const tile_memory &m,
                                                const lattice_shape &shape, const tile_strip &s) {
        const strip_at &own = s.own, &at = s.lattice;
        const auto to = [&](uint32_t column, uint32_t row, uint32_t layer) {
            return address(t, m, s.tile, strip_at{column, row, layer});
        };
        const auto before = [](uint32_t x, uint32_t all) { return x ? x - 1 : all - 1; };
        const auto behind = [](uint32_t x, uint32_t all) { return x + 1 < all ? x + 1 : 0; };
        copy(m, shape, at, to(own.column, own.row, own.layer), ALL_WORDS, 0);
        if (own.column == 0)
            copy(m, shape, {before(at.column, m.columns), at.row, at.layer},
                 to(own.column - 1, own.row, own.layer), WORDS_X_BEFORE, 0);
        if (own.column + 1 == t.columns)
            copy(m, shape, {behind(at.column, m.columns), at.row, at.layer},
                 to(own.column + 1, own.row, own.layer), WORDS_X_BEHIND, 0);
        if (own.row == 0)
            copy(m, shape, {at.column, before(at.row, m.rows), at.layer},
                 to(own.column, own.row - 1, own.layer), WORDS_Y_BEFORE, 0);
        if (own.row + 1 == t.rows)
            copy(m, shape, {at.column, behind(at.row, m.rows), at.layer},
                 to(own.column, own.row + 1, own.layer), WORDS_Y_BEHIND, 0);
        if (own.layer == 0)
            copy(m, shape, {at.column, at.row, before(at.layer, m.layers)},
                 to(own.column, own.row, own.layer - 1), WORDS_Z_BEFORE, at.layer ? 0 : -1);
        if (own.layer + 1 == t.layers)
            copy(m, shape, {at.column, at.row, behind(at.layer, m.layers)},
                 to(own.column, own.row, own.layer + 1), WORDS_Z_BEHIND, at.layer + 1 == m.layers);
    }

    static __device__ __forceinline__ void store(const tile_memory &m, const tile_strip &s,
                                                 const typename lattice::place &p) {
        const uint32_t to =
            ((s.lattice.layer * m.rows + s.lattice.row) * m.columns + s.lattice.column) *
            (uint32_t)sizeof(uint2);
        for (uint32_t parity = 0; parity < 2; parity++)
            lattice::store(
                m.lattice, sub_lattice_of(m.distances, parity), lattice_place(to),
                lattice::spins_in(shared_window(), sub_lattice_of(m.in_frame, parity), p));
    }

    static __device__ __forceinline__ typename lattice::place lattice_place(uint32_t at) {
        typename lattice::place p = {};
        p.at[0][HERE] = at;
        return p;
    }
};

#endif
