/* Updates by tiles (tiles.h). A launch makes the hits of a stage in all tiles of a colour. A block has tiles of 256 strips together,
 * a thread a strip, whose spins and random stream stay in registers meanwhile. The tiles are in shared memory, for the neighbours of
 * their strips, each with a border of one strip that does not change. So a strip reads some 110 bytes and writes 80 for k hits,
 * 512 k flips, where the checkerboard (stripes.cu) moves 260 bytes for 512 flips. */
#include "cuda/msc/tiles.h"

#include "cuda/device/launches.cuh"
#include "cuda/msc/flips.cuh"
#include "cuda/msc/rows.cuh"
#include "cuda/msc/stripes.h"
#include "engine/msc_tiles.h"

#define THREADS 256 /* of a block */
#define FEW_STRIPS                                                                                 \
    128 /* of a block of the smallest tiles, whose borders need more room than they do */

/* Groups of a colour's strips are of any number. */
template <bool COMPLEMENT> struct tiled_lattice : square_lattice<false, COMPLEMENT> {
    static constexpr bool any_groups = true;
};

/* What a launch makes: half sweeps begin .. end - 1 of a colour, an even number. */
struct tile_stage {
    msc_tiles tiles;
    uint32_t colour, begin, end;
    uint32_t turned; /* 1: the odd sub-lattice comes first */
};

static_assert(sizeof(msc_step) + sizeof(strip_stream *) + sizeof(tile_stage) <= 4096,
              "the limit on kernel arguments of every toolkit");

/* --- a tile in shared memory, [sub-lattice][tile][strip row][even, odd rows][column] quads, with a border --- */

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

static size_t block_bytes(const msc_tiles &t, uint32_t threads) {
    return threads / 32 * sizeof(point_board<2>) + threads / t.strips * 2 * (size_t)frame_bytes(t);
}

/* Where a thread's strip is: in its tile, and in the lattice, in rows and columns of strips. */
struct tile_strip {
    uint32_t tile;              /* of the block */
    uint32_t row, column;       /* in the tile */
    uint32_t at_row, at_column; /* in the lattice */
};

static __device__ __forceinline__ tile_strip strip_in_tile(const tile_stage &stage,
                                                           uint32_t index) {
    const msc_tiles &t = stage.tiles;
    const uint32_t tile = index / t.strips, within = index % t.strips;
    const msc_tile_place corner = msc_tile_at(&t, stage.colour, tile);
    tile_strip s;
    s.tile = tile - blockIdx.x * blockDim.x / t.strips;
    s.row = within / t.columns;
    s.column = within % t.columns;
    s.at_row = corner.row * t.rows + s.row;
    s.at_column = corner.column * t.columns + s.column;
    return s;
}

/* The lattice in device memory and the block's tiles in shared memory. */
struct tile_memory {
    uint4 *lattice;
    uint32_t strip_rows, columns; /* of the lattice */
    strip_distances distances;    /* of the lattice, in bytes */
    uint32_t frames;              /* address of the tiles */
    uint32_t frame_half;          /* bytes from the even sub-lattice to the odd one there */
};

static __device__ __forceinline__ uint32_t bytes_of_strip(const tile_memory &m, uint32_t row,
                                                          uint32_t column) {
    return (row * 2 * m.columns + column) * (uint32_t)sizeof(uint4);
}

/* Copies a part of a strip of a sub-lattice, even or odd rows, to place (row, column) of a tile's frame, whose border has number 0.
 * Lanes of its words are those of the stripe before (-1), or behind (1). */
static __device__ __forceinline__ void copy_part(const tile_stage &stage, const tile_memory &m,
                                                 const lattice_shape &shape, uint32_t from,
                                                 uint32_t tile, uint32_t row, uint32_t column,
                                                 uint32_t parity, uint32_t odd, int stripe) {
    const msc_tiles &t = stage.tiles;
    const uint32_t quad = sizeof(uint4), stripes = stripes_of(shape), first = shape.first_lanes;
    uint4 words = *quad_at(m.lattice, from + sub_lattice_of(m.distances, parity).part(odd));
    if (stripe < 0) /* the last row alone is read */
        words.w = from_stripe_before(words.w, stripes, first);
    if (stripe > 0)
        words.x = from_stripe_behind(words.x, stripes, first);
    *quad_at(shared_window(), m.frames + parity * m.frame_half + tile * frame_bytes(t) +
                                  row * frame_row_bytes(t) + odd * frame_columns(t) * quad +
                                  column * quad) = words;
}

static __device__ __forceinline__ void copy_strip(const tile_stage &stage, const tile_memory &m,
                                                  const lattice_shape &shape, uint32_t from,
                                                  uint32_t tile, uint32_t row, uint32_t column) {
#pragma unroll
    for (uint32_t part = 0; part < 4; part++)
        copy_part(stage, m, shape, from, tile, row, column, part / 2, part % 2, 0);
}

