/* Hits of tiles of vectors in shared memory, for one kind of components: REAL and OF are those of engine/vector_math.h.
 *
 * A block has a tile, or some small ones, with a border of one site, [n][2][layers][rows][columns] each, and a thread a pair of sites
 * of each sub-lattice, whose spins it keeps in registers. k hits take 8 n bytes of traffic a site, for floats, and the border.
 *
 * Tiles of USUAL_TILE in two dimensions have kernels of their own, T, in which all places of a thread are two addresses and numbers
 * that the compiler knows; T = 0 has tiles of any size. */

#define MOST_TILE_BYTES   49152 /* of shared memory, that any GPU has without being asked */
#define MOST_TILE_THREADS 512
#define USUAL_TILE        16
#define USUAL_TILE_BLOCKS                                                                          \
    (sizeof(REAL) == 4 ? 8 : 5) /* of a multiprocessor at least, whose registers they fill */
#define FEW_TILE_THREADS                                                                           \
    128 /* of a block with several tiles: a tile of 8 x 8 alone has half a warp */

/* Sites of a sub-lattice of the tile in a row: x / 2 + 2 is an even place for the first site of a pair. Rows; layers. */
struct tile_shape {
    uint32_t columns, rows, layers;
};

/* With 24 columns the rows of a usual tile that half a warp reads have banks of their own. */
static __host__ __device__ __forceinline__ tile_shape shape_of(uint32_t t, uint32_t D) {
    return tile_shape{D == 2 && t == USUAL_TILE ? 24 : t / 2 + 4, t + 2, D == 3 ? t + 2 : 1};
}

static __host__ __device__ __forceinline__ uint32_t sites_of(const tile_shape &s) {
    return s.columns * s.rows * s.layers;
}

/* The pairs of a sub-lattice of the tile itself: its threads, threadIdx.x. */
static __host__ __device__ __forceinline__ uint32_t tile_pairs(uint32_t t, uint32_t D) {
    return D == 3 ? t * t * t / 4 : t * t / 4;
}

/* The tiles of a block, threadIdx.y. */
static __host__ __device__ __forceinline__ uint32_t tiles_of_block(uint32_t pairs) {
    return pairs < FEW_TILE_THREADS ? FEW_TILE_THREADS / pairs : 1;
}

/* Those of a colour of a lattice, and the blocks that have them. */
static __host__ __device__ __forceinline__ uint32_t tiles_of_colour(const vector_request &r,
                                                                    uint32_t pairs) {
    return r.lattice.sites / pairs / 8;
}

static __host__ __device__ __forceinline__ uint32_t tile_blocks(const vector_request &r,
                                                                uint32_t pairs) {
    return (tiles_of_colour(r, pairs) - 1) / tiles_of_block(pairs) + 1;
}

static size_t tile_bytes(const vector_request &r) {
    return (size_t)2 * sites_of(shape_of(r.plan.tile, r.lattice.dimension)) * r.lattice.components *
           sizeof(REAL) * tiles_of_block(tile_pairs(r.plan.tile, r.lattice.dimension));
}

/* Whether there is a kernel: rows have whole pairs, and a tile that is the whole lattice has no border. */
static bool tiles_fit(const vector_request &r) {
    return r.plan.tile % 4 == 0 && r.plan.tile < r.lattice.edge[0] &&
           tile_bytes(r) <= MOST_TILE_BYTES &&
           tile_pairs(r.plan.tile, r.lattice.dimension) <= MOST_TILE_THREADS;
}

/* The edge of a tile. */
template <uint32_t T>
static __device__ __forceinline__ uint32_t tile_edge(const vector_request &r) {
    return T > 0 ? T : r.plan.tile;
}

/* The corner of tile number i among those of the stage's colour. */
template <uint32_t D, uint32_t T>
static __device__ __forceinline__ uint3 corner_of(const vector_request &r, uint32_t i) {
    const uint32_t t = tile_edge<T>(r), half = r.lattice.edge[0] / t / 2,
                   ny = r.lattice.edge[1] / t, y = i / half % ny, z = D == 3 ? i / half / ny : 0;
    return make_uint3((2 * (i % half) + ((y + z + r.stage.colour) & 1)) * t, y * t, z * t);
}

