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
#include "gate.cuh"
#include "selection.h"

#include <string.h>

#define THREADS      256
#define TELL_THREADS (EDGE_CHILDREN / TELLING)

/* --- counted, and asked for --- */

/* What the edges wait for: the gate of their selection, 0 for none; and one that their launch is, the last block. */
struct edge_gates {
    const gate_news *news;
    uint32_t number;
    gate_door *own_door;
    gate_news *own_news;
    uint32_t own;
};

/* A block for some children at either end. How many there are is what the selection told: the report is that of the step by
 * now. */
static __global__ void __launch_bounds__(TELL_THREADS)
    tell_edges(selection_notes bred, cuda_edges *edges, share_parents first, share_parents last,
               edge_gates gates) {
    allow_next_launch();
    if (blockIdx.x == TELLING)
        stand_as_gate(gates.own_door, gates.own_news, gates.own);
    await_launch_before();
    if (blockIdx.x == TELLING || (gates.number > 0 && !gate_was_opened(gates.news, gates.number)))
        return;
    const uint64_t n = blockIdx.x * TELL_THREADS + threadIdx.x, children = edges->count.told / 2;
    if (n < children && n < bred.room) {
        first.place[n] = bred.parent[n];
        family_put(first.family, n, bred.family[n]);
    }
    if (n < children && children <= bred.room) {
        last.place[EDGE_CHILDREN - 1 - n] = bred.parent[children - 1 - n];
        family_put(last.family, EDGE_CHILDREN - 1 - n, bred.family[children - 1 - n]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *(volatile uint32_t *)&edges->done[blockIdx.x] = 1;
    }
}

/* What is queued beside from now on waits for all that was queued for the population. */
static void pass_both(cuda_guests *g, cuda_population *p) {
    for (cuda_beside *beside : {&g->beside, &g->counting}) {
        cuda_beside_mark(beside, p);
        cuda_beside_pass(beside, p);
    }
}

/* Queues that the host is told of the edges, where the step that is begun does not wait for it; behind a gate, or 0. */
static void queue_edges(cuda_guests *g, cuda_population *p, uint32_t gate) {
    g->told_within = false;
    pass_both(g, p);
    if (p->failed)
        return;
    cuda_beside_turn(&g->beside, p);
    tell_edges<<<TELLING, TELL_THREADS, 0, p->stream>>>(g->bred, g->edges, g->first, g->last,
                                                        edge_gates{p->gate.news, gate});
    cuda_check_launch(p, "tell_edges");
    cuda_beside_turn(&g->beside, p);
}

/* How far in the notes child 0 of the share stands: before them, where children of guests come first. */
static int64_t own_from(const cuda_guests *g) {
    return (int64_t)(g->adopted.first - g->bred.skip) - (int64_t)g->adopted.below;
}

cuda_range cuda_children_range(const cuda_engine *self, const engine_step *step) {
    const cuda_population *const p = &self->population;
    cuda_range all = {p->device, 0, p->device.capacity, &step->rule};
    all.inherited = own_from(&self->guests);
    all.replicas.parent = self->guests.bred.parent;
    all.replicas.family = self->guests.bred.family;
    all.replicas.founders = step->founders;
    return all;
}

/* Queues the same before a launch for the children that need not wait, behind whose gate it is. What comes beside needs the
 * selection too, and is queued when the host has been told: an event would part the launches. */
static bool queue_step_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    cuda_gate *const own = &g->gate;
    if (p->failed || !self->spins->ahead)
        return false;
    cuda_gate_prepare(own);
    const edge_gates gates = {p->gate.news, p->gate.number, own->door, own->news, own->number};
    cuda_launch_early(p, "tell_edges", tell_edges, TELLING + 1, TELL_THREADS, 0,
                      (const selection_notes &)g->bred, (cuda_edges *const &)g->edges,
                      (const share_parents &)g->first, (const share_parents &)g->last, gates);
    g->told_within = true;
    const cuda_range all = cuda_children_range(self, step);
    if (!self->spins->ahead(self->state, p, step, &all, own))
        cuda_gate_dismiss(own);
    g->ahead = *step;
    return true;
}

void cuda_children_ahead(cuda_engine *self, const engine_step *step) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    g->bred.skip = 0;
    cuda_selection_ahead(p);
    if (p->gate.waits && !queue_step_ahead(self, step))
        queue_edges(g, p, p->gate.number);
}

