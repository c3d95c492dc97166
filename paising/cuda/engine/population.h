/* The population of a CUDA engine without its spins: levels, families, parents, and the report. All
 * of it stays on the device. Only tau-hat goes to the device, and only the report comes back. */
#ifndef PAISING_CUDA_ENGINE_POPULATION_H
#define PAISING_CUDA_ENGINE_POPULATION_H

#include "cuda/device/prelaunch.h"
#include "cuda/report/report.h"
#include "cuda/select/point_bins.h"
#include "cuda/select/tile.h"
#include "engine/engine.h"

#include <cuda_runtime.h>

/* The interval of a larger population that an engine holds (engine/partition.h). */
typedef struct {
    uint64_t origin;   /* global number of the first replica here */
    uint64_t all;      /* replicas of the whole population; 0: those here are all */
    uint64_t assigned; /* children assigned to this interval; 0: the report has their number */
} cuda_interval;

/* What kernels see of a population. Pointers are to device memory. */
typedef struct {
    uint64_t capacity;
    cuda_interval interval;
    uint64_t founders; /* replicas that the run began with; 0: founder sums are not wanted */
    energy_levels levels;
    uint32_t order_unit;
    uint32_t room;           /* levels of a report: all, or that of one replica (histogram_room) */
    uint32_t *level;         /* [capacity] energy level of each replica */
    uint32_t *family;        /* [capacity] */
    uint32_t *parent_family; /* [capacity + 1] families before the resampling */
    uint32_t *parent;        /* [capacity] parent of each replica in the population before */
    /* [levels.count] tau-hat from the first occupied level on, where it exceeds a kernel's
     * arguments */
    uint64_t *tau_hat;
    selection_tile *tiles; /* [selection_tiles(capacity)] */
    cuda_report *report;   /* report under construction */
    level_sums *sums;      /* [sum_sets][room] level sums under construction */
    uint16_t sum_sets;     /* a power of two; each block adds to one set (level_sum_sets) */
    uint16_t low_bits;     /* of M^4 (histogram_low_bits) */
    uint32_t mark;         /* of the report: differs from those of earlier reports */
    cuda_report *host;     /* published report: pinned, mapped (published_bytes) */
} cuda_replicas;

typedef struct {
    cuda_replicas device;
    int shared_limit;   /* most shared memory of a block, in bytes */
    bool begins_early;  /* kernels may begin before the launch before has ended */
    size_t most_levels; /* most levels of any sample of the model */
    uint64_t replicas;  /* R_i */
    size_t first, end;  /* occupied levels of the current population */
    resampling_rule rule;
    bool scattered;   /* families are no longer contiguous, and are not counted */
    bool unpublished; /* the report holds sums of a selection that were not published */
    /* the report at hand has weights for the next step, and its levels come later */
    bool levels_later;
    uint32_t selections;    /* selections by a rule, so far */
    point_bins bins;        /* for rules that throw points on the line (point_counts.h) */
    prelaunch prelaunch;    /* mailbox of a pre-launched selection */
    uint64_t *host_tau_hat; /* [levels.count] pinned, as `tau_hat` */
    cuda_report *host[2];   /* published reports, used in turn */
    cuda_report *partial;   /* last report, while only its counts were read; else NULL */
    cudaStream_t stream;
    const char *failed; /* the call that failed, or NULL */
    cudaError_t error;
} cuda_population;

/* The replicas that a launch works on: the population, or a group of it (groups.h). */
typedef struct {
    cuda_replicas replicas; /* as the kernels see them */
    uint64_t first;         /* place of the first one in the population */
    uint64_t most;          /* upper bound of their number */
    const flip_rule *rule;
    int64_t inherited; /* index in parent[] and family[] of the first one */
} cuda_range;

/* Reads an attribute of the current device. */
cudaError_t cuda_attribute(cudaDeviceAttr name, int *value);

/* Allocates. Returns 0, or -1 with p->failed set. */
int cuda_population_create(cuda_population *p, const engine_config *config);
void cuda_population_destroy(cuda_population *p);

/* Enlarges two device arrays of `bytes` bytes to at least `needed` bytes, with some reserve if
 * memory allows. *kept keeps its contents. *spare is freed before the new array is allocated, and
 * loses its contents. Returns the new size, or `bytes` if there is no memory. */
uint64_t cuda_grow(cuda_population *p, void **kept, void **spare, uint64_t bytes, uint64_t needed);

/* Queues a population of founders: replica k founds family k. */
void cuda_population_found(cuda_population *p, uint64_t replicas);

/* Queues the clearing of a selection's sums, if the report still holds unpublished ones. */
void cuda_population_forget(cuda_population *p);

/* Queues the beginning of a report of `replicas` replicas. */
void cuda_population_begin(cuda_population *p, const cuda_replicas *of, uint64_t replicas);

