/* The selection kernel counts the children, and notes the parents of as many as there is room for, others when they are
 * asked for. As a rule the host waits once in a step, for how many children there are.
 *
 * Children of the parents here are adopted in the population's stream, and the words that have no others may be made there
 * at once. What they inherit is written where nobody reads: parents on their way out may be packed at any time. Whatever
 * has to do with guests is queued beside it (beside.h): the lists of their children, copied by the device, which needs no
 * multiprocessor for that, and the step for the words that are left. Only the kernel that ends last publishes the report
 * (publish.cuh). */
#include "children.h"

#include "base/clock.h"
#include "families.cuh"
#include "selection.h"

#include <string.h>

#define THREADS      256
#define TELL_THREADS (EDGE_CHILDREN / TELLING)

/* --- counted, and asked for --- */

/* A block for some children at either end. */
static __global__ void __launch_bounds__(TELL_THREADS)
    tell_edges(cuda_replicas p, cuda_edges *edges) {
    const uint64_t n = blockIdx.x * TELL_THREADS + threadIdx.x, children = p.report->population;
    if (n == 0)
        edges->children = children;
    if (n < children && n < p.capacity)
        edges->first[n] = p.parent[n];
    if (n < children && children <= p.capacity)
        edges->last[EDGE_CHILDREN - 1 - n] = p.parent[children - 1 - n];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *(volatile uint32_t *)&edges->done[blockIdx.x] = 1;
    }
}

engine_status cuda_children_breed(engine *base, const engine_step *step, uint64_t *children) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    g->step = *step;
    g->skip = 0;
    if (p->failed)
        return cuda_engine_failure(self);
    memset(g->edges->done, 0, sizeof g->edges->done);
    cuda_selection_breed(p, step, 0, false);
    tell_edges<<<TELLING, TELL_THREADS, 0, p->stream>>>(p->device, g->edges);
    cuda_check_launch(p, "tell_edges");
    cuda_beside_mark(&g->beside, p);
    cuda_beside_pass(&g->beside, p);
    for (const uint32_t &done : g->edges->done)
        cuda_population_await(p, &done);
    *children = g->edges->children;
    return cuda_engine_outcome(self);
}

/* Sees to it that the parents of these children stand in parent[]. */
static void note_parents(cuda_engine *self, uint64_t first, uint64_t count) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    if (first >= g->skip && first + count <= g->skip + p->device.capacity)
        return;
    g->skip = first;
    cuda_selection_breed(p, &g->step, (uint32_t)first, true);
}

/* The parents of these children, if the host was told; else NULL. */
static const uint32_t *told_parents(const cuda_engine *self, uint64_t first, uint64_t count) {
    const uint64_t capacity = self->population.device.capacity;
    const cuda_edges *const edges = self->guests.edges;
    const uint64_t end = first + count, behind = edges->children - first;
    if (end <= EDGE_CHILDREN && end <= capacity)
        return edges->first + first;
    if (behind <= EDGE_CHILDREN && edges->children <= capacity)
        return edges->last + EDGE_CHILDREN - behind;
    return NULL;
}

engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count,
                                    uint32_t *places) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const uint32_t *const told = told_parents(self, first, count);
    uint64_t done = 0;
    if (told) {
        memcpy(places, told, count * sizeof *places);
        return cuda_engine_outcome(self);
    }
    while (done < count && !p->failed) {
        const uint64_t left = count - done,
                       now = left < p->device.capacity ? left : p->device.capacity;
        note_parents(self, first + done, now);
        if (!p->failed)
            CUDA_CHECK(p, cudaMemcpyAsync(places + done,
                                          p->device.parent + (first + done - self->guests.skip),
                                          now * sizeof *places, cudaMemcpyDeviceToHost, p->stream));
        done += now;
    }
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

/* --- those of the parents here --- */

/* Children below + k of a share are those from number first + k on that the parents here have. */
struct descent {
    uint64_t below, first, own, all;
};

/* Writes parents to where the levels of the parents stand, which are not needed any more, and families to `families`;
 * counts these, and says how many the share has in all. */
static __global__ void __launch_bounds__(THREADS)
    descend(cuda_replicas p, uint32_t *families, descent d) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint32_t *const family = p.family + d.first;
    if (k == 0)
        p.report->population = d.all;
    if (k < d.own) {
        p.level[d.below + k] = p.parent[d.first + k];
        families[d.below + k] = family[k];
    }
    report_family_of(p.report, family, k, d.own);
}

static void swap_arrays(uint32_t **a, uint32_t **b) {
    uint32_t *const old = *a;
    *a = *b;
    *b = old;
}

/* Makes what need not wait, if all of the step is made by one kernel. */
static void begin_step(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    if (p->failed || !self->spins->begin || self->stages != STAGES_FUSED ||
        step->parts != WHOLE_STEP)
        return;
    const cuda_range all = {p->device, 0, p->device.capacity, &step->rule};
    p->device.host->done = 0;
    self->started = clock_seconds();
    g->begun = self->spins->begin(self->state, p, step, &all, &g->adopted);
}