engine_status cuda_children_breed(engine *base, const engine_step *step, uint64_t *children) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    g->bred.skip = 0;
    if (p->failed)
        return cuda_engine_failure(self);
    g->edges->count.told = 0;
    memset(g->edges->done, 0, sizeof g->edges->done);
    if (!cuda_selection_breed(p, step, &g->bred, false)) {
        cuda_gate_dismiss(&g->gate);
        queue_edges(g, p, 0);
    }
    g->step = *step;
    cuda_population_await(p, (const uint32_t *)&g->edges->count.told); /* its lower half */
    *children = g->edges->count.told / 2;
    const engine_status done = cuda_engine_outcome(self);
    return done == ENGINE_OK && *children > UINT32_MAX ? ENGINE_OUTGROWN : done;
}

/* Sees to it that the parents of these children stand among those that were bred. */
static void note_parents(cuda_engine *self, uint64_t first, uint64_t count) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    if (first >= g->bred.skip && first + count <= g->bred.skip + g->bred.room)
        return;
    cuda_gate_dismiss(&g->gate);
    cuda_beside_join(&g->beside, p); /* where the edges are told from those that are there */
    g->bred.skip = first;
    cuda_selection_breed(p, &g->step, &g->bred, true);
    pass_both(g, p);
}

/* Waits until the edges are told, in the stream where that was queued. */
static void await_edges(cuda_guests *g, cuda_population *p) {
    const bool beside = !g->told_within;
    if (beside)
        cuda_beside_turn(&g->beside, p);
    for (const uint32_t &done : g->edges->done)
        cuda_population_await(p, &done);
    if (beside)
        cuda_beside_turn(&g->beside, p);
}

/* Copies the parents of these children, if the host was told. */
static bool copy_told(cuda_engine *self, uint64_t first, uint64_t count, share_parents to) {
    const cuda_guests *const g = &self->guests;
    const uint64_t room = g->bred.room;
    const uint64_t end = first + count, children = g->edges->count.told / 2,
                   behind = children - first;
    const bool at_first = end <= EDGE_CHILDREN && end <= room,
               at_last = behind <= EDGE_CHILDREN && children <= room;
    if (!at_first && !at_last)
        return false;
    await_edges(&self->guests, &self->population);
    const share_parents from = at_first ? share_parents_from(g->first, first)
                                        : share_parents_from(g->last, EDGE_CHILDREN - behind);
    memcpy(to.place, from.place, count * sizeof *to.place);
    families_copy(to.family, from.family, count);
    return true;
}

/* Copies them from the device, beside what it makes: as many as it has noted at a time. */
static void copy_noted(cuda_engine *self, uint64_t first, uint64_t count, share_parents to) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    for (uint64_t done = 0, now; done < count && !p->failed; done += now) {
        const uint64_t left = count - done;
        now = left < g->bred.room ? left : g->bred.room;
        note_parents(self, first + done, now);
        const share_parents noted = {g->bred.parent, g->bred.family};
        cuda_beside_turn(&g->beside, p);
        cuda_parents_copy(p, share_parents_from(to, done),
                          share_parents_from(noted, first + done - g->bred.skip), now);
        if (!p->failed)
            CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
        cuda_beside_turn(&g->beside, p);
    }
}

engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count,
                                    share_parents to) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_children_await(self);
    if (!copy_told(self, first, count, to))
        copy_noted(self, first, count, to);
    return cuda_engine_outcome(self);
}

