/* The kernels that measure and publish overlaps (overlaps.cu): of one population, of a launch batch, of the groups of a round. */
#ifndef PAISING_CUDA_REPORT_OVERLAP_KERNELS_CUH
#define PAISING_CUDA_REPORT_OVERLAP_KERNELS_CUH

#include "cuda/report/overlap_counts.cuh"

#include <stddef.h>

#define OVERLAP_PUBLISHERS 64  /* blocks that publish a report */
#define MOST_MEASURING     256 /* threads of a block that measures */
#define STAGED_AT_ONCE     3   /* words of D of a thread whose loads are in flight together */

/* Raises a bound. All warps report the same two numbers: most find the bound high enough, and need no atomic operation. */
static __device__ __forceinline__ void raise(uint32_t *bound, uint32_t to) {
    if (__ldcg(bound) < to)
        atomicMax(bound, to);
}

/* Adds one to bin `bin` of part `part` for each lane that `counts`. Threads: a full warp. */
static __device__ __forceinline__ void add_to_bins(uint32_t *bins, overlap_range *range,
                                                   uint32_t count, bool counts, uint64_t part,
                                                   uint32_t bin) {
    const uint32_t left = warp_max(counts ? count - bin : 0), end = warp_max(counts ? bin + 1 : 0);
    if (threadIdx.x % MACHINE_LANES == 0 && end > 0) {
        raise(&range->left, left);
        raise(&range->end, end);
    }
    if (counts)
        atomicAdd(&bins[part * count + bin], 1);
}

/* Adds 32 pairs to the report; each lane has pair k. Threads: a full warp. */
static __device__ void report_pairs(const overlap_request &o, uint64_t k,
                                    const overlap_pair &pair) {
    const bool exists = k < o.pairs.count,
               related = exists && o.pairs.family[k] == o.pairs.partner[k];
    const bool counts = exists && !related;
    const uint32_t relatives = (uint32_t)__popc(__ballot_sync(FULL_WARP, related));
    if (threadIdx.x == 0 && relatives)
        atomic_add(&o.report->relatives, relatives);
    k += o.pairs.number;
    add_to_blocks(o.report->block,
                  counts ? (uint32_t)overlap_block_of(k, o.pairs.pairs) : UINT32_MAX,
                  overlap_numbers(o.sites, &pair));
    const uint64_t part = overlap_part_of(k, o.pairs.pairs);
    add_to_bins(o.differ_bins, &o.report->differ, o.scale.differ_bins, counts, part,
                overlap_differ_bin(o.scale, o.sites, pair.differ));
    add_to_bins(o.wall_bins, &o.report->walls, o.scale.wall_bins, counts, part,
                overlap_wall_bin(o.scale, pair.walls));
}

/* Copies the differences of a block's pairs to shared memory, by rows. */
static __device__ __forceinline__ void stage(const overlap_request &o, const cuda_pair_words &words,
                                             uint32_t *staged) {
    const uint32_t count = o.pitch * o.edge[1] * o.edge[2];
    for (uint32_t first = threadIdx.x; first < count; first += STAGED_AT_ONCE * blockDim.x) {
        uint32_t word[STAGED_AT_ONCE];
#pragma unroll
        for (uint32_t i = 0; i < STAGED_AT_ONCE; i++) /* behind the last it is the last once more */
            word[i] =
                difference(words, o.order, o.other_order, min(first + i * blockDim.x, count - 1));
#pragma unroll
        for (uint32_t i = 0; i < STAGED_AT_ONCE; i++)
            if (first + i * blockDim.x < count)
                staged[first + i * blockDim.x] = word[i];
    }
}

