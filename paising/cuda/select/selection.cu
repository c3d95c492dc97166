/* Resampling on the device: kernels and launches. The kernel `select`, compiled for each rule, does
 * all of it, with one tile of parents a block (scan.cuh). `select_batch` serves launch batches,
 * `select_prelaunched` waits for its arguments. If many points are thrown on the line, a kernel
 * before it counts them in bins (point_counts.h). Such steps are neither batched nor pre-launched.
 */
#include "cuda/select/selection.h"

#include "cuda/device/batch_requests.cuh"
#include "cuda/device/blocks.h"
#include "cuda/device/nvtx_section.h"
#include "cuda/device/prelaunch.cuh"
#include "cuda/select/point_counts.h"
#include "cuda/select/scan.cuh"

#define PRELAUNCH_THREADS 512

static_assert(PRELAUNCH_THREADS >= MAILBOX_HEAD, "a thread for each number of the head");

/* --- kernels --- */

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS) select(const __grid_constant__ selection s) {
    select_tile<RULE>(s);
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS)
    select_batch(const __grid_constant__ batch_requests all) {
    __shared__ selection s;
    fetch_own_request(&s, all);
    if ((uint64_t)blockIdx.x * TILE_PARENTS < s.parents)
        select_tile<RULE>(s);
}

/* Waits for the host, and copies the request; select_prelaunched follows in the stream. */
static __global__ void __launch_bounds__(PRELAUNCH_THREADS)
    await_release(host_mailbox *host, device_mailbox *device, uint32_t number) {
    wait_for_host(host, device, number);
}

template <resampling_rule RULE>
static __global__ void __launch_bounds__(THREADS)
    select_prelaunched(const device_mailbox *device, uint32_t number) {
    __shared__ selection s;
    if (!mailbox_await(&s, offsetof(selection, tau_hat), device, number))
        return;
    if (threadIdx.x == 0)
        s.replicas.tau_hat = (uint64_t *)device->body;
    if (s.levels <= GIVEN_LEVELS)
        for (uint32_t n = threadIdx.x; n < s.levels; n += THREADS)
            s.tau_hat[n] = device->body[n];
    __syncthreads();
    if ((uint64_t)blockIdx.x * TILE_PARENTS < s.parents)
        select_tile<RULE>(s);
}

/* Counts the families of a population that was not resampled. */
static __global__ void __launch_bounds__(THREADS)
    count_families(cuda_replicas p, uint64_t replicas) {
    report_families<THREADS>(p.report, p.family, replicas);
}

/* Gives each child the family of its given parent; one thread a child. */
static __global__ void inherit(cuda_replicas p, uint64_t children) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k == 0)
        p.report->population = children;
    if (k < children)
        p.family[k] = p.parent_family[p.parent[k]];
}

/* --- host --- */

static void exchange_families(cuda_population *p) {
    uint32_t *const families = p->device.family;
    p->device.family = p->device.parent_family;
    p->device.parent_family = families;
}

/* Makes the families those of the parents, and clears unpublished sums. */
static void begin_selection(cuda_population *p, const engine_step *step) {
    exchange_families(p);
    p->device.founders = step->founders;
    if (p->unpublished)
        prelaunch_cancel(&p->prelaunch);
    cuda_population_forget(p);
    p->unpublished = true;
}

/* Queues a selection by a rule. */
template <resampling_rule RULE> static void queue(cuda_population *p, const selection &s) {
    const unsigned tiles = (unsigned)selection_tiles(s.parents);
    select<RULE><<<tiles, THREADS, 0, p->stream>>>(s);
    cuda_check_launch(p, "select");
}

template <resampling_rule RULE> static void queue_prelaunched(cuda_population *p) {
    cuda_launch_early(p, "select_prelaunched", select_prelaunched<RULE>,
                      (unsigned)selection_tiles(p->device.capacity), THREADS, 0,
                      (const device_mailbox *)p->prelaunch.device, p->prelaunch.number);
}

template <resampling_rule RULE>
static void queue_batch(cuda_population *p, const batch_requests &all, unsigned tiles) {
    cuda_launch_early(p, "select_batch", select_batch<RULE>, dim3(tiles, all.count), THREADS, 0,
                      all);
}

/* The launches of each rule: alone, pre-launched, and for a launch batch. */
static const struct {
    void (*alone)(cuda_population *, const selection &);
    void (*prelaunched)(cuda_population *);
    void (*batch)(cuda_population *, const batch_requests &, unsigned tiles);
} launches[] = {
#define RULE(NAME, name, way, meaning)                                                             \
    {queue<RESAMPLE_##NAME>, queue_prelaunched<RESAMPLE_##NAME>, queue_batch<RESAMPLE_##NAME>},
#include "engine/rule_list.h"
#undef RULE
};

/* Returns the arguments of the next selection, without tau-hat. */
static selection next_request(cuda_population *p, const engine_step *step) {
    return selection{.replicas = p->device,
                     .parents = p->replicas,
                     .first_level = (uint32_t)p->first,
                     .levels = (uint32_t)(p->end - p->first),
                     .numbers = {step->key, step->temperature},
                     .line = step->line,
                     .mark = 2 * ++p->selections,
                     .counts_families = !p->scattered && p->device.interval.all == 0};
}

/* Copies tau-hat to the arguments, or queues its copy to the device, where it may be. */
static void give_tau_hat(cuda_population *p, const engine_step *step, selection *s) {
    if (step->copies) {
        s->levels = s->levels <= GIVEN_LEVELS ? GIVEN_LEVELS + 1 : s->levels;
        return;
    }
    const size_t bytes = s->levels * sizeof *s->tau_hat;
    if (s->levels <= GIVEN_LEVELS) {
        memcpy(s->tau_hat, step->tau_hat + s->first_level, bytes);
        return;
    }
    memcpy(p->host_tau_hat, step->tau_hat + s->first_level, bytes);
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.tau_hat, p->host_tau_hat, bytes, cudaMemcpyHostToDevice,
                                  p->stream));
}

