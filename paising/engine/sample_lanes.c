/* Machine words of 32 samples (sample_lanes.h), by the verbs of the engine that they share. */
#include "sample_lanes.h"

#include "async.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The engine of one sample. */
typedef struct {
    engine base;
    sample_lanes *word;
    uint32_t lane;
    uint32_t begun;  /* rounds */
    uint32_t *level, /* [replicas] its own, */
        *parent;     /* and their parents in the round that it has begun */
    engine_round round;
} lane_engine;

struct sample_lanes {
    engine *shared;
    stream_key key;
    lane_engine *lane[SAMPLE_LANES];  /* NULL: nobody asks for this bit */
    const round_plan *plan;           /* of the first lane; those of the others are alike */
    size_t groups;                    /* that there is room for */
    uint64_t all;                     /* replicas of the shared engine; 0: there is no room yet */
    uint32_t made;                    /* rounds */
    bool drawn;                       /* the random states are there */
    engine_group *group;              /* [groups] */
    histogram *report;                /* [groups] */
    uint32_t *level, *order, *parent; /* [all] */
    overlap_pair *pair;               /* [groups][R/2][32] */
};

/* --- memory --- */

sample_lanes *sample_lanes_create(engine *shared, stream_key key) {
    sample_lanes *const word = calloc(1, sizeof *word);
    if (word != NULL)
        *word = (sample_lanes){.shared = shared, .key = key};
    return word;
}

static void destroy_lane(lane_engine *self) {
    if (self == NULL)
        return;
    free(self->level);
    free(self->parent);
    free(self);
}

void sample_lanes_destroy(sample_lanes *word) {
    if (word == NULL)
        return;
    for (uint32_t lane = 0; lane < SAMPLE_LANES; lane++)
        destroy_lane(word->lane[lane]);
    for (size_t k = 0; word->report != NULL && k < word->groups; k++)
        histogram_destroy(&word->report[k]);
    free(word->report);
    free(word->group);
    free(word->level);
    free(word->order);
    free(word->parent);
    free(word->pair);
    free(word);
}

static uint64_t pairs_of(const round_plan *plan) {
    return plan->replicas / 2 * SAMPLE_LANES;
}

/* Makes room for the rounds of the shared engine. Returns false without memory. */
static bool make_room(sample_lanes *word, const round_plan *plan) {
    const size_t K = plan->groups;
    word->plan = plan;
    word->groups = K;
    word->all = K * plan->replicas * SAMPLE_LANES;
    word->group = calloc(K, sizeof *word->group);
    word->report = calloc(K, sizeof *word->report);
    word->level = calloc(word->all, sizeof *word->level);
    word->order = calloc(word->all, sizeof *word->order);
    word->parent = calloc(word->all, sizeof *word->parent);
    word->pair = calloc(K * pairs_of(plan) + 1, sizeof *word->pair);
    if (!word->group || !word->report || !word->level || !word->order || !word->parent ||
        !word->pair)
        return false;
    for (uint64_t k = 0; k < word->all; k++)
        word->parent[k] = (uint32_t)k;
    for (size_t k = 0; k < K; k++) {
        word->group[k] = plan->group[k];
        word->group[k].first *= SAMPLE_LANES;
        if (histogram_create(&word->report[k], &word->shared->model))
            return false;
    }
    return true;
}

/* --- the shared engine --- */

/* Takes over what failed. */
static engine_status shared_did(lane_engine *self, engine_status status) {
    if (status != ENGINE_OK)
        memcpy(self->base.error, self->word->shared->error, sizeof self->base.error);
    return status;
}

static engine_status read_replicas(sample_lanes *word) {
    engine *const e = word->shared;
    const engine_status status = e->verbs->read_levels(e, 0, word->all, word->level);
    return status != ENGINE_OK ? status : e->verbs->read_orders(e, 0, word->all, word->order);
}

/* Makes a round for all lanes, which have begun it. */
static engine_status make_round(sample_lanes *word, const engine_round *round) {
    engine *const e = word->shared;
    const round_plan *const plan = word->plan;
    const uint64_t each = plan->replicas * SAMPLE_LANES;
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = word->key,
                              .temperature = round->temperature,
                              .sweeps = round->sweeps,
                              .founders = word->all,
                              .parents = word->parent,
                              .children = word->all,
                              .group = word->group,
                              .groups = plan->groups};
    for (uint32_t lane = 0; lane < SAMPLE_LANES; lane++)
        assert(word->lane[lane] == NULL || word->lane[lane]->begun > word->made);
    word->made++;
    engine_status status = e->verbs->step(e, &step, word->report);
    if (status == ENGINE_OK)
        status = read_replicas(word);
    for (size_t k = 0; k < plan->groups && round->overlaps && status == ENGINE_OK; k++)
        status = e->verbs->read_pairs(e, k * each, each, word->pair + k * pairs_of(plan));
    return status;
}

/* --- verbs of a sample --- */

static uint64_t place_of(const lane_engine *self, uint64_t replica) {
    return replica * SAMPLE_LANES + self->lane;
}

