/* Children of an interval. The selection kernel counts the children of the local parents and
 * publishes their number as soon as it is known. It then lists the parents of as many children as
 * there is room for; others are listed on request. As a rule the host waits once in a step, for
 * that number.
 *
 * Which stream does what:
 *
 * - Population's stream: machine words without children of remote parents are made at once, from
 *   the offspring list. Their results go to the other spin buffer, so that local parents can still
 *   be packed and sent.
 * - Side stream `transfers`: everything that other ranks wait for comes first. Remote parents
 *   arrive, and the lists of their children are copied to the margins of the offspring list,
 *   without a multiprocessor. Then the remaining words are made. The report is published when both
 *   launches have ended.
 * - Side stream `counting`: families are copied to the population and counted, since no child waits
 *   for them.
 *
 * Where no words are made at once, the parents of all children are first written to parent[]. */
#include "cuda/partition/children.h"

#include "base/clock.h"
#include "cuda/device/prelaunch.cuh"
#include "cuda/select/families.cuh"
#include "cuda/select/selection.h"

#include <string.h>

#define THREADS          256
#define BOUNDARY_THREADS (BOUNDARY_CHILDREN / BOUNDARY_BLOCKS)

/* --- counting and listing --- */

/* What publish_boundary waits for. `device`, `number`: the pre-launched selection, 0 for none.
 * `own`: the mailbox that its last block serves, for the pre-launched step behind it. */
struct boundary_launches {
    const device_mailbox *device;
    uint32_t number;
    host_mailbox *own_host;
    device_mailbox *own_device;
    uint32_t own;
};

/* One block for some children at either end. Their number is that of the selection:
 * report->population is already that of the step. */
static __global__ void __launch_bounds__(BOUNDARY_THREADS)
    publish_boundary(offspring_list offspring, cuda_boundary *boundary, parent_list first,
                     parent_list last, boundary_launches launches) {
    allow_next_launch();
    if (blockIdx.x == BOUNDARY_BLOCKS)
        wait_for_host(launches.own_host, launches.own_device, launches.own);
    await_launch_before();
    if (blockIdx.x == BOUNDARY_BLOCKS ||
        (launches.number > 0 && !prelaunch_was_released(launches.device, launches.number)))
        return;
    const uint64_t n = blockIdx.x * BOUNDARY_THREADS + threadIdx.x,
                   children = boundary->count.published / 2;
    if (n < children && n < offspring.room) {
        first.place[n] = offspring.parent[n];
        first.family[n] = offspring.family[n];
    }
    if (n < children && children <= offspring.room) {
        last.place[BOUNDARY_CHILDREN - 1 - n] = offspring.parent[children - 1 - n];
        last.family[BOUNDARY_CHILDREN - 1 - n] = offspring.family[children - 1 - n];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *(volatile uint32_t *)&boundary->done[blockIdx.x] = 1;
    }
}

/* Makes the side streams wait for all that is queued in the population's stream. */
static void side_streams_wait(cuda_remote *r, cuda_population *p) {
    for (side_stream *stream : {&r->transfers, &r->counting}) {
        side_stream_record(stream, p);
        side_stream_wait(stream, p);
    }
}

/* Queues publish_boundary in a side stream, for steps that do not wait for it. `prelaunch` is the
 * number of the pre-launched selection, or 0. */
static void queue_boundary(cuda_remote *r, cuda_population *p, uint32_t prelaunch) {
    r->boundary_with_step = false;
    side_streams_wait(r, p);
    if (p->failed)
        return;
    side_stream_swap(&r->transfers, p);
    publish_boundary<<<BOUNDARY_BLOCKS, BOUNDARY_THREADS, 0, p->stream>>>(
        r->offspring, r->boundary, r->first, r->last,
        boundary_launches{p->prelaunch.device, prelaunch});
    cuda_check_launch(p, "publish_boundary");
    side_stream_swap(&r->transfers, p);
}

/* Index in the offspring list of the interval's child 0. It is negative where children of remote
 * parents come first. */
static int64_t list_offset(const cuda_remote *r) {
    return (int64_t)(r->assigned.first - r->offspring.skip) - (int64_t)r->assigned.below;
}

cuda_range cuda_children_range(const cuda_engine *self, const engine_step *step) {
    const cuda_population *const p = &self->population;
    cuda_range all = {p->device, 0, p->device.capacity, &step->rule};
    all.inherited = list_offset(&self->remote);
    all.replicas.parent = self->remote.offspring.parent;
    all.replicas.family = self->remote.offspring.family;
    all.replicas.founders = step->founders;
    return all;
}

