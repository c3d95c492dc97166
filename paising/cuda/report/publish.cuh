/* Publishing a report: device functions. */
#ifndef PAISING_CUDA_REPORT_PUBLISH_CUH
#define PAISING_CUDA_REPORT_PUBLISH_CUH

#include "cuda/engine/population.h"

#include <stddef.h>

#define AT_ONCE       4 /* loads of a thread in flight */
#define MOST_PARTS    4 /* parts of a warp, which add the sets of a number */
#define LEVEL_NUMBERS ((uint32_t)(sizeof(level_sums) / sizeof(uint64_t)))

/* Numbers of the sums over blocks, founders and parents. */
#define BLOCK_NUMBERS                                                                              \
    ((uint32_t)((sizeof(cuda_report) - offsetof(cuda_report, block)) / sizeof(uint64_t)))

static_assert(offsetof(cuda_report, founder) ==
                      offsetof(cuda_report, block) + sizeof(cuda_report::block) &&
                  offsetof(cuda_report, parent) ==
                      offsetof(cuda_report, founder) + sizeof(cuda_report::founder) &&
                  sizeof(cuda_report) ==
                      offsetof(cuda_report, parent) + sizeof(cuda_report::parent),
              "blocks, founders and parents are published as one array, at the end");

/* Writes a number with the mark of the report to pinned memory. */
static __device__ __forceinline__ void publish_marked(const cuda_replicas &p, uint64_t *to,
                                                      uint64_t number) {
    *(volatile uint64_t *)to = (uint64_t)p.mark << 32 | (uint32_t)number;
}

/* The size is capped: of a population that outgrew its memory only that is needed. */
static __device__ void publish_population(const cuda_replicas &p, uint32_t first, uint32_t end) {
    report_counts *const to = published_counts(p.host);
    publish_marked(p, &to->population, min(children_of(p, p.interval), (uint64_t)UINT32_MAX));
    publish_marked(p, &to->first, first);
    publish_marked(p, &to->end, end);
}

static __device__ void publish_families(const cuda_replicas &p) {
    p.host->families = __ldcg(&p.report->families);
    p.host->family_squares = __ldcg(&p.report->family_squares);
    p.host->edge[0] = p.report->edge[0];
    p.host->edge[1] = p.report->edge[1];
}

/* Publishes the sums over blocks, founders and parents, by `threads` threads. */
static __device__ __forceinline__ void publish_blocks(const cuda_replicas &p, uint32_t thread,
                                                      uint32_t threads) {
    uint64_t *const to = (uint64_t *)p.host->block, *const from = (uint64_t *)p.report->block;
    for (uint32_t n = thread; n < BLOCK_NUMBERS; n += AT_ONCE * threads) {
        uint64_t number[AT_ONCE];
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            if (n + i * threads < BLOCK_NUMBERS)
                number[i] = __ldcg(&from[n + i * threads]);
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            if (n + i * threads < BLOCK_NUMBERS) {
                to[n + i * threads] = number[i];
                from[n + i * threads] = 0;
            }
    }
}

/* Publishes `numbers` numbers of the level sums, each added over the sets. Parts of a warp share
 * the sets of a number. place(n) is the index of number n from level `first` on; put(n, sum) writes
 * it to the host. Threads: full warps. */
template <typename PLACE, typename PUT>
static __device__ __forceinline__ void publish_sets(const cuda_replicas &p, uint32_t first,
                                                    uint32_t numbers, uint32_t thread,
                                                    uint32_t threads, PLACE place, PUT put) {
    const uint32_t sets = p.sum_sets;
    const uint32_t parts = min(sets, MOST_PARTS), abreast = 32 / parts, all = threads / parts;
    const uint32_t part = thread % 32 / abreast;
    const size_t distance = (size_t)p.room * LEVEL_NUMBERS;
    uint64_t *const from = (uint64_t *)(p.sums + (p.room > 1 ? first : 0));
    for (uint32_t begin = thread / 32 * abreast; begin < numbers; begin += AT_ONCE * all) {
        const uint32_t n = begin + thread % abreast;
        uint64_t sum[AT_ONCE] = {};
#pragma unroll 4
        for (uint32_t set = part; set < sets; set += parts)
#pragma unroll
            for (uint32_t i = 0; i < AT_ONCE; i++)
                if (n + i * all < numbers)
                    sum[i] += __ldcg(&from[set * distance + place(n + i * all)]);
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            for (uint32_t apart = abreast; apart < 32; apart *= 2)
                sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], apart);
            if (n + i * all < numbers && part == i % parts)
                put(n + i * all, sum[i]);
        }
        for (uint32_t set = part; set < sets; set += parts)
#pragma unroll
            for (uint32_t i = 0; i < AT_ONCE; i++)
                if (n + i * all < numbers)
                    from[set * distance + place(n + i * all)] = 0;
    }
}

static __device__ __forceinline__ uint32_t levels_between(uint32_t first, uint32_t end) {
    return first < end ? end - first : 0;
}

/* Publishes the share of block `block` of `blocks` of the counts. All threads of the block must
 * call it. The head is not cleared. */
static __device__ __forceinline__ void publish_counts(const cuda_replicas &p, uint32_t block,
                                                      uint32_t blocks) {
    const uint32_t first = __ldcg(&p.report->first), end = __ldcg(&p.report->end);
    const uint32_t thread = block * blockDim.x + threadIdx.x, threads = blocks * blockDim.x;
    if (thread == 0)
        publish_population(p, first, end);
    publish_sets(
        p, first, levels_between(first, end), thread, threads,
        [](uint32_t n) { return n * LEVEL_NUMBERS; },
        [&p](uint32_t n, uint64_t replicas) {
            publish_marked(p, &published_counts(p.host)->replicas[n], replicas);
        });
}

/* The same for the other sums; sets done[] at the end. */
static __device__ __forceinline__ void publish_rest(const cuda_replicas &p, uint32_t block,
                                                    uint32_t blocks) {
    const uint32_t first = __ldcg(&p.report->first), end = __ldcg(&p.report->end);
    const uint32_t thread = block * blockDim.x + threadIdx.x, threads = blocks * blockDim.x;
    uint64_t *const to = published_sums(p.host, p.room);
    if (thread == 0)
        publish_families(p);
    publish_blocks(p, thread, threads);
    publish_sets(
        p, first, levels_between(first, end) * OTHER_NUMBERS, thread, threads,
        [](uint32_t n) { return n / OTHER_NUMBERS * LEVEL_NUMBERS + 1 + n % OTHER_NUMBERS; },
        [to](uint32_t n, uint64_t sum) { to[n] = sum; });
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence_system();
    for (uint32_t n = block; n < PUBLISHERS; n += blocks)
        *(volatile uint32_t *)&p.host->done[n] = 1;
}

/* Publishes the report in the last block of a kernel. All threads of each block must call it, after
 * the block's replicas have been measured. */
static __device__ __forceinline__ void publish_when_last(const cuda_replicas &p) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&p.report->finished, 1) == gridDim.x - 1;
        if (last) /* only the last block reads others' sums; a fence is slow */
            __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    publish_counts(p, 0, 1);
    publish_rest(p, 0, 1);
    if (threadIdx.x == 0)
        clear_head(p.report);
}

#endif
