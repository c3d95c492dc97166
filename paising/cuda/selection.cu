/* Resampling on the device: the kernels, and their launches. One, `select`, compiled for each rule, makes all of it, a
 * tile of parents a block (selection_scan.cuh); `select_joint` does so for companions. Of many points that fall
 * anywhere, how many are in each part of the line is counted by a kernel before it (points.h); such steps have no companions. */
#include "selection.h"

#include "companions.cuh"
#include "gate.cuh"
#include "nvtx_section.h"
#include "points.h"
#include "selection_scan.cuh"

#define GATE_THREADS 512

static_assert(GATE_THREADS >= GATE_HEAD, "a thread for each number of the head");

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
    fetch_own_request(&s, all);
    if ((uint64_t)blockIdx.x * TILE_PARENTS < s.parents)
        select_tile<RULE>(s);
}

/* A gate that brings the request, and the selection behind it. */
static __global__ void __launch_bounds__(GATE_THREADS)
    stand(gate_door *door, gate_news *news, uint32_t number) {
    stand_as_gate(door, news, number);
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS)
    select_told(const gate_news *news, uint32_t number) {
    __shared__ selection s;
    if (!gate_await(&s, offsetof(selection, tau_hat), news, number))
        return;
    if (threadIdx.x == 0)
        s.replicas.tau_hat = (uint64_t *)news->body;
    if (s.levels <= GIVEN_LEVELS)
        for (uint32_t n = threadIdx.x; n < s.levels; n += THREADS)
            s.tau_hat[n] = news->body[n];
    __syncthreads();
    if ((uint64_t)blockIdx.x * TILE_PARENTS < s.parents)
        select_tile<RULE>(s);
}

/* The families of a population that was not resampled. */
static __global__ void __launch_bounds__(THREADS)
    count_families(cuda_replicas p, uint64_t replicas) {
    report_families<THREADS>(p.report, p.family, replicas);
}

/* A thread a child whose parent is known. */
static __global__ void inherit(cuda_replicas p, uint64_t children) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k == 0)
        p.report->population = children;
    if (k < children)
        family_put(p.family, k, p.parent_family[p.parent[k]]);
}

/* --- host --- */

/* The families become those of the parents. */
static void begin_selection(cuda_population *p, const engine_step *step) {
    const family_list families = p->device.family;
    p->device.family = p->device.parent_family;
    p->device.parent_family = families;
    p->device.founders = step->founders;
    if (p->unpublished)
        cuda_gate_dismiss(&p->gate);
    cuda_population_forget(p);
    p->unpublished = true;
}

/* Queues a selection by a rule. */
template <resampling_rule RULE> static void queue(cuda_population *p, const selection &s) {
    const unsigned tiles = (unsigned)selection_tiles(s.parents);
    select<RULE><<<tiles, THREADS, 0, p->stream>>>(s);
    cuda_check_launch(p, "select");
}

/* What the kernels are told of the next selection, less tau-hat. */
static selection next_request(cuda_population *p, const engine_step *step) {
    return selection{.replicas = p->device,
                     .parents = p->replicas,
                     .first_level = (uint32_t)p->first,
                     .levels = (uint32_t)(p->end - p->first),
                     .numbers = {step->key, step->temperature},
                     .line = step->line,
                     .mark = 2 * ++p->selections,
                     .counts_families = !p->scattered && p->device.share.all == 0};
}

/* Gives them tau-hat, or has it copied to the device. */
static void give_tau_hat(cuda_population *p, const engine_step *step, selection *s) {
    const size_t bytes = s->levels * sizeof *s->tau_hat;
    if (s->levels <= GIVEN_LEVELS) {
        memcpy(s->tau_hat, step->tau_hat + s->first_level, bytes);
        return;
    }
    memcpy(p->host_tau_hat, step->tau_hat + s->first_level, bytes);
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.tau_hat, p->host_tau_hat, bytes, cudaMemcpyHostToDevice,
                                  p->stream));
}

