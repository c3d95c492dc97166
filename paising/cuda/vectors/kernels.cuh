/* The kernels of a kind of components of vectors (engine/vectors.h), and their table. float.cu, double.cu and fast.cu read this
 * once each. They equal cpu/ssc_vector_loops.h, `sweep` and `measure`, bit for bit; those of `fast` equal nothing.
 *
 *     step_vectors     a block a replica, whose spins stand in shared memory during the step
 *     round_vectors    the same for groups at temperatures of their own, behind exchanges
 *     visit_half       a thread a site or a pair of one sub-lattice in device memory; of an n-vector of floats 12 n bytes of traffic
 *     sweep_regions    (regions.cuh) a sweep of a square lattice in device memory, 8 n bytes and a fifth of what is read
 *     hit_tiles        (tiles.cuh) all hits of a stage in tiles in shared memory, 8 n bytes and the border
 *     label_vector_tiles, join_vector_tiles, mirror_clusters (clusters.cuh) a cluster update in device memory
 *     measure_lattices sums over lattices in device memory
 *     measure_pairs    (pairs.cuh) overlaps of pairs of replicas
 *
 * A spin costs a Philox call, some 100 other instructions, and the words of 2 d neighbours. */
#include "cuda/device/blocks.h"
#include "cuda/vectors/sites.cuh"
#include "cuda/vectors/tiles.cuh"

#include "cuda/vectors/regions.cuh"

#define MOST_STEP_THREADS 1024
#define HALF_THREADS      256
#define MEASURE_THREADS   256
#define MEASURE_SITES     4096 /* of a lattice, for a block */

#include "cuda/vectors/clusters.cuh"
#include "cuda/vectors/pairs.cuh"

/* --- a replica in shared memory --- */

template <uint32_t n, uint32_t D, vector_move MOVE, typename R>
static __device__ __forceinline__ void visit_both(const R &r, REAL *spins, uint32_t colour,
                                                  uint32_t first, const ssc_moment &moment) {
    const vector_lattice &l = r.lattice;
    const uint32_t columns = columns_of(r, MOVE == REFLECTION), rows = l.edge[1] * l.edge[2];
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t row = threadIdx.y; row < rows; row += blockDim.y)
            for (uint32_t column = threadIdx.x; column < columns; column += blockDim.x)
                visit<n, D, MOVE>(r, spins, colour, first ^ turn, row, column, moment);
        __syncthreads();
    }
}

