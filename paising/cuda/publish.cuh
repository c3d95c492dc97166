/* Publishing a report: it is copied to the host's memory and cleared for the next step, by the kernel that measures.
 * Its last block does so, when all others have added their replicas; where two launches make a population, the last of
 * both. */
#ifndef PAISING_CUDA_PUBLISH_CUH
#define PAISING_CUDA_PUBLISH_CUH

#include "population.h"

#include <stddef.h>

#define NUMBERS_AT_ONCE 8 /* of a thread, on their way at the same time */

/* Adds up `sets` arrays of so many bytes, which begin `distance` numbers one behind the other, writes the total to the host
 * and clears them. Neighbouring threads take neighbouring numbers. */
static __device__ __forceinline__ void publish_sums(void *host, void *sums, uint32_t bytes,
                                                    uint32_t sets, size_t distance) {
    uint64_t *const to = (uint64_t *)host, *const from = (uint64_t *)sums;
    const uint32_t numbers = bytes / (uint32_t)sizeof(uint64_t);
    for (uint32_t n = threadIdx.x; n < numbers; n += NUMBERS_AT_ONCE * blockDim.x) {
        uint64_t total[NUMBERS_AT_ONCE] = {};
#pragma unroll 4
        for (uint32_t set = 0; set < sets; set++)
#pragma unroll
            for (uint32_t i = 0; i < NUMBERS_AT_ONCE; i++)
                if (n + i * blockDim.x < numbers)
                    total[i] += __ldcg(&from[set * distance + n + i * blockDim.x]);
#pragma unroll
        for (uint32_t i = 0; i < NUMBERS_AT_ONCE; i++)
            if (n + i * blockDim.x < numbers) {
                to[n + i * blockDim.x] = total[i];
                for (uint32_t set = 0; set < sets; set++)
                    from[set * distance + n + i * blockDim.x] = 0;
            }
    }
}

/* Called by all threads of every block of a kernel that measures, when its replicas are reported. */
static __device__ __forceinline__ void publish_when_last(const cuda_replicas &p) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&p.report->done, 1) == gridDim.x + p.others - 1;
        if (last) /* the others need nothing of anybody's, and the fence takes its time */
            __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    static_assert(offsetof(cuda_report, founder) ==
                          offsetof(cuda_report, block) + sizeof p.report->block &&
                      offsetof(cuda_report, parent) ==
                          offsetof(cuda_report, founder) + sizeof p.report->founder,
                  "blocks, founders and parents are published as one array");
    const uint32_t first = __ldcg(&p.report->first), end = __ldcg(&p.report->end);
    publish_sums(p.host->block, p.report->block,
                 sizeof p.report->block + sizeof p.report->founder + sizeof p.report->parent, 1, 0);
    if (first < end)
        publish_sums(p.host + 1, p.sums + first, (end - first) * (uint32_t)sizeof *p.sums,
                     min(p.sum_sets, gridDim.x + p.others),
                     p.levels.count * (sizeof *p.sums / sizeof(uint64_t)));
    if (threadIdx.x == 0) {
        p.host->population = children_of(p);
        p.host->families = __ldcg(&p.report->families);
        p.host->family_squares = __ldcg(&p.report->family_squares);
        p.host->edge[0] = p.report->edge[0];
        p.host->edge[1] = p.report->edge[1];
        p.host->first = first;
        p.host->end = end;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        clear_head(p.report);
        __threadfence_system();
        *(volatile uint32_t *)&p.host->done = 1;
    }
}

#endif