/* Copies a tile with the sites beside it from the lattice. Sites of the border count from 0, those of the tile from 1. Corners of
 * the border are left out: other tiles of the colour write them. */
template <uint32_t n, uint32_t D, uint32_t T>
static __device__ __forceinline__ void load_tile(const vector_request &r, const REAL *spins,
                                                 const uint3 &corner, REAL *tile) {
    const vector_lattice &l = r.lattice;
    const uint32_t t = tile_edge<T>(r), lx = l.edge[0], ly = l.edge[1], lz = l.edge[2];
    const tile_shape shape = shape_of(t, D);
    for (uint32_t i = threadIdx.x; i < 2 * sites_of(shape); i += blockDim.x) {
        const uint32_t parity = i / sites_of(shape), column = i % shape.columns,
                       y = i / shape.columns % shape.rows,
                       z = D == 3 ? i / shape.columns / shape.rows % shape.layers : 1,
                       x = 2 * column + ((parity + y + z) & 1) - 3; /* more than t of none */
        const bool out_x = x == 0 || x == t + 1, out_y = y == 0 || y == t + 1,
                   out_z = z == 0 || z == t + 1;
        if (x > t + 1 || out_x + out_y + out_z > 1)
            continue;
        const uint32_t at_x = (corner.x + x + lx - 1) % lx, at_y = (corner.y + y + ly - 1) % ly,
                       at_z = D == 3 ? (corner.z + z + lz - 1) % lz : 0;
        store<n>(tile + i, 2 * sites_of(shape),
                 load<n>(spins + parity * (l.sites / 2) + (at_z * ly + at_y) * (lx / 2) + at_x / 2,
                         l.sites));
    }
}

/* What a thread updates: a pair of either sub-lattice. */
struct tile_pair {
    uint32_t at;   /* its place in a component of its sub-lattice in shared memory */
    bool odd;      /* x & 1 */
    uint32_t site; /* the number of the first site (couplings.h) */
    uint32_t j;    /* in the sub-lattice of the lattice */
};

template <uint32_t D, uint32_t T>
static __device__ __forceinline__ tile_pair pair_of_thread(const vector_request &r,
                                                           const uint3 &corner, uint32_t parity) {
    const vector_lattice &l = r.lattice;
    const uint32_t t = tile_edge<T>(r), quarter = t / 4, column = 2 * (threadIdx.x % quarter),
                   y = threadIdx.x / quarter % t, z = D == 3 ? threadIdx.x / quarter / t : 0,
                   odd = (y + z + parity) & 1, row = (corner.z + z) * l.edge[1] + corner.y + y;
    const tile_shape shape = shape_of(t, D);
    return tile_pair{((D == 3 ? z + 1 : 0) * shape.rows + y + 1) * shape.columns + column + 2,
                     odd == 1, row * l.edge[0] + corner.x + 2 * column + odd,
                     row * (l.edge[0] / 2) + corner.x / 2 + column};
}

/* A place in shared memory. Of usual tiles the thread gets it from itself, so that the compiler keeps the sum in a register: it would
 * make it anew for each half of a hit, by ten instructions. */
template <uint32_t T> static __device__ __forceinline__ REAL *kept(REAL *place) {
    if (T == 0)
        return place;
    const uint32_t lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32,
                   at = __shfl_sync(0xffffffffu, (uint32_t)__cvta_generic_to_shared(place), lane);
    return (REAL *)__cvta_shared_to_generic(at);
}

/* Where a thread has its spins of a sub-lattice in shared memory, and the neighbour of these in the row that is no neighbour of both. */
struct pair_place {
    REAL *own;
    const REAL *beside;
};