/* Pre-launches publish_boundary and the step of the children that do not wait for remote parents.
 * Work of the side streams also needs the selection; it is queued after the host has the counts,
 * since an event would separate the launches. */
static bool queue_step_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    prelaunch *const own = &r->prelaunch;
    if (p->failed || !self->spins->ahead)
        return false;
    prelaunch_prepare(own);
    const boundary_launches launches = {p->prelaunch.device, p->prelaunch.number, own->host,
                                        own->device, own->number};
    cuda_launch_early(p, "publish_boundary", publish_boundary, BOUNDARY_BLOCKS + 1,
                      BOUNDARY_THREADS, 0, (const offspring_list &)r->offspring,
                      (cuda_boundary *const &)r->boundary, (const parent_list &)r->first,
                      (const parent_list &)r->last, launches);
    r->boundary_with_step = true;
    const cuda_range all = cuda_children_range(self, step);
    if (!self->spins->ahead(self->state, p, step, &all, own))
        prelaunch_cancel(own);
    r->prelaunched_step = *step;
    return true;
}

void cuda_children_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    r->offspring.skip = 0;
    cuda_selection_ahead(p);
    if (p->prelaunch.waits && !queue_step_ahead(self, step))
        queue_boundary(r, p, p->prelaunch.number);
}

engine_status cuda_children_count_offspring(engine *base, const engine_step *step,
                                            uint64_t *children) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    r->offspring.skip = 0;
    if (p->failed)
        return cuda_engine_failure(self);
    r->boundary->count.published = 0;
    memset(r->boundary->done, 0, sizeof r->boundary->done);
    if (!cuda_selection_count_offspring(p, step, &r->offspring, false)) {
        prelaunch_cancel(&r->prelaunch);
        queue_boundary(r, p, 0);
    }
    r->step = *step;
    cuda_population_await(p, (const uint32_t *)&r->boundary->count.published); /* the lower half */
    *children = r->boundary->count.published / 2;
    const engine_status done = cuda_engine_outcome(self);
    return done == ENGINE_OK && *children > UINT32_MAX ? ENGINE_OUTGROWN : done;
}

/* Makes sure that children first .. first + count - 1 are in the offspring list. */
static void list_parents(cuda_engine *self, uint64_t first, uint64_t count) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    if (first >= r->offspring.skip && first + count <= r->offspring.skip + r->offspring.room)
        return;
    prelaunch_cancel(&r->prelaunch);
    side_stream_join(&r->transfers, p); /* publish_boundary still reads the list */
    r->offspring.skip = first;
    cuda_selection_count_offspring(p, &r->step, &r->offspring, true);
    side_streams_wait(r, p);
}

/* Waits for publish_boundary, in the stream where it was queued. */
static void await_boundary(cuda_remote *r, cuda_population *p) {
    const bool on_side_stream = !r->boundary_with_step;
    if (on_side_stream)
        side_stream_swap(&r->transfers, p);
    for (const uint32_t &done : r->boundary->done)
        cuda_population_await(p, &done);
    if (on_side_stream)
        side_stream_swap(&r->transfers, p);
}

/* Copies the parents of these children from the boundary offspring. Returns false if they are not
 * all there. */
static bool copy_boundary(cuda_engine *self, uint64_t first, uint64_t count, parent_list to) {
    const cuda_remote *const r = &self->remote;
    const uint64_t room = r->offspring.room;
    const uint64_t end = first + count, children = r->boundary->count.published / 2,
                   behind = children - first;
    const bool at_first = end <= BOUNDARY_CHILDREN && end <= room,
               at_last = behind <= BOUNDARY_CHILDREN && children <= room;
    if (!at_first && !at_last)
        return false;
    await_boundary(&self->remote, &self->population);
    const parent_list from = at_first ? parent_list_from(r->first, first)
                                      : parent_list_from(r->last, BOUNDARY_CHILDREN - behind);
    memcpy(to.place, from.place, count * sizeof *to.place);
    memcpy(to.family, from.family, count * sizeof *to.family);
    return true;
}

/* Queues a copy of `count` parents with their families. Each list may be on the device or on the
 * host. */
static void copy_parents(cuda_population *p, parent_list to, parent_list from, uint64_t count) {
    if (p->failed || count == 0)
        return;
    CUDA_CHECK(p, cudaMemcpyAsync(to.place, from.place, count * sizeof *to.place, cudaMemcpyDefault,
                                  p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(to.family, from.family, count * sizeof *to.family,
                                  cudaMemcpyDefault, p->stream));
}

/* Copies them from the device in a side stream, in pieces that the offspring list has room for. */
static void copy_listed(cuda_engine *self, uint64_t first, uint64_t count, parent_list to) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    for (uint64_t done = 0, now; done < count && !p->failed; done += now) {
        const uint64_t left = count - done;
        now = left < r->offspring.room ? left : r->offspring.room;
        list_parents(self, first + done, now);
        const parent_list listed = {r->offspring.parent, r->offspring.family};
        side_stream_swap(&r->transfers, p);
        copy_parents(p, parent_list_from(to, done),
                     parent_list_from(listed, first + done - r->offspring.skip), now);
        if (!p->failed)
            CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
        side_stream_swap(&r->transfers, p);
    }
}

engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count, parent_list to) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_children_await(self);
    if (!copy_boundary(self, first, count, to))
        copy_listed(self, first, count, to);
    return cuda_engine_outcome(self);
}

uint64_t cuda_children_room(const engine *base) {
    return ((const cuda_engine *)base)->remote.offspring.room;
}

/* --- children of local parents --- */

/* Children to .. to + count - 1 of the interval are entries from, ... of the offspring list. */
struct inheritance {
    int64_t from;
    uint64_t to, count, all;
    bool begun; /* the step reads the offspring list itself */
};

/* Copies the families of children from the offspring list to the population, and counts them for
 * the host. Unless the step reads the list itself, it also copies their parents, and sets the size
 * of the interval. */
static __global__ void __launch_bounds__(THREADS)
    inherit_families(cuda_replicas p, offspring_list offspring, inheritance d,
                     cuda_family_count *count, cuda_family_count *host) {
    const uint32_t *const family = offspring.family + d.from;
    if (blockIdx.x == 0 && threadIdx.x == 0 && !d.begun)
        p.report->population = d.all;
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH; n++) {
        const uint64_t k = ((uint64_t)blockIdx.x * FAMILY_EACH + n) * THREADS + threadIdx.x;
        if (k < d.count)
            p.family[d.to + k] = family[k];
        if (k < d.count && !d.begun)
            p.parent[d.to + k] = offspring.parent[d.from + (int64_t)k];
    }
    report_families<THREADS>(&count->families, family, d.count);
    if (threadIdx.x > 0)
        return;
    __threadfence();
    if (atomicAdd(&count->done, 1) < gridDim.x - 1)
        return;
    __threadfence();
    for (size_t n = 0; n < sizeof host->families / sizeof(uint64_t); n++)
        ((uint64_t *)&host->families)[n] = __ldcg((const uint64_t *)&count->families + n);
    *count = cuda_family_count{};
    __threadfence_system();
    *(volatile uint32_t *)&host->done = 1;
}

/* Returns all children, if the list has those of remote parents too; else those of local
 * parents. */
static inheritance inheritance_of(const cuda_remote *r) {
    const child_assignment *const a = &r->assigned;
    const uint64_t all = assigned_children(a);
    return r->begun ? inheritance{list_offset(r), 0, all, all, true}
                    : inheritance{list_offset(r) + (int64_t)a->below, a->below, a->own, all, false};
}

/* Queues inherit_families. */
static void queue_inheritance(cuda_population *p, const cuda_remote *r) {
    const inheritance d = inheritance_of(r);
    if (p->failed)
        return;
    *r->host_family_count = cuda_family_count{};
    r->host_family_count->done = d.count == 0;
    if (d.count == 0) {
        cuda_population_begin(p, &p->device, d.all);
        return;
    }
    inherit_families<<<family_tiles(d.count, THREADS), THREADS, 0, p->stream>>>(
        p->device, r->offspring, d, r->family_count, r->host_family_count);
    cuda_check_launch(p, "inherit_families");
}

/* Whether the pre-launched step is this step. */
static bool matches_prelaunched(const engine_step *prelaunched, const engine_step *step) {
    return prelaunched->temperature == step->temperature && prelaunched->sweeps == step->sweeps &&
           prelaunched->founders == step->founders &&
           memcmp(&prelaunched->key, &step->key, sizeof step->key) == 0 &&
           memcmp(&prelaunched->rule, &step->rule, sizeof step->rule) == 0;
}

/* Makes the words that do not wait, if one kernel makes the whole step and the list has room for
 * the others. */
static void begin_step(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    if (p->failed || !self->spins->begin || self->stages != STAGES_FUSED ||
        step->parts != WHOLE_STEP || r->assigned.below > r->list_margin ||
        r->assigned.above > r->list_margin)
        return;
    if (!matches_prelaunched(&r->prelaunched_step, step))
        prelaunch_cancel(&r->prelaunch);
    const cuda_range all = cuda_children_range(self, step);
    self->started = clock_seconds();
    r->begun = self->spins->begin(self->state, p, step, &all, &r->assigned, &r->prelaunch);
}

