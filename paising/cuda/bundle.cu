/* Who goes with whom, what is noted, and its departure. */
#include "bundle.h"

#include "nvtx_section.h"
#include "publish.h"
#include "selection.h"

#include <stdlib.h>
#include <string.h>

/* What is noted of a companion, by kernel. */
typedef enum { OF_COMPARISON, OF_PAIRS, OF_SELECTION, OF_STEP, REQUESTS } request_kind;

struct cuda_bundle {
    cuda_engine *member[MOST_COMPANIONS]; /* by place; NULL: it is free */
    cudaStream_t stream;                  /* of all */
    char *requests;                       /* pinned, [MOST_COMPANIONS][REQUESTS][REQUEST_BYTES] */
};

static void *request_of(const cuda_engine *self, request_kind kind) {
    const cuda_companion *const c = &self->companion;
    return c->bundle->requests + ((size_t)c->place * REQUESTS + kind) * REQUEST_BYTES;
}

/* --- departures --- */

/* Some members of a bundle, who are launched together. */
typedef struct {
    cuda_engine *member[MOST_COMPANIONS];
    uint32_t count;
} company;

static companions requests_of(const company *c, request_kind kind) {
    companions all = {.count = c->count};
    for (uint32_t n = 0; n < c->count; n++)
        all.request[n] = request_of(c->member[n], kind);
    return all;
}

/* What has failed for one of them, in whose name all was launched, has failed for all. */
static void share_failure(const company *c) {
    const cuda_population *const first = &c->member[0]->population;
    for (uint32_t n = 1; n < c->count && first->failed; n++)
        cuda_check(&c->member[n]->population, first->error, first->failed);
}

/* Whether two decide flips alike, and as often. */
static bool flip_alike(const engine_step *a, const engine_step *b) {
    return a->sweeps == b->sweeps &&
           memcmp(a->rule.threshold, b->rule.threshold, sizeof a->rule.threshold) == 0 &&
           memcmp(a->rule.fraction, b->rule.fraction, sizeof a->rule.fraction) == 0 &&
           memcmp(a->rule.rest, b->rule.rest, sizeof a->rule.rest) == 0;
}

/* Takes those whose overlaps are noted from the list. */
static company take_overlaps(cuda_bundle *b) {
    company c = {};
    for (cuda_engine *const member : b->member)
        if (member && member->companion.asks && !member->population.failed) {
            member->companion.asks = false;
            c.member[c.count++] = member;
        }
    return c;
}

/* Takes those whose steps are noted, and alike. */
static company take_steps(cuda_bundle *b) {
    company c = {};
    for (cuda_engine *const member : b->member)
        if (member && member->companion.steps && !member->population.failed &&
            (c.count == 0 || flip_alike(&c.member[0]->step, &member->step))) {
            member->companion.steps = false;
            c.member[c.count++] = member;
        }
    return c;
}

static void launch_overlaps(const company *c) {
    const nvtx_section section("overlaps");
    cuda_engine *const first = c->member[0];
    cuda_population *const p = &first->population;
    first->spins->joint->launch_compare(first->state, p, requests_of(c, OF_COMPARISON));
    cuda_overlaps_launch(p, requests_of(c, OF_PAIRS));
    share_failure(c);
}

static void launch_steps(const company *c) {
    const nvtx_section section("steps");
    cuda_engine *const first = c->member[0];
    cuda_population *const p = &first->population;
    const cuda_range all = cuda_whole_population(first);
    cuda_selection_launch(p, requests_of(c, OF_SELECTION));
    first->spins->joint->launch_steps(first->state, p, &first->step, &all, requests_of(c, OF_STEP));
    share_failure(c);
}

void cuda_bundle_depart(engine *base) {
    cuda_bundle *const b = ((cuda_engine *)base)->companion.bundle;
    if (!b)
        return;
    const company asking = take_overlaps(b);
    if (asking.count > 0)
        launch_overlaps(&asking);
    for (company c = take_steps(b); c.count > 0; c = take_steps(b))
        launch_steps(&c);
}

/* --- what is noted --- */

