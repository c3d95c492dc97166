/* The population of a CUDA engine, less its spins: energies, families and parents, and the report.
 * Everything stays on the device; only tau-hat goes there and the histogram comes back. */
#ifndef PAISING_CUDA_ENGINE_POPULATION_H
#define PAISING_CUDA_ENGINE_POPULATION_H

#include "cuda/device/prelaunch.h"
#include "cuda/report/report.h"
#include "cuda/select/point_bins.h"
#include "cuda/select/tile.h"
#include "engine/engine.h"
#include "engine/family_list.h"

#include <cuda_runtime.h>

/* Where a share of a population (engine/share.h) stands in the whole. */
typedef struct {
    uint64_t origin;   /* the number of the first replica here, */
    uint64_t all;      /* and how many there are in all; 0: those here */
    uint64_t assigned; /* children that the share has; 0: the report says how many there are */
} cuda_interval;

/* What the kernels see of a population. Pointers are to device memory. */
typedef struct {
    uint64_t capacity;
    cuda_interval interval;
    uint64_t founders; /* replicas that the run began with; 0: their sums are not wanted */
    energy_levels levels;
    uint32_t order_unit;
    uint32_t *level;           /* [capacity] energy level of each replica */
    family_list family;        /* [capacity] */
    family_list parent_family; /* [capacity] the families before the resampling */
    uint32_t *parent;          /* [capacity] of each replica, in the population before it */
    uint64_t *tau_hat;     /* [levels.count] tau-hat from the first occupied level on, if that is
                                more than a launch has room for */
    selection_tile *tiles; /* [selection_tiles(capacity)] */
    cuda_report *report;   /* of the population at hand, while it is made */
    level_sums *sums;      /* [sum_sets][levels.count], likewise */
    uint32_t sum_sets;     /* a power of two: a block adds to one of them (level_sum_sets) */
    uint32_t mark;         /* of the report: another one than any before it had */
    cuda_report *host;     /* where it is published: pinned and mapped (published_bytes) */
} cuda_replicas;

typedef struct {
    cuda_replicas device;
    int shared_limit;   /* shared memory in bytes that a block may have */
    bool begins_early;  /* launches may begin before those before them have ended */
    size_t most_levels; /* of any sample of the model */
    uint64_t replicas;  /* R_i */
    size_t first, end;  /* occupied levels of the population at hand */
    resampling_rule rule;
    bool scattered;         /* children have left their families: they are not counted any more */
    bool unpublished;       /* the report has sums of a selection that were not published */
    uint32_t selections;    /* by a rule, so far */
    point_bins bins;        /* of rules whose points fall anywhere (points.h) */
    prelaunch prelaunch;    /* before a selection that is queued ahead */
    uint64_t *host_tau_hat; /* [levels.count] pinned, as `tau_hat` */
    cuda_report *host[2];   /* reports are published here in turn */
    cuda_report *partial;   /* the last one, if the host has read no more than the counts of it */
    cudaStream_t stream;
    const char *failed; /* the call that failed, or NULL */
    cudaError_t error;
} cuda_population;

/* What a launch works on: the population, or a group of it (groups.h). */
typedef struct {
    cuda_replicas replicas; /* theirs */
    uint64_t first;         /* the first of them in the population */
    uint64_t most;          /* how many there can be */
    const flip_rule *rule;
    int64_t inherited; /* where in parent[] and family[] those of the first one stand */
} cuda_range;

/* An attribute of the device in use. */
cudaError_t cuda_attribute(cudaDeviceAttr name, int *value);

/* Allocates; returns 0, or -1 with p->failed set. */
int cuda_population_create(cuda_population *p, const engine_config *config);
void cuda_population_destroy(cuda_population *p);

/* Makes two arrays of so many bytes on the device larger, for as many as are needed, and if there is memory for some more,
 * since all is copied: the first one is kept, and nothing of the spare one, which is given up before there is a third.
 * Returns how many bytes they have now: as many as before, where there is no memory. */
uint64_t cuda_grow(cuda_population *p, void **kept, void **spare, uint64_t bytes, uint64_t needed);

/* Begins a population of founders: replica k is the ancestor of family k. */
void cuda_population_found(cuda_population *p, uint64_t replicas);

/* Queues that the sums of a selection are forgotten, if they are still in the report. */
void cuda_population_forget(cuda_population *p);

/* Queues the beginning of a report of `replicas` replicas. */
void cuda_population_begin(cuda_population *p, const cuda_replicas *of, uint64_t replicas);

/* Waits for everything that was queued, and for how many replicas there are. Returns ENGINE_OK,
 * ENGINE_EXTINCT, ENGINE_OUTGROWN, or ENGINE_FAILED with p->failed set. */
engine_status cuda_population_count(cuda_population *p);

