/* A sweep that reads and writes each spin of a square lattice once, for one kind of components: REAL and OF are those of
 * engine/vector_math.h.
 *
 * A block has a region of the lattice in shared memory, with two rows and four columns more on each side. A thread takes pairs of sites
 * of a sub-lattice. It updates the even sites of the region and of one site more on each side, which its neighbours make as well, with the
 * same numbers. Then it updates the odd sites. Spins go to another array, since other blocks still read the old ones. 8 n bytes of traffic a
 * site, for floats, and a quarter of what is read again. */

#define REGION_THREADS 256
#define REGION_X       64
#define REGION_Y       (sizeof(REAL) == 8 ? 16 : 32)

/* Sites beside the region in a direction: in x a pair of either sub-lattice. */
#define BESIDE_X 4u
#define BESIDE_Y 2u

/* Rows, and sites of a sub-lattice in a row, with those beside the region; pairs of a row that are updated first. */
#define REGION_ROWS    (REGION_Y + 2 * BESIDE_Y)
#define REGION_COLUMNS (REGION_X / 2 + BESIDE_X)
#define REGION_SITES   (REGION_ROWS * REGION_COLUMNS)
#define RING_PAIRS     (REGION_X / 4 + 1)

static bool regions_fit(const vector_lattice &l) {
    return l.dimension == 2 && !l.couplings && l.edge[0] % REGION_X == 0 &&
           l.edge[1] % REGION_Y == 0;
}

/* A coordinate of a lattice with this edge from one that counts from `beside` sites before the first. */
static __device__ __forceinline__ uint32_t wrapped(uint32_t x, uint32_t beside, uint32_t edge) {
    return x < beside ? x + edge - beside : x < edge + beside ? x - beside : x - beside - edge;
}

/* The first x, which is even, and y of a pair at a row and an even column of the region. */
static __device__ __forceinline__ uint2 in_lattice(const vector_lattice &l, uint32_t row,
                                                   uint32_t column) {
    return make_uint2(wrapped(blockIdx.x * REGION_X + 2 * column, BESIDE_X, l.edge[0]),
                      wrapped(blockIdx.y * REGION_Y + row, BESIDE_Y, l.edge[1]));
}

/* The place of a pair in its sub-lattice. */
static __device__ __forceinline__ uint32_t place_in_half(const vector_lattice &l, uint2 at) {
    return at.y * (l.edge[0] / 2) + at.x / 2;
}

template <uint32_t n>
static __device__ __forceinline__ void load_region(const vector_lattice &l, const REAL *spins,
                                                   REAL *region) {
    for (uint32_t i = threadIdx.x; i < REGION_SITES; i += REGION_THREADS) {
        const uint32_t parity = 2 * i / REGION_SITES, row = 2 * i / REGION_COLUMNS % REGION_ROWS,
                       column = 2 * i % REGION_COLUMNS;
        OF(spin) s[2];
        load_pair<n>(spins + parity * (l.sites / 2) + place_in_half(l, in_lattice(l, row, column)),
                     l.sites, s);
        store_pair<n>(region + 2 * i, 2 * REGION_SITES, s);
    }
}

/* Updates a pair, and writes it to `swept` if it is in the region itself. */
template <uint32_t n, vector_move MOVE>
static __device__ __forceinline__ void visit_in_region(const vector_request &r, REAL *region,
                                                       REAL *swept, uint32_t parity, uint32_t row,
                                                       uint32_t column, const ssc_moment &moment) {
    const vector_lattice &l = r.lattice;
    const uint32_t apart = 2 * REGION_SITES, place = row * REGION_COLUMNS + column;
    const bool odd = (row + parity) & 1;
    const REAL *const across = region + (1 - parity) * REGION_SITES + place;
    const pair_neighbours<2> around = {
        across, odd ? across + 2 : across - 1, {across + REGION_COLUMNS, across - REGION_COLUMNS}};
    REAL *const own = region + parity * REGION_SITES + place;
    OF(spin) h[2], s[2];
    fields_of<n, 2>(around, apart, odd, h);
    load_pair<n>(own, apart, s);
    const uint2 at = in_lattice(l, row, column);
    const uint32_t number = at.y * l.edge[0] + at.x + odd;
    s[0] = moved<n, MOVE>(r, number, s[0], h[0], moment);
    s[1] = moved<n, MOVE>(r, number + 2, s[1], h[1], moment);
    if (parity == 0)
        store_pair<n>(own, apart, s);
    if (row - BESIDE_Y < REGION_Y && column - BESIDE_X / 2 < REGION_X / 2)
        store_pair<n>(swept + parity * (l.sites / 2) + place_in_half(l, at), l.sites, s);
}

/* blockIdx: the region; z: replicas. `swept`: as r.spins. */
template <uint32_t n, vector_move MOVE>
static __global__ void __launch_bounds__(REGION_THREADS)
    sweep_regions(const __grid_constant__ vector_request r, void *swept) {
    __shared__ __align__(16) REAL region[n * 2 * REGION_SITES];
    for (uint64_t k = blockIdx.z; has_replica(r, k); k += gridDim.z) {
        const uint64_t first = k * r.lattice.sites * n;
        const ssc_moment moment = ssc_moment_of(&r.keys, r.first_replica + (uint32_t)k, r.sweep);
        load_region<n>(r.lattice, (const REAL *)r.spins + first, region);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < (REGION_Y + 2) * RING_PAIRS; i += REGION_THREADS) {
            const uint32_t row = 1 + i / RING_PAIRS, pair = i % RING_PAIRS + 1 - (row & 1);
            visit_in_region<n, MOVE>(r, region, (REAL *)swept + first, 0, row, 2 * pair, moment);
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < REGION_Y * (REGION_X / 4); i += REGION_THREADS)
            visit_in_region<n, MOVE>(r, region, (REAL *)swept + first, 1,
                                     BESIDE_Y + i / (REGION_X / 4),
                                     BESIDE_X / 2 + 2 * (i % (REGION_X / 4)), moment);
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