/* Waits for the stream and for the population's size. Returns ENGINE_OK, ENGINE_EXTINCT,
 * ENGINE_OUTGROWN, or ENGINE_FAILED with p->failed set. */
engine_status cuda_population_count(cuda_population *p);

/* Waits until a kernel in the stream has written a non-zero *done to pinned memory. The kernel
 * writes it last. Polling sees it earlier than the runtime reports the end of the kernel. */
void cuda_population_await(cuda_population *p, const uint32_t *done);

/* Switches to the other of the two published reports. The last report can still be completed
 * meanwhile. */
void cuda_population_swap_reports(cuda_population *p);

/* Copies the counts of a published report into a histogram, and waits for each. A failure sets p->failed. */
void cuda_population_read_counts(cuda_population *p, cuda_report *report, histogram *out);

/* Copies the other sums, of a report with room for so many levels. Pre: all of the report has arrived. */
void cuda_population_read_rest(cuda_report *report, size_t room, histogram *out);

/* Waits for the counts of the published report and copies them to `out`, or the population alone if
 * the levels come later. Returns as cuda_population_count. */
engine_status cuda_population_collect(cuda_population *p, histogram *out);

/* Waits for the other sums of the last report and copies them to `out`, unless that was done.
 * Returns false if they do not arrive. They may arrive even if a later call has failed. */
bool cuda_population_complete(cuda_population *p, histogram *out);

/* Whether levels may come later than weights: of fine energies that no pre-launched selection has room for. */
static inline bool cuda_levels_may_be_later(const cuda_population *p) {
    return p->device.levels.fine && p->device.levels.count > p->prelaunch.room;
}

/* Records the first failed call in p->failed. Later calls of the same population then do nothing.
 * Returns whether no call has failed so far. */
int cuda_check(cuda_population *p, cudaError_t error, const char *call);
#define CUDA_CHECK(p, call) cuda_check(p, call, #call)

/* Clears a failure that did not affect the population. */
void cuda_population_forget_failure(cuda_population *p);

/* Checks the launch of the named kernel. */
int cuda_check_launch(cuda_population *p, const char *kernel);

/* Raises the limit of dynamic shared memory of a kernel to `bytes`, if it is lower. An engine calls
 * it once, when it is made. The limit that another engine has set is kept. */
void cuda_allow_shared(cuda_population *p, const void *kernel, size_t bytes);

/* Whether a kernel was compiled for a device on which await_launch_before waits. One that is made from the PTX of an older
 * device does not wait, whatever device it runs on. */
bool cuda_kernel_waits(cuda_population *p, const void *kernel);

#ifdef __CUDACC__

#include "cuda/device/launches.cuh"

/* Launches a kernel that calls await_launch_before. Where the device can, the kernel begins as soon
 * as the launch before it in the stream allows. Does nothing after a failure. */
template <typename... REQUESTS>
static void cuda_launch_early(cuda_population *p, const char *name, void (*kernel)(REQUESTS...),
                              dim3 blocks, unsigned threads, size_t shared_bytes,
                              const REQUESTS &...requests) {
    if (p->failed)
        return;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = p->stream;
    config.attrs = &early;
    config.numAttrs = p->begins_early ? 1 : 0;
    cuda_check(p, cudaLaunchKernelEx(&config, kernel, requests...), name);
}

static __device__ __forceinline__ void atomic_add(uint64_t *sum, uint64_t value) {
    atomicAdd((unsigned long long *)sum, (unsigned long long)value);
}

/* Returns the number of children of a population in interval `interval`. */
static __device__ __forceinline__ uint64_t children_of(const cuda_replicas &p,
                                                       const cuda_interval &interval) {
    return interval.assigned > 0 ? interval.assigned : p.report->population;
}

/* Clears the head of a report. */
static __device__ __forceinline__ void clear_head(cuda_report *report) {
    report->families = 0;
    report->family_squares = 0;
    report->first = UINT32_MAX;
    report->end = 0;
    report->finished = 0;
    report->joined = 0;
}

/* Minimum and maximum over the lanes of a full warp, in every lane. */
static __device__ __forceinline__ uint32_t warp_min(uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, value);
#else
    for (int distance = 16; distance; distance /= 2)
        value = min(value, __shfl_xor_sync(0xffffffffu, value, distance));
    return value;
#endif
}

static __device__ __forceinline__ uint32_t warp_max(uint32_t value) {
    return ~warp_min(~value);
}

/* Bitwise or over the lanes of a full warp, in every lane. */
static __device__ __forceinline__ uint32_t warp_or(uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, value);
#else
    for (int distance = 16; distance; distance /= 2)
        value |= __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
#endif
}

