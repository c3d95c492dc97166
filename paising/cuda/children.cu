/* The selection kernel counts the children, tells the host how many there are as soon as it knows, and notes the parents of as
 * many as there is room for, others when they are asked for. As a rule the host waits once in a step, for that number.
 *
 * The words of a share that have no guests among their parents may be made in the population's stream at once, from the
 * notes. What they inherit is written where nobody reads: who the parents are that leave may be asked at any time, and
 * these be packed. Everything else is queued beside it (beside.h), first what other ranks wait for: guests come, with the
 * lists of their children, copied by the device, which needs no multiprocessor for that, to before and behind the notes of
 * those that the parents here have; from all these the words that are left are made. The report is published when both
 * launches have ended. Families get to the population, and are counted, beside both, as no child waits for that. Where no
 * words are made at once, who all parents are is written first where the population has it. */
#include "children.h"

#include "base/clock.h"
#include "families.cuh"
#include "family_copies.h"
#include "prelaunch.cuh"
#include "selection.h"

#include <string.h>

#define THREADS          256
#define BOUNDARY_THREADS (BOUNDARY_CHILDREN / BOUNDARY_BLOCKS)

/* --- counted, and asked for --- */

/* What the edges wait for: the gate of their selection, 0 for none; and one that their launch is, the last block. */
struct boundary_launches {
    const device_mailbox *device;
    uint32_t number;
    host_mailbox *own_host;
    device_mailbox *own_device;
    uint32_t own;
};

/* A block for some children at either end. How many there are is what the selection told: the report is that of the step by
 * now. */
static __global__ void __launch_bounds__(BOUNDARY_THREADS)
    publish_boundary(offspring_list offspring, cuda_boundary *edges, parent_list first,
                     parent_list last, boundary_launches launches) {
    allow_next_launch();
    if (blockIdx.x == BOUNDARY_BLOCKS)
        wait_for_host(launches.own_host, launches.own_device, launches.own);
    await_launch_before();
    if (blockIdx.x == BOUNDARY_BLOCKS ||
        (launches.number > 0 && !prelaunch_was_released(launches.device, launches.number)))
        return;
    const uint64_t n = blockIdx.x * BOUNDARY_THREADS + threadIdx.x,
                   children = edges->count.told / 2;
    if (n < children && n < offspring.room) {
        first.place[n] = offspring.parent[n];
        family_put(first.family, n, offspring.family[n]);
    }
    if (n < children && children <= offspring.room) {
        last.place[BOUNDARY_CHILDREN - 1 - n] = offspring.parent[children - 1 - n];
        family_put(last.family, BOUNDARY_CHILDREN - 1 - n, offspring.family[children - 1 - n]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *(volatile uint32_t *)&edges->done[blockIdx.x] = 1;
    }
}

/* What is queued beside from now on waits for all that was queued for the population. */
static void side_streams_wait(cuda_remote *g, cuda_population *p) {
    for (side_stream *beside : {&g->beside, &g->counting}) {
        side_stream_record(beside, p);
        side_stream_wait(beside, p);
    }
}

/* Queues that the host is told of the edges, where the step that is begun does not wait for it; behind a gate, or 0. */
static void queue_boundary(cuda_remote *g, cuda_population *p, uint32_t prelaunch) {
    g->boundary_with_step = false;
    side_streams_wait(g, p);
    if (p->failed)
        return;
    side_stream_swap(&g->beside, p);
    publish_boundary<<<BOUNDARY_BLOCKS, BOUNDARY_THREADS, 0, p->stream>>>(
        g->offspring, g->edges, g->first, g->last,
        boundary_launches{p->prelaunch.device, prelaunch});
    cuda_check_launch(p, "tell_edges");
    side_stream_swap(&g->beside, p);
}

/* How far in the notes child 0 of the share stands: before them, where children of guests come first. */
static int64_t own_from(const cuda_remote *g) {
    return (int64_t)(g->assigned.first - g->offspring.skip) - (int64_t)g->assigned.below;
}

cuda_range cuda_children_range(const cuda_engine *self, const engine_step *step) {
    const cuda_population *const p = &self->population;
    cuda_range all = {p->device, 0, p->device.capacity, &step->rule};
    all.inherited = own_from(&self->remote);
    all.replicas.parent = self->remote.offspring.parent;
    all.replicas.family = self->remote.offspring.family;
    all.replicas.founders = step->founders;
    return all;
}

/* Queues the same before a launch for the children that need not wait, behind whose gate it is. What comes beside needs the
 * selection too, and is queued when the host has been told: an event would part the launches. */
static bool queue_step_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    prelaunch *const own = &g->prelaunch;
    if (p->failed || !self->spins->ahead)
        return false;
    prelaunch_prepare(own);
    const boundary_launches launches = {p->prelaunch.device, p->prelaunch.number, own->host,
                                        own->device, own->number};
    cuda_launch_early(p, "tell_edges", publish_boundary, BOUNDARY_BLOCKS + 1, BOUNDARY_THREADS, 0,
                      (const offspring_list &)g->offspring, (cuda_boundary *const &)g->edges,
                      (const parent_list &)g->first, (const parent_list &)g->last, launches);
    g->boundary_with_step = true;
    const cuda_range all = cuda_children_range(self, step);
    if (!self->spins->ahead(self->state, p, step, &all, own))
        prelaunch_cancel(own);
    g->ahead = *step;
    return true;
}

