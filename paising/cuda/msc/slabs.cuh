/* Multi-spin coding on the device: sweeps of mode `independent` for lattices that are too large for
 * one block.
 *
 * A lattice is cut into slabs of whole rows of strips. Each block keeps one slab in shared memory
 * for all sweeps. In each half sweep a block first updates the strips at both boundaries of its
 * slab. It then sends its first and its last row of sites to the slabs above and below, through
 * device memory, and updates the other strips meanwhile. All blocks must be resident at a time, so
 * that the launch is a cooperative one. */
#ifndef PAISING_CUDA_MSC_SLABS_CUH
#define PAISING_CUDA_MSC_SLABS_CUH

#include "cuda/msc/flips.cuh"
#include "cuda/msc/rows.cuh"
#include "cuda/msc/sent_words.cuh"

#define SLAB_EACH 2 /* strips of a thread */

/* How lattices are cut, and how many are in work at a time. */
struct slab_cut {
    uint32_t slabs, rows; /* of a lattice; rows of strips of a slab (the last may have fewer) */
    uint32_t lattices;
};

/* Rows in transit: [2][2][columns], for each sub-lattice the first and the last row of sites of a
 * slab. The number of a word is that of the times that it was sent. */
static __device__ __forceinline__ sent_word *post_of(const msc_step &step, slab_cut cut,
                                                     uint32_t lattice, uint32_t slab) {
    return (sent_word *)step.own.scratch +
           (lattice * cut.slabs + slab) * 2 * step.own.shape.edge[0];
}

static inline size_t post_bytes(uint32_t size, slab_cut cut) {
    return (size_t)cut.lattices * cut.slabs * 2 * size * sizeof(sent_word);
}

/* A block's slab in shared memory: for each sub-lattice its quads, then the row of sites above and
 * the one below. */
struct slab_memory {
    uint32_t place;      /* its address (shared_window) */
    uint32_t rows;       /* of strips */
    uint32_t first;      /* first strip in the lattice */
    uint32_t quad_bytes; /* of a sub-lattice */
    strip_distances distances;
};

static __host__ __device__ __forceinline__ uint32_t slab_quad_bytes(uint32_t size, uint32_t rows) {
    return rows * size * (uint32_t)sizeof(uint4);
}
static __host__ __device__ __forceinline__ uint32_t slab_bytes(uint32_t size, uint32_t rows) {
    return 2 * (slab_quad_bytes(size, rows) + size * (uint32_t)sizeof(uint32_t));
}

/* Returns the thread's strip in turn n. Groups with strips of the first or the last row come
 * first. */
static __device__ __forceinline__ uint32_t slab_strip(const slab_memory &m, uint32_t columns,
                                                      uint32_t n) {
    const uint32_t strips = m.rows * columns, groups = (strips + 31) / 32;
    const uint32_t inner = min((columns + 31) / 32, groups),
                   last = max(inner, (strips - columns) / 32);
    const uint32_t turn = n * (blockDim.x / 32) + threadIdx.x / 32, edges = inner + groups - last;
    const uint32_t group = turn < inner   ? turn
                           : turn < edges ? turn - inner + last
                                          : turn - edges + inner;
    const uint32_t strip = group * 32 + threadIdx.x % 32;
    return turn < groups && strip < strips ? strip : NO_STRIP;
}

static __device__ __forceinline__ square_place place_in_slab(const slab_memory &m, uint32_t columns,
                                                             uint32_t number) {
    const uint32_t strip = number == NO_STRIP ? 0 : number, row = strip / columns,
                   column = strip % columns;
    square_place s = place_in_row(number, m.place + row * 2 * columns * (uint32_t)sizeof(uint4),
                                  column, columns);
    s.row = row;
    const uint32_t above = m.place + m.quad_bytes + column * (uint32_t)sizeof(uint32_t);
    s.above = kept(row ? s.above : above);
    s.below = kept(row + 1 < m.rows ? s.below : above + columns * (uint32_t)sizeof(uint32_t));
    return s;
}

/* Copies a slab between shared memory and a lattice. `half`: quads of half a lattice. */
static __device__ __forceinline__ void copy_slab(void *shared, uint4 *lattice, const slab_memory &m,
                                                 uint32_t half, bool load) {
    const uint32_t quads = m.quad_bytes / sizeof(uint4);
    for (uint32_t n = threadIdx.x; n < 2 * quads; n += blockDim.x) {
        const uint32_t parity = n >= quads, at = n - parity * quads;
        uint4 *const here = quad_at(shared, parity * m.distances.odd_sites) + at;
        uint4 *const there = lattice + parity * half + m.first * 2 + at;
        if (load)
            *here = *there;
        else
            *there = *here;
    }
}

/* Sends the boundary rows of a sub-lattice. All threads of the block must call it, after their
 * update. */
static __device__ __forceinline__ void send_edges(void *shared, sent_word *mine,
                                                  const slab_memory &m, uint32_t columns,
                                                  uint32_t parity, uint32_t times) {
    const uint32_t last =
        m.quad_bytes - columns * (uint32_t)sizeof(uint4) + 3 * (uint32_t)sizeof(uint32_t);
    __syncthreads();
    for (uint32_t n = threadIdx.x; n < 2 * columns; n += blockDim.x) {
        const uint32_t is_last = n >= columns, column = n - is_last * columns;
        const uint32_t at = parity * m.distances.odd_sites + column * (uint32_t)sizeof(uint4) +
                            (is_last ? last : 0);
        send_word(&mine[parity * 2 * columns + n], *word_at(shared, at), times);
    }
}

