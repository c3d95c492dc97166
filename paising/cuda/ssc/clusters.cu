/* Cluster updates: Swendsen and Wang, and Wolff (update/update.h). They equal cpu/clusters.c and reference/plain_clusters.c
 * bit for bit: random numbers belong to sites, and the label of a cluster is its smallest site, in whatever order bonds are
 * joined.
 *
 * Labels are trees in device memory (cuda/device/label_trees.cuh). A sweep is three kernels, one thread a site:
 *
 *     label_tiles      set bonds within tiles of 32 x 16 sites join trees in shared memory, whose roots become labels,
 *     join_tiles       set bonds between tiles, and across the boundary, join trees in device memory,
 *     flip_clusters    each site looks up its root, and flips as that says.
 *
 * In three dimensions a tile has 16 rows of one layer or two, and join_tiles has all bonds between layers. A site costs two
 * calls of Philox, three in three dimensions, and as traffic some 8 bytes of labels and what the search for roots reads. */
#include "cuda/ssc/clusters.h"

#include "cuda/device/label_trees.cuh"

/* One sweep of the replicas of a range. */
struct cluster_sweep : label_lattice {
    const cuda_report *report; /* has the number of replicas */
    uint64_t capacity;         /* of the arrays */
    uint8_t *spins;            /* [replicas][2][half_bytes] */
    uint32_t *label;           /* [replicas][sites] */
    uint32_t half_bytes;
    stream_key key;
    rounding thresholds;
    uint32_t temperature, sweep;
    uint32_t first_replica; /* global number of the first replica, for streams */
    cluster_flips which;
};

/* Whether replica k exists. A population that outgrew its memory has none. */
static __device__ __forceinline__ bool has_replica(const cluster_sweep &c, uint64_t k) {
    const uint64_t population = c.report->population;
    return population <= c.capacity && k < population;
}

/* The site of a thread: number n of replica k, whose labels and spins are these. */
struct site_of_thread {
    bool exists;
    uint32_t n, replica;
    uint32_t *label;
    uint8_t *spins;
};

static __device__ __forceinline__ site_of_thread own_site(const cluster_sweep &c) {
    const uint64_t thread = (uint64_t)blockIdx.x * CLUSTER_THREADS + threadIdx.x,
                   k = thread / c.sites;
    return site_of_thread{has_replica(c, k), (uint32_t)(thread - k * c.sites),
                          c.first_replica + (uint32_t)k, c.label + k * c.sites,
                          c.spins + k * (2 * c.half_bytes)};
}

/* Which sub-lattice site n is in: 0 the even one. */
static __device__ __forceinline__ uint32_t parity_of(const cluster_sweep &c, uint32_t n) {
    const uint32_t row = n / c.edge[0];
    return (n % c.edge[0] + row % c.edge[1] + row / c.edge[1]) & 1;
}

static __device__ __forceinline__ stream_block numbers_of(const cluster_sweep &c, uint32_t replica,
                                                          uint32_t site) {
    return stream_draw(c.key, STREAM_BONDS, site, replica, c.sweep, c.temperature);
}

/* --- kernels --- */

static __device__ __forceinline__ uint32_t left_out_of(const cluster_sweep &c, uint32_t replica) {
    return round_thresholds(&c.thresholds, replica, c.sweep).threshold[0];
}