/* Has a selection that was queued ahead begin. Returns false if none waits. */
static bool open_gate(cuda_population *p, const engine_step *step, const selection *s) {
    static_assert(sizeof(selection) == offsetof(selection, tau_hat) + sizeof s->tau_hat &&
                      offsetof(selection, tau_hat) <= sizeof p->gate.door->head,
                  "tau-hat is at the end, and there is room for what is told before");
    cuda_gate *const gate = &p->gate;
    if (s->levels > gate->room)
        cuda_gate_dismiss(gate);
    if (!gate->waits)
        return false;
    memcpy(gate->door->head, s, offsetof(selection, tau_hat));
    memcpy(gate->door->body, step->tau_hat + s->first_level, s->levels * sizeof *s->tau_hat);
    return cuda_gate_open(gate, GATE_HEAD + s->levels);
}

/* Queues the selection by tau-hat, once begun, unless it was queued ahead, and says so; `notes`: of a share. */
static bool launch_selection(cuda_population *p, const engine_step *step,
                             const selection_notes *notes, bool again) {
    typedef void queue_by_rule(cuda_population *, const selection &);
    static queue_by_rule *const queues[] = {queue<RESAMPLE_NEAREST>,     queue<RESAMPLE_SYSTEMATIC>,
                                            queue<RESAMPLE_STRATIFIED>,  queue<RESAMPLE_RESIDUAL>,
                                            queue<RESAMPLE_MULTINOMIAL>, queue<RESAMPLE_POISSON>};
    if (p->replicas == 0) { /* an empty share */
        cuda_gate_dismiss(&p->gate);
        cuda_population_begin(p, &p->device, 0);
        if (notes)
            *notes->count = selection_count{TOLD_CHILDREN(0)};
        return false;
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
    if (open_gate(p, step, &s))
        return true;
    give_tau_hat(p, step, &s);
    queues[p->rule](p, s);
    return false;
}

void cuda_selection_resample(cuda_population *p, const engine_step *step) {
    const nvtx_section section("resample");
    if (p->failed)
        return;
    begin_selection(p, step);
    launch_selection(p, step, NULL, false);
}

/* --- ahead --- */

template <resampling_rule RULE> static void queue_told(cuda_population *p) {
    cuda_launch_early(p, "select_told", select_told<RULE>,
                      (unsigned)selection_tiles(p->device.capacity), THREADS, 0,
                      (const gate_news *)p->gate.news, p->gate.number);
}

void cuda_selection_ahead(cuda_population *p) {
    typedef void queue_by_rule(cuda_population *);
    static queue_by_rule *const queues[] = {
        queue_told<RESAMPLE_NEAREST>,     queue_told<RESAMPLE_SYSTEMATIC>,
        queue_told<RESAMPLE_STRATIFIED>,  queue_told<RESAMPLE_RESIDUAL>,
        queue_told<RESAMPLE_MULTINOMIAL>, queue_told<RESAMPLE_POISSON>};
    if (p->failed || p->gate.waits || resampling_way_of(p->rule) == BY_POINTS)
        return;
    cuda_gate *const gate = &p->gate;
    cuda_gate_prepare(gate);
    cuda_launch_early(p, "stand", stand, 1, GATE_THREADS, 0, (gate_door *const &)gate->door,
                      (gate_news *const &)gate->news, (const uint32_t &)gate->number);
    queues[p->rule](p);
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
    selection *const s = (selection *)request;
    *s = next_request(p, step);
    give_tau_hat(p, step, s);
}

template <resampling_rule RULE>
static void queue_joint(cuda_population *p, const companions &all, unsigned tiles) {
    cuda_launch_early(p, "select_joint", select_joint<RULE>, dim3(tiles, all.count), THREADS, 0,
                      all);
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
}

/* --- of shares --- */

bool cuda_selection_breed(cuda_population *p, const engine_step *step, const selection_notes *notes,
                          bool again) {
    const nvtx_section section("breed");
    if (p->failed)
        return false;
    if (!again)
        begin_selection(p, step);
    return launch_selection(p, step, notes, again);
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
    count_families<<<family_tiles(replicas, THREADS), THREADS, 0, p->stream>>>(p->device, replicas);
    cuda_check_launch(p, "count_families");
}
