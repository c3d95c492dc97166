/* Multi-spin coding on the device: the sweeps of mode `independent` for lattices that are too large for one block.
 *
 * A lattice is cut into slabs of whole rows of strips, one for each block, which keeps it in shared memory for all
 * sweeps. After each half sweep a slab's first and last row of sites go to the slabs above and below it, through device
 * memory: first the strips at these edges are updated, then the rows are sent, then the other strips are updated, while
 * the rows are on their way. All blocks must be at work at a time: the launch is a cooperative one. */
#ifndef PAISING_CUDA_MSC_SLABS_CUH
#define PAISING_CUDA_MSC_SLABS_CUH

#include "msc_flips.cuh"

#define SLAB_EACH  2  /* strips of a thread */
#define SENT_WORDS 32 /* from one count of sent edges to the next: a line of the cache */

/* How lattices are cut, and how many are at work at a time. */
struct slab_cut {
    uint32_t slabs, rows; /* of a lattice, and rows of strips of a slab, the last of which may have fewer */
    uint32_t lattices;
};

/* What a slab sends: of each sub-lattice its first and its last row of sites, [2][2][columns]; and how often it has. */
struct slab_post {
    uint32_t *rows, *sent;
};

static __device__ __forceinline__ slab_post post_of(const msc_step &step, slab_cut cut, uint32_t lattice,
                                                    uint32_t slab) {
    const uint32_t n = lattice * cut.slabs + slab, columns = step.size / 2;
    uint32_t *const all = (uint32_t *)step.scratch;
    return slab_post{all + cut.lattices * cut.slabs * SENT_WORDS + n * 4 * columns, all + n * SENT_WORDS};
}

/* A block's slab in shared memory: of each sub-lattice its quads, then the row of sites above and the one below it. */
struct slab_memory {
    uint32_t rows;       /* of strips */
    uint32_t first;      /* strip of the lattice */
    uint32_t quad_bytes; /* of a sub-lattice */
    strip_distances distances;
};

static __host__ __device__ __forceinline__ uint32_t slab_quad_bytes(uint32_t size, uint32_t rows) {
    return rows * size * (uint32_t)sizeof(uint4);
}
static __host__ __device__ __forceinline__ uint32_t slab_bytes(uint32_t size, uint32_t rows) {
    return 2 * (slab_quad_bytes(size, rows) + size * (uint32_t)sizeof(uint32_t));
}

/* The strip of a thread in turn n: groups of strips with the first or the last row come before the others. */
static __device__ __forceinline__ uint32_t slab_strip(const slab_memory &m, uint32_t columns, uint32_t n) {
    const uint32_t strips = m.rows * columns, groups = (strips + 31) / 32;
    const uint32_t inner = min((columns + 31) / 32, groups), last = max(inner, (strips - columns) / 32);
    const uint32_t turn = n * (blockDim.x / 32) + threadIdx.x / 32, edges = inner + groups - last;
    const uint32_t group = turn < inner ? turn : turn < edges ? turn - inner + last : turn - edges + inner;
    const uint32_t strip = group * 32 + threadIdx.x % 32;
    return turn < groups && strip < strips ? strip : NO_STRIP;
}

static __device__ __forceinline__ strip_place place_in_slab(const slab_memory &m, uint32_t columns, uint32_t number) {
    const uint32_t strip = number == NO_STRIP ? 0 : number, row = strip / columns, column = strip % columns;
    strip_place s = place_in_row(number, row * 2 * columns * (uint32_t)sizeof(uint4), column, columns);
    const uint32_t above = m.quad_bytes + column * (uint32_t)sizeof(uint32_t);
    s.above = kept(row ? s.above : above);
    s.below = kept(row + 1 < m.rows ? s.below : above + columns * (uint32_t)sizeof(uint32_t));
    return s;
}

/* Copies a slab between shared and device memory. */
static __device__ __forceinline__ void copy_slab(void *shared, uint4 *lattice, const slab_memory &m, uint32_t size,
                                                 bool load) {
    const uint32_t quads = m.quad_bytes / sizeof(uint4);
    for (uint32_t n = threadIdx.x; n < 2 * quads; n += blockDim.x) {
        const uint32_t parity = n >= quads, at = n - parity * quads;
        uint4 *const here = quad_at(shared, parity * m.distances.odd_sites) + at;
        uint4 *const there = lattice + parity * (size * size / 8) + m.first * 2 + at;
        if (load)
            *here = *there;
        else
            *there = *here;
    }
}

/* Sends the edges of a sub-lattice; called by all threads when they are updated. */
static __device__ __forceinline__ void send_edges(void *shared, slab_post post, const slab_memory &m,
                                                  uint32_t columns, uint32_t parity, uint32_t times) {
    const uint32_t last = m.quad_bytes - columns * (uint32_t)sizeof(uint4) + 3 * (uint32_t)sizeof(uint32_t);
    __syncthreads();
    for (uint32_t n = threadIdx.x; n < 2 * columns; n += blockDim.x) {
        const uint32_t below = n >= columns, column = n - below * columns;
        const uint32_t at = parity * m.distances.odd_sites + column * (uint32_t)sizeof(uint4) + (below ? last : 0);
        __stcg(&post.rows[parity * 2 * columns + n], *word_at(shared, at));
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile uint32_t *)post.sent = times;
}

