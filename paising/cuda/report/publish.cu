/* Publishing reports: the kernel and its launch. */
#include "cuda/report/publish.h"

#include "cuda/device/loads.cuh"
#include "cuda/device/nvtx_section.h"
#include "cuda/report/publish.cuh"

#include <string.h>

#define THREADS 128

/* The first blocks publish the counts, the others the rest. The last block clears the head, which
 * all have read. Pre-launched kernels may take all multiprocessors. So they may not begin here
 * where families of an interval may still have to be counted. */
static __global__ void __launch_bounds__(THREADS)
    publish(const __grid_constant__ cuda_replicas p, uint32_t others) {
    await_launch_before();
    if (threadIdx.x == 0 && others > 0)
        while (load_acquire(&p.report->joined) < others)
            ;
    __syncthreads();
    if (p.interval.all == 0)
        allow_next_launch(); /* a pre-launched selection; the counts release it */
    if (blockIdx.x < COUNTERS)
        publish_counts(p, blockIdx.x, COUNTERS);
    else
        publish_rest(p, blockIdx.x - COUNTERS, PUBLISHERS);
    __syncthreads(); /* all threads have read the head */
    if (threadIdx.x == 0 && atomicAdd(&p.report->finished, 1) == COUNTERS + PUBLISHERS - 1)
        clear_head(p.report);
}

void cuda_publish_begin(cuda_report *host) {
    memset(host->done, 0, sizeof host->done);
}

static void launch(cuda_population *p, const cuda_replicas *of, uint32_t others) {
    const nvtx_section section("report");
    if (p->failed)
        return;
    cuda_publish_begin(of->host);
    cuda_launch_early(p, "publish", publish, COUNTERS + PUBLISHERS, THREADS, 0, *of, others);
}

void cuda_publish(cuda_population *p, const cuda_replicas *of) {
    launch(p, of, 0);
}

/* The kernel polls a word for the work of the other stream. An event would separate the kernel from
 * the launch before it. The word's memset is queued before the kernel, so that it also arrives
 * where launches are serialised. */
void cuda_publish_both(cuda_population *p, cudaStream_t other) {
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(&p->device.report->joined, 1, 1, other));
    launch(p, &p->device, 1);
}
