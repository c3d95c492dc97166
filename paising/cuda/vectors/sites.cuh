/* Sites of a lattice of vectors, and the update of one, for one kind of components: REAL and OF are those of
 * engine/vector_math.h. The spins of a lattice are [n][2][N / 2], in shared or in device memory. Couplings are [2 D][2][N / 2] J of the
 * bonds of a site, in the order of vector_neighbours. */

#define BLOCK_COLUMNS 64u
#define MOST_GRID     65535u /* blocks in the other directions than x */

/* What is done at a site. */
enum vector_move { METROPOLIS, HEAT_BATH, REFLECTION };

struct vector_site {
    uint32_t x, y, z;
    uint32_t j; /* number in its sub-lattice: row by row, Lx / 2 a row */
};

template <uint32_t D>
static __device__ __forceinline__ vector_site site_in(const vector_lattice &l, uint32_t parity,
                                                      uint32_t row, uint32_t column) {
    const uint32_t y = D == 3 ? row % l.edge[1] : row, z = D == 3 ? row / l.edge[1] : 0;
    return vector_site{2 * column + ((y + z + parity) & 1), y, z, row * (l.edge[0] / 2) + column};
}

template <uint32_t D>
static __device__ __forceinline__ vector_site site_of(const vector_lattice &l, uint32_t parity,
                                                      uint32_t j) {
    const uint32_t half = l.edge[0] / 2;
    return site_in<D>(l, parity, j / half, j % half);
}

/* Whether a thread updates two sites in a row, whose numbers it reads and writes together: rows of a sub-lattice have pairs, and
 * both sites are in a tile of the colour. Sites with couplings are taken one by one. */
static __host__ __device__ __forceinline__ bool takes_pairs(const vector_request &r,
                                                            bool reflects) {
    return r.lattice.edge[0] % 4 == 0 && (reflects || !r.in_tiles) && !r.lattice.couplings;
}

/* The sites or pairs of a row of a sub-lattice. */
static __host__ __device__ __forceinline__ uint32_t columns_of(const vector_request &r,
                                                               bool reflects) {
    return r.lattice.edge[0] / (takes_pairs(r, reflects) ? 4 : 2);
}

/* The columns and rows that threads of a block have at a time; so none divides for its place. */
static dim3 block_of(const vector_request &r, bool reflects, uint32_t threads) {
    const uint32_t all = columns_of(r, reflects),
                   columns = all < BLOCK_COLUMNS ? all : BLOCK_COLUMNS;
    return dim3(columns, threads / columns);
}

/* The number of a site in the order of couplings.h. */
static __device__ __forceinline__ uint32_t number_of(const vector_lattice &l,
                                                     const vector_site &s) {
    return (s.z * l.edge[1] + s.y) * l.edge[0] + s.x;
}

/* The place of site i of a lattice among one component of its spins. */
static __device__ __forceinline__ uint32_t place_of(const vector_lattice &l, uint32_t i) {
    const uint32_t x = i % l.edge[0], row = i / l.edge[0], y = row % l.edge[1], z = row / l.edge[1];
    return ((x + y + z) & 1) * (l.sites / 2) + row * (l.edge[0] / 2) + x / 2;
}

/* The spin at a place of arrays that are `apart` numbers apart, one for each component. */
template <uint32_t n>
static __device__ __forceinline__ OF(spin) load(const REAL *at, uint32_t apart) {
    OF(spin) s;
    s.at[0] = at[0];
    s.at[1] = at[apart];
    s.at[2] = n == 2 ? 0 : at[2 * apart];
    return s;
}

template <uint32_t n>
static __device__ __forceinline__ void store(REAL *at, uint32_t apart, const OF(spin) & s) {
    at[0] = s.at[0];
    at[apart] = s.at[1];
    if (n == 3)
        at[2 * apart] = s.at[2];
}

/* The same of the spins at a place and at the next one. The place is even. */
template <uint32_t n>
static __device__ __forceinline__ void load_pair(const REAL *at, uint32_t apart, OF(spin) s[2]) {
    s[0].at[2] = s[1].at[2] = 0;
#pragma unroll
    for (uint32_t c = 0; c < n; c++) {
        const REAL_PAIR both = *(const REAL_PAIR *)(at + c * apart);
        s[0].at[c] = both.x;
        s[1].at[c] = both.y;
    }
}

template <uint32_t n>
static __device__ __forceinline__ void store_pair(REAL *at, uint32_t apart, const OF(spin) s[2]) {
#pragma unroll
    for (uint32_t c = 0; c < n; c++)
        *(REAL_PAIR *)(at + c * apart) = REAL_PAIR{s[0].at[c], s[1].at[c]};
}

