/* Resampling on the host, for the hybrid variant. */
#include "cuda/engine/hybrid.h"

#include "cuda/device/nvtx_section.h"
#include "cuda/select/selection.h"

#include <string.h>

int cuda_hybrid_create(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s, uint64_t capacity) {
    if (population_create(&h->replicas, capacity, p->rule))
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the resampling");
    CUDA_CHECK(p, cudaMallocHost(&h->parents, capacity * s->replica_bytes));
    CUDA_CHECK(p, cudaMallocHost(&h->children, capacity * s->replica_bytes));
    return p->failed ? -1 : 0;
}

void cuda_hybrid_destroy(cuda_hybrid *h) {
    population_destroy(&h->replicas);
    cudaFreeHost(h->parents);
    cudaFreeHost(h->children);
}

/* Copies the parents to the host, and waits for the stream. */
static void download(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s) {
    const uint64_t replicas = p->replicas;
    CUDA_CHECK(p, cudaMemcpyAsync(h->parents, s->spins, replicas * s->replica_bytes,
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(h->replicas.level, p->device.level, replicas * sizeof(uint32_t),
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(h->replicas.family, p->device.family, replicas * sizeof(uint32_t),
                                  cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    h->replicas.replicas = replicas;
    h->replicas.scattered = p->scattered;
}

/* Queues the copies back: children, families, and the parents' sums of the report. */
static void upload(const cuda_hybrid *h, cuda_population *p, const cuda_ssc *s) {
    const uint64_t replicas = p->replicas = h->replicas.replicas;
    CUDA_CHECK(p, cudaMemcpyAsync(s->spins, h->children, replicas * s->replica_bytes,
                                  cudaMemcpyHostToDevice, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.family, h->replicas.family, replicas * sizeof(uint32_t),
                                  cudaMemcpyHostToDevice, p->stream));
    CUDA_CHECK(p,
               cudaMemcpyAsync(p->device.report->parent, h->replicas.parent_block,
                               sizeof h->replicas.parent_block, cudaMemcpyHostToDevice, p->stream));
    p->unpublished = true;
    p->scattered = h->replicas.scattered;
    p->device.founders = h->replicas.founders;
    cuda_population_begin(p, &p->device, replicas);
    if (!p->scattered)
        cuda_selection_count_families(p, p->replicas);
}

engine_status cuda_hybrid_resample(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s,
                                   const engine_step *step) {
    const nvtx_section section("resample");
    download(h, p, s);
    if (p->failed)
        return ENGINE_FAILED;
    const engine_status status = population_select(&h->replicas, step);
    if (status != ENGINE_OK)
        return status;
    for (uint64_t k = 0; k < h->replicas.replicas; k++)
        memcpy(h->children + k * s->replica_bytes,
               h->parents + h->replicas.parent[k] * s->replica_bytes, s->replica_bytes);
    upload(h, p, s);
    return p->failed ? ENGINE_FAILED : ENGINE_OK;
}