/* One block a tile. The order of sites in a tile is that of the lattice: its smallest site is the first one. */
static __global__ void __launch_bounds__(TILE_SITES)
    label_tiles(const __grid_constant__ cluster_sweep c) {
    __shared__ uint32_t label[TILE_SITES];
    __shared__ uint8_t spins[TILE_SITES];
    const uint32_t lx = c.edge[0], tiles = tiles_of(c.sites, lx), across = tiles_across(lx);
    const uint32_t k = blockIdx.x / tiles, tile = blockIdx.x % tiles, t = threadIdx.x;
    const uint32_t x = tile % across * TILE_COLUMNS + t % TILE_COLUMNS,
                   row = tile / across * TILE_ROWS + t / TILE_COLUMNS, n = row * lx + x;
    if (!has_replica(c, k))
        return;
    const bool exists = x < lx && row < c.sites / lx;
    label[t] = t;
    if (exists)
        spins[t] =
            c.spins[(uint64_t)k * (2 * c.half_bytes) + parity_of(c, n) * c.half_bytes + n / 2];
    __syncthreads();
    if (exists) {
        const uint32_t replica = c.first_replica + k, left_out = left_out_of(c, replica);
        const stream_block numbers = numbers_of(c, replica, n);
        if (is_in_tile(c, x, row, 0) && numbers.number[0] >= left_out && spins[t] == spins[t + 1])
            join(label, t, t + 1);
        if (is_in_tile(c, x, row, 1) && numbers.number[1] >= left_out &&
            spins[t] == spins[t + TILE_COLUMNS])
            join(label, t, t + TILE_COLUMNS);
    }
    __syncthreads();
    if (exists) {
        const uint32_t root = root_of(label, t);
        c.label[(uint64_t)k * c.sites + n] = label_of_tile(n, t, root, lx);
    }
}

static __global__ void join_tiles(const __grid_constant__ cluster_sweep c) {
    const site_of_thread own = own_site(c);
    if (!own.exists)
        return;
    const uint32_t x = own.n % c.edge[0], row = own.n / c.edge[0];
    if (c.dimension == 2 && is_in_tile(c, x, row, 0) && is_in_tile(c, x, row, 1))
        return;
    const uint32_t left_out = left_out_of(c, own.replica), parity = parity_of(c, own.n);
    const uint8_t *const others = own.spins + (1 - parity) * c.half_bytes;
    const uint8_t spin = own.spins[parity * c.half_bytes + own.n / 2];
    const stream_block numbers = numbers_of(c, own.replica, own.n);
#pragma unroll
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        if (d >= c.dimension || numbers.number[d] < left_out || is_in_tile(c, x, row, d))
            continue;
        const uint32_t to = next_site(c, own.n, d);
        if (others[to / 2] == spin)
            join(own.label, own.n, to);
    }
}

static __global__ void flip_clusters(const __grid_constant__ cluster_sweep c) {
    const site_of_thread own = own_site(c);
    if (!own.exists)
        return;
    const uint32_t root = root_of(own.label, own.n);
    bool flips;
    if (c.which == CLUSTERS_ONE)
        flips = root == root_of(own.label,
                                cluster_site(c.key, own.replica, c.sweep, c.temperature, c.sites));
    else
        flips = numbers_of(c, own.replica, root).number[3] >> 31;
    if (flips)
        own.spins[parity_of(c, own.n) * c.half_bytes + own.n / 2] ^= 1;
}

void cuda_ssc_sweep_clusters(const cluster_lattices *l, const spin_model *m, cuda_population *p,
                             const engine_step *step, const cuda_range *range) {
    cluster_sweep c = {};
    (label_lattice &)c = label_lattice_of(m);
    c.report = range->replicas.report;
    c.capacity = range->replicas.capacity;
    c.spins = l->spins + range->first * (2 * l->half_bytes);
    c.label = l->label + range->first * m->sites;
    c.half_bytes = l->half_bytes;
    c.key = step->key;
    c.thresholds = step_rounding(step, range->rule);
    c.temperature = step->temperature;
    c.first_replica = (uint32_t)(p->device.interval.origin + range->first);
    c.which = range->rule->clusters;
    const unsigned tiles = (unsigned)(range->most * tiles_of(c.sites, c.edge[0])),
                   blocks =
                       (unsigned)((range->most * m->sites + CLUSTER_THREADS - 1) / CLUSTER_THREADS);
    for (; c.sweep < step->sweeps && !p->failed; c.sweep++) {
        label_tiles<<<tiles, TILE_SITES, 0, p->stream>>>(c);
        join_tiles<<<blocks, CLUSTER_THREADS, 0, p->stream>>>(c);
        flip_clusters<<<blocks, CLUSTER_THREADS, 0, p->stream>>>(c);
        cuda_check_launch(p, "flip_clusters (SSC)");
    }
}
