/* Members of a launch batch, their recorded requests, and the launches. */
#include "cuda/engine/launch_batch.h"

#include "cuda/device/arrays.h"
#include "cuda/device/nvtx_section.h"
#include "cuda/engine/copies.h"
#include "cuda/report/publish.h"
#include "cuda/select/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member's requests, one for each kernel. */
typedef enum { OF_PAIRS, OF_SELECTION, OF_STEP, REQUESTS } request_kind;
static_assert(REQUESTS == BATCH_REQUESTS, "what is counted");

struct launch_batch {
    cuda_engine *member[LAUNCH_BATCH_ENGINES]; /* by slot; NULL: free */
    cudaStream_t stream;                       /* of all members */
};

static void *request_of(const cuda_engine *self, request_kind kind) {
    return self->batched.requests + (size_t)kind * REQUEST_BYTES;
}

/* --- launches --- */

/* Members that are launched together. */
typedef struct {
    cuda_engine *member[LAUNCH_BATCH_ENGINES];
    uint32_t count;
} launch_group;

static batch_requests requests_of(const launch_group *c, request_kind kind) {
    batch_requests all = {.count = c->count};
    for (uint32_t n = 0; n < c->count; n++)
        all.request[n] = request_of(c->member[n], kind);
    return all;
}

/* A launch is checked by its first member. Copies a failure to the others. */
static void spread_failure(const launch_group *c) {
    const cuda_population *const first = &c->member[0]->population;
    for (uint32_t n = 1; n < c->count && first->failed; n++)
        cuda_check(&c->member[n]->population, first->error, first->failed);
}

/* Whether two steps have equal flip rules and numbers of sweeps. */
static bool flip_alike(const engine_step *a, const engine_step *b) {
    return a->sweeps == b->sweeps && a->rule.downhill == b->rule.downhill &&
           memcmp(a->rule.threshold, b->rule.threshold, sizeof a->rule.threshold) == 0 &&
           memcmp(a->rule.fraction, b->rule.fraction, sizeof a->rule.fraction) == 0 &&
           memcmp(a->rule.rest, b->rule.rest, sizeof a->rule.rest) == 0;
}

/* Takes the members with recorded overlaps. */
static launch_group take_overlaps(launch_batch *b) {
    launch_group c = {};
    for (cuda_engine *const member : b->member)
        if (member && member->batched.wants_overlaps && !member->population.failed) {
            member->batched.wants_overlaps = false;
            c.member[c.count++] = member;
        }
    return c;
}

/* Takes members with recorded steps that flip alike. */
static launch_group take_steps(launch_batch *b) {
    launch_group c = {};
    for (cuda_engine *const member : b->member)
        if (member && member->batched.wants_step && !member->population.failed &&
            (c.count == 0 || flip_alike(&c.member[0]->step, &member->step))) {
            member->batched.wants_step = false;
            c.member[c.count++] = member;
        }
    return c;
}

static void launch_overlaps(const launch_group *c) {
    const nvtx_section section("overlaps");
    cuda_engine *const first = c->member[0];
    cuda_population *const p = &first->population;
    cuda_overlaps_launch(p, &first->base.model, requests_of(c, OF_PAIRS));
    spread_failure(c);
}

static void launch_steps(const launch_group *c) {
    const nvtx_section section("steps");
    cuda_engine *const first = c->member[0];
    cuda_population *const p = &first->population;
    const cuda_range all = cuda_whole_population(first);
    cuda_selection_launch(p, requests_of(c, OF_SELECTION));
    first->spins->batched->launch_steps(first->state, p, &first->step, &all,
                                        requests_of(c, OF_STEP));
    spread_failure(c);
}

void launch_batch_flush(engine *base) {
    launch_batch *const b = ((cuda_engine *)base)->batched.batch;
    if (!b)
        return;
    const launch_group with_overlaps = take_overlaps(b);
    if (with_overlaps.count > 0)
        launch_overlaps(&with_overlaps);
    for (launch_group c = take_steps(b); c.count > 0; c = take_steps(b))
        launch_steps(&c);
}

/* --- recording --- */

bool launch_batch_takes_step(cuda_engine *self) {
    cuda_population *const p = &self->population;
    const engine_step *const step = &self->step;
    if (!self->batched.batch || p->failed)
        return false;
    if (step->parts != WHOLE_STEP || step->groups > 0 || !step->tau_hat ||
        !cuda_selection_can_batch(p, step)) {
        launch_batch_flush(&self->base);
        return false;
    }
    cuda_selection_record(p, step, request_of(self, OF_SELECTION));
    const cuda_range all = cuda_whole_population(self);
    cuda_publish_begin(p->device.host);
    self->spins->batched->record_step(self->state, p, step, &all, request_of(self, OF_STEP));
    self->batched.wants_step = !p->failed;
    return true;
}