/* Takes the neighbours' edges of a sub-lattice when they have sent so often. */
static __device__ __forceinline__ void receive_edges(void *shared, slab_post above, slab_post below,
                                                     const slab_memory &m, uint32_t columns, uint32_t parity,
                                                     uint32_t times) {
    if (threadIdx.x < 2) {
        const uint32_t *const sent = threadIdx.x ? below.sent : above.sent;
        while ((int32_t)(*(const volatile uint32_t *)sent - times) < 0)
            ;
        __threadfence();
    }
    __syncthreads();
    for (uint32_t n = threadIdx.x; n < 2 * columns; n += blockDim.x) {
        const uint32_t is_below = n >= columns, column = n - is_below * columns;
        /* The last row of the slab above, the first of the one below. */
        const uint32_t *const from = is_below ? below.rows + parity * 2 * columns : above.rows + (parity * 2 + 1) * columns;
        *word_at(shared, parity * m.distances.odd_sites + m.quad_bytes + n * (uint32_t)sizeof(uint32_t)) =
            __ldcg(&from[column]);
    }
    __syncthreads();
}

/* The sweeps of a step. A block makes its slab of a lattice, and then of those that are as far on as there are
 * lattices at work. */
static __global__ void __launch_bounds__(MOST_THREADS)
    sweep_slabs(const __grid_constant__ msc_step step, const __grid_constant__ slab_cut cut) {
    extern __shared__ uint4 shared[];
    const uint32_t size = step.size, columns = size / 2, all_rows = size / STRIP_ROWS;
    const uint32_t slab = blockIdx.x % cut.slabs, lattice = blockIdx.x / cut.slabs;
    const slab_post mine = post_of(step, cut, lattice, slab),
                    above = post_of(step, cut, lattice, (slab + cut.slabs - 1) % cut.slabs),
                    below = post_of(step, cut, lattice, (slab + 1) % cut.slabs);
    slab_memory m;
    m.rows = min(cut.rows, all_rows - slab * cut.rows);
    m.first = slab * cut.rows * columns;
    m.quad_bytes = slab_quad_bytes(size, m.rows);
    m.distances = strip_distances{slab_bytes(size, m.rows) / 2, columns * (uint32_t)sizeof(uint4)};
    sweep_place at = {0, 0, shared, shared, m.distances, place_on_board(slab_bytes(size, m.rows), step.points.group)};
    const uint64_t words = words_at_hand(step);
    uint32_t times = 0; /* that edges were sent */
    take_hits(shared, at.board);

    for (uint64_t w = lattice; w < words; w += cut.lattices) {
        uint4 *const child = (uint4 *)step.children + w * (size * size / 4);
        kept_strips<SLAB_EACH> k;
#pragma unroll
        for (uint32_t n = 0; n < SLAB_EACH; n++) {
            const uint32_t strip = slab_strip(m, columns, n);
            k.place[n] = place_in_slab(m, columns, strip);
            k.group[n] = kept(strip == NO_STRIP ? 0 : strips_of_group(step.points, size * size / 16, m.first + strip));
            k.stream[n] = seeded_stream(step, m.first + strip, step.first_word + (uint32_t)w);
        }
        copy_slab(shared, child, m, size, true);
        send_edges(shared, mine, m, columns, 1, ++times);
#pragma unroll 1
        for (at.half_sweep = 0; at.half_sweep < 2 * step.sweeps; at.half_sweep++) {
            const uint32_t parity = at.half_sweep % 2;
            receive_edges(shared, above, below, m, columns, !parity, times);
            flip_strips<RNG_INDEPENDENT, MACHINE_LANES, 0, 1>(k, step, at);
            send_edges(shared, mine, m, columns, parity, ++times);
            flip_strips<RNG_INDEPENDENT, MACHINE_LANES, 1, SLAB_EACH>(k, step, at);
        }
        __syncthreads();
        copy_slab(shared, child, m, size, false);
        __syncthreads();
    }
}

static inline size_t slab_shared_bytes(uint32_t size, uint32_t rows) {
    return slab_bytes(size, rows) + MOST_THREADS / 32 * sizeof(point_board);
}

/* How lattices of an edge are cut for so many blocks at a time with so much shared memory each; no slabs: they cannot
 * be. Slabs are of whole groups of strips, and the groups at both edges are those of one turn of a block. */
static inline slab_cut cut_lattice(uint32_t size, uint32_t blocks, size_t shared_limit) {
    const uint32_t columns = size / 2, all_rows = size / STRIP_ROWS, most_strips = SLAB_EACH * MOST_THREADS;
    uint32_t unit = 1, most = 0;
    while (unit * columns % 32)
        unit++;
    while ((most + unit) * columns <= most_strips && slab_shared_bytes(size, most + unit) <= shared_limit)
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
