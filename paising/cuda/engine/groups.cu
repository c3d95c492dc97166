/* Groups of replicas at temperatures of their own. */
#include "cuda/engine/groups.h"

#include "cuda/engine/bytes.h"

/* The replicas of group n of a step. */
static uint64_t replicas_of(const cuda_population *p, const engine_step *step, size_t n) {
    const uint64_t end = n + 1 < step->groups ? step->group[n + 1].first : p->replicas;
    return end - step->group[n].first;
}

/* The levels that the report of each group needs room for. */
static size_t levels_of(const cuda_population *p, const engine_step *step) {
    uint64_t most = 1;
    for (size_t n = 0; n < step->groups; n++)
        most = replicas_of(p, step, n) > most ? replicas_of(p, step, n) : most;
    return cuda_group_levels(p->device.levels.fine, p->most_levels, most);
}

int cuda_groups_reserve(cuda_groups *g, cuda_population *p, const engine_step *step) {
    const size_t groups = step->groups, levels = levels_of(p, step);
    if (groups <= g->room && levels <= g->levels)
        return 0;
    cuda_groups_destroy(g);
    g->levels = levels;
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
    cuda_range range = {p->device, group->first, replicas_of(p, step, n), &group->rule};
    range.replicas.level += group->first;
    range.replicas.founders = 0;
    range.replicas.interval = cuda_interval{}; /* its blocks are counted by themselves */
    range.replicas.report = g->report + n;
    range.replicas.sums = g->sums + n * g->levels;
    range.replicas.sum_sets = 1;
    range.replicas.room = (uint32_t)g->levels;
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
        cuda_population_read_rest(published(g, n), g->levels, &out[n]);
        p->first = n == 0 || out[n].first < p->first ? out[n].first : p->first;
        p->end = n == 0 || out[n].end > p->end ? out[n].end : p->end;
    }
    return ENGINE_OK;
}