void launch_batch_forget(cuda_engine *self) {
    self->batched.wants_step = self->batched.wants_overlaps = false;
    self->batched.overlaps = NULL;
}

engine_status launch_batch_overlaps(engine *base, overlap_sums *out) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    if (p->failed)
        return cuda_engine_failure(self);
    if (self->spins->overlaps) { /* which waits */
        self->spins->overlaps(self->state, p, &base->model, 0, p->replicas, true, out);
        return cuda_engine_outcome(self);
    }
    const uint64_t words = (overlap_pairs(p->replicas) + MACHINE_LANES - 1) / MACHINE_LANES;
    const cuda_pair_words pairs =
        self->spins->compare(self->state, p, 0, overlap_offset(p->replicas), words);
    self->batched.overlaps = out;
    if (!self->batched.batch) {
        const nvtx_section section("overlaps");
        cuda_overlaps_queue(&self->pairs, p, &base->model, pairs, out);
        return cuda_engine_outcome(self);
    }
    base->seconds[STAGE_OVERLAPS] = NAN; /* not known apart from the other members' */
    cuda_overlaps_record(&self->pairs, p, &base->model, pairs, request_of(self, OF_PAIRS), out);
    self->batched.wants_overlaps = true;
    return ENGINE_OK;
}

engine_status launch_batch_wait_overlaps(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    overlap_sums *const out = self->batched.overlaps;
    if (self->batched.wants_overlaps)
        launch_batch_flush(base);
    if (!self->spins->overlaps)
        cuda_overlaps_collect(&self->pairs, &self->population, out);
    self->batched.overlaps = NULL;
    return cuda_engine_outcome(self);
}

/* --- membership --- */

/* Returns a free slot, or LAUNCH_BATCH_ENGINES if there is none. */
static uint32_t free_place(const launch_batch *b) {
    uint32_t place = 0;
    while (place < LAUNCH_BATCH_ENGINES && b->member[place])
        place++;
    return place;
}

/* Puts an engine into a slot. Returns false without memory for its requests. */
static bool join(launch_batch *b, uint32_t place, cuda_engine *self) {
    char *requests = NULL;
    if (cuda_take(&requests, REQUESTS * REQUEST_BYTES, PINNED)) {
        cudaGetLastError(); /* else the next launch would return it */
        return false;
    }
    b->member[place] = self;
    self->batched = batch_member{.batch = b, .place = place, .requests = requests, .allowed = true};
    return true;
}

/* Makes a batch of one engine, whose stream becomes that of the batch. NULL: no memory. */
static launch_batch *found(cuda_engine *first) {
    launch_batch *const b = (launch_batch *)calloc(1, sizeof *b);
    if (!b || !join(b, 0, first)) {
        free(b);
        return NULL;
    }
    b->stream = first->population.stream;
    return b;
}

/* Replaces the engine's stream by that of the batch. */
static void change_stream(cuda_population *p, cudaStream_t stream) {
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    cudaStreamDestroy(p->stream);
    p->stream = stream;
}

void launch_batch_join(engine *base, engine *other) {
    cuda_engine *const self = (cuda_engine *)base, *const host = (cuda_engine *)other;
    if (other->verbs->async != base->verbs->async || !self->batched.allowed ||
        !host->batched.allowed || self->batched.batch || self->spins != host->spins ||
        !self->spins->batched->can_batch(self->state, host->state))
        return;
    launch_batch *const b = host->batched.batch ? host->batched.batch : found(host);
    const uint32_t place = b ? free_place(b) : LAUNCH_BATCH_ENGINES;
    if (place < LAUNCH_BATCH_ENGINES && join(b, place, self))
        change_stream(&self->population, b->stream);
}

void launch_batch_leave(cuda_engine *self) {
    launch_batch *const b = self->batched.batch;
    if (!b)
        return;
    b->member[self->batched.place] = NULL;
    self->batched.batch = NULL;
    cuda_array_give(self->batched.requests, PINNED);
    for (const cuda_engine *member : b->member)
        if (member) {
            self->population.stream = NULL; /* it belongs to the others */
            return;
        }
    free(b);
}
