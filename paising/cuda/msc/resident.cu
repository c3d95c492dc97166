/* Sweeps of stripes that stay on the multiprocessors (resident.h). It gives the bits of half_sweep (stripes.cu).
 *
 * A block keeps a tile for all sweeps of a step: 32 columns of words, and some rows of strips, each of a warp. A thread keeps its
 * strip and random stream in registers. The tile is in shared memory, too, for the neighbours, with a frame (square_frames.cuh).
 * After a half sweep the tile sends its edges to the tiles around it through device memory, and waits for theirs, so that all
 * blocks must be resident: the launch is a cooperative one. A flip of a tile of four rows moves 0.05 bytes, one of half_sweep 0.5,
 * and blocks of a multiprocessor wait while others compute. */
#include "cuda/msc/resident.h"

#include "cuda/msc/flips.cuh"
#include "cuda/msc/sent_words.cuh"
#include "cuda/msc/square_frames.cuh"

#define COLUMNS    32 /* of a tile: the strips of a group */
#define LEAST_ROWS 3  /* of strips: less have more edges than threads, and than room for them */
#define MOST_ROWS  8

#define SIDE (STRIP_ROWS / 2) /* words of an edge of a row of strips */

/* Words of a tile's edges in a sub-lattice: its first row of sites, its last one; then for each row of strips its first column where
 * a site's fourth neighbour is to the left, and its last column where that is to the right. */
static __host__ __device__ __forceinline__ constexpr uint32_t edge_words(uint32_t rows) {
    return 2 * COLUMNS + 2 * SIDE * rows;
}

static_assert(2 * sizeof(sent_word) * edge_words(LEAST_ROWS) <=
                      COLUMNS * LEAST_ROWS * sizeof(strip_stream) &&
                  edge_words(LEAST_ROWS) <= COLUMNS * LEAST_ROWS,
              "edges have room in the memory of the strips' streams, and a thread a word");
static_assert(sizeof(msc_step) + sizeof(sent_word *) + 2 * sizeof(uint32_t) <= 4096,
              "the limit on kernel arguments of every toolkit");

/* Returns the number of the first word of a tile's edges: [word][tile row][tile column][sub-lattice][edge_words]. */
static __device__ __forceinline__ uint32_t edges_of(const msc_tiles &t, uint32_t row,
                                                    uint32_t column) {
    return ((blockIdx.z * gridDim.y + row) * gridDim.x + column) * 2 * edge_words(t.rows);
}

/* What a thread receives in a sub-lattice: the number of a word, and its address in the frame. The least two bits of that tell from which
 * stripe its lanes are. */
struct edge_place {
    uint32_t from, to;
};
enum { SAME_STRIPE, STRIPE_BEFORE, STRIPE_BEHIND };

/* Returns the place of word n of the edges around the tile: the opposite edge of the tile there. */
static __device__ __forceinline__ edge_place place_of_edge(const msc_tiles &t, const tile_memory &m,
                                                           uint32_t n, uint32_t parity) {
    const uint32_t quad = sizeof(uint4), word = sizeof(uint32_t), row = blockIdx.y,
                   column = blockIdx.x, sub_lattice = m.frames + parity * m.in_frame.odd_sites,
                   edges = parity * edge_words(t.rows);
    if (n < COLUMNS) {
        const uint32_t above = (row ? row : gridDim.y) - 1;
        return edge_place{edges_of(t, above, column) + edges + COLUMNS + n,
                          (sub_lattice + m.in_frame.part + (1 + n) * quad + (SIDE - 1) * word) |
                              (row ? SAME_STRIPE : STRIPE_BEFORE)};
    }
    if (n < 2 * COLUMNS) {
        const uint32_t below = row + 1 < gridDim.y ? row + 1 : 0;
        return edge_place{
            edges_of(t, below, column) + edges + n - COLUMNS,
            (sub_lattice + (t.rows + 1) * frame_row_bytes(t) + (1 + n - COLUMNS) * quad) |
                (below ? SAME_STRIPE : STRIPE_BEHIND)};
    }
    const uint32_t side = n - 2 * COLUMNS, right = side / SIDE % 2,
                   left_tile = (column ? column : gridDim.x) - 1,
                   right_tile = column + 1 < gridDim.x ? column + 1 : 0;
    return edge_place{edges_of(t, row, right ? right_tile : left_tile) + edges + (n ^ SIDE),
                      sub_lattice + (1 + side / (2 * SIDE)) * frame_row_bytes(t) +
                          (right ^ !parity) * m.in_frame.part + right * (COLUMNS + 1) * quad +
                          side % SIDE * word};
}

