/* Groups of replicas at temperatures of their own. */
#include "cuda/engine/groups.h"

int cuda_groups_reserve(cuda_groups *g, cuda_population *p, size_t groups) {
    const size_t levels = p->most_levels;
    if (groups <= g->room)
        return 0;
    cuda_groups_destroy(g);
    g->host_bytes = published_bytes(levels);
    CUDA_CHECK(p, cudaMalloc(&g->report, groups * sizeof *g->report));
    CUDA_CHECK(p, cudaMalloc(&g->sums, groups * levels * sizeof *g->sums));
    CUDA_CHECK(p, cudaMallocHost(&g->host, groups * g->host_bytes));
    CUDA_CHECK(p, cudaEventCreateWithFlags(&g->begun, cudaEventDisableTiming));
    for (size_t n = 0; n < GROUP_STREAMS; n++) {
        CUDA_CHECK(p, cudaStreamCreateWithFlags(&g->stream[n], cudaStreamNonBlocking));
        CUDA_CHECK(p, cudaEventCreateWithFlags(&g->ended[n], cudaEventDisableTiming));
    }
    if (p->failed)
        return -1;
    CUDA_CHECK(p, cudaMemsetAsync(g->report, 0, groups * sizeof *g->report, p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(g->sums, 0, groups * levels * sizeof *g->sums, p->stream));
    g->room = groups;
    return p->failed ? -1 : 0;
}

void cuda_groups_destroy(cuda_groups *g) {
    for (size_t n = 0; n < GROUP_STREAMS; n++) {
        if (g->stream[n])
            cudaStreamDestroy(g->stream[n]);
        if (g->ended[n])
            cudaEventDestroy(g->ended[n]);
    }
    if (g->begun)
        cudaEventDestroy(g->begun);
    cudaFree(g->report);
    cudaFree(g->sums);
    cudaFreeHost(g->host);
    *g = cuda_groups{};
}

/* Returns the published report of group n. */
static cuda_report *published(const cuda_groups *g, size_t n) {
    return (cuda_report *)(g->host + n * g->host_bytes);
}

cuda_range cuda_groups_range(const cuda_groups *g, const cuda_population *p,
                             const engine_step *step, size_t n) {
    const engine_group *const group = &step->group[n];
    const uint64_t end = n + 1 < step->groups ? group[1].first : p->replicas;
    cuda_range range = {p->device, group->first, end - group->first, &group->rule};
    range.replicas.level += group->first;
    range.replicas.founders = 0;
    range.replicas.interval = cuda_interval{}; /* its blocks are counted by themselves */
    range.replicas.report = g->report + n;
    range.replicas.sums = g->sums + n * p->most_levels;
    range.replicas.sum_sets = 1;
    range.replicas.host = published(g, n);
    return range;
}

/* Exchanges the streams of the population and of group n. */
static void swap_stream(cuda_groups *g, cuda_population *p, size_t n) {
    const cudaStream_t other = g->stream[n % GROUP_STREAMS];
    g->stream[n % GROUP_STREAMS] = p->stream;
    p->stream = other;
}

void cuda_groups_begin(cuda_groups *g, cuda_population *p) {
    CUDA_CHECK(p, cudaEventRecord(g->begun, p->stream));
}

void cuda_groups_enter(cuda_groups *g, cuda_population *p, size_t n) {
    swap_stream(g, p, n);
    CUDA_CHECK(p, cudaStreamWaitEvent(p->stream, g->begun, 0));
}

void cuda_groups_leave(cuda_groups *g, cuda_population *p, size_t n) {
    CUDA_CHECK(p, cudaEventRecord(g->ended[n % GROUP_STREAMS], p->stream));
    swap_stream(g, p, n);
    CUDA_CHECK(p, cudaStreamWaitEvent(p->stream, g->ended[n % GROUP_STREAMS], 0));
}

engine_status cuda_groups_collect(const cuda_groups *g, cuda_population *p, size_t groups,
                                  histogram out[]) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    if (p->failed)
        return ENGINE_FAILED;
    for (size_t n = 0; n < groups; n++) {
        cuda_population_read_counts(p, published(g, n), &out[n]);
        cuda_population_read_rest(p, published(g, n), &out[n]);
        p->first = n == 0 || out[n].first < p->first ? out[n].first : p->first;
        p->end = n == 0 || out[n].end > p->end ? out[n].end : p->end;
    }
    return ENGINE_OK;
}
