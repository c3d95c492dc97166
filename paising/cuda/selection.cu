/* Resampling on the device: the kernels, and their launches. One, `select`, compiled for each rule, makes all of it, a
 * tile of parents a block (selection_scan.cuh); `select_joint` does so for companions. Of many points that fall
 * anywhere, how many are in each part of the line is counted by a kernel before it (points.h); such steps have no companions. */
#include "selection.h"

#include "companions.cuh"
#include "nvtx_section.h"
#include "points.h"
#include "selection_scan.cuh"

static unsigned blocks_for(uint64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

/* --- kernels --- */

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS) select(const __grid_constant__ selection s) {
    select_tile<RULE>(s);
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS)
    select_joint(const __grid_constant__ companions all) {
    __shared__ selection s;
    fetch_request(&s, all);
    if ((uint64_t)blockIdx.x * TILE_PARENTS < s.parents)
        select_tile<RULE>(s);
}

/* The families of a population that was not resampled. */
static __global__ void count_families(cuda_replicas p, uint64_t replicas) {
    report_family_of(p.report, p.family, (uint64_t)blockIdx.x * THREADS + threadIdx.x, replicas);
}

/* A thread a child whose parent is known. */
static __global__ void inherit(cuda_replicas p, uint64_t children) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k == 0)
        p.report->population = children;
    if (k < children)
        p.family[k] = p.parent_family[p.parent[k]];
}

/* --- host --- */

/* The families become those of the parents. */
static void begin_selection(cuda_population *p, const engine_step *step) {
    uint32_t *const families = p->device.family;
    p->device.family = p->device.parent_family;
    p->device.parent_family = families;
    p->device.founders = step->founders;
    cuda_population_forget(p);
    p->unpublished = true;
}

/* Queues a selection by a rule. */
template <resampling_rule RULE> static void queue(cuda_population *p, const selection &s) {
    const unsigned tiles = (unsigned)selection_tiles(s.parents);
    select<RULE><<<tiles, THREADS, 0, p->stream>>>(s);
    cuda_check_launch(p, "select");
}

/* What the kernels are told; tau-hat gets to the device. */
static selection request_of(cuda_population *p, const engine_step *step) {
    const size_t levels = p->end - p->first, bytes = levels * sizeof(uint64_t);
    selection s = {.replicas = p->device,
                   .parents = p->replicas,
                   .first_level = (uint32_t)p->first,
                   .levels = (uint32_t)levels,
                   .numbers = {step->key, step->temperature},
                   .line = step->line,
                   .counts_families = !p->scattered && p->device.all == 0};
    if (levels <= GIVEN_LEVELS) {
        memcpy(s.tau_hat, step->tau_hat + p->first, bytes);
    } else {
        memcpy(p->host_tau_hat, step->tau_hat + p->first, bytes);
        CUDA_CHECK(p, cudaMemcpyAsync(p->device.tau_hat, p->host_tau_hat, bytes,
                                      cudaMemcpyHostToDevice, p->stream));
    }
    return s;
}

/* What the kernels are told of the next selection. */
static selection next_request(cuda_population *p, const engine_step *step) {
    selection s = request_of(p, step);
    s.mark = 2 * ++p->selections;
    return s;
}

/* Queues the selection by tau-hat, once begun; `notes`: of a share. */
static void launch_selection(cuda_population *p, const engine_step *step,
                             const selection_notes *notes, bool again) {
    typedef void queue_by_rule(cuda_population *, const selection &);
    static queue_by_rule *const queues[] = {queue<RESAMPLE_NEAREST>,     queue<RESAMPLE_SYSTEMATIC>,
                                            queue<RESAMPLE_STRATIFIED>,  queue<RESAMPLE_RESIDUAL>,
                                            queue<RESAMPLE_MULTINOMIAL>, queue<RESAMPLE_POISSON>};
    if (p->replicas == 0) { /* an empty share */
        cuda_population_begin(p, &p->device, 0);
        if (notes)
            *notes->count = selection_count{.children = 0, .known = 1};
        return;
    }
    selection s = next_request(p, step);
    if (resampling_way_of(p->rule) == BY_POINTS)
        s.counted = cuda_points_counted(p, step);
    if (notes) {
        s.replicas.parent = notes->parent;
        s.replicas.family = notes->family;
        s.replicas.capacity = notes->room;
        s.skip = (uint32_t)notes->skip;
        s.count = again ? NULL : notes->count;
    }
    s.again = again;
    queues[p->rule](p, s);
}

void cuda_selection_resample(cuda_population *p, const engine_step *step) {
    const nvtx_section section("resample");
    if (p->failed)
        return;
    begin_selection(p, step);
    launch_selection(p, step, NULL, false);
}

/* --- of companions --- */

static_assert(sizeof(selection) <= REQUEST_BYTES, "room for what companions are told");

bool cuda_selection_is_joint(const cuda_population *p, const engine_step *step) {
    const bool counts_bins =
        resampling_way_of(p->rule) == BY_POINTS && point_bins_of(step->line.points) > 0;
    return !counts_bins && p->end - p->first <= GIVEN_LEVELS;
}

void cuda_selection_note(cuda_population *p, const engine_step *step, void *request) {
    if (p->failed)
        return;
    begin_selection(p, step);
    *(selection *)request = next_request(p, step);
}

template <resampling_rule RULE>
static void queue_joint(cuda_population *p, const companions &all, unsigned tiles) {
    select_joint<RULE><<<dim3(tiles, all.count), THREADS, 0, p->stream>>>(all);
}

void cuda_selection_launch(cuda_population *p, const companions &all) {
    typedef void queue_by_rule(cuda_population *, const companions &, unsigned);
    static queue_by_rule *const queues[] = {
        queue_joint<RESAMPLE_NEAREST>,     queue_joint<RESAMPLE_SYSTEMATIC>,
        queue_joint<RESAMPLE_STRATIFIED>,  queue_joint<RESAMPLE_RESIDUAL>,
        queue_joint<RESAMPLE_MULTINOMIAL>, queue_joint<RESAMPLE_POISSON>};
    if (p->failed)
        return;
    queues[p->rule](p, all, (unsigned)selection_tiles(p->device.capacity));
    cuda_check_launch(p, "select_joint");
}

/* --- of shares --- */

void cuda_selection_breed(cuda_population *p, const engine_step *step, const selection_notes *notes,
                          bool again) {
    const nvtx_section section("breed");
    if (p->failed)
        return;
    if (!again)
        begin_selection(p, step);
    launch_selection(p, step, notes, again);
}

void cuda_selection_inherit(cuda_population *p, const engine_step *step) {
    const nvtx_section section("adopt");
    if (p->failed)
        return;
    begin_selection(p, step);
    p->scattered = true;
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.parent, step->parents,
                                  step->children * sizeof *step->parents, cudaMemcpyHostToDevice,
                                  p->stream));
    inherit<<<blocks_for(step->children), THREADS, 0, p->stream>>>(p->device, step->children);
    cuda_check_launch(p, "inherit");
}

void cuda_selection_count_families(cuda_population *p, uint64_t replicas) {
    if (p->failed || replicas == 0)
        return;
    count_families<<<blocks_for(replicas), THREADS, 0, p->stream>>>(p->device, replicas);
    cuda_check_launch(p, "count_families");
}