/* Waits for the word of a place, and writes it to the frame. */
static __device__ __forceinline__ void receive_edge(const sent_word *edges, edge_place place,
                                                    const lattice_shape &shape, uint32_t number) {
    const uint32_t stripe = place.to % 4;
    uint32_t word = await_word(edges + place.from, number);
    if (stripe == STRIPE_BEFORE)
        word = from_stripe_before(word, stripes_of(shape), shape.first_lanes);
    if (stripe == STRIPE_BEHIND)
        word = from_stripe_behind(word, stripes_of(shape), shape.first_lanes);
    *word_at(shared_window(), place.to - stripe) = word;
}

/* Sends what a warp has of the edges of the sub-lattice that was updated. own: number of the tile's first one. `strips`: address of
 * the warp's first quad. */
static __device__ __forceinline__ void send_edges(sent_word *edges, uint32_t own,
                                                  const msc_tiles &t, const tile_memory &m,
                                                  uint32_t strips, const strip_rows &spins,
                                                  uint32_t parity, uint32_t number) {
    const uint32_t column = threadIdx.x % COLUMNS, row = threadIdx.x / COLUMNS;
    if (row == 0)
        send_word(edges + (own + column), spins.row[0], number);
    if (row + 1 == t.rows)
        send_word(edges + (own + COLUMNS + column), spins.row[STRIP_ROWS - 1], number);
    __syncwarp();
    if (column < 2 * SIDE) {
        const uint32_t last = column / SIDE, odd = last ^ parity;
        send_word(edges + (own + 2 * COLUMNS + 2 * SIDE * row + column),
                  *word_at(shared_window(), strips + parity * m.in_frame.odd_sites +
                                                odd * m.in_frame.part +
                                                last * (COLUMNS - 1) * (uint32_t)sizeof(uint4) +
                                                column % SIDE * (uint32_t)sizeof(uint32_t)),
                  number);
    }
}

/* Returns tiles without their number in the lattice, which the grid has. */
static __host__ __device__ __forceinline__ msc_tiles tiles_of_rows(uint32_t rows) {
    return msc_tiles{COLUMNS, rows, 1, COLUMNS * rows, 0, 0, 0};
}

/* Makes the sweeps of a step. The grid has the tiles of a lattice, and a layer of them for each machine word from `first` on.
 * A tile may send edges of a sub-lattice again: it has received those that its neighbours made of the last ones. */
template <bool COMPLEMENT>
static __global__ void __launch_bounds__(COLUMNS *MOST_ROWS, 4)
    sweep_resident(const __grid_constant__ msc_step step, sent_word *edges, uint32_t rows,
                   uint32_t first) {
    typedef square_frames<COMPLEMENT> frames;
    typedef square_lattice<false, COMPLEMENT> lattice;
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const msc_tiles t = tiles_of_rows(rows);
    const lattice_shape &shape = step.own.shape;
    const strip_at strips = frames::strips_of(shape);
    const uint32_t boards = place_in_window(shared), word = first + blockIdx.z;
    const tile_memory m = {(uint4 *)step.own.children + (uint64_t)word * shape.quads,
                           strips.column,
                           strips.row,
                           strips.layer,
                           lattice::distances(shape),
                           frames::in_frame(t, 1),
                           boards + t.rows * (uint32_t)sizeof(point_board<lattice::words>)};
    const uint32_t column = threadIdx.x % COLUMNS, row = threadIdx.x / COLUMNS;
    const tile_strip s = {
        0, {column, row, 0}, {blockIdx.x * COLUMNS + column, blockIdx.y * t.rows + row, 0}};
    const uint32_t strip = s.lattice.row * strips.column + s.lattice.column;
    sweep_place at = {step.own.place.first_word + word, 0, shared_window(), m.in_frame,
                      place_on_board<lattice::words>(boards, step.points.group)};
    const uint32_t count = edge_words(t.rows);
    const bool receives = threadIdx.x < count;
    edge_place *const places =
        (edge_place *)quad_at(shared_window(), m.frames + 2 * frame_bytes(t)) + threadIdx.x;
    const uint32_t own = kept(edges_of(t, blockIdx.y, blockIdx.x));
    kept_strips<lattice, 1> k;
    k.place[0] = frames::place_of(t, m, s, strip);
    k.group[0] = COLUMNS;
    k.stream[0] = seeded_stream(step.own, strip, at.machine_word);
    frames::load(t, m, shape, s);
    for (uint32_t parity = 0; parity < 2 && receives; parity++)
        places[parity * count] = place_of_edge(t, m, threadIdx.x, parity);
    __syncthreads();
    k.spins = load_spins<lattice>(at, k.place[0], true);
#pragma unroll 1
    for (; at.half_sweep < 2 * step.own.sweeps; at.half_sweep++) {
        const uint32_t parity = at.half_sweep % 2;
        if (at.half_sweep && receives)
            receive_edge(edges, places[!parity * count], shape, at.half_sweep);
        __syncthreads();
        flip_strips<lattice, RNG_INDEPENDENT, MACHINE_LANES, 0, 1>(k, step, at);
        send_edges(edges, own + parity * count, t, m,
                   k.place[0].at - column * (uint32_t)sizeof(uint4), k.spins.other, parity,
                   at.half_sweep + 1);
    }
    frames::store(m, s, k.place[0]);
}