/* Measures the pairs of block blockIdx.x of the request. */
template <typename C>
static __device__ __forceinline__ void measure_block(const overlap_request &o) {
    extern __shared__ uint4 room[]; /* the counts, then the lattice; at the end the warps' pairs */
    const uint32_t lane = threadIdx.x % MACHINE_LANES, warp = threadIdx.x / MACHINE_LANES,
                   warps = blockDim.x / MACHINE_LANES, ly = o.edge[1];
    pair_counts c;
    c.of_x = (uint32_t *)room;
    c.of_y = c.of_x + planes_at_once(o, blockDim.x) * C::plane;
    c.of_z = c.of_y + ly * C::plane;
    c.row = c.of_z + o.layers * C::plane;
    uint32_t *const staged = c.row + o.layers * ly * C::row;
    const uint64_t block = blockIdx.x;
    const cuda_pair_words words = {
        o.words.own + block * o.words.own_each,
        o.words.other ? o.words.other + block * o.words.other_each : NULL, 0, 0};
    const pair_lattice<C::staged> d = {C::staged ? cuda_pair_words{staged, NULL, 0, 0} : words,
                                       o.order, o.other_order, o.edge[0], o.pitch};
    if (C::staged) {
        stage(o, words, staged);
        __syncthreads();
    }
    pair_part<C> part = {};
    count_lattice<C>(o, d, c, &part);
    __syncthreads();
    pair_part<C> *const found = (pair_part<C> *)room; /* [warps][MACHINE_LANES] */
    found[threadIdx.x] = part;
    __syncthreads();
    if (warp > 0)
        return;
    overlap_pair pair = {};
    for (uint32_t n = 0; n < warps; n++)
        add_part(&pair, found[n * MACHINE_LANES + lane]);
    report_pairs(o, (uint64_t)blockIdx.x * MACHINE_LANES + lane, pair);
}

/* The first place of the family of place k, whose replicas are adjacent, from k on downwards: in steps that double, and
 * then by halves. */
static __device__ __forceinline__ uint64_t family_begin(const uint32_t *family, uint64_t k) {
    uint64_t step = 1, begin = k; /* is in the family */
    while (begin >= step && family[begin - step] == family[k]) {
        begin -= step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (begin >= step && family[begin - step] == family[k])
            begin -= step;
    return begin;
}

/* Adds the logarithms of the families that end among this block's replicas. */
static __device__ __forceinline__ void add_logs(const family_request &r, uint32_t block,
                                                uint32_t blocks) {
    const uint32_t *const family = r.family;
    const uint64_t replicas = r.replicas;
    uint64_t logs = 0;
    for (uint64_t k = (uint64_t)block * blockDim.x + threadIdx.x; k < replicas;
         k += blocks * blockDim.x) {
        if (k + 1 < replicas && family[k + 1] == family[k])
            continue;
        const uint64_t members = k + 1 - family_begin(family, k);
        logs += members * (members < FEW_MEMBERS ? r.log_of_few[members] : family_log(members));
    }
    logs = warp_sum(logs);
    if (threadIdx.x % 32 == 0 && logs)
        atomic_add(&r.report->family_logs, logs);
}

/* --- kernels --- */

/* Measures the pairs and the families. The first `of_pairs` blocks of a row measure pairs. */
template <typename C>
static __device__ __forceinline__ void measure(const overlap_request &o, const family_request &f,
                                               uint32_t of_pairs) {
    if (blockIdx.x >= of_pairs)
        add_logs(f, blockIdx.x - of_pairs, gridDim.x - of_pairs);
    else if ((uint64_t)blockIdx.x * MACHINE_LANES < o.pairs.count)
        measure_block<C>(o);
}

template <typename C>
static __global__ void __launch_bounds__(MOST_MEASURING, C::staged ? 5 : 3)
    measure_one(const __grid_constant__ overlap_request o, const __grid_constant__ family_request f,
                uint32_t of_pairs) {
    measure<C>(o, f, of_pairs);
}

/* The same for each member of a batch. */
template <typename C>
static __global__ void __launch_bounds__(BATCH_THREADS)
    measure_batch(const __grid_constant__ batch_requests all, uint32_t of_pairs) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    measure<C>(r.overlaps, r.families, of_pairs);
}

