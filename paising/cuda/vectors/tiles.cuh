/* Hits of tiles of vectors in shared memory, for one kind of components: REAL and OF are those of engine/vector_math.h.
 *
 * A block has a tile with a border of one site, [n][2][layers][rows][columns], and a thread one site of each sub-lattice, whose
 * spins it keeps in registers. k hits take 8 n bytes of traffic a site, for floats, and the border. */

#define MOST_TILE_BYTES   49152 /* of shared memory, that any GPU has without being asked */
#define MOST_TILE_THREADS 512

/* Sites of a sub-lattice of the tile in a row, with its border; rows; layers. */
struct tile_shape {
    uint32_t columns, rows, layers;
};

static __host__ __device__ __forceinline__ tile_shape shape_of(uint32_t t, uint32_t D) {
    return tile_shape{t / 2 + 1, t + 2, D == 3 ? t + 2 : 1};
}

static __host__ __device__ __forceinline__ uint32_t sites_of(const tile_shape &s) {
    return s.columns * s.rows * s.layers;
}

/* The sites of a sub-lattice of the tile itself: its threads. */
static __host__ __device__ __forceinline__ uint32_t tile_sites(uint32_t t, uint32_t D) {
    return D == 3 ? t * t * t / 2 : t * t / 2;
}

static size_t tile_bytes(const vector_request &r) {
    return (size_t)2 * sites_of(shape_of(r.plan.tile, r.lattice.dimension)) * r.lattice.components *
           sizeof(REAL);
}

/* Whether there is a kernel: a tile that is the whole lattice has no border. */
static bool tiles_fit(const vector_request &r) {
    return r.plan.tile < r.lattice.edge[0] && tile_bytes(r) <= MOST_TILE_BYTES &&
           tile_sites(r.plan.tile, r.lattice.dimension) <= MOST_TILE_THREADS;
}

/* The corner of tile number i among those of the stage's colour. */
template <uint32_t D>
static __device__ __forceinline__ uint3 corner_of(const vector_request &r, uint32_t i) {
    const uint32_t t = r.plan.tile, half = r.lattice.edge[0] / t / 2, ny = r.lattice.edge[1] / t,
                   y = i / half % ny, z = D == 3 ? i / half / ny : 0;
    return make_uint3((2 * (i % half) + ((y + z + r.stage.colour) & 1)) * t, y * t, z * t);
}

/* Copies a tile with the sites beside it from the lattice. Sites of the border count from 0, those of the tile from 1. Corners of
 * the border are left out: other tiles of the colour write them. */
template <uint32_t n, uint32_t D>
static __device__ __forceinline__ void load_tile(const vector_request &r, const REAL *spins,
                                                 const uint3 &corner, REAL *tile) {
    const vector_lattice &l = r.lattice;
    const uint32_t t = r.plan.tile;
    const tile_shape shape = shape_of(t, D);
    for (uint32_t i = threadIdx.x; i < 2 * sites_of(shape); i += blockDim.x) {
        const uint32_t parity = i / sites_of(shape), column = i % shape.columns,
                       y = i / shape.columns % shape.rows,
                       z = D == 3 ? i / shape.columns / shape.rows % shape.layers : 1,
                       x = 2 * column + ((parity + y + z + 1) & 1);
        const bool out_x = x == 0 || x == t + 1, out_y = y == 0 || y == t + 1,
                   out_z = z == 0 || z == t + 1;
        if (out_x + out_y + out_z > 1)
            continue;
        const uint32_t lx = l.edge[0], ly = l.edge[1], lz = l.edge[2],
                       at_x = (corner.x + x + lx - 1) % lx, at_y = (corner.y + y + ly - 1) % ly,
                       at_z = D == 3 ? (corner.z + z + lz - 1) % lz : 0;
        store<n>(tile + i, 2 * sites_of(shape),
                 load<n>(spins + parity * (l.sites / 2) + (at_z * ly + at_y) * (lx / 2) + at_x / 2,
                         l.sites));
    }
}

/* What a thread updates: a site of either sub-lattice. */
struct tile_site {
    uint32_t at;    /* its place in a component of its sub-lattice in shared memory */
    uint32_t right; /* x & 1, counted with the border */
    uint32_t site;  /* its number (couplings.h) */
    uint32_t j;     /* in the sub-lattice of the lattice */
};