/* Returns the tiles of a lattice; without rows: it has none. Tiles of few rows wait less, and more of them fit; those of three fill
 * 30 of 32 places for warps. */
static msc_tiles tiles_of(const lattice_shape &shape) {
    const uint32_t rows = shape.edge[1] / STRIP_ROWS;
    msc_tiles t = {};
    if (shape.edge[2] > 1 || shape.edge[0] % (2 * COLUMNS))
        return t;
    t.columns = COLUMNS;
    t.layers = 1;
    for (uint32_t r = MOST_ROWS; r > LEAST_ROWS; r--)
        if (rows % r == 0)
            t.rows = r;
    if (t.rows == 0 && rows % LEAST_ROWS == 0)
        t.rows = LEAST_ROWS;
    if (t.rows == 0)
        return t;
    t.strips = t.columns * t.rows;
    t.across = shape.edge[0] / 2 / t.columns;
    t.down = rows / t.rows;
    t.tiles = t.across * t.down;
    return t;
}

static size_t bytes_of(const msc_tiles &t) {
    return t.rows * sizeof(point_board<2>) + square_frames<false>::tile_bytes(t) +
           2 * edge_words(t.rows) * sizeof(edge_place);
}

static const void *kernel_of(bool complement) {
    return complement ? (const void *)sweep_resident<true> : (const void *)sweep_resident<false>;
}

uint32_t msc_resident_words(cuda_population *p, const lattice_shape &shape) {
    const msc_tiles t = tiles_of(shape);
    int multiprocessors = 0, least = INT32_MAX;
    if (t.rows == 0 ||
        !CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &multiprocessors)))
        return 0;
    for (const bool complement : {false, true}) {
        int blocks = 0;
        cuda_allow_shared(p, kernel_of(complement), bytes_of(t));
        CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(complement),
                                                                    (int)t.strips, bytes_of(t)));
        least = blocks < least ? blocks : least;
    }
    return p->failed ? 0 : (uint32_t)(multiprocessors * least) / t.tiles;
}

void msc_sweep_resident(cuda_population *p, const msc_step &step, void *memory, uint32_t words,
                        uint32_t at_once) {
    const uint32_t launches = (words + at_once - 1) / at_once,
                   each = (words + launches - 1) / launches;
    msc_tiles t = tiles_of(step.own.shape);
    const size_t bytes = 2 * (size_t)edge_words(t.rows) * t.tiles * each * sizeof(sent_word);
    for (uint32_t first = 0; first < words && !p->failed; first += each) {
        const dim3 grid(t.across, t.down, words - first < each ? words - first : each);
        void *arguments[] = {(void *)&step, &memory, &t.rows, &first};
        CUDA_CHECK(p, cudaMemsetAsync(memory, 0, bytes, p->stream)); /* no edge was sent */
        CUDA_CHECK(p,
                   cudaLaunchCooperativeKernel(kernel_of(step.own.complement), grid, dim3(t.strips),
                                               arguments, bytes_of(t), p->stream));
    }
}