/* Where the groups of a round are, one after the other. */
struct group_steps {
    uint32_t words;        /* machine words of a group */
    uint32_t replicas;     /* likewise */
    uint64_t report_bytes; /* from one report to the next */
};

/* The same for each group of a round, one row of blocks each: the request is that of the first. */
template <typename C>
static __global__ void __launch_bounds__(MOST_MEASURING, C::staged ? 5 : 3)
    measure_groups(const __grid_constant__ overlap_request o,
                   const __grid_constant__ group_steps g) {
    __shared__ overlap_request r;
    fetch_request(&r, &o);
    if (threadIdx.x == 0) {
        const uint64_t k = blockIdx.y, words = k * g.words, bytes = k * g.report_bytes;
        r.words.own += words * o.words.own_each;
        r.words.other += words * o.words.other_each;
        r.pairs.family += k * g.replicas;
        r.pairs.partner += k * g.replicas;
        r.report = (overlap_report *)((char *)r.report + bytes);
        r.differ_bins = (uint32_t *)((char *)r.differ_bins + bytes);
        r.wall_bins = (uint32_t *)((char *)r.wall_bins + bytes);
    }
    __syncthreads();
    await_launch_before();
    measure_block<C>(r);
}

/* Copies the bins that have pairs to the host, and clears them. */
static __device__ __forceinline__ void publish_bins(uint32_t *to, uint32_t *from, uint32_t bins,
                                                    overlap_range range, uint32_t thread) {
    const uint32_t first = bins - range.left, some = range.end > 0 ? range.end - first : 0;
    for (uint32_t n = thread; n < OVERLAP_PARTS * some; n += OVERLAP_PUBLISHERS * BATCH_THREADS) {
        const uint32_t at = n / some * bins + first + n % some;
        to[at] = from[at];
        from[at] = 0;
    }
}

/* Copies the other sums to the host, and clears them. */
static __device__ __forceinline__ void publish_sums(overlap_report *host, overlap_report *report,
                                                    uint32_t thread) {
    uint64_t *const to = (uint64_t *)host, *const from = (uint64_t *)report;
    for (uint64_t n = offsetof(overlap_report, relatives) / sizeof *to + thread;
         n < sizeof *report / sizeof *to; n += OVERLAP_PUBLISHERS * BATCH_THREADS) {
        to[n] = from[n];
        from[n] = 0;
    }
}

/* Publishes a report. The last block sets host->done. */
static __device__ __forceinline__ void publish(const overlap_request &o, overlap_report *host) {
    const uint32_t thread = blockIdx.x * BATCH_THREADS + threadIdx.x;
    uint32_t *const host_bins = (uint32_t *)(host + 1);
    publish_sums(host, o.report, thread);
    publish_bins(host_bins, o.differ_bins, o.scale.differ_bins, o.report->differ, thread);
    publish_bins(host_bins + OVERLAP_PARTS * o.scale.differ_bins, o.wall_bins, o.scale.wall_bins,
                 o.report->walls, thread);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence_system(); /* for the writes of the block's other threads */
    if (atomicAdd((unsigned long long *)&o.report->done, 1) < OVERLAP_PUBLISHERS - 1)
        return;
    host->differ = o.report->differ;
    host->walls = o.report->walls;
    o.report->differ = o.report->walls = overlap_range{};
    o.report->done = 0;
    __threadfence_system();
    *(volatile uint64_t *)&host->done = 1;
}

static __global__ void __launch_bounds__(BATCH_THREADS)
    publish_one(const __grid_constant__ overlap_request o, overlap_report *host) {
    publish(o, host);
}

static __global__ void __launch_bounds__(BATCH_THREADS)
    publish_batch(const __grid_constant__ batch_requests all) {
    __shared__ batch_request r;
    fetch_own_request(&r, all);
    publish(r.overlaps, r.host);
}

#endif