engine_status cuda_children_assign(engine *base, const child_assignment *children,
                                   const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    const uint64_t own = children->own, all = assigned_children(children);
    if (all > p->device.capacity)
        return ENGINE_OUTGROWN;
    if (own > 0)
        list_parents(self, children->first, own);
    r->assigned = *children;
    memset(r->attached, 0, sizeof r->attached);
    base->verbs->partition->hold(base, children->origin, children->population);
    p->device.interval.assigned = all;
    if (step)
        begin_step(self, step);
    prelaunch_cancel(&r->prelaunch); /* no-op if it was released */
    return cuda_engine_outcome(self);
}

bool cuda_children_have_remote(const cuda_remote *r) {
    return r->assigned.below + r->assigned.above > 0;
}

void cuda_children_await(cuda_engine *self) {
    if (self->remote.boundary_with_step)
        await_boundary(&self->remote, &self->population);
}

void cuda_children_inherit(cuda_engine *self) {
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    side_stream_swap(&r->counting, p);
    queue_inheritance(p, r);
    if (!r->begun)
        side_stream_record(&r->transfers, p);
    side_stream_swap(&r->counting, p);
    if (!r->begun)
        side_stream_wait(&r->transfers, p);
}

/* --- children of remote parents --- */

/* Adds statistics of families that follow others. The first of them may continue the last of the
 * others. */
static void add_families(cuda_families *to, const cuda_families *more) {
    if (to->families == 0 || more->families == 0) {
        *to = to->families == 0 ? *more : *to;
        return;
    }
    const bool one = to->edge[1].family == more->edge[0].family;
    const uint32_t before = one ? to->edge[1].members : 0;
    to->family_squares += more->family_squares + 2 * (uint64_t)before * more->edge[0].members;
    if (one && to->families == 1)
        to->edge[0].members += more->edge[0].members;
    to->edge[1] = more->edge[1];
    if (more->families == 1)
        to->edge[1].members += before;
    to->families += more->families - one;
}

/* Counts the families of a list on the host. */
static cuda_families families_of(const uint32_t *family, uint64_t count) {
    cuda_families all = {};
    for (uint64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && family[end] == family[begin];)
            end++;
        const family_run run = {family[begin], (uint32_t)(end - begin)};
        const cuda_families one = {1, (uint64_t)run.members * run.members, {run, run}};
        add_families(&all, &one);
    }
    return all;
}

/* Makes the counting wait for these entries of the list; or counts them here, if the list lacks
 * them. */
static void count_attached(cuda_remote *r, cuda_population *p, const uint32_t *below,
                           const uint32_t *above) {
    if (r->begun) {
        side_stream_record(&r->counting, p);
        side_stream_wait(&r->counting, p);
        return;
    }
    r->attached[0] = families_of(below, r->assigned.below);
    r->attached[1] = families_of(above, r->assigned.above);
}

engine_status cuda_children_attach(engine *base, parent_list below, parent_list above) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const r = &self->remote;
    const child_assignment *const a = &r->assigned;
    const int64_t from = list_offset(r);
    const parent_list to = r->begun
                               ? parent_list{r->offspring.parent + from, r->offspring.family + from}
                               : parent_list{p->device.parent, p->device.family};
    side_stream_swap(&r->transfers, p);
    copy_parents(p, to, below, a->below);
    copy_parents(p, parent_list_from(to, a->below + a->own), above, a->above);
    count_attached(r, p, below.family, above.family);
    side_stream_swap(&r->transfers, p);
    return cuda_engine_outcome(self);
}

void cuda_children_report(cuda_remote *r, cuda_population *p) {
    await_boundary(r, p); /* before they are overwritten */
    side_stream_swap(&r->counting, p);
    cuda_population_await(p, &r->host_family_count->done);
    side_stream_swap(&r->counting, p);
    r->families = r->attached[0];
    add_families(&r->families, &r->host_family_count->families);
    add_families(&r->families, &r->attached[1]);
}

void cuda_children_complete(const cuda_remote *r, histogram *out) {
    out->families = r->families.families;
    out->family_squares = r->families.family_squares;
    memcpy(out->edge, r->families.edge, sizeof out->edge);
}

void cuda_children_forget(cuda_remote *r, cuda_population *p) {
    const cuda_replicas *const d = &p->device;
    if (p->failed || !r->transfers.recorded)
        return;
    side_stream_join(&r->transfers, p);
    side_stream_join(&r->counting, p);
    if (!r->begun)
        return;
    r->begun = false;
    CUDA_CHECK(p, cudaMemsetAsync(d->report, 0, sizeof *d->report, p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(d->sums, 0, d->sum_sets * d->room * sizeof *d->sums, p->stream));
}