engine_status cuda_children_adopt(engine *base, const share_adoption *children,
                                  const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    const uint64_t own = children->own, all = share_children(children);
    if (all > p->device.capacity)
        return ENGINE_OUTGROWN;
    if (own > 0)
        note_parents(self, children->first, own);
    g->adopted = *children;
    memset(g->fostered, 0, sizeof g->fostered);
    base->share->hold(base, children->origin, children->population);
    if (own == 0) {
        cuda_population_begin(p, &p->device, all);
    } else if (!p->failed) {
        const descent d = {children->below, children->first - g->skip, own, all};
        descend<<<(unsigned)((own + THREADS - 1) / THREADS), THREADS, 0, p->stream>>>(
            p->device, g->families, d);
        cuda_check_launch(p, "descend");
    }
    swap_arrays(&p->device.parent, &p->device.level);
    swap_arrays(&p->device.family, &g->families);
    cuda_beside_mark(&g->beside, p);
    if (step)
        begin_step(self, step);
    cuda_beside_pass(&g->beside, p);
    return cuda_engine_outcome(self);
}

/* --- those of guests --- */

/* Sees to room for the parents of so many children. */
static bool reserve_guests(cuda_population *p, cuda_guests *g, uint64_t children) {
    if (p->failed || children <= g->room)
        return !p->failed;
    cudaFreeHost(g->from);
    g->from = NULL;
    g->room = 2 * children;
    return CUDA_CHECK(p, cudaMallocHost((void **)&g->from, 2 * g->room * sizeof *g->from));
}

/* Adds families that stand behind others: the first of them may be the last of these. */
static void add_families(cuda_families *to, const cuda_families *more) {
    if (to->families == 0 || more->families == 0) {
        *to = to->families == 0 ? *more : *to;
        return;
    }
    const bool one = to->edge[1].family == more->edge[0].family;
    const uint64_t before = one ? to->edge[1].members : 0;
    to->squares += more->squares + 2 * before * more->edge[0].members;
    if (one && to->families == 1)
        to->edge[0].members += more->edge[0].members;
    to->edge[1] = more->edge[1];
    if (more->families == 1)
        to->edge[1].members += before;
    to->families += more->families - one;
}

/* The families of so many children. */
static cuda_families families_of(const foster_parent *parents, uint64_t count) {
    cuda_families all = {};
    for (uint64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && parents[end].family == parents[begin].family;)
            end++;
        const family_run run = {parents[begin].family, end - begin};
        const cuda_families family = {1, run.members * run.members, {run, run}};
        add_families(&all, &family);
    }
    return all;
}

/* Queues that children from number k on get their parents, by way of room that is pinned. */
static void bring(cuda_population *p, uint64_t k, const foster_parent *parents, uint64_t count,
                  uint32_t *places, uint32_t *families) {
    const size_t bytes = count * sizeof *places;
    if (p->failed || count == 0)
        return;
    for (uint64_t n = 0; n < count; n++) {
        places[n] = parents[n].place;
        families[n] = parents[n].family;
    }
    CUDA_CHECK(
        p, cudaMemcpyAsync(p->device.parent + k, places, bytes, cudaMemcpyHostToDevice, p->stream));
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.family + k, families, bytes, cudaMemcpyHostToDevice,
                                  p->stream));
}

engine_status cuda_children_foster(engine *base, const foster_parent *below,
                                   const foster_parent *above) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    const share_adoption *const a = &g->adopted;
    if (!reserve_guests(p, g, a->below + a->above))
        return cuda_engine_failure(self);
    uint32_t *const places = g->from, *const families = g->from + g->room;
    cuda_beside_turn(&g->beside, p);
    bring(p, 0, below, a->below, places, families);
    bring(p, a->below + a->own, above, a->above, places + a->below, families + a->below);
    cuda_beside_turn(&g->beside, p);
    g->fostered[0] = families_of(below, a->below);
    g->fostered[1] = families_of(above, a->above);
    return cuda_engine_outcome(self);
}

void cuda_children_report(const cuda_guests *g, histogram *out) {
    const cuda_families own = {out->families, out->family_squares, {out->edge[0], out->edge[1]}};
    cuda_families all = g->fostered[0];
    add_families(&all, &own);
    add_families(&all, &g->fostered[1]);
    out->families = all.families;
    out->family_squares = all.squares;
    memcpy(out->edge, all.edge, sizeof out->edge);
}

void cuda_children_forget(cuda_guests *g, cuda_population *p) {
    const cuda_replicas *const d = &p->device;
    if (p->failed || !g->beside.passed)
        return;
    cuda_beside_join(&g->beside, p);
    if (!g->begun)
        return;
    g->begun = false;
    CUDA_CHECK(p, cudaMemsetAsync(d->report, 0, sizeof *d->report, p->stream));
    CUDA_CHECK(
        p, cudaMemsetAsync(d->sums, 0, d->sum_sets * d->levels.count * sizeof *d->sums, p->stream));
}
