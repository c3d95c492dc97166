/* Cluster updates of vectors: those of Wolff and of Swendsen and Wang, of the signs of r . s with a random direction r for each replica
 * and update (U. Wolff, Phys. Rev. Lett. 62, 361, 1989). They equal `clusters` of cpu/ssc_vector_loops.h bit for bit.
 *
 * The kernels are those of cuda/ssc/clusters.cu: a thread a site, trees of labels (label_trees.cuh), in tiles first. A bond is left out
 * with the probability exp(-2 beta (r . s) (r . s')). A site costs three calls of Philox, the functions of two directions, and as
 * traffic its label, its spin twice and in three dimensions those of its neighbours. */

/* One update of the replicas of a launch. */
struct cluster_request {
    vector_request r;
    label_lattice of;
    stream_key key;
    cluster_flips which;
    uint32_t *label; /* [replicas][sites] */
};

/* r of a replica. */
template <uint32_t n>
static __device__ __forceinline__ OF(spin)
    direction_of(const cluster_request &c, uint32_t replica) {
    const stream_block b = stream_draw(c.key, STREAM_SITE, 0, replica, c.r.sweep, c.r.temperature);
    return OF(any)(n, b.number + 2);
}

static __device__ __forceinline__ stream_block bonds_of(const cluster_request &c, uint32_t replica,
                                                        uint32_t site) {
    return stream_draw(c.key, STREAM_BONDS, site, replica, c.r.sweep, c.r.temperature);
}

/* Where the spin of site i of replica k stands. */
template <uint32_t n>
static __device__ __forceinline__ REAL *spin_of(const cluster_request &c, uint64_t k, uint32_t i) {
    return (REAL *)c.r.spins + k * c.of.sites * n + place_of(c.r.lattice, i);
}

/* Whether a bond between sites with these r . s is set. */
static __device__ __forceinline__ bool is_set(const cluster_request &c, REAL own, REAL other,
                                              uint32_t number) {
    const REAL beta = sizeof(REAL) == 8 ? c.r.rule.beta : c.r.beta, cost = 2 * beta * own * other;
    return !OF(happens)(-cost, number);
}

/* One block a tile. */
template <uint32_t n>
static __global__ void __launch_bounds__(TILE_SITES)
    label_vector_tiles(const __grid_constant__ cluster_request c) {
    __shared__ uint32_t label[TILE_SITES];
    __shared__ REAL along[TILE_SITES]; /* r . s */
    const uint32_t lx = c.of.edge[0], tiles = tiles_of(c.of.sites, lx), across = tiles_across(lx);
    const uint32_t k = blockIdx.x / tiles, tile = blockIdx.x % tiles, t = threadIdx.x;
    const uint32_t x = tile % across * TILE_COLUMNS + t % TILE_COLUMNS,
                   row = tile / across * TILE_ROWS + t / TILE_COLUMNS, site = row * lx + x;
    if (!has_replica(c.r, k))
        return;
    const bool exists = x < lx && row < c.of.sites / lx;
    const uint32_t replica = c.r.first_replica + k;
    label[t] = t;
    if (exists)
        along[t] = OF(product)(n, direction_of<n>(c, replica),
                               load<n>(spin_of<n>(c, k, site), c.of.sites));
    __syncthreads();
    if (exists) {
        const stream_block b = bonds_of(c, replica, site);
        if (is_in_tile(c.of, x, row, 0) && is_set(c, along[t], along[t + 1], b.number[0]))
            join(label, t, t + 1);
        if (is_in_tile(c.of, x, row, 1) &&
            is_set(c, along[t], along[t + TILE_COLUMNS], b.number[1]))
            join(label, t, t + TILE_COLUMNS);
    }
    __syncthreads();
    if (exists)
        c.label[(uint64_t)k * c.of.sites + site] = label_of_tile(site, t, root_of(label, t), lx);
}

/* The site of a thread, by its number among those of all replicas. */
struct labelled_site {
    uint64_t k;
    uint32_t site, replica;
    uint32_t *label;
};

static __device__ __forceinline__ labelled_site labelled(const cluster_request &c) {
    const uint64_t thread = (uint64_t)blockIdx.x * CLUSTER_THREADS + threadIdx.x,
                   k = thread / c.of.sites;
    return labelled_site{k, (uint32_t)(thread - k * c.of.sites), c.r.first_replica + (uint32_t)k,
                         c.label + k * c.of.sites};
}

template <uint32_t n>
static __global__ void __launch_bounds__(CLUSTER_THREADS)
    join_vector_tiles(const __grid_constant__ cluster_request c) {
    const labelled_site own = labelled(c);
    const uint32_t x = own.site % c.of.edge[0], row = own.site / c.of.edge[0];
    if (!has_replica(c.r, own.k) ||
        (c.of.dimension == 2 && is_in_tile(c.of, x, row, 0) && is_in_tile(c.of, x, row, 1)))
        return;
    const OF(spin) r = direction_of<n>(c, own.replica);
    const REAL along = OF(product)(n, r, load<n>(spin_of<n>(c, own.k, own.site), c.of.sites));
    const stream_block b = bonds_of(c, own.replica, own.site);
#pragma unroll
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        if (d >= c.of.dimension || is_in_tile(c.of, x, row, d))
            continue;
        const uint32_t to = next_site(c.of, own.site, d);
        if (is_set(c, along, OF(product)(n, r, load<n>(spin_of<n>(c, own.k, to), c.of.sites)),
                   b.number[d]))
            join(own.label, own.site, to);
    }
}

template <uint32_t n>
static __global__ void __launch_bounds__(CLUSTER_THREADS)
    mirror_clusters(const __grid_constant__ cluster_request c) {
    const labelled_site own = labelled(c);
    if (!has_replica(c.r, own.k))
        return;
    const uint32_t root = root_of(own.label, own.site);
    const bool mirrors =
        c.which == CLUSTERS_ONE
            ? root == root_of(own.label, cluster_site(c.key, own.replica, c.r.sweep,
                                                      c.r.temperature, c.of.sites))
            : bonds_of(c, own.replica, root).number[3] >> 31;
    if (!mirrors)
        return;
    REAL *const at = spin_of<n>(c, own.k, own.site);
    store<n>(at, c.of.sites,
             OF(mirrored)(n, load<n>(at, c.of.sites), direction_of<n>(c, own.replica)));
}

template <uint32_t n>
static void launch_clusters(const vector_launch &l, const cluster_request &c) {
    const unsigned tiles = (unsigned)(l.replicas * tiles_of(c.of.sites, c.of.edge[0])),
                   blocks = blocks_for(l.replicas * c.of.sites, CLUSTER_THREADS);
    label_vector_tiles<n><<<tiles, TILE_SITES, 0, l.p->stream>>>(c);
    join_vector_tiles<n><<<blocks, CLUSTER_THREADS, 0, l.p->stream>>>(c);
    mirror_clusters<n><<<blocks, CLUSTER_THREADS, 0, l.p->stream>>>(c);
}

static void clusters(const vector_launch *l, stream_key key, cluster_flips which, uint32_t *label) {
    const vector_lattice &of = l->r.lattice;
    const cluster_request c = {
        l->r, {of.dimension, {of.edge[0], of.edge[1], of.edge[2]}, of.sites}, key, which, label};
    if (of.components == 3)
        launch_clusters<3>(*l, c);
    else
        launch_clusters<2>(*l, c);
    cuda_check_launch(l->p, "mirror_clusters");
}