/* One update of a replica, and the sweeps of over-relaxation behind it. */
template <uint32_t n, uint32_t D, vector_move MOVE, typename R>
static __device__ __forceinline__ void update(const R &r, REAL *spins, uint32_t replica,
                                              uint32_t first_sweep) {
    visit_stage stage[MOST_VISIT_STAGES] = {{0, 0, 1, false}};
    const uint32_t stages = r.in_tiles ? visit_stages(&r.plan, stage) : 1;
    for (uint32_t k = 0; k < stages; k++)
        for (uint32_t hit = stage[k].first; hit < stage[k].end; hit++)
            visit_both<n, D, MOVE>(r, spins, stage[k].colour, stage[k].odd_first,
                                   ssc_moment_of(&r.keys, replica, first_sweep + hit));
    for (uint32_t k = 0; k < r.lattice.reflections; k++)
        visit_both<n, D, REFLECTION>(r, spins, 0, 0, ssc_moment{});
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static __global__ void __launch_bounds__(MOST_STEP_THREADS)
    step_vectors(const __grid_constant__ vector_request r, step_parts parts) {
    extern __shared__ uint4 shared[];
    __shared__ vector_sums sums;
    const uint64_t k = blockIdx.x;
    if (!has_replica(r, k))
        return;
    const uint32_t sites = r.lattice.sites, words = (uint32_t)(sites * n * sizeof(REAL) / 16);
    uint4 *const mine = (uint4 *)r.spins + k * words;
    const uint4 *const from =
        parts & PART_SELECT ? (const uint4 *)r.parents + (uint64_t)r.parent[k] * words : mine;
    REAL *const spins = (REAL *)shared;
    const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x,
                   threads = blockDim.x * blockDim.y;
    for (uint32_t w = thread; w < words; w += threads)
        shared[w] = from[w];
    if (thread == 0)
        sums = vector_sums{};
    __syncthreads();
    for (uint32_t sweep = 0; sweep < r.sweeps && parts & PART_SWEEP; sweep++)
        update<n, D, MOVE>(r, spins, r.first_replica + (uint32_t)k, sweep * r.plan.hits);
    if (parts & PART_MEASURE) {
        vector_share share = {};
        for (uint32_t j = thread; j < sites; j += threads)
            count<n, D>(r, spins, j >= sites / 2, j % (sites / 2), &share);
        add_shares(share, &sums);
        __syncthreads();
        if (thread == 0)
            finish(r, sums, k);
    }
    for (uint32_t w = thread; w < words && parts & (PART_SELECT | PART_SWEEP); w += threads)
        mine[w] = shared[w];
}

/* A round of groups, each block for a replica: blockIdx.y is the group. It equals step_vectors of the groups one by one, with given
 * parents. */
template <uint32_t n, uint32_t D, vector_move MOVE>
static __global__ void __launch_bounds__(MOST_STEP_THREADS)
    round_vectors(const __grid_constant__ vector_round r) {
    extern __shared__ uint4 shared[];
    __shared__ vector_sums sums;
    const uint32_t chain = blockIdx.x, lane = chain % MACHINE_LANES;
    const uint64_t k = (uint64_t)blockIdx.y * gridDim.x + chain;
    const uint32_t sites = r.lattice.sites, words = (uint32_t)(sites * n * sizeof(REAL) / 16);
    REAL *const spins = (REAL *)shared;
    const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x,
                   threads = blockDim.x * blockDim.y;
    const cuda_exchange x = exchange_of(r.round, blockIdx.y, chain / MACHINE_LANES);
    const uint64_t parent = x.accepted >> lane & 1 ? (uint64_t)x.word * MACHINE_LANES + lane : k;
    const uint4 *const from = (const uint4 *)r.parents + parent * words;
    uint4 *const mine = (uint4 *)r.spins + k * words;
    for (uint32_t w = thread; w < words; w += threads)
        shared[w] = from[w];
    if (thread == 0)
        sums = vector_sums{};
    __syncthreads();
    for (uint32_t sweep = 0; sweep < r.sweeps; sweep++)
        update<n, D, MOVE>(r, spins, (uint32_t)k, sweep * r.plan.hits);
    vector_share share = {};
    for (uint32_t j = thread; j < sites; j += threads)
        count<n, D>(r, spins, j >= sites / 2, j % (sites / 2), &share);
    add_shares(share, &sums);
    __syncthreads();
    if (thread == 0)
        finish(r, sums, k);
    for (uint32_t w = thread; w < words; w += threads)
        mine[w] = shared[w];
}

/* --- lattices in device memory --- */

/* Of rows, columns, replicas. */
static dim3 blocks_of_half(const vector_launch &l, bool reflects) {
    const dim3 block = block_of(l.r, reflects, HALF_THREADS);
    return dim3(blocks_for(l.r.lattice.edge[1] * l.r.lattice.edge[2], block.y),
                blocks_for(columns_of(l.r, reflects), block.x),
                (unsigned)(l.replicas < MOST_GRID ? l.replicas : MOST_GRID));
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static __global__ void __launch_bounds__(HALF_THREADS)
    visit_half(const __grid_constant__ vector_request r) {
    const vector_lattice &l = r.lattice;
    const uint32_t row = blockIdx.x * blockDim.y + threadIdx.y,
                   column = blockIdx.y * blockDim.x + threadIdx.x;
    for (uint64_t k = blockIdx.z; has_replica(r, k); k += gridDim.z)
        if (row < l.edge[1] * l.edge[2] && column < columns_of(r, MOVE == REFLECTION))
            visit<n, D, MOVE>(
                r, (REAL *)r.spins + k * l.sites * n, r.stage.colour, r.parity, row, column,
                ssc_moment_of(&r.keys, r.first_replica + (uint32_t)k, r.sweep + r.stage.first));
}

template <uint32_t n, uint32_t D>
static __global__ void __launch_bounds__(MEASURE_THREADS)
    measure_lattices(const __grid_constant__ vector_request r) {
    const uint32_t sites = r.lattice.sites, blocks = (sites + MEASURE_SITES - 1) / MEASURE_SITES,
                   k = blockIdx.x / blocks, first = blockIdx.x % blocks * MEASURE_SITES,
                   end = min(first + MEASURE_SITES, sites);
    if (!has_replica(r, k))
        return;
    const REAL *const spins = (const REAL *)r.spins + (uint64_t)k * sites * n;
    vector_share share = {};
    for (uint32_t j = first + threadIdx.x; j < end; j += MEASURE_THREADS)
        count<n, D>(r, spins, j >= sites / 2, j % (sites / 2), &share);
    add_shares(share, &r.sums[k]);
}

static __global__ void finish_lattices(const __grid_constant__ vector_request r) {
    const uint64_t k = (uint64_t)blockIdx.x * MEASURE_THREADS + threadIdx.x;
    if (has_replica(r, k))
        finish(r, r.sums[k], k);
}

/* blockIdx.x: the child; blockIdx.y: a part of it. */
static __global__ void collect_lattices(const __grid_constant__ vector_request r, uint32_t words) {
    const uint64_t k = blockIdx.x;
    if (!has_replica(r, k))
        return;
    const uint4 *const from = (const uint4 *)r.parents + (uint64_t)r.parent[k] * words;
    uint4 *const to = (uint4 *)r.spins + k * words;
    for (uint32_t w = blockIdx.y * HALF_THREADS + threadIdx.x; w < words;
         w += gridDim.y * HALF_THREADS)
        to[w] = from[w];
}

/* --- founders, copies: a thread a site --- */

template <uint32_t n>
static __global__ void randomise_vectors(const __grid_constant__ vector_request r,
                                         uint64_t replicas, stream_key key) {
    const uint32_t sites = r.lattice.sites;
    const uint64_t at = (uint64_t)blockIdx.x * HALF_THREADS + threadIdx.x, k = at / sites;
    const uint32_t i = (uint32_t)(at % sites);
    if (k >= replicas)
        return;
    const stream_block b =
        stream_draw(key, STREAM_RANDOMISE, i, r.first_replica + (uint32_t)k, 0, 0);
    store<n>((REAL *)r.spins + k * sites * n + place_of(r.lattice, i), sites, OF(any)(n, b.number));
}

template <uint32_t n>
static __global__ void pack_vectors(const __grid_constant__ vector_request r,
                                    const uint32_t *places, uint64_t first, uint64_t count,
                                    REAL *packed) {
    const uint32_t sites = r.lattice.sites;
    const uint64_t at = (uint64_t)blockIdx.x * HALF_THREADS + threadIdx.x, k = at / sites;
    if (k >= count)
        return;
    const uint64_t from = places ? places[k] : first + k;
    store<n>(packed + at * n, 1,
             load<n>((const REAL *)r.spins + from * sites * n +
                         place_of(r.lattice, (uint32_t)(at % sites)),
                     sites));
}

template <uint32_t n>
static __global__ void unpack_vectors(const __grid_constant__ vector_request r, uint64_t first,
                                      uint64_t count, const REAL *packed) {
    const uint32_t sites = r.lattice.sites;
    const uint64_t at = (uint64_t)blockIdx.x * HALF_THREADS + threadIdx.x, k = at / sites;
    if (k < count)
        store<n>((REAL *)r.spins + (first + k) * sites * n +
                     place_of(r.lattice, (uint32_t)(at % sites)),
                 sites, load<n>(packed + at * n, 1));
}

/* --- launches --- */

/* Calls a function for the components, the dimension and the move of a launch. */
#define FOR_MOVE(LAUNCH, l, n, D)                                                                  \
    ((l).r.rule.heat_bath ? LAUNCH<n, D, HEAT_BATH>(l) : LAUNCH<n, D, METROPOLIS>(l))
#define FOR_DIMENSION(FOR, LAUNCH, l, n)                                                           \
    ((l).r.lattice.dimension == 3 ? FOR(LAUNCH, l, n, 3) : FOR(LAUNCH, l, n, 2))
#define FOR_LAUNCH(FOR, LAUNCH, l)                                                                 \
    ((l).r.lattice.components == 3 ? FOR_DIMENSION(FOR, LAUNCH, l, 3)                              \
                                   : FOR_DIMENSION(FOR, LAUNCH, l, 2))
#define WITHOUT_MOVE(LAUNCH, l, n, D) LAUNCH<n, D>(l)

/* Threads of a block of step_vectors, at most: more of them where fewer blocks fit into a multiprocessor. */
static dim3 step_block(const vector_request &r) {
    const size_t bytes = vector_bytes(&r.lattice);
    const uint32_t most = bytes > 98304   ? MOST_STEP_THREADS
                          : bytes > 24576 ? 512
                                          : 256,
                   all = r.lattice.edge[1] * r.lattice.edge[2] * columns_of(r, false);
    return block_of(r, false, all < most ? all : most);
}

template <uint32_t n, uint32_t D>
static void allow_shared_of(cuda_population *p, const vector_lattice *l) {
    cuda_allow_shared(p, (const void *)step_vectors<n, D, METROPOLIS>, vector_bytes(l));
    cuda_allow_shared(p, (const void *)step_vectors<n, D, HEAT_BATH>, vector_bytes(l));
    cuda_allow_shared(p, (const void *)round_vectors<n, D, METROPOLIS>, vector_bytes(l));
    cuda_allow_shared(p, (const void *)round_vectors<n, D, HEAT_BATH>, vector_bytes(l));
}

static void allow_shared(cuda_population *p, const vector_lattice *l) {
    if (l->components == 3)
        l->dimension == 3 ? allow_shared_of<3, 3>(p, l) : allow_shared_of<3, 2>(p, l);
    else
        l->dimension == 3 ? allow_shared_of<2, 3>(p, l) : allow_shared_of<2, 2>(p, l);
}

/* A launch of step_vectors. */
struct launch_of_step : vector_launch {
    step_parts parts;
};

template <uint32_t n, uint32_t D, vector_move MOVE>
static void launch_step(const launch_of_step &l) {
    step_vectors<n, D, MOVE>
        <<<(unsigned)l.replicas, step_block(l.r), vector_bytes(&l.r.lattice), l.p->stream>>>(
            l.r, l.parts);
}

static void step(const vector_launch *l, step_parts parts) {
    const launch_of_step all = {*l, parts};
    FOR_LAUNCH(FOR_MOVE, launch_step, all);
    cuda_check_launch(l->p, "step_vectors");
}

/* A launch of round_vectors. */
struct launch_of_round {
    cuda_population *p;
    vector_round r;
};

template <uint32_t n, uint32_t D, vector_move MOVE>
static void launch_round(const launch_of_round &l) {
    const dim3 blocks(l.r.round.words * MACHINE_LANES, l.r.round.groups), threads = step_block(l.r);
    round_vectors<n, D, MOVE><<<blocks, threads, vector_bytes(&l.r.lattice), l.p->stream>>>(l.r);
}

static void round(cuda_population *p, const vector_round *r) {
    const launch_of_round all = {p, *r};
    FOR_LAUNCH(FOR_MOVE, launch_round, all);
    cuda_check_launch(p, "round_vectors");
}

static void collect(const vector_launch *l) {
    const uint32_t words = (uint32_t)(vector_bytes(&l->r.lattice) / 16);
    const unsigned parts = blocks_for(words, 16 * HALF_THREADS);
    collect_lattices<<<dim3((unsigned)l->replicas, parts < 65535 ? parts : 65535), HALF_THREADS, 0,
                       l->p->stream>>>(l->r, words);
    cuda_check_launch(l->p, "collect_lattices");
}

template <uint32_t n, uint32_t D, vector_move MOVE>
static void launch_half(const vector_launch &l) {
    const bool reflects = MOVE == REFLECTION;
    visit_half<n, D, MOVE>
        <<<blocks_of_half(l, reflects), block_of(l.r, reflects, HALF_THREADS), 0, l.p->stream>>>(
            l.r);
}

static void half(const vector_launch *l) {
    FOR_LAUNCH(FOR_MOVE, launch_half, *l);
    cuda_check_launch(l->p, "visit_half");
}

template <uint32_t n, uint32_t D> static void launch_reflections(const vector_launch &l) {
    launch_half<n, D, REFLECTION>(l);
}

static void reflect(const vector_launch *l) {
    FOR_LAUNCH(WITHOUT_MOVE, launch_reflections, *l);
    cuda_check_launch(l->p, "visit_half (reflections)");
}

static bool tiles(const vector_launch *l) {
    if (!tiles_fit(l->r))
        return false;
    FOR_LAUNCH(FOR_MOVE, launch_tiles, *l);
    cuda_check_launch(l->p, "hit_tiles");
    return true;
}

static bool regions(const vector_launch *l, void *swept) {
    if (!regions_fit(l->r.lattice))
        return false;
    const launch_of_regions all = {*l, swept};
    FOR_LAUNCH(FOR_MOVE, launch_regions, all);
    cuda_check_launch(l->p, "sweep_regions");
    return true;
}

template <uint32_t n, uint32_t D> static void launch_measurement(const vector_launch &l) {
    measure_lattices<n, D><<<(unsigned)(l.replicas * blocks_for(l.r.lattice.sites, MEASURE_SITES)),
                             MEASURE_THREADS, 0, l.p->stream>>>(l.r);
}

static void measure(const vector_launch *l) {
    CUDA_CHECK(l->p, cudaMemsetAsync(l->r.sums, 0, l->replicas * sizeof *l->r.sums, l->p->stream));
    FOR_LAUNCH(WITHOUT_MOVE, launch_measurement, *l);
    finish_lattices<<<blocks_for(l->replicas, MEASURE_THREADS), MEASURE_THREADS, 0, l->p->stream>>>(
        l->r);
    cuda_check_launch(l->p, "measure_lattices");
}

static void randomise(const vector_launch *l, stream_key key) {
    const unsigned blocks = blocks_for(l->replicas * l->r.lattice.sites, HALF_THREADS);
    if (l->r.lattice.components == 3)
        randomise_vectors<3><<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, l->replicas, key);
    else
        randomise_vectors<2><<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, l->replicas, key);
    cuda_check_launch(l->p, "randomise_vectors");
}

static void pack(const vector_launch *l, const uint32_t *places, uint64_t first, uint64_t count,
                 uint8_t *packed) {
    const unsigned blocks = blocks_for(count * l->r.lattice.sites, HALF_THREADS);
    if (l->r.lattice.components == 3)
        pack_vectors<3>
            <<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, places, first, count, (REAL *)packed);
    else
        pack_vectors<2>
            <<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, places, first, count, (REAL *)packed);
    cuda_check_launch(l->p, "pack_vectors");
}

static void unpack(const vector_launch *l, uint64_t first, uint64_t count, const uint8_t *packed) {
    const unsigned blocks = blocks_for(count * l->r.lattice.sites, HALF_THREADS);
    if (l->r.lattice.components == 3)
        unpack_vectors<3>
            <<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, first, count, (const REAL *)packed);
    else
        unpack_vectors<2>
            <<<blocks, HALF_THREADS, 0, l->p->stream>>>(l->r, first, count, (const REAL *)packed);
    cuda_check_launch(l->p, "unpack_vectors");
}

const vector_kernels OF(kernels) = {allow_shared, randomise, step,  round,   collect,
                                    half,         reflect,   tiles, regions, clusters,
                                    measure,      pairs,     pack,  unpack};