static engine_status lane_randomise(engine *base, stream_key key, uint64_t replicas,
                                    histogram *out) {
    lane_engine *const self = (lane_engine *)base;
    sample_lanes *const word = self->word;
    histogram all;
    (void)key; /* that of the word counts */
    if (!word->drawn) {
        if (histogram_create(&all, &word->shared->model))
            return ENGINE_FAILED;
        engine_status status =
            word->shared->verbs->randomise(word->shared, word->key, word->all, &all);
        histogram_destroy(&all);
        status = status != ENGINE_OK ? status : read_replicas(word);
        if (status != ENGINE_OK)
            return shared_did(self, status);
        word->drawn = true;
    }
    histogram_clear(out);
    out->population = replicas;
    for (uint64_t r = 0; r < replicas; r++)
        histogram_add(out, r, word->level[place_of(self, r)], word->order[place_of(self, r)]);
    return ENGINE_OK;
}

static engine_status lane_plan_rounds(engine *base, const round_plan *plan, bool *can) {
    lane_engine *const self = (lane_engine *)base;
    const uint64_t replicas = plan->groups * plan->replicas;
    *can = true;
    self->level = calloc(replicas, sizeof *self->level);
    self->parent = calloc(replicas, sizeof *self->parent);
    if (self->level != NULL && self->parent != NULL &&
        (self->word->all > 0 || make_room(self->word, plan)))
        return ENGINE_OK;
    snprintf(base->error, sizeof base->error, "not enough memory for words of samples");
    return ENGINE_FAILED;
}

static engine_status lane_submit_round(engine *base, const engine_round *round) {
    lane_engine *const self = (lane_engine *)base;
    sample_lanes *const word = self->word;
    const round_plan *const plan = word->plan;
    const uint64_t replicas = plan->groups * plan->replicas;
    for (uint64_t r = 0; r < replicas; r++)
        self->level[r] = word->level[place_of(self, r)];
    round_exchange(plan, round, (replica_energies){.level = self->level}, self->parent);
    for (uint64_t r = 0; r < replicas; r++)
        word->parent[place_of(self, r)] = (uint32_t)place_of(self, self->parent[r]);
    self->round = *round;
    self->begun++;
    return ENGINE_OK;
}

/* Fills the report of temperature k. */
static void report_group(const lane_engine *self, size_t k, histogram *out) {
    const sample_lanes *const word = self->word;
    const uint64_t R = word->plan->replicas;
    histogram_clear_levels(out);
    out->block[0] = (block_sums){0};
    out->population = R;
    for (uint64_t r = k * R; r < (k + 1) * R; r++)
        histogram_add(out, 0, word->level[place_of(self, r)], word->order[place_of(self, r)]);
}

/* Fills the overlaps of temperature k. */
static void report_pairs(const lane_engine *self, size_t k, overlap_sums *out) {
    const sample_lanes *const word = self->word;
    const uint64_t pairs = word->plan->replicas / 2;
    out->pairs = pairs;
    out->relatives = out->family_logs = 0;
    out->totals = true;
    out->block[0] = (overlap_block){0};
    out->differ_span = (overlap_span){0, out->scale.differ_bins};
    out->wall_span = (overlap_span){0, out->scale.wall_bins};
    memset(out->differ, 0, out->scale.differ_bins * sizeof *out->differ);
    memset(out->walls, 0, out->scale.wall_bins * sizeof *out->walls);
    for (uint64_t r = k * pairs; r < (k + 1) * pairs; r++)
        overlap_sums_add(out, 0, &word->pair[place_of(self, r)]);
}

static engine_status lane_wait_round(engine *base, histogram out[], overlap_sums overlaps[]) {
    lane_engine *const self = (lane_engine *)base;
    sample_lanes *const word = self->word;
    if (word->made < self->begun) {
        const engine_status status = make_round(word, &self->round);
        if (status != ENGINE_OK)
            return shared_did(self, status);
    }
    for (size_t k = 0; k < word->plan->groups; k++) {
        report_group(self, k, &out[k]);
        if (self->round.overlaps)
            report_pairs(self, k, &overlaps[k]);
    }
    return ENGINE_OK;
}

/* Steps that are no rounds are not made. */
static engine_status lane_read_levels(engine *base, uint64_t first, uint64_t count,
                                      uint32_t *levels) {
    const lane_engine *const self = (const lane_engine *)base;
    for (uint64_t r = 0; r < count; r++)
        levels[r] = self->word->level[place_of(self, first + r)];
    return ENGINE_OK;
}

static const struct engine_async_verbs lane_rounds = {.plan_rounds = lane_plan_rounds,
                                                      .submit_round = lane_submit_round,
                                                      .wait_round = lane_wait_round};

static const struct engine_verbs lane_verbs = {
    .randomise = lane_randomise, .read_levels = lane_read_levels, .async = &lane_rounds};

engine *sample_lanes_add(sample_lanes *word, uint32_t lane, const spin_model *model) {
    lane_engine *const self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    *self = (lane_engine){.base = {.verbs = &lane_verbs,
                                   .name = word->shared->name,
                                   .model = *model,
                                   .threads = word->shared->threads},
                          .word = word,
                          .lane = lane};
    self->base.seconds[STAGE_STEP] = self->base.seconds[STAGE_ROUND_TRIP] = NAN;
    word->lane[lane] = self;
    return &self->base;
}