/* Waits until the neighbours have sent their boundary rows `times` times, and copies them: the last
 * row of the slab above, the first row of the one below. */
static __device__ __forceinline__ void receive_edges(void *shared, const sent_word *above,
                                                     const sent_word *below, const slab_memory &m,
                                                     uint32_t columns, uint32_t parity,
                                                     uint32_t times) {
    const uint32_t edges = parity * m.distances.odd_sites + m.quad_bytes;
    for (uint32_t n = threadIdx.x; n < 2 * columns; n += blockDim.x) {
        const sent_word *const from = n < columns ? &above[(parity * 2 + 1) * columns + n]
                                                  : &below[parity * 2 * columns + n - columns];
        *word_at(shared, edges + n * (uint32_t)sizeof(uint32_t)) = await_word(from, times);
    }
    __syncthreads();
}

/* Makes the sweeps of a step. A block sweeps its slab of a lattice, and then of the lattices that
 * follow by as many as are in work at a time. */
template <typename LATTICE>
static __global__ void __launch_bounds__(MOST_THREADS)
    sweep_slabs(const __grid_constant__ msc_step step, const __grid_constant__ slab_cut cut) {
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const uint32_t size = step.own.shape.edge[0], columns = size / 2,
                   all_rows = step.own.shape.edge[1] / STRIP_ROWS;
    const uint32_t slab = blockIdx.x % cut.slabs, lattice = blockIdx.x / cut.slabs;
    sent_word *const mine = post_of(step, cut, lattice, slab);
    const sent_word *const above = post_of(step, cut, lattice, (slab + cut.slabs - 1) % cut.slabs),
                           *const below = post_of(step, cut, lattice, (slab + 1) % cut.slabs);
    slab_memory m;
    m.place = place_in_window(shared);
    m.rows = min(cut.rows, all_rows - slab * cut.rows);
    m.first = slab * cut.rows * columns;
    m.quad_bytes = slab_quad_bytes(size, m.rows);
    m.distances = strip_distances{slab_bytes(size, m.rows) / 2, columns * (uint32_t)sizeof(uint4)};
    const uint32_t boards = m.place + boards_behind(slab_bytes(size, m.rows));
    sweep_place at = {0, 0, shared_window(), m.distances,
                      place_on_board<2>(boards, step.points.group)};
    const uint64_t words = words_at_hand(step.own, step.own.place);
    uint32_t times = 0; /* how often boundary rows were sent */

    for (uint64_t w = lattice; w < words; w += cut.lattices) {
        uint4 *const child = (uint4 *)step.own.children + w * step.own.shape.quads;
        kept_strips<LATTICE, SLAB_EACH> k;
#pragma unroll
        for (uint32_t n = 0; n < SLAB_EACH; n++) {
            const uint32_t strip = slab_strip(m, columns, n);
            k.place[n] = place_in_slab(m, columns, strip);
            k.bonds[n] =
                LATTICE::bonds_of(step.own.shape, strip == NO_STRIP ? strip : m.first + strip);
            k.group[n] =
                kept(strip == NO_STRIP
                         ? 0
                         : strips_of_group(step.points, step.own.shape.strips, m.first + strip));
            k.stream[n] =
                seeded_stream(step.own, m.first + strip, step.own.place.first_word + (uint32_t)w);
        }
        copy_slab(shared, child, m, step.own.shape.quads / 2, true);
        send_edges(shared, mine, m, columns, 1, ++times);
#pragma unroll 1
        for (at.half_sweep = 0; at.half_sweep < 2 * step.own.sweeps; at.half_sweep++) {
            const uint32_t parity = at.half_sweep % 2;
            receive_edges(shared, above, below, m, columns, !parity, times);
            flip_strips<LATTICE, RNG_INDEPENDENT, MACHINE_LANES, 0, 1>(k, step, at);
            send_edges(shared, mine, m, columns, parity, ++times);
            flip_strips<LATTICE, RNG_INDEPENDENT, MACHINE_LANES, 1, SLAB_EACH>(k, step, at);
        }
        __syncthreads();
        copy_slab(shared, child, m, step.own.shape.quads / 2, false);
        __syncthreads();
    }
}

static inline size_t slab_shared_bytes(uint32_t size, uint32_t rows) {
    return boards_behind(slab_bytes(size, rows)) + MOST_THREADS / 32 * sizeof(point_board<2>);
}

/* Returns how lattices are cut for `blocks` blocks with so much shared memory each; 0 slabs: they
 * cannot be cut. Slabs consist of whole groups of strips. A block updates the groups at both
 * boundaries in one turn. */
static inline slab_cut cut_lattice(const lattice_shape &shape, uint32_t blocks,
                                   size_t shared_limit) {
    const uint32_t size = shape.edge[0], columns = size / 2, all_rows = shape.edge[1] / STRIP_ROWS,
                   most_strips = SLAB_EACH * MOST_THREADS;
    uint32_t unit = 1, most = 0;
    while (unit * columns % 32)
        unit++;
    while ((most + unit) * columns <= most_strips &&
           slab_shared_bytes(size, most + unit) <= shared_limit)
        most += unit;
    if (most == 0 || 2 * columns > MOST_THREADS)
        return slab_cut{};
    const uint32_t at_least = (all_rows + most - 1) / most;
    slab_cut cut;
    cut.rows = ((all_rows + at_least - 1) / at_least + unit - 1) / unit * unit;
    cut.slabs = (all_rows + cut.rows - 1) / cut.rows;
    cut.lattices = blocks / cut.slabs;
    return cut.lattices ? cut : slab_cut{};
}

#endif