void cuda_children_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    g->offspring.skip = 0;
    cuda_selection_ahead(p);
    if (p->prelaunch.waits && !queue_step_ahead(self, step))
        queue_boundary(g, p, p->prelaunch.number);
}

engine_status cuda_children_count_offspring(engine *base, const engine_step *step,
                                            uint64_t *children) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    g->offspring.skip = 0;
    if (p->failed)
        return cuda_engine_failure(self);
    g->edges->count.told = 0;
    memset(g->edges->done, 0, sizeof g->edges->done);
    if (!cuda_selection_count_offspring(p, step, &g->offspring, false)) {
        prelaunch_cancel(&g->prelaunch);
        queue_boundary(g, p, 0);
    }
    g->step = *step;
    cuda_population_await(p, (const uint32_t *)&g->edges->count.told); /* its lower half */
    *children = g->edges->count.told / 2;
    const engine_status done = cuda_engine_outcome(self);
    return done == ENGINE_OK && *children > UINT32_MAX ? ENGINE_OUTGROWN : done;
}

/* Sees to it that the parents of these children stand among those that were bred. */
static void list_parents(cuda_engine *self, uint64_t first, uint64_t count) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    if (first >= g->offspring.skip && first + count <= g->offspring.skip + g->offspring.room)
        return;
    prelaunch_cancel(&g->prelaunch);
    side_stream_join(&g->beside, p); /* where the edges are told from those that are there */
    g->offspring.skip = first;
    cuda_selection_count_offspring(p, &g->step, &g->offspring, true);
    side_streams_wait(g, p);
}

/* Waits until the edges are told, in the stream where that was queued. */
static void await_boundary(cuda_remote *g, cuda_population *p) {
    const bool beside = !g->boundary_with_step;
    if (beside)
        side_stream_swap(&g->beside, p);
    for (const uint32_t &done : g->edges->done)
        cuda_population_await(p, &done);
    if (beside)
        side_stream_swap(&g->beside, p);
}

/* Copies the parents of these children, if the host was told. */
static bool copy_boundary(cuda_engine *self, uint64_t first, uint64_t count, parent_list to) {
    const cuda_remote *const g = &self->remote;
    const uint64_t room = g->offspring.room;
    const uint64_t end = first + count, children = g->edges->count.told / 2,
                   behind = children - first;
    const bool at_first = end <= BOUNDARY_CHILDREN && end <= room,
               at_last = behind <= BOUNDARY_CHILDREN && children <= room;
    if (!at_first && !at_last)
        return false;
    await_boundary(&self->remote, &self->population);
    const parent_list from = at_first ? parent_list_from(g->first, first)
                                      : parent_list_from(g->last, BOUNDARY_CHILDREN - behind);
    memcpy(to.place, from.place, count * sizeof *to.place);
    families_copy(to.family, from.family, count);
    return true;
}