/* The places of the neighbours of a site in the other sub-lattice. Those in x may be in either order: a + b = b + a. */
template <uint32_t D>
static __device__ __forceinline__ void places_around(const vector_lattice &l, const vector_site &s,
                                                     uint32_t around[2 * D]) {
    const uint32_t half = l.edge[0] / 2, plane = half * l.edge[1], x = s.x / 2;
    const uint32_t next = x + 1 < half ? s.j + 1 : s.j + 1 - half,
                   last = x > 0 ? s.j - 1 : s.j + half - 1;
    around[0] = s.j;
    around[1] = s.x & 1 ? next : last;
    around[2] = s.y + 1 < l.edge[1] ? s.j + half : s.j + half - plane;
    around[3] = s.y > 0 ? s.j - half : s.j + plane - half;
    if (D == 3) {
        around[2 * D - 2] = s.z + 1 < l.edge[2] ? s.j + plane : s.j + plane - plane * l.edge[2];
        around[2 * D - 1] = s.z > 0 ? s.j - plane : s.j + plane * (l.edge[2] - 1);
    }
}

/* J of a site, at a place among both sub-lattices, to its neighbour d of places_around: with an odd x the first two of
 * vector_neighbours have changed places. */
static __device__ __forceinline__ REAL coupling_of(const vector_lattice &l, uint32_t place,
                                                   uint32_t x, uint32_t d) {
    return ((const REAL *)l.couplings)[(d < 2 ? d ^ (x & 1) : d) * l.sites + place];
}

template <uint32_t n, uint32_t D>
static __device__ __forceinline__ OF(spin)
    field_of(const vector_lattice &l, const REAL *others, const vector_site &s, uint32_t place) {
    uint32_t around[2 * D];
    OF(spin) h;
    places_around<D>(l, s, around);
#pragma unroll
    for (uint32_t d = 0; d < 2 * D; d++) {
        OF(spin) next = load<n>(others + around[d], l.sites);
        if (l.couplings)
            next = OF(scaled)(n, next, coupling_of(l, place, s.x, d));
        h = d == 0 ? next : OF(sum)(h, next);
    }
    return h;
}

/* Whether a site is in a tile of this colour. */
static __device__ __forceinline__ bool has_colour(const vector_request &r, const vector_site &s,
                                                  uint32_t colour) {
    const uint32_t t = r.plan.tile;
    return ((s.x / t + s.y / t + s.z / t) & 1) == colour;
}

/* beta of a launch; and of a round, whose groups have rows of blocks. */
static __device__ __forceinline__ REAL beta_of(const vector_request &r) {
    return sizeof(REAL) == 8 ? r.rule.beta : r.beta;
}

static __device__ __forceinline__ REAL beta_of(const vector_round &r) {
    const vector_beta *const b = &r.betas[blockIdx.y];
    return sizeof(REAL) == 8 ? b->beta : b->as_float;
}

/* The spin that a site in a field gets. */
template <uint32_t n, vector_move MOVE, typename R>
static __device__ __forceinline__ OF(spin) moved(const R &r, uint32_t number, const OF(spin) & s,
                                                 const OF(spin) & h, const ssc_moment &moment) {
    const vector_numbers of = {&r.keys, moment, r.temperature, number};
    return MOVE == REFLECTION ? OF(reflected)(n, s, h)
                              : OF(updated)(n, MOVE == HEAT_BATH, beta_of(r), s, h, &of);
}

/* Updates a site, if it is in a tile of this colour or there are no tiles, or reflects its spin. */
template <uint32_t n, uint32_t D, vector_move MOVE, typename R>
static __device__ __forceinline__ void visit_one(const R &r, REAL *spins, uint32_t colour,
                                                 uint32_t parity, uint32_t row, uint32_t column,
                                                 const ssc_moment &moment) {
    const vector_lattice &l = r.lattice;
    const vector_site site = site_in<D>(l, parity, row, column);
    if (MOVE != REFLECTION && r.in_tiles && !has_colour(r, site, colour))
        return;
    const uint32_t place = parity * (l.sites / 2) + site.j;
    REAL *const own = spins + place;
    const OF(spin) h = field_of<n, D>(l, spins + (1 - parity) * (l.sites / 2), site, place);
    store<n>(own, l.sites, moved<n, MOVE>(r, number_of(l, site), load<n>(own, l.sites), h, moment));
}

/* Where the neighbours of a pair are in the other sub-lattice: a pair across, a site beside it, pairs in other rows. */
template <uint32_t D> struct pair_neighbours { const REAL *across, *beside, *rows[2 * D - 2]; };

/* The fields of a pair, whose sites have an odd x if `odd`. */
template <uint32_t n, uint32_t D>
static __device__ __forceinline__ void fields_of(const pair_neighbours<D> &at, uint32_t apart,
                                                 bool odd, OF(spin) h[2]) {
    OF(spin) pair[2];
    load_pair<n>(at.across, apart, pair);
    const OF(spin) beside = load<n>(at.beside, apart);
    h[0] = OF(sum)(pair[0], odd ? pair[1] : beside);
    h[1] = OF(sum)(pair[1], odd ? beside : pair[0]);
#pragma unroll
    for (uint32_t d = 0; d < 2 * D - 2; d++) {
        load_pair<n>(at.rows[d], apart, pair);
        h[0] = OF(sum)(h[0], pair[0]);
        h[1] = OF(sum)(h[1], pair[1]);
    }
}