template <uint32_t D>
static __device__ __forceinline__ tile_site site_of_thread(const vector_request &r,
                                                           const uint3 &corner, uint32_t parity) {
    const vector_lattice &l = r.lattice;
    const tile_shape shape = shape_of(r.plan.tile, D);
    const uint32_t half = r.plan.tile / 2, m = threadIdx.x % half,
                   y = threadIdx.x / half % r.plan.tile,
                   z = D == 3 ? threadIdx.x / half / r.plan.tile : 0,
                   x = 2 * m + ((y + z + parity) & 1) + 1,
                   row = (corner.z + z) * l.edge[1] + corner.y + y;
    const uint32_t at = ((D == 3 ? z + 1 : 0) * shape.rows + y + 1) * shape.columns + x / 2;
    return tile_site{at, x & 1, row * l.edge[0] + corner.x + x - 1,
                     row * (l.edge[0] / 2) + (corner.x + x - 1) / 2};
}

/* The sum of the neighbours in shared memory: `others` is their sub-lattice. */
template <uint32_t n, uint32_t D>
static __device__ __forceinline__ OF(spin)
    field_in_tile(const tile_shape &shape, const REAL *others, const tile_site &s) {
    const uint32_t apart = 2 * sites_of(shape), layer = shape.columns * shape.rows;
    const REAL *const at = others + s.at;
    OF(spin) h = load<n>(at + s.right, apart);
    h = OF(sum)(h, load<n>(at + s.right - 1, apart));
    h = OF(sum)(h, load<n>(at + shape.columns, apart));
    h = OF(sum)(h, load<n>(at - shape.columns, apart));
    if (D == 3) {
        h = OF(sum)(h, load<n>(at + layer, apart));
        h = OF(sum)(h, load<n>(at - layer, apart));
    }
    return h;
}

/* Updates the thread's site of a sub-lattice. */
template <uint32_t n, uint32_t D, vector_move MOVE>
static __device__ __forceinline__ void hit_half(const vector_request &r, REAL *tile,
                                                uint32_t parity, const tile_site &site,
                                                const ssc_moment &moment, OF(spin) * s) {
    const tile_shape shape = shape_of(r.plan.tile, D);
    const OF(spin) h = field_in_tile<n, D>(shape, tile + (1 - parity) * sites_of(shape), site);
    const vector_numbers of = {&r.keys, moment, r.temperature, site.site};
    *s = OF(updated)(n, MOVE == HEAT_BATH, (REAL)r.rule.beta, *s, h, &of);
    store<n>(tile + parity * sites_of(shape) + site.at, 2 * sites_of(shape), *s);
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static __global__ void __launch_bounds__(MOST_TILE_THREADS)
    hit_tiles(const __grid_constant__ vector_request r) {
    extern __shared__ uint4 shared[];
    REAL *const tile = (REAL *)shared;
    const uint32_t threads = tile_sites(r.plan.tile, D), tiles = r.lattice.sites / threads / 4,
                   k = blockIdx.x / tiles, replica = r.first_replica + k, first = r.stage.odd_first;
    if (!has_replica(r, k))
        return;
    REAL *const spins = (REAL *)r.spins + (uint64_t)k * r.lattice.sites * n;
    const uint3 corner = corner_of<D>(r, blockIdx.x % tiles);
    const tile_shape shape = shape_of(r.plan.tile, D);
    load_tile<n, D>(r, spins, corner, tile);
    __syncthreads();
    const bool is_there = threadIdx.x < threads;
    tile_site site[2];
    OF(spin) s[2];
    for (uint32_t half = 0; half < 2 && is_there; half++) {
        site[half] = site_of_thread<D>(r, corner, first ^ half);
        s[half] =
            load<n>(tile + (first ^ half) * sites_of(shape) + site[half].at, 2 * sites_of(shape));
    }
    for (uint32_t hit = r.stage.first; hit < r.stage.end; hit++) {
        const ssc_moment moment = ssc_moment_of(&r.keys, replica, r.sweep + hit);
#pragma unroll
        for (uint32_t half = 0; half < 2; half++) {
            if (is_there)
                hit_half<n, D, MOVE>(r, tile, first ^ half, site[half], moment, &s[half]);
            __syncthreads();
        }
    }
    for (uint32_t half = 0; half < 2 && is_there; half++)
        store<n>(spins + (first ^ half) * (r.lattice.sites / 2) + site[half].j, r.lattice.sites,
                 s[half]);
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static void launch_tiles(const vector_launch &l) {
    const uint32_t sites = tile_sites(l.r.plan.tile, D);
    hit_tiles<n, D, MOVE><<<(unsigned)(l.replicas * (l.r.lattice.sites / sites / 4)),
                            (sites + 31) / 32 * 32, tile_bytes(l.r), l.p->stream>>>(l.r);
}
