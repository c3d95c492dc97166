/* Hits of tiles in shared memory (visits.cu). */
#ifndef PAISING_CUDA_SSC_TILES_CUH
#define PAISING_CUDA_SSC_TILES_CUH

#include "cuda/ssc/attempts.cuh"

#define MOST_TILE_BYTES   49152 /* of shared memory, that any GPU has without being asked */
#define MOST_TILE_THREADS 1024

/* Words of a tile's sub-lattice: in a row, with one at either end; rows, with one at either side; layers likewise. */
struct tile_shape {
    uint32_t words, rows, layers;
};

static __host__ __device__ __forceinline__ tile_shape shape_of(uint32_t t, uint32_t dimension) {
    return tile_shape{t / 8 + 2, t + 2, dimension == 3 ? t + 2 : 1};
}

static __host__ __device__ __forceinline__ uint32_t words_of(const tile_shape &s) {
    return s.words * s.rows * s.layers;
}

/* The corner of tile n among those of the stage's colour. */
struct tile_corner {
    uint32_t x, y, z;
};

template <uint32_t DIMENSION>
static __device__ __forceinline__ tile_corner corner_of(const visit_sweep &c, uint32_t n) {
    const uint32_t t = c.plan.tile, half = c.edge[0] / t / 2, ny = c.edge[1] / t, y = n / half % ny,
                   z = n / half / ny;
    return tile_corner{(2 * (n % half) + ((y + z + c.stage.colour) & 1)) * t, y * t, z * t};
}

/* Copies a tile with its border from the lattice. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ void load_tile(const visit_sweep &c, const uint8_t *lattice,
                                                 const tile_corner &corner, uint32_t *tile) {
    const tile_shape s = shape_of(c.plan.tile, DIMENSION);
    const uint32_t quads = c.edge[0] / 8, ly = c.edge[1], lz = c.edge[2];
    for (uint32_t n = threadIdx.x; n < 2 * words_of(s); n += blockDim.x) {
        const uint32_t w = n % s.words, row = n / s.words % s.rows,
                       layer = n / s.words / s.rows % s.layers, parity = n / words_of(s);
        const uint32_t x = (corner.x / 8 + w + quads - 1) % quads,
                       y = (corner.y + row + ly - 1) % ly,
                       z = DIMENSION == 3 ? (corner.z + layer + lz - 1) % lz : 0;
        tile[n] = ((const uint32_t *)(lattice + parity * c.half_bytes))[(z * ly + y) * quads + x];
    }
}

/* What a thread updates: a quad of either sub-lattice, at the same place in both. */
struct tile_quad {
    bool exists;
    uint32_t at;        /* its word in shared memory */
    uint32_t odd;       /* parity of its row */
    uint32_t index;     /* in the sub-lattice of the lattice */
    ssc_place place[2]; /* by sub-lattice */
};

template <uint32_t DIMENSION>
static __device__ __forceinline__ tile_quad quad_of_thread(const visit_sweep &c,
                                                           const tile_corner &corner) {
    const tile_shape s = shape_of(c.plan.tile, DIMENSION);
    const uint32_t t = c.plan.tile, columns = t / 8, w = threadIdx.x % columns,
                   y = threadIdx.x / columns % t,
                   z = DIMENSION == 3 ? threadIdx.x / columns / t : 0;
    tile_quad q = {threadIdx.x < columns * t * (DIMENSION == 3 ? t : 1)};
    q.at = ((DIMENSION == 3 ? z + 1 : 0) * s.rows + y + 1) * s.words + w + 1;
    q.odd = (y + z) & 1;
    q.index = ((corner.z + z) * c.edge[1] + corner.y + y) * (c.edge[0] / 8) + corner.x / 8 + w;
    for (uint32_t parity = 0; parity < 2; parity++)
        q.place[parity] = ssc_place_of(&c.keys, parity * (c.sites / 8) + q.index, c.temperature);
    return q;
}

/* Updates a sub-lattice of the tile. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ void hit_half(const visit_sweep &c, const decisions &by,
                                                const tile_quad &q, const ssc_moment &moment,
                                                uint32_t parity, uint32_t *tile) {
    const tile_shape s = shape_of(c.plan.tile, DIMENSION);
    const uint32_t layer = s.words * s.rows;
    uint32_t *const own = tile + parity * words_of(s) + q.at;
    const uint32_t *const others = tile + (1 - parity) * words_of(s) + q.at;
    if (!q.exists)
        return;
    uint32_t ups = *others + beside(*others, others[-1], others[1], q.odd ^ parity) +
                   *(others - s.words) + others[s.words];
    if (DIMENSION == 3)
        ups += *(others - layer) + others[layer];
    const stream_block numbers = ssc_numbers(&c.keys, q.place[parity], moment);
    *own = attempted<DIMENSION>(by, *own, ups, 0x01010101u, numbers);
}

/* Thresholds are rounded anew every ROUNDING_SWEEPS sweeps. */
template <uint32_t DIMENSION>
static __global__ void __launch_bounds__(MOST_TILE_THREADS)
    hit_tiles(const __grid_constant__ visit_sweep c) {
    extern __shared__ uint32_t tile[]; /* [2][layers][rows][words] */
    __shared__ decisions by;
    const uint32_t t = c.plan.tile,
                   tiles = c.sites / (DIMENSION == 3 ? t * t * t : t * t) / 2, /* of a colour */
        k = blockIdx.x / tiles, replica = c.first_replica + k, first = c.stage.odd_first;
    if (!has_replica(c, k))
        return;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes);
    const tile_corner corner = corner_of<DIMENSION>(c, blockIdx.x % tiles);
    const tile_quad quad = quad_of_thread<DIMENSION>(c, corner);
    load_tile<DIMENSION>(c, lattice, corner, tile);
    for (uint32_t hit = c.stage.first; hit < c.stage.end; hit++) {
        const uint32_t sweep = c.sweep + hit;
        const ssc_moment moment = ssc_moment_of(&c.keys, replica, sweep);
        if (threadIdx.x == 0 && (hit == c.stage.first || sweep % ROUNDING_SWEEPS == 0))
            by = decisions_of<DIMENSION>(c, replica, sweep);
        __syncthreads();
        hit_half<DIMENSION>(c, by, quad, moment, first, tile);
        __syncthreads();
        hit_half<DIMENSION>(c, by, quad, moment, 1 - first, tile);
        __syncthreads();
    }
    for (uint32_t parity = 0; parity < 2 && quad.exists; parity++)
        ((uint32_t *)(lattice + parity * c.half_bytes))[quad.index] =
            tile[parity * words_of(shape_of(t, DIMENSION)) + quad.at];
}

#endif
