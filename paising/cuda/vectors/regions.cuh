/* A sweep that reads and writes each spin of a square lattice once, for one kind of components: REAL and OF are those of
 * engine/vector_math.h.
 *
 * A block has a region of the lattice with two sites more on each side in shared memory. It updates the even sites of the region and of
 * one site more on each side, which its neighbours make as well, with the same numbers. Then it updates the odd sites. Spins go to
 * another array, since other blocks still read the old ones. 8 n bytes of traffic a site, for floats, and a fifth of what is read again. */

#define REGION_THREADS 256
#define REGION_X       64
#define REGION_Y       (sizeof(REAL) == 8 ? 16 : 32)

/* Rows, and sites of a sub-lattice in a row, with those beside the region. */
#define REGION_ROWS    (REGION_Y + 4)
#define REGION_COLUMNS (REGION_X / 2 + 2)
#define REGION_SITES   (REGION_ROWS * REGION_COLUMNS)

static bool regions_fit(const vector_lattice &l) {
    return l.dimension == 2 && !l.couplings && l.edge[0] % REGION_X == 0 &&
           l.edge[1] % REGION_Y == 0;
}

/* A site in a region, that at column / 2 of its row: both coordinates count from the first ones there. */
struct region_site {
    uint32_t row, column, x; /* x = 2 column or 2 column + 1 */
};

/* Its coordinates in the lattice. */
static __device__ __forceinline__ uint2 in_lattice(const vector_lattice &l, const region_site &s) {
    const uint32_t x = blockIdx.x * REGION_X + s.x, y = blockIdx.y * REGION_Y + s.row,
                   lx = l.edge[0], ly = l.edge[1];
    return make_uint2(x < 2        ? x + lx - 2
                      : x < lx + 2 ? x - 2
                                   : x - 2 - lx,
                      y < 2        ? y + ly - 2
                      : y < ly + 2 ? y - 2
                                   : y - 2 - ly);
}

/* The place of a site in its sub-lattice. */
static __device__ __forceinline__ uint32_t place_in_half(const vector_lattice &l, uint2 at) {
    return at.y * (l.edge[0] / 2) + at.x / 2;
}

template <uint32_t n>
static __device__ __forceinline__ void load_region(const vector_lattice &l, const REAL *spins,
                                                   REAL *region) {
    for (uint32_t i = threadIdx.x; i < 2 * REGION_SITES; i += REGION_THREADS) {
        const uint32_t parity = i / REGION_SITES, row = i % REGION_SITES / REGION_COLUMNS,
                       column = i % REGION_COLUMNS;
        const region_site site = {row, column, 2 * column + ((parity + row) & 1)};
        store<n>(region + i, 2 * REGION_SITES,
                 load<n>(spins + parity * (l.sites / 2) + place_in_half(l, in_lattice(l, site)),
                         l.sites));
    }
}

/* Updates a site, and writes it to `swept` if it is in the region itself. */
template <uint32_t n, vector_move MOVE>
static __device__ __forceinline__ void
visit_in_region(const vector_request &r, REAL *region, REAL *swept, uint32_t parity,
                const region_site &site, const ssc_moment &moment) {
    const vector_lattice &l = r.lattice;
    const uint32_t apart = 2 * REGION_SITES, place = site.row * REGION_COLUMNS + site.column,
                   right = site.x & 1;
    const REAL *const others = region + (1 - parity) * REGION_SITES + place;
    REAL *const own = region + parity * REGION_SITES + place;
    OF(spin) h = load<n>(others + right, apart);
    h = OF(sum)(h, load<n>(others + right - 1, apart));
    h = OF(sum)(h, load<n>(others + REGION_COLUMNS, apart));
    h = OF(sum)(h, load<n>(others - REGION_COLUMNS, apart));
    const uint2 at = in_lattice(l, site);
    const OF(spin) s = moved<n, MOVE>(r, at.y * l.edge[0] + at.x, load<n>(own, apart), h, moment);
    if (parity == 0)
        store<n>(own, apart, s);
    if (site.row - 2 < REGION_Y && site.x - 2 < REGION_X)
        store<n>(swept + parity * (l.sites / 2) + place_in_half(l, at), l.sites, s);
}

/* blockIdx: the region; z: replicas. `swept`: as r.spins. */
template <uint32_t n, vector_move MOVE>
static __global__ void __launch_bounds__(REGION_THREADS)
    sweep_regions(const __grid_constant__ vector_request r, void *swept) {
    __shared__ REAL region[n * 2 * REGION_SITES];
    const uint32_t ring = REGION_X / 2 + 1, half = REGION_X / 2;
    for (uint64_t k = blockIdx.z; has_replica(r, k); k += gridDim.z) {
        const uint64_t first = k * r.lattice.sites * n;
        const ssc_moment moment = ssc_moment_of(&r.keys, r.first_replica + (uint32_t)k, r.sweep);
        load_region<n>(r.lattice, (const REAL *)r.spins + first, region);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < (REGION_Y + 2) * ring; i += REGION_THREADS) {
            const uint32_t row = 1 + i / ring, odd = row & 1, column = i % ring + 1 - odd;
            visit_in_region<n, MOVE>(r, region, (REAL *)swept + first, 0,
                                     region_site{row, column, 2 * column + odd}, moment);
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < REGION_Y * half; i += REGION_THREADS) {
            const uint32_t row = 2 + i / half, column = i % half + 1;
            visit_in_region<n, MOVE>(r, region, (REAL *)swept + first, 1,
                                     region_site{row, column, 2 * column + (1 - (row & 1))},
                                     moment);
        }
        __syncthreads();
    }
}

/* A launch of sweep_regions. */
struct launch_of_regions : vector_launch {
    void *swept;
};

template <uint32_t n, uint32_t, vector_move MOVE>
static void launch_regions(const launch_of_regions &l) {
    const vector_lattice &of = l.r.lattice;
    const dim3 blocks(of.edge[0] / REGION_X, of.edge[1] / REGION_Y,
                      (unsigned)(l.replicas < MOST_GRID ? l.replicas : MOST_GRID));
    sweep_regions<n, MOVE><<<blocks, REGION_THREADS, 0, l.p->stream>>>(l.r, l.swept);
}