bool cuda_bundle_takes_step(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const engine_step *const step = &self->step;
    if (!self->companion.bundle || p->failed)
        return false;
    if (step->parts != WHOLE_STEP || step->groups > 0 || !step->tau_hat ||
        !cuda_selection_is_joint(p, step)) {
        cuda_bundle_depart(&self->base);
        return false;
    }
    cuda_selection_note(p, step, request_of(self, OF_SELECTION));
    const cuda_range all = cuda_whole_population(self);
    cuda_publish_begin(p->device.host);
    self->spins->joint->note_step(self->state, p, step, &all, request_of(self, OF_STEP));
    self->companion.steps = !p->failed;
    return true;
}

void cuda_bundle_forget(cuda_engine *self) {
    self->companion.steps = self->companion.asks = false;
    self->companion.overlaps = NULL;
}

static engine_status bundle_overlaps(engine *base, overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    if (p->failed)
        return cuda_engine_failure(self);
    const uint64_t words = (overlap_pairs(p->replicas) + MACHINE_LANES - 1) / MACHINE_LANES;
    const uint32_t *const differ = (const uint32_t *)self->spins->room(self->state);
    self->spins->joint->note_compare(self->state, p, overlap_offset(p->replicas), words,
                                     request_of(self, OF_COMPARISON));
    cuda_overlaps_note(&self->pairs, p, &base->model, differ, request_of(self, OF_PAIRS), out);
    self->companion.overlaps = out;
    self->companion.asks = true;
    return ENGINE_OK;
}

static engine_status bundle_await_overlaps(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    overlap_sums *const out = self->companion.overlaps;
    if (self->companion.asks)
        cuda_bundle_depart(base);
    if (out)
        cuda_overlaps_collect(&self->pairs, &self->population, out);
    self->companion.overlaps = NULL;
    return cuda_engine_outcome(self);
}

/* --- who is there --- */

/* A free place; MOST_COMPANIONS: there is none. */
static uint32_t free_place(const cuda_bundle *b) {
    uint32_t place = 0;
    while (place < MOST_COMPANIONS && b->member[place])
        place++;
    return place;
}

static void join(cuda_bundle *b, uint32_t place, cuda_engine *self) {
    engine *const e = &self->base;
    b->member[place] = self;
    self->companion = cuda_companion{.bundle = b, .place = place};
    e->depart = cuda_bundle_depart;
    if (e->overlaps) {
        e->overlaps = bundle_overlaps;
        e->await_overlaps = bundle_await_overlaps;
    }
    cuda_overlaps_join(&self->pairs, &self->population, &e->model);
}

/* A bundle of one, whose stream becomes that of all. NULL: there is no memory for it. */
static cuda_bundle *found(cuda_engine *first) {
    cuda_bundle *const b = (cuda_bundle *)calloc(1, sizeof *b);
    const size_t bytes = (size_t)MOST_COMPANIONS * REQUESTS * REQUEST_BYTES;
    if (!b || cudaMallocHost(&b->requests, bytes)) {
        cudaGetLastError();
        free(b);
        return NULL;
    }
    b->stream = first->population.stream;
    join(b, 0, first);
    return b;
}

/* Leaves the own stream for that of the bundle. */
static void change_stream(cuda_population *p, cudaStream_t stream) {
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    cudaStreamDestroy(p->stream);
    p->stream = stream;
}

void cuda_bundle_accompany(engine *base, engine *other) {
    cuda_engine *const self = (cuda_engine *)base, *const host = (cuda_engine *)other;
    if (other->accompany != cuda_bundle_accompany || self->companion.bundle ||
        self->spins != host->spins || !self->spins->joint->go_together(self->state, host->state))
        return;
    cuda_bundle *const b = host->companion.bundle ? host->companion.bundle : found(host);
    const uint32_t place = b ? free_place(b) : MOST_COMPANIONS;
    if (place == MOST_COMPANIONS)
        return;
    change_stream(&self->population, b->stream);
    join(b, place, self);
}

void cuda_bundle_leave(cuda_engine *self) {
    cuda_bundle *const b = self->companion.bundle;
    if (!b)
        return;
    b->member[self->companion.place] = NULL;
    self->companion.bundle = NULL;
    for (const cuda_engine *member : b->member)
        if (member) {
            self->population.stream = NULL; /* which is theirs */
            return;
        }
    cudaFreeHost(b->requests);
    free(b);
}