/* Updates the two sites of a pair. */
template <uint32_t n, uint32_t D, vector_move MOVE, typename R>
static __device__ __forceinline__ void visit_pair(const R &r, REAL *spins, uint32_t parity,
                                                  uint32_t row, uint32_t pair,
                                                  const ssc_moment &moment) {
    const vector_lattice &l = r.lattice;
    const uint32_t half = l.edge[0] / 2;
    const vector_site site = site_in<D>(l, parity, row, 2 * pair);
    const bool odd = site.x & 1;
    uint32_t around[2 * D];
    places_around<D>(l, site, around);
    const REAL *const others = spins + (1 - parity) * (l.sites / 2);
    pair_neighbours<D> at = {
        others + site.j,
        others + (odd ? (2 * pair + 2 < half ? site.j + 2 : site.j + 2 - half) : around[1]),
        {}};
    for (uint32_t d = 2; d < 2 * D; d++)
        at.rows[d - 2] = others + around[d];
    OF(spin) h[2], s[2];
    fields_of<n, D>(at, l.sites, odd, h);
    REAL *const own = spins + parity * (l.sites / 2) + site.j;
    load_pair<n>(own, l.sites, s);
    const uint32_t number = number_of(l, site);
    s[0] = moved<n, MOVE>(r, number, s[0], h[0], moment);
    s[1] = moved<n, MOVE>(r, number + 2, s[1], h[1], moment);
    store_pair<n>(own, l.sites, s);
}

/* Updates a site or a pair of a row. */
template <uint32_t n, uint32_t D, vector_move MOVE, typename R>
static __device__ __forceinline__ void visit(const R &r, REAL *spins, uint32_t colour,
                                             uint32_t parity, uint32_t row, uint32_t column,
                                             const ssc_moment &moment) {
    if (takes_pairs(r, MOVE == REFLECTION))
        visit_pair<n, D, MOVE>(r, spins, parity, row, column, moment);
    else
        visit_one<n, D, MOVE>(r, spins, colour, parity, row, column, moment);
}

/* --- measurement --- */

/* What a thread adds up. */
struct vector_share {
    int64_t energy, component[3];
};

/* Adds site j of a sub-lattice: its bonds to the sites before and behind it in each direction if it is even, and its spin. */
template <uint32_t n, uint32_t D>
static __device__ __forceinline__ void count(const vector_request &r, const REAL *spins,
                                             uint32_t parity, uint32_t j, vector_share *share) {
    const vector_lattice &l = r.lattice;
    const OF(spin) s = load<n>(spins + parity * (l.sites / 2) + j, l.sites);
    if (parity == 0) {
        uint32_t around[2 * D];
        const vector_site site = site_of<D>(l, parity, j);
        places_around<D>(l, site, around);
#pragma unroll
        for (uint32_t d = 0; d < 2 * D; d++)
            share->energy -= vector_fixed(
                (l.couplings ? (double)coupling_of(l, j, site.x, d) : 1) *
                (double)OF(product)(n, s, load<n>(spins + l.sites / 2 + around[d], l.sites)));
    }
    for (uint32_t c = 0; c < n; c++)
        share->component[c] += vector_fixed((double)s.at[c]);
}

/* Adds the shares of a block's threads to sums in shared or device memory. All threads call it; the last warp may have fewer. */
static __device__ __forceinline__ void add_shares(const vector_share &share, vector_sums *sums) {
    const uint64_t mine[] = {(uint64_t)share.energy, (uint64_t)share.component[0],
                             (uint64_t)share.component[1], (uint64_t)share.component[2]};
    uint64_t *const to[] = {&sums->energy, &sums->component[0], &sums->component[1],
                            &sums->component[2]};
    const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32,
                   lanes = min(blockDim.x * blockDim.y - (thread - lane), 32),
                   mask = 0xffffffffu >> (32 - lanes);
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t all = mine[k];
        for (uint32_t distance = 16; distance; distance /= 2) {
            const uint64_t other = __shfl_down_sync(mask, all, distance);
            all += lane + distance < lanes ? other : 0;
        }
        if (lane == 0)
            atomic_add(to[k], all);
    }
}

/* The energy and the order of replica k. */
static __device__ __forceinline__ void finish(const vector_request &r, const vector_sums &sums,
                                              uint64_t k) {
    const int64_t sum[3] = {(int64_t)sums.component[0], (int64_t)sums.component[1],
                            (int64_t)sums.component[2]};
    r.energy[k] = (int64_t)sums.energy;
    r.order[k] = vector_order(&r.lattice, sum);
}

/* Whether replica k of the range is there. */
static __device__ __forceinline__ bool has_replica(const vector_request &r, uint64_t k) {
    const uint64_t population = r.report->population;
    return population <= r.capacity && k < population;
}