/* Copies them from the device, beside what it makes: as many as it has noted at a time. */
static void copy_listed(cuda_engine *self, uint64_t first, uint64_t count, parent_list to) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    for (uint64_t done = 0, now; done < count && !p->failed; done += now) {
        const uint64_t left = count - done;
        now = left < g->offspring.room ? left : g->offspring.room;
        list_parents(self, first + done, now);
        const parent_list listed = {g->offspring.parent, g->offspring.family};
        side_stream_swap(&g->beside, p);
        cuda_parents_copy(p, parent_list_from(to, done),
                          parent_list_from(listed, first + done - g->offspring.skip), now);
        if (!p->failed)
            CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
        side_stream_swap(&g->beside, p);
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

/* --- those of the parents here --- */

/* Children to + k of a share are those that are noted from `from` on. */
struct descent {
    int64_t from;
    uint64_t to, count, all;
    bool begun; /* they are made from the notes */
};

/* Writes what the families are of children, and unless they are made from the notes who their parents are, and how many the
 * share has in all; and counts the families, which the host is told. */
static __global__ void __launch_bounds__(THREADS)
    descend(cuda_replicas p, offspring_list offspring, descent d, cuda_family_count *count,
            cuda_family_count *told) {
    const family_list family = families_from(offspring.family, d.from);
    if (blockIdx.x == 0 && threadIdx.x == 0 && !d.begun)
        p.report->population = d.all;
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH; n++) {
        const uint64_t k = ((uint64_t)blockIdx.x * FAMILY_EACH + n) * THREADS + threadIdx.x;
        if (k < d.count)
            family_put(p.family, d.to + k, family[k]);
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
    for (size_t n = 0; n < sizeof told->families / sizeof(uint64_t); n++)
        ((uint64_t *)&told->families)[n] = __ldcg((const uint64_t *)&count->families + n);
    *count = cuda_family_count{};
    __threadfence_system();
    *(volatile uint32_t *)&told->done = 1;
}

/* All children, where the notes have those of guests too; or those of the parents here. */
static descent descent_of(const cuda_remote *g) {
    const child_assignment *const a = &g->assigned;
    const uint64_t all = assigned_children(a);
    return g->begun ? descent{own_from(g), 0, all, all, true}
                    : descent{own_from(g) + (int64_t)a->below, a->below, a->own, all, false};
}

/* Queues that. */
static void queue_descent(cuda_population *p, const cuda_remote *g) {
    const descent d = descent_of(g);
    if (p->failed)
        return;
    *g->told = cuda_family_count{};
    g->told->done = d.count == 0;
    if (d.count == 0) {
        cuda_population_begin(p, &p->device, d.all);
        return;
    }
    descend<<<family_tiles(d.count, THREADS), THREADS, 0, p->stream>>>(p->device, g->offspring, d,
                                                                       g->count, g->told);
    cuda_check_launch(p, "descend");
}

/* Whether a launch that was queued ahead is one for this step. */
static bool was_expected(const engine_step *ahead, const engine_step *step) {
    return ahead->temperature == step->temperature && ahead->sweeps == step->sweeps &&
           ahead->founders == step->founders &&
           memcmp(&ahead->key, &step->key, sizeof step->key) == 0 &&
           memcmp(&ahead->rule, &step->rule, sizeof step->rule) == 0;
}

/* Makes what need not wait, if all of the step is made by one kernel, from the notes as they stand. */
static void begin_step(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    if (p->failed || !self->spins->begin || self->stages != STAGES_FUSED ||
        step->parts != WHOLE_STEP || g->assigned.below > g->list_margin ||
        g->assigned.above > g->list_margin)
        return;
    if (!was_expected(&g->ahead, step))
        prelaunch_cancel(&g->prelaunch);
    const cuda_range all = cuda_children_range(self, step);
    self->started = clock_seconds();
    g->begun = self->spins->begin(self->state, p, step, &all, &g->assigned, &g->prelaunch);
}

engine_status cuda_children_assign(engine *base, const child_assignment *children,
                                   const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    const uint64_t own = children->own, all = assigned_children(children);
    if (all > p->device.capacity)
        return ENGINE_OUTGROWN;
    if (own > 0)
        list_parents(self, children->first, own);
    g->assigned = *children;
    memset(g->attached, 0, sizeof g->attached);
    base->verbs->partition->hold(base, children->origin, children->population);
    p->device.share.assigned = all;
    if (step)
        begin_step(self, step);
    prelaunch_cancel(&g->prelaunch); /* unless it was opened */
    return cuda_engine_outcome(self);
}

bool cuda_children_have_remote(const cuda_remote *g) {
    return g->assigned.below + g->assigned.above > 0;
}

void cuda_children_await(cuda_engine *self) {
    if (self->remote.boundary_with_step)
        await_boundary(&self->remote, &self->population);
}

void cuda_children_descend(cuda_engine *self) {
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    side_stream_swap(&g->counting, p);
    queue_descent(p, g);
    if (!g->begun)
        side_stream_record(&g->beside, p);
    side_stream_swap(&g->counting, p);
    if (!g->begun)
        side_stream_wait(&g->beside, p);
}

/* --- those of guests --- */

/* Adds families that stand behind others: the first of them may be the last of these. */
static void add_families(cuda_families *to, const cuda_families *more) {
    if (to->families == 0 || more->families == 0) {
        *to = to->families == 0 ? *more : *to;
        return;
    }
    const bool one = to->edge[1].family == more->edge[0].family;
    const uint64_t before = one ? to->edge[1].members : 0;
    to->family_squares += more->family_squares + 2 * before * more->edge[0].members;
    if (one && to->families == 1)
        to->edge[0].members += more->edge[0].members;
    to->edge[1] = more->edge[1];
    if (more->families == 1)
        to->edge[1].members += before;
    to->families += more->families - one;
}

/* The families of so many children. */
static cuda_families families_of(family_list family, uint64_t count) {
    cuda_families all = {};
    for (uint64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && family[end] == family[begin];)
            end++;
        const family_run run = {family[begin], end - begin};
        const cuda_families family = {1, run.members * run.members, {run, run}};
        add_families(&all, &family);
    }
    return all;
}