/* Copies a strip, and what is next to it if it is at the edge of its tile. */
static __device__ __forceinline__ void load_strip(const tile_stage &stage, const tile_memory &m,
                                                  const lattice_shape &shape, const tile_strip &s) {
    const msc_tiles &t = stage.tiles;
    const uint32_t row = s.row + 1, column = s.column + 1; /* in the frame */
    copy_strip(stage, m, shape, bytes_of_strip(m, s.at_row, s.at_column), s.tile, row, column);
    if (s.column == 0) {
        const uint32_t left = s.at_column ? s.at_column - 1 : m.columns - 1;
        copy_strip(stage, m, shape, bytes_of_strip(m, s.at_row, left), s.tile, row, 0);
    }
    if (s.column + 1 == t.columns) {
        const uint32_t right = s.at_column + 1 < m.columns ? s.at_column + 1 : 0;
        copy_strip(stage, m, shape, bytes_of_strip(m, s.at_row, right), s.tile, row, column + 1);
    }
    if (s.row == 0) {
        const uint32_t above = s.at_row ? s.at_row - 1 : m.strip_rows - 1,
                       from = bytes_of_strip(m, above, s.at_column);
        for (uint32_t parity = 0; parity < 2; parity++)
            copy_part(stage, m, shape, from, s.tile, 0, column, parity, 1, s.at_row ? 0 : -1);
    }
    if (s.row + 1 == t.rows) {
        const bool last = s.at_row + 1 == m.strip_rows;
        const uint32_t from = bytes_of_strip(m, last ? 0 : s.at_row + 1, s.at_column);
        for (uint32_t parity = 0; parity < 2; parity++)
            copy_part(stage, m, shape, from, s.tile, row + 1, column, parity, 0, last);
    }
}

/* --- the kernel --- */

/* Makes the hits of a stage. The grid has a row of blocks for each machine word. */
template <typename LATTICE>
static __global__ void __launch_bounds__(THREADS, 4)
    hit_tiles(const __grid_constant__ msc_step step, strip_stream *streams,
              const __grid_constant__ tile_stage stage) {
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const msc_tiles &t = stage.tiles;
    const lattice_shape &shape = step.own.shape;
    const uint32_t all = msc_colour_strips(&t, stage.colour),
                   index = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t boards = place_in_window(shared);
    tile_memory m;
    m.lattice = (uint4 *)step.own.children + (uint64_t)blockIdx.y * shape.quads;
    m.strip_rows = shape.edge[1] / STRIP_ROWS;
    m.columns = shape.edge[0] / 2;
    m.distances = LATTICE::distances(shape);
    m.frames = boards + blockDim.x / 32 * (uint32_t)sizeof(point_board<LATTICE::words>);
    m.frame_half = blockDim.x / t.strips * frame_bytes(t);
    const tile_strip s = strip_in_tile(stage, index < all ? index : blockIdx.x * blockDim.x);
    strip_stream *const stream =
        &streams[(uint64_t)blockIdx.y * shape.strips + msc_colour_first(&t, stage.colour) + index];

    sweep_place at = {step.own.place.first_word + blockIdx.y,
                      stage.begin,
                      shared_window(),
                      {m.frame_half, frame_columns(t) * (uint32_t)sizeof(uint4)},
                      place_on_board<LATTICE::words>(boards, step.points.group),
                      {},
                      stage.turned};
    kept_strips<LATTICE, 1> k;
    k.place[0] = place_in_row(index < all ? index : NO_STRIP,
                              m.frames + s.tile * frame_bytes(t) + (s.row + 1) * frame_row_bytes(t),
                              s.column + 1, frame_columns(t));
    k.place[0].row = s.row;
    k.group[0] = kept(strips_of_group(step.points, all, index));
    await_launch_before();
    allow_next_launch();
    k.stream[0] = index < all ? *stream : strip_stream{};
    if (index < all)
        load_strip(stage, m, shape, s);
    __syncthreads();
    k.spins =
        load_spins<LATTICE>(at, k.place[0], has_strip<RNG_INDEPENDENT>(at, k.place[0], k.group[0]));
#pragma unroll 1
    for (; at.half_sweep < stage.end; at.half_sweep++) {
        flip_strips<LATTICE, RNG_INDEPENDENT, MACHINE_LANES, 0, 1>(k, step, at);
        __syncthreads();
    }
    if (index >= all)
        return;
    *stream = k.stream[0];
    const uint32_t to = bytes_of_strip(m, s.at_row, s.at_column);
    for (uint32_t n = 0; n < 2; n++) {
        const sub_lattice sub = sub_lattice_of(m.distances, n ^ stage.turned);
        const strip_rows &rows = n ? k.spins.other : k.spins.own;
        *quad_at(m.lattice, to + sub.part(0)) = even_rows(rows.row);
        *quad_at(m.lattice, to + sub.part(1)) = odd_rows(rows.row);
    }
}

template <typename LATTICE>
static void launch_stages(cuda_population *p, const msc_step &step, const visit_plan &visits,
                          strip_stream *streams, uint32_t words) {
    const msc_tiles tiles =
        msc_tiles_of(visits.tile, step.own.shape.edge[0], step.own.shape.edge[1]);
    const uint32_t threads = tiles.strips < 16 ? FEW_STRIPS : THREADS;
    const size_t bytes = block_bytes(tiles, threads);
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(&visits, stage);
    cuda_allow_shared(p, (const void *)hit_tiles<LATTICE>, bytes);
    for (uint32_t sweep = 0; sweep < step.own.sweeps && !p->failed; sweep += visits.hits)
        for (uint32_t n = 0; n < stages; n++) {
            const uint32_t strips = msc_colour_strips(&tiles, stage[n].colour);
            const tile_stage launch = {tiles, stage[n].colour, 2 * (sweep + stage[n].first),
                                       2 * (sweep + stage[n].end), stage[n].odd_first};
            if (strips > 0)
                cuda_launch_early(p, "hit_tiles (MSC)", hit_tiles<LATTICE>,
                                  dim3((strips + threads - 1) / threads, words), threads, bytes,
                                  step, streams, launch);
        }
}

void msc_sweep_tiles(cuda_population *p, const msc_step &step, const visit_plan &visits,
                     strip_stream *streams, uint32_t words) {
    msc_step hits = step;
    hits.own.sweeps = step.own.sweeps * visits.hits;
    msc_seed_streams(p, hits, streams, words);
    step.own.complement ? launch_stages<tiled_lattice<true>>(p, hits, visits, streams, words)
                        : launch_stages<tiled_lattice<false>>(p, hits, visits, streams, words);
}
