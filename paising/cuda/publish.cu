/* Publishing reports: the kernel. It is little work, but none of it begins before all has been measured, and then the host
 * waits: many threads have all of it on its way at once. */
#include "publish.h"

#include <stddef.h>
#include <string.h>

#define WARPS         4
#define THREADS       (32 * WARPS)
#define AT_ONCE       4 /* numbers of a thread on their way at the same time */
#define LEVEL_NUMBERS ((uint32_t)(sizeof(level_sums) / sizeof(uint64_t)))

/* Of blocks, founders and parents. */
#define BLOCK_NUMBERS                                                                              \
    ((uint32_t)((sizeof(cuda_report) - offsetof(cuda_report, block)) / sizeof(uint64_t)))

static_assert(offsetof(cuda_report, founder) ==
                      offsetof(cuda_report, block) + sizeof(cuda_report::block) &&
                  offsetof(cuda_report, parent) ==
                      offsetof(cuda_report, founder) + sizeof(cuda_report::founder) &&
                  sizeof(cuda_report) ==
                      offsetof(cuda_report, parent) + sizeof(cuda_report::parent),
              "blocks, founders and parents are published as one array, at the end");

/* --- kernels --- */

static __device__ void publish_head(const cuda_replicas &p) {
    p.host->population = children_of(p);
    p.host->families = __ldcg(&p.report->families);
    p.host->family_squares = __ldcg(&p.report->family_squares);
    p.host->edge[0] = p.report->edge[0];
    p.host->edge[1] = p.report->edge[1];
    p.host->first = __ldcg(&p.report->first);
    p.host->end = __ldcg(&p.report->end);
}

static __device__ __forceinline__ void publish_blocks(const cuda_replicas &p) {
    constexpr uint32_t all = PUBLISHERS * THREADS;
    uint64_t *const to = (uint64_t *)p.host->block, *const from = (uint64_t *)p.report->block;
    for (uint32_t n = blockIdx.x * THREADS + threadIdx.x; n < BLOCK_NUMBERS; n += AT_ONCE * all) {
        uint64_t number[AT_ONCE];
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            if (n + i * all < BLOCK_NUMBERS)
                number[i] = __ldcg(&from[n + i * all]);
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            if (n + i * all < BLOCK_NUMBERS) {
                to[n + i * all] = number[i];
                from[n + i * all] = 0;
            }
    }
}

/* The sums of levels first .. end-1, which stand in several sets: these are shared out among as many warps of a block. */
static __device__ __forceinline__ void publish_levels(const cuda_replicas &p, uint32_t first,
                                                      uint32_t end) {
    __shared__ uint64_t part[AT_ONCE][THREADS];
    const uint32_t numbers = first < end ? (end - first) * LEVEL_NUMBERS : 0, sets = p.sum_sets;
    const uint32_t team = 32 * min(sets, WARPS), member = threadIdx.x % team;
    const uint32_t lane = threadIdx.x % 32, all = PUBLISHERS * (THREADS / team) * 32;
    const size_t distance = (size_t)p.levels.count * LEVEL_NUMBERS;
    uint64_t *const to = (uint64_t *)(p.host + 1), *const from = (uint64_t *)(p.sums + first);
    for (uint32_t begin = 0; begin < numbers; begin += AT_ONCE * all) {
        const uint32_t n = begin + (blockIdx.x * (THREADS / team) + threadIdx.x / team) * 32 + lane;
        uint64_t sum[AT_ONCE] = {};
#pragma unroll 4
        for (uint32_t set = member / 32; set < sets; set += team / 32)
#pragma unroll
            for (uint32_t i = 0; i < AT_ONCE; i++)
                if (n + i * all < numbers)
                    sum[i] += __ldcg(&from[set * distance + n + i * all]);
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            part[i][threadIdx.x] = sum[i];
        __syncthreads();
        for (uint32_t i = member / 32; i < AT_ONCE; i += team / 32) {
            uint64_t total = 0;
            for (uint32_t of = threadIdx.x - member + lane; of < threadIdx.x - member + team;
                 of += 32)
                total += part[i][of];
            if (n + i * all < numbers)
                to[n + i * all] = total;
        }
        for (uint32_t set = member / 32; set < sets; set += team / 32)
#pragma unroll
            for (uint32_t i = 0; i < AT_ONCE; i++)
                if (n + i * all < numbers)
                    from[set * distance + n + i * all] = 0;
        __syncthreads();
    }
}

/* Called by PUBLISHERS blocks. The last one clears the head, which all have read. */
static __device__ __forceinline__ void publish_report(const cuda_replicas &p) {
    const uint32_t first = __ldcg(&p.report->first), end = __ldcg(&p.report->end);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        publish_head(p);
    publish_blocks(p);
    publish_levels(p, first, end);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence_system();
    *(volatile uint32_t *)&p.host->done[blockIdx.x] = 1;
    if (atomicAdd(&p.report->finished, 1) == PUBLISHERS - 1)
        clear_head(p.report);
}

static __global__ void __launch_bounds__(THREADS)
    publish(const __grid_constant__ cuda_replicas p, uint32_t others) {
    await_launch_before();
    if (threadIdx.x == 0) {
        while (*(volatile uint32_t *)&p.report->joined < others)
            continue;
        __threadfence();
    }
    __syncthreads();
    publish_report(p);
}

static __global__ void __launch_bounds__(THREADS)
    publish_joint(const __grid_constant__ companions all) {
    __shared__ cuda_replicas p;
    fetch_own_request(&p, all);
    publish_report(p);
}

/* --- host --- */

static void launch(cuda_population *p, const cuda_replicas *of, uint32_t others) {
    if (p->failed)
        return;
    memset(of->host->done, 0, sizeof of->host->done);
    cuda_launch_early(p, "publish", publish, PUBLISHERS, THREADS, 0, *of, others);
}

void cuda_publish(cuda_population *p, const cuda_replicas *of) {
    launch(p, of, 0);
}

/* The kernel looks for the other stream itself: an event would part it from the launch before. What it looks for is queued
 * before it, so that it comes even where launches are made one by one. */
void cuda_publish_both(cuda_population *p, cudaStream_t other) {
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(&p->device.report->joined, 1, 1, other));
    launch(p, &p->device, 1);
}

static_assert(sizeof(cuda_replicas) <= REQUEST_BYTES, "room for what companions are told");

void cuda_publish_note(cuda_population *p, void *request) {
    memset(p->device.host->done, 0, sizeof p->device.host->done);
    *(cuda_replicas *)request = p->device;
}

void cuda_publish_launch(cuda_population *p, const companions &all) {
    if (!p->failed)
        cuda_launch_early(p, "publish_joint", publish_joint, dim3(PUBLISHERS, all.count), THREADS,
                          0, all);
}