uint64_t cuda_children_notes(const engine *base) {
    return ((const cuda_engine *)base)->guests.bred.room;
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
    descend(cuda_replicas p, selection_notes bred, descent d, cuda_family_count *count,
            cuda_family_count *told) {
    const family_list family = families_from(bred.family, d.from);
    if (blockIdx.x == 0 && threadIdx.x == 0 && !d.begun)
        p.report->population = d.all;
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH; n++) {
        const uint64_t k = ((uint64_t)blockIdx.x * FAMILY_EACH + n) * THREADS + threadIdx.x;
        if (k < d.count)
            family_put(p.family, d.to + k, family[k]);
        if (k < d.count && !d.begun)
            p.parent[d.to + k] = bred.parent[d.from + (int64_t)k];
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
static descent descent_of(const cuda_guests *g) {
    const share_adoption *const a = &g->adopted;
    const uint64_t all = share_children(a);
    return g->begun ? descent{own_from(g), 0, all, all, true}
                    : descent{own_from(g) + (int64_t)a->below, a->below, a->own, all, false};
}

/* Queues that. */
static void queue_descent(cuda_population *p, const cuda_guests *g) {
    const descent d = descent_of(g);
    if (p->failed)
        return;
    *g->told = cuda_family_count{};
    g->told->done = d.count == 0;
    if (d.count == 0) {
        cuda_population_begin(p, &p->device, d.all);
        return;
    }
    descend<<<family_tiles(d.count, THREADS), THREADS, 0, p->stream>>>(p->device, g->bred, d,
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
    cuda_guests *const g = &self->guests;
    if (p->failed || !self->spins->begin || self->stages != STAGES_FUSED ||
        step->parts != WHOLE_STEP || g->adopted.below > g->beside_notes ||
        g->adopted.above > g->beside_notes)
        return;
    if (!was_expected(&g->ahead, step))
        cuda_gate_dismiss(&g->gate);
    const cuda_range all = cuda_children_range(self, step);
    self->started = clock_seconds();
    g->begun = self->spins->begin(self->state, p, step, &all, &g->adopted, &g->gate);
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
    p->device.share.adopted = all;
    if (step)
        begin_step(self, step);
    cuda_gate_dismiss(&g->gate); /* unless it was opened */
    return cuda_engine_outcome(self);
}

bool cuda_children_have_guests(const cuda_guests *g) {
    return g->adopted.below + g->adopted.above > 0;
}

void cuda_children_await(cuda_engine *self) {
    if (self->guests.told_within)
        await_edges(&self->guests, &self->population);
}

void cuda_children_descend(cuda_engine *self) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    cuda_beside_turn(&g->counting, p);
    queue_descent(p, g);
    if (!g->begun)
        cuda_beside_mark(&g->beside, p);
    cuda_beside_turn(&g->counting, p);
    if (!g->begun)
        cuda_beside_pass(&g->beside, p);
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
static void count_fostered(cuda_guests *g, cuda_population *p, family_list below,
                           family_list above) {
    if (g->begun) {
        cuda_beside_mark(&g->counting, p);
        cuda_beside_pass(&g->counting, p);
        return;
    }
    g->fostered[0] = families_of(below, g->adopted.below);
    g->fostered[1] = families_of(above, g->adopted.above);
}

engine_status cuda_children_foster(engine *base, share_parents below, share_parents above) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    const share_adoption *const a = &g->adopted;
    const int64_t from = own_from(g);
    const share_parents to =
        g->begun ? share_parents{g->bred.parent + from, families_from(g->bred.family, from)}
                 : share_parents{p->device.parent, p->device.family};
    cuda_beside_turn(&g->beside, p);
    cuda_parents_copy(p, to, below, a->below);
    cuda_parents_copy(p, share_parents_from(to, a->below + a->own), above, a->above);
    count_fostered(g, p, below.family, above.family);
    cuda_beside_turn(&g->beside, p);
    return cuda_engine_outcome(self);
}

void cuda_children_report(cuda_guests *g, cuda_population *p) {
    await_edges(g, p); /* before they are told anew */
    cuda_beside_turn(&g->counting, p);
    cuda_population_await(p, &g->told->done);
    cuda_beside_turn(&g->counting, p);
    g->families = g->fostered[0];
    add_families(&g->families, &g->told->families);
    add_families(&g->families, &g->fostered[1]);
}

void cuda_children_complete(const cuda_guests *g, histogram *out) {
    out->families = g->families.families;
    out->family_squares = g->families.family_squares;
    memcpy(out->edge, g->families.edge, sizeof out->edge);
}

void cuda_children_forget(cuda_guests *g, cuda_population *p) {
    const cuda_replicas *const d = &p->device;
    if (p->failed || !g->beside.passed)
        return;
    cuda_beside_join(&g->beside, p);
    cuda_beside_join(&g->counting, p);
    if (!g->begun)
        return;
    g->begun = false;
    CUDA_CHECK(p, cudaMemsetAsync(d->report, 0, sizeof *d->report, p->stream));
    CUDA_CHECK(
        p, cudaMemsetAsync(d->sums, 0, d->sum_sets * d->levels.count * sizeof *d->sums, p->stream));
}
