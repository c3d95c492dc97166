/* Tiles of square lattices in shared memory (tiles.cu): [sub-lattice][tile][strip row][even, odd rows][column] quads, with a border of
 * one strip. */
#ifndef PAISING_CUDA_MSC_SQUARE_FRAMES_CUH
#define PAISING_CUDA_MSC_SQUARE_FRAMES_CUH

#include "cuda/msc/rows.cuh"
#include "cuda/msc/tile_frames.cuh"

/* Groups of a colour's strips are of any number. */
template <bool COMPLEMENT> struct tiled_square : square_lattice<false, COMPLEMENT> {
    static constexpr bool any_groups = true;
};

static __host__ __device__ __forceinline__ uint32_t frame_columns(const msc_tiles &t) {
    return t.columns + 2;
}

/* Bytes of a row of strips, and of a tile, in a sub-lattice. */
static __host__ __device__ __forceinline__ uint32_t frame_row_bytes(const msc_tiles &t) {
    return 2 * frame_columns(t) * (uint32_t)sizeof(uint4);
}

static __host__ __device__ __forceinline__ uint32_t frame_bytes(const msc_tiles &t) {
    return (t.rows + 2) * frame_row_bytes(t);
}

static __device__ __forceinline__ uint32_t bytes_of_strip(const tile_memory &m, uint32_t row,
                                                          uint32_t column) {
    return (row * 2 * m.columns + column) * (uint32_t)sizeof(uint4);
}

/* Copies a part of a strip of a sub-lattice, even or odd rows, to place (row, column) of a tile's frame, whose border has number 0.
 * Lanes of its words are those of the stripe before (-1), or behind (1). */
static __device__ __forceinline__ void copy_part(const msc_tiles &t, const tile_memory &m,
                                                 const lattice_shape &shape, uint32_t from,
                                                 uint32_t tile, uint32_t row, uint32_t column,
                                                 uint32_t parity, uint32_t odd, int stripe) {
    const uint32_t quad = sizeof(uint4), stripes = stripes_of(shape), first = shape.first_lanes;
    uint4 words = *quad_at(m.lattice, from + sub_lattice_of(m.distances, parity).part(odd));
    if (stripe < 0) /* the last row alone is read */
        words.w = from_stripe_before(words.w, stripes, first);
    if (stripe > 0)
        words.x = from_stripe_behind(words.x, stripes, first);
    *quad_at(shared_window(), m.frames + parity * m.in_frame.odd_sites + tile * frame_bytes(t) +
                                  row * frame_row_bytes(t) + odd * frame_columns(t) * quad +
                                  column * quad) = words;
}

static __device__ __forceinline__ void copy_strip(const msc_tiles &t, const tile_memory &m,
                                                  const lattice_shape &shape, uint32_t from,
                                                  uint32_t tile, uint32_t row, uint32_t column) {
#pragma unroll
    for (uint32_t part = 0; part < 4; part++)
        copy_part(t, m, shape, from, tile, row, column, part / 2, part % 2, 0);
}

/* Copies a strip, and what is next to it if it is at the edge of its tile. */
static __device__ __forceinline__ void load_strip(const msc_tiles &t, const tile_memory &m,
                                                  const lattice_shape &shape, const tile_strip &s) {
    const uint32_t row = s.own.row + 1, column = s.own.column + 1; /* in the frame */
    copy_strip(t, m, shape, bytes_of_strip(m, s.lattice.row, s.lattice.column), s.tile, row,
               column);
    if (s.own.column == 0) {
        const uint32_t left = s.lattice.column ? s.lattice.column - 1 : m.columns - 1;
        copy_strip(t, m, shape, bytes_of_strip(m, s.lattice.row, left), s.tile, row, 0);
    }
    if (s.own.column + 1 == t.columns) {
        const uint32_t right = s.lattice.column + 1 < m.columns ? s.lattice.column + 1 : 0;
        copy_strip(t, m, shape, bytes_of_strip(m, s.lattice.row, right), s.tile, row, column + 1);
    }
    if (s.own.row == 0) {
        const uint32_t above = s.lattice.row ? s.lattice.row - 1 : m.rows - 1,
                       from = bytes_of_strip(m, above, s.lattice.column);
        for (uint32_t parity = 0; parity < 2; parity++)
            copy_part(t, m, shape, from, s.tile, 0, column, parity, 1, s.lattice.row ? 0 : -1);
    }
    if (s.own.row + 1 == t.rows) {
        const bool last = s.lattice.row + 1 == m.rows;
        const uint32_t from = bytes_of_strip(m, last ? 0 : s.lattice.row + 1, s.lattice.column);
        for (uint32_t parity = 0; parity < 2; parity++)
            copy_part(t, m, shape, from, s.tile, row + 1, column, parity, 0, last);
    }
}

template <bool COMPLEMENT> struct square_frames {
    typedef tiled_square<COMPLEMENT> lattice;
    static constexpr uint32_t blocks_at_once = 4; /* on a multiprocessor: a limit on registers */

    static uint32_t tile_bytes(const msc_tiles &t) {
        return 2 * frame_bytes(t);
    }

    static __device__ __forceinline__ strip_at strips_of(const lattice_shape &shape) {
        return strip_at{shape.edge[0] / 2, shape.edge[1] / STRIP_ROWS, 1};
    }

    static __device__ __forceinline__ strip_distances in_frame(const msc_tiles &t, uint32_t tiles) {
        return strip_distances{tiles * frame_bytes(t), frame_columns(t) * (uint32_t)sizeof(uint4)};
    }

    static __device__ __forceinline__ typename lattice::place
    place_of(const msc_tiles &t, const tile_memory &m, const tile_strip &s, uint32_t strip) {
        typename lattice::place p = place_in_row(
            strip, m.frames + s.tile * frame_bytes(t) + (s.own.row + 1) * frame_row_bytes(t),
            s.own.column + 1, frame_columns(t));
        p.row = s.own.row;
        return p;
    }

    static __device__ __forceinline__ void load(const msc_tiles &t, const tile_memory &m,
                                                const lattice_shape &shape, const tile_strip &s) {
        load_strip(t, m, shape, s);
    }

    static __device__ __forceinline__ void store(const tile_memory &m, const tile_strip &s,
                                                 const typename lattice::place &p) {
        const uint32_t to = bytes_of_strip(m, s.lattice.row, s.lattice.column);
        for (uint32_t parity = 0; parity < 2; parity++)
            for (uint32_t odd = 0; odd < 2; odd++)
                *quad_at(m.lattice, to + sub_lattice_of(m.distances, parity).part(odd)) =
                    *quad_at(shared_window(), p.at + sub_lattice_of(m.in_frame, parity).part(odd));
    }
};

#endif