/* Updates the thread's pair of a sub-lattice; the other one has as many sites apart. */
template <uint32_t n, uint32_t D, vector_move MOVE, uint32_t T>
static __device__ __forceinline__ void hit_half(const vector_request &r, const pair_place &place,
                                                const REAL *across, const tile_pair &pair,
                                                const ssc_moment &moment, OF(spin) s[2]) {
    const tile_shape shape = shape_of(tile_edge<T>(r), D);
    const uint32_t apart = 2 * sites_of(shape), layer = shape.columns * shape.rows;
    pair_neighbours<D> at = {
        across, place.beside, {across + shape.columns, across - shape.columns}};
    if (D == 3) {
        at.rows[2 * D - 4] = across + layer;
        at.rows[2 * D - 3] = across - layer;
    }
    OF(spin) h[2];
    fields_of<n, D>(at, apart, pair.odd, h);
    s[0] = moved<n, MOVE>(r, pair.site, s[0], h[0], moment);
    s[1] = moved<n, MOVE>(r, pair.site + 2, s[1], h[1], moment);
    store_pair<n>(place.own, apart, s);
}

template <uint32_t n, uint32_t D, vector_move MOVE, uint32_t T>
static __global__ void __launch_bounds__(T > 0 ? FEW_TILE_THREADS : MOST_TILE_THREADS,
                                         T > 0 ? USUAL_TILE_BLOCKS : 1)
    hit_tiles(const __grid_constant__ vector_request r) {
    extern __shared__ uint4 shared[];
    const uint32_t blocks = tile_blocks(r, blockDim.x), k = blockIdx.x / blocks,
                   number = blockIdx.x % blocks * blockDim.y + threadIdx.y,
                   replica = r.first_replica + k, first = r.stage.odd_first,
                   all = sites_of(shape_of(tile_edge<T>(r), D));
    if (!has_replica(r, k))
        return;
    const bool is_there = number < tiles_of_colour(r, blockDim.x);
    REAL *const spins = (REAL *)r.spins + (uint64_t)k * r.lattice.sites * n;
    REAL *const tile = (REAL *)shared + threadIdx.y * 2 * n * all;
    const uint3 corner = corner_of<D, T>(r, number);
    if (is_there)
        load_tile<n, D, T>(r, spins, corner, tile);
    __syncthreads();
    tile_pair pair[2];
    pair_place place[2];
    OF(spin) s[2][2];
#pragma unroll
    for (uint32_t half = 0; half < 2; half++) {
        pair[half] = pair_of_thread<D, T>(r, corner, first ^ half);
        REAL *const own = tile + pair[half].at;
        place[half] =
            pair_place{kept<T>(own + (first ^ half) * all),
                       kept<T>(own + (1 - (first ^ half)) * all + (pair[half].odd ? 2 : -1))};
        if (is_there)
            load_pair<n>(place[half].own, 2 * all, s[half]);
    }
    for (uint32_t hit = r.stage.first; hit < r.stage.end; hit++) {
        const ssc_moment moment = ssc_moment_of(&r.keys, replica, r.sweep + hit);
#pragma unroll
        for (uint32_t half = 0; half < 2; half++) {
            if (is_there)
                hit_half<n, D, MOVE, T>(r, place[half], place[1 - half].own, pair[half], moment,
                                        s[half]);
            __syncthreads();
        }
    }
#pragma unroll
    for (uint32_t half = 0; half < 2; half++)
        if (is_there)
            store_pair<n>(spins + (first ^ half) * (r.lattice.sites / 2) + pair[half].j,
                          r.lattice.sites, s[half]);
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static void launch_tiles(const vector_launch &l) {
    const uint32_t pairs = tile_pairs(l.r.plan.tile, D);
    const auto kernel = D == 2 && l.r.plan.tile == USUAL_TILE ? hit_tiles < n, D, MOVE,
               D == 2 ? USUAL_TILE : 0 > : hit_tiles<n, D, MOVE, 0>;
    kernel<<<(unsigned)(l.replicas * tile_blocks(l.r, pairs)), dim3(pairs, tiles_of_block(pairs)),
             tile_bytes(l.r), l.p->stream>>>(l.r);
}