/* Has those that are noted counted with the others; and counts them where they are not. */
static void count_attached(cuda_remote *g, cuda_population *p, family_list below,
                           family_list above) {
    if (g->begun) {
        side_stream_record(&g->counting, p);
        side_stream_wait(&g->counting, p);
        return;
    }
    g->attached[0] = families_of(below, g->assigned.below);
    g->attached[1] = families_of(above, g->assigned.above);
}

engine_status cuda_children_attach(engine *base, parent_list below, parent_list above) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_remote *const g = &self->remote;
    const child_assignment *const a = &g->assigned;
    const int64_t from = own_from(g);
    const parent_list to =
        g->begun ? parent_list{g->offspring.parent + from, families_from(g->offspring.family, from)}
                 : parent_list{p->device.parent, p->device.family};
    side_stream_swap(&g->beside, p);
    cuda_parents_copy(p, to, below, a->below);
    cuda_parents_copy(p, parent_list_from(to, a->below + a->own), above, a->above);
    count_attached(g, p, below.family, above.family);
    side_stream_swap(&g->beside, p);
    return cuda_engine_outcome(self);
}

void cuda_children_report(cuda_remote *g, cuda_population *p) {
    await_boundary(g, p); /* before they are told anew */
    side_stream_swap(&g->counting, p);
    cuda_population_await(p, &g->told->done);
    side_stream_swap(&g->counting, p);
    g->families = g->attached[0];
    add_families(&g->families, &g->told->families);
    add_families(&g->families, &g->attached[1]);
}

void cuda_children_complete(const cuda_remote *g, histogram *out) {
    out->families = g->families.families;
    out->family_squares = g->families.family_squares;
    memcpy(out->edge, g->families.edge, sizeof out->edge);
}

void cuda_children_forget(cuda_remote *g, cuda_population *p) {
    const cuda_replicas *const d = &p->device;
    if (p->failed || !g->beside.passed)
        return;
    side_stream_join(&g->beside, p);
    side_stream_join(&g->counting, p);
    if (!g->begun)
        return;
    g->begun = false;
    CUDA_CHECK(p, cudaMemsetAsync(d->report, 0, sizeof *d->report, p->stream));
    CUDA_CHECK(
        p, cudaMemsetAsync(d->sums, 0, d->sum_sets * d->levels.count * sizeof *d->sums, p->stream));
}