/* Sum over the lanes of a full warp, in every lane. */
static __device__ __forceinline__ uint64_t warp_sum(uint64_t value) {
#if __CUDA_ARCH__ >= 800
    /* Pieces of 26 bits, whose sums fit into 32 bits. */
    const uint32_t piece = (1u << 26) - 1;
    const uint64_t low = __reduce_add_sync(0xffffffffu, (uint32_t)value & piece);
    const uint64_t middle = __reduce_add_sync(0xffffffffu, (uint32_t)(value >> 26) & piece);
    const uint64_t high = __reduce_add_sync(0xffffffffu, (uint32_t)(value >> 52));
    return low + (middle << 26) + (high << 52);
#else
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
#endif
}

/* Adds each lane's numbers to the sums of its block; block UINT32_MAX: none. Neighbouring replicas
 * nearly always have the same block, so a warp adds them first: one atomic addition a warp and
 * number. All 32 lanes must call it. */
template <typename SUMS>
static __device__ __forceinline__ void add_to_blocks(SUMS *blocks, uint32_t block,
                                                     const SUMS &numbers) {
    constexpr uint32_t count = sizeof(SUMS) / sizeof(uint64_t);
    const uint64_t *const mine = (const uint64_t *)&numbers;
    const uint32_t leader = warp_min(block), lane = threadIdx.x & 31;
    if (leader == UINT32_MAX)
        return;
    const bool with_leader = block == leader;
    uint64_t sum = 0; /* of number `lane` */
#pragma unroll
    for (uint32_t n = 0; n < count; n++) {
        const uint64_t together = warp_sum(with_leader ? mine[n] : 0);
        sum = lane == n ? together : sum;
    }
    if (lane < count)
        atomic_add((uint64_t *)&blocks[leader] + lane, sum);
    if (!with_leader && block != UINT32_MAX)
        for (uint32_t n = 0; n < count; n++)
            atomic_add((uint64_t *)&blocks[block] + n, mine[n]);
}

/* Moments of a replica's |M| = order unit x order, as they are summed. */
struct order_moments {
    uint64_t abs_m, m2, q_low, q_high;
};

static __device__ __forceinline__ order_moments moments_of(const cuda_replicas *p, uint32_t order) {
    const uint64_t abs_m = (uint64_t)p->order_unit * order, order2 = (uint64_t)order * order;
    const uint64_t q = order2 * order2;
    const uint32_t low = p->low_bits;
    return order_moments{abs_m, abs_m * abs_m, q & ((uint64_t)1 << low) - 1,
                         __umul64hi(order2, order2) << (64 - low) | q >> low};
}

/* The sums of level n, of the set of this block. */
static __device__ __forceinline__ level_sums *sums_of_level(const cuda_replicas *p, uint32_t n) {
    return &p->sums[(blockIdx.x & (p->sum_sets - 1)) * p->room + (p->room > 1 ? n : 0)];
}

/* Parts of a report, which different warps can make at the same time. Each adds the replicas of a
 * warp to some of the sums: a lane has replica k of energy level n and |M| / order unit, if
 * `counts`. All 32 lanes must call them. */
static __device__ __forceinline__ void report_levels(const cuda_replicas *p, int counts, uint64_t k,
                                                     uint32_t n, uint32_t order) {
    const uint32_t first = warp_min(counts ? n : UINT32_MAX);
    const uint32_t end = warp_max(counts ? n + 1 : 0);
    const order_moments of = moments_of(p, order);
    if (counts) {
        level_sums *const sums = sums_of_level(p, n);
        p->level[k] = n;
        atomic_add(&sums->replicas, 1);
        atomic_add(&sums->abs_m, of.abs_m);
        atomic_add(&sums->m2, of.m2);
        atomic_add(&sums->q_low, of.q_low);
        atomic_add(&sums->q_high, of.q_high);
    }
    if ((threadIdx.x & 31) == 0 && first < end) { /* reading first: mostly nothing changes */
        if (first < __ldcg(&p->report->first))
            atomicMin(&p->report->first, first);
        if (end > __ldcg(&p->report->end))
            atomicMax(&p->report->end, end);
    }
}

static __device__ __forceinline__ void report_blocks(const cuda_replicas *p,
                                                     const cuda_interval *interval, int counts,
                                                     uint64_t k, uint64_t population, uint32_t n,
                                                     uint32_t order) {
    const int64_t energy = level_energy(p->levels, n);
    const order_moments of = moments_of(p, order);
    const uint32_t block = (uint32_t)population_block(
        interval->origin + k, interval->all > 0 ? interval->all : population);
    add_to_blocks(
        p->report->block, counts ? block : UINT32_MAX,
        block_sums{1, energy, (uint64_t)(energy * energy), of.abs_m, of.m2, of.q_low, of.q_high});
}

/* `at` is the index of the replica's family in family[]. */
static __device__ __forceinline__ void report_founders(const cuda_replicas *p, int counts,
                                                       uint64_t at, uint32_t n) {
    if (p->founders > 0)
        add_to_blocks(p->report->founder,
                      counts ? (uint32_t)population_block(p->family[at], p->founders) : UINT32_MAX,
                      founder_sums{1, level_energy(p->levels, n)});
}

#endif
#endif