/* Waits until a kernel in the stream has written 1 there, in the host's memory, as the last thing that it does: it is
 * seen sooner than the kernel is known to have ended. */
void cuda_population_await(cuda_population *p, const uint32_t *done);

/* There is to be another report, published where that before the last one was: the last may still be completed. */
void cuda_population_swap_reports(cuda_population *p);

/* Turns a published report into a histogram: its counts, each as soon as it has come, unless p->failed; the rest, which has. */
void cuda_population_read_counts(cuda_population *p, cuda_report *report, histogram *out);
void cuda_population_read_rest(const cuda_population *p, cuda_report *report, histogram *out);

/* Waits for the counts of the published report of the population, which become a histogram. Returns as
 * cuda_population_count. */
engine_status cuda_population_collect(cuda_population *p, histogram *out);

/* Waits for the rest of it, unless it has come. Returns false if it does not: where a later call has failed, it may come all the
 * same. */
bool cuda_population_complete(cuda_population *p, histogram *out);

/* Notes a failed call; later calls of the same population do nothing. Returns whether all is well.
 */
int cuda_check(cuda_population *p, cudaError_t error, const char *call);
#define CUDA_CHECK(p, call) cuda_check(p, call, #call)

/* Forgets a failure on which the population does not depend. */
void cuda_population_forget_failure(cuda_population *p);

/* Checks the launch of the named kernel. */
int cuda_check_launch(cuda_population *p, const char *kernel);

/* Lets the blocks of a kernel have at least so many bytes of dynamic shared memory. An engine does
 * it once, when it is made; what another engine needs of the same kernel stays allowed. */
void cuda_allow_shared(cuda_population *p, const void *kernel, size_t bytes);

#ifdef __CUDACC__

#include "cuda/device/launches.cuh"

/* Launches a kernel that calls await_launch_before: where the device can, it begins as soon as the one before it in the
 * stream allows. None behind a gate that could not be launched. */
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

/* How many children there are, of a share that stands there. */
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

/* The least and the greatest number of a full warp, in every lane. */
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

/* The bits that are set in any lane of a full warp, in every lane. */
static __device__ __forceinline__ uint32_t warp_or(uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, value);
#else
    for (int distance = 16; distance; distance /= 2)
        value |= __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
#endif
}

/* The sum of `value` over the lanes of a full warp, in every lane. */
static __device__ __forceinline__ uint64_t warp_sum(uint64_t value) {
#if __CUDA_ARCH__ >= 800
    /* In pieces of 26 bits, whose sums fit into 32. */
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

/* Adds each lane's numbers to the sums of its block, number UINT32_MAX for none. Neighbours nearly always
 * stand in one block, and are added together: one addition a warp and number. All 32 lanes must call it. */
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

/* The moments of a replica's |M| = order unit x order, as they are summed. */
struct order_moments {
    uint64_t abs_m, m2, q_low, q_high;
};

static __device__ __forceinline__ order_moments moments_of(const cuda_replicas *p, uint32_t order) {
    const uint64_t abs_m = (uint64_t)p->order_unit * order, order2 = (uint64_t)order * order;
    const uint64_t q = order2 * order2;
    return order_moments{abs_m, abs_m * abs_m, q & UINT32_MAX,
                         __umul64hi(order2, order2) << 32 | q >> 32};
}

/* The parts of a report, which warps can make side by side: each adds a warp's replicas, lane by lane replica k (`counts`:
 * it exists) of energy level n and |M| / order unit, to some of the sums. All 32 lanes must call it. */
static __device__ __forceinline__ void report_levels(const cuda_replicas *p, int counts, uint64_t k,
                                                     uint32_t n, uint32_t order) {
    const uint32_t first = warp_min(counts ? n : UINT32_MAX);
    const uint32_t end = warp_max(counts ? n + 1 : 0);
    const order_moments of = moments_of(p, order);
    if (counts) {
        level_sums *const sums = &p->sums[(blockIdx.x & (p->sum_sets - 1)) * p->levels.count + n];
        p->level[k] = n;
        atomic_add(&sums->replicas, 1);
        atomic_add(&sums->abs_m, of.abs_m);
        atomic_add(&sums->m2, of.m2);
        atomic_add(&sums->q_low, of.q_low);
        atomic_add(&sums->q_high, of.q_high);
    }
    if ((threadIdx.x & 31) == 0 && first < end) { /* mostly others have been as far */
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

/* Of a replica whose family stands there in family[]. */
static __device__ __forceinline__ void report_founders(const cuda_replicas *p, int counts,
                                                       uint64_t at, uint32_t n) {
    if (p->founders > 0)
        add_to_blocks(p->report->founder,
                      counts ? (uint32_t)population_block(p->family[at], p->founders) : UINT32_MAX,
                      founder_sums{1, level_energy(p->levels, n)});
}

#endif
#endif