/* Releases a pre-launched selection. Returns false if none waits. */
static bool release_prelaunch(cuda_population *p, const engine_step *step, const selection *s) {
    static_assert(sizeof(selection) == offsetof(selection, tau_hat) + sizeof s->tau_hat &&
                      offsetof(selection, tau_hat) <= sizeof p->prelaunch.host->head,
                  "tau-hat comes last, and the head of the mailbox has room for the rest");
    prelaunch *const prelaunch = &p->prelaunch;
    if (s->levels > prelaunch->room || step->copies)
        prelaunch_cancel(prelaunch);
    if (!prelaunch->waits)
        return false;
    memcpy(prelaunch->host->head, s, offsetof(selection, tau_hat));
    memcpy(prelaunch->host->body, step->tau_hat + s->first_level, s->levels * sizeof *s->tau_hat);
    return prelaunch_release(prelaunch, MAILBOX_HEAD + s->levels);
}

/* Queues the selection by tau-hat, or releases a pre-launched one; returns whether it did the
 * latter. `list`: of an interval, else NULL. Pre: begin_selection. */
static bool launch_selection(cuda_population *p, const engine_step *step,
                             const offspring_list *list, bool again) {
    if (p->replicas == 0) { /* an empty interval */
        prelaunch_cancel(&p->prelaunch);
        cuda_population_begin(p, &p->device, 0);
        if (list)
            *list->count = selection_count{PUBLISHED_CHILDREN(0)};
        return false;
    }
    selection s = next_request(p, step);
    if (resampling_way_of(p->rule) == BY_POINTS)
        s.counted = cuda_points_counted(p, step);
    if (list) {
        s.replicas.parent = list->parent;
        s.replicas.family = list->family;
        s.replicas.capacity = list->room;
        s.skip = (uint32_t)list->skip;
        s.count = again ? NULL : list->count;
    }
    s.again = again;
    if (release_prelaunch(p, step, &s))
        return true;
    give_tau_hat(p, step, &s);
    launches[p->rule].alone(p, s);
    return false;
}

void cuda_selection_resample(cuda_population *p, const engine_step *step) {
    const nvtx_section section("resample");
    if (p->failed)
        return;
    begin_selection(p, step);
    launch_selection(p, step, NULL, false);
}

void cuda_selection_take_back(cuda_population *p, uint64_t parents) {
    exchange_families(p);
    p->replicas = parents;
}

/* --- pre-launched selections --- */

void cuda_selection_ahead(cuda_population *p) {
    if (p->failed || p->prelaunch.waits || resampling_way_of(p->rule) == BY_POINTS)
        return;
    prelaunch *const prelaunch = &p->prelaunch;
    prelaunch_prepare(prelaunch);
    cuda_launch_early(p, "await_release", await_release, 1, PRELAUNCH_THREADS, 0,
                      (host_mailbox *const &)prelaunch->host,
                      (device_mailbox *const &)prelaunch->device,
                      (const uint32_t &)prelaunch->number);
    launches[p->rule].prelaunched(p);
}

/* --- launch batches --- */

static_assert(sizeof(selection) <= REQUEST_BYTES, "a request fits into its slot");

bool cuda_selection_can_batch(const cuda_population *p, const engine_step *step) {
    const bool counts_bins =
        resampling_way_of(p->rule) == BY_POINTS && point_bins_of(step->line.points) > 0;
    return !counts_bins && p->end - p->first <= GIVEN_LEVELS;
}

void cuda_selection_record(cuda_population *p, const engine_step *step, void *request) {
    if (p->failed)
        return;
    begin_selection(p, step);
    selection *const s = (selection *)request;
    *s = next_request(p, step);
    give_tau_hat(p, step, s);
}

void cuda_selection_launch(cuda_population *p, const batch_requests &all) {
    if (p->failed)
        return;
    launches[p->rule].batch(p, all, (unsigned)selection_tiles(p->device.capacity));
}

/* --- intervals --- */

bool cuda_selection_count_offspring(cuda_population *p, const engine_step *step,
                                    const offspring_list *list, bool again) {
    const nvtx_section section("count_offspring");
    if (p->failed)
        return false;
    if (!again)
        begin_selection(p, step);
    return launch_selection(p, step, list, again);
}

void cuda_selection_inherit(cuda_population *p, const engine_step *step) {
    const nvtx_section section("inherit");
    if (p->failed)
        return;
    begin_selection(p, step);
    p->scattered = true;
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.parent, step->parents,
                                  step->children * sizeof *step->parents, cudaMemcpyHostToDevice,
                                  p->stream));
    inherit<<<blocks_for(step->children, THREADS), THREADS, 0, p->stream>>>(p->device,
                                                                            step->children);
    cuda_check_launch(p, "inherit");
}

void cuda_selection_count_families(cuda_population *p, uint64_t replicas) {
    if (p->failed || replicas == 0)
        return;
    count_families<<<family_tiles(replicas, THREADS), THREADS, 0, p->stream>>>(p->device, replicas);
    cuda_check_launch(p, "count_families");
}
