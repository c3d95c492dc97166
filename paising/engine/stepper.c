/* Steps that are under way: the only caller of the asynchronous verbs. */
#include "stepper.h"

#include "async.h"
#include "base/clock.h"

#include <assert.h>
#include <stdlib.h>

int stepper_create(stepper *s, engine *e) {
    *s = (stepper){.engine = e};
    if (histogram_create(&s->report, &e->model) ||
        (e->model.disordered && overlap_sums_create(&s->overlaps, &e->model))) {
        stepper_destroy(s);
        return -1;
    }
    return 0;
}

static void forget_groups(stepper *s) {
    while (s->groups > 0)
        histogram_destroy(&s->group[--s->groups]);
    free(s->group);
    s->group = NULL;
}

int stepper_divide(stepper *s, size_t groups, uint64_t replicas) {
    forget_groups(s);
    s->group = groups > 0 ? calloc(groups, sizeof *s->group) : NULL;
    for (; s->group != NULL && s->groups < groups; s->groups++)
        if (histogram_create_for(&s->group[s->groups], &s->engine->model, replicas))
            return -1;
    return s->groups == groups ? 0 : -1;
}

static void forget_rounds(stepper *s) {
    for (size_t k = 0; k < s->groups && s->group_overlaps != NULL; k++)
        overlap_sums_destroy(&s->group_overlaps[k]);
    free(s->group_overlaps);
    free(s->levels);
    free(s->energies);
    free(s->parents);
    s->group_overlaps = NULL;
    s->levels = s->parents = NULL;
    s->energies = NULL;
    s->plan = NULL;
}

void stepper_destroy(stepper *s) {
    forget_rounds(s);
    forget_groups(s);
    histogram_destroy(&s->report);
    overlap_sums_destroy(&s->overlaps);
}

engine_status stepper_randomise(stepper *s, stream_key key, uint64_t replicas) {
    s->under_way = s->incomplete = s->overlaps_asked = s->overlaps_there = false;
    return s->engine->verbs->randomise(s->engine, key, replicas, &s->report);
}

engine_status stepper_submit(stepper *s, const engine_step *step) {
    const struct engine_async_verbs *const async = s->engine->verbs->async;
    assert(step->groups == s->groups && !s->under_way); /* a report for each */
    s->submitted_at = clock_seconds();
    s->totals = false;
    s->measures = step->parts & PART_MEASURE;
    s->in_groups = step->groups > 0;
    if (async == NULL)
        s->step = *step;
    const engine_status status = async != NULL ? async->submit(s->engine, step) : ENGINE_OK;
    s->under_way = status == ENGINE_OK;
    return status;
}

/* --- rounds --- */

int stepper_plan_rounds(stepper *s, const round_plan *plan) {
    engine *const e = s->engine;
    const struct engine_async_verbs *const async = e->verbs->async;
    const uint64_t replicas = plan->groups * plan->replicas;
    assert(plan->groups == s->groups);
    forget_rounds(s);
    s->plan = plan;
    s->engine_rounds = async != NULL && async->plan_rounds != NULL;
    if (s->engine_rounds && async->plan_rounds(e, plan, &s->engine_rounds) != ENGINE_OK)
        return -1;
    if (!s->engine_rounds) {
        if (e->model.levels.fine)
            s->energies = calloc(replicas, sizeof *s->energies);
        else
            s->levels = calloc(replicas, sizeof *s->levels);
        s->parents = calloc(replicas, sizeof *s->parents);
        if ((s->levels == NULL && s->energies == NULL) || s->parents == NULL)
            return -1;
    }
    s->group_overlaps = plan->overlaps ? calloc(s->groups, sizeof *s->group_overlaps) : NULL;
    for (size_t k = 0; k < s->groups && s->group_overlaps != NULL; k++)
        if (overlap_sums_create(&s->group_overlaps[k], &e->model))
            return -1;
    return s->group_overlaps != NULL || !plan->overlaps ? 0 : -1;
}

uint64_t stepper_round_bytes(const spin_model *model, size_t groups, uint64_t replicas,
                             bool overlaps) {
    const overlap_scale scale = overlap_scale_of(model);
    const uint64_t bins = (uint64_t)OVERLAP_PARTS * (scale.differ_bins + scale.wall_bins);
    const uint64_t each = model->levels.fine ? sizeof(int64_t) : sizeof(uint32_t);
    return groups * (replicas * (each + sizeof(uint32_t)) +
                     (overlaps ? sizeof(overlap_sums) + bins * sizeof(uint32_t) : 0));
}

/* Reads the energies as they were measured last. */
static engine_status read_energies(stepper *s, uint64_t replicas) {
    engine *const e = s->engine;
    return s->energies != NULL ? e->verbs->read_energies(e, 0, replicas, s->energies)
                               : e->verbs->read_levels(e, 0, replicas, s->levels);
}

/* A round as a step with given parents. */
static engine_status submit_as_step(stepper *s, const engine_round *round) {
    const round_plan *const plan = s->plan;
    const uint64_t replicas = plan->groups * plan->replicas;
    const bool known = round->now.level != NULL || round->now.energy != NULL;
    const replica_energies measured = {s->levels, s->energies};
    const engine_status read = known ? ENGINE_OK : read_energies(s, replicas);
    if (read != ENGINE_OK)
        return read;
    round_exchange(plan, round, known ? round->now : measured, s->parents);
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = round->key,
                              .temperature = round->temperature,
                              .sweeps = round->sweeps,
                              .founders = replicas,
                              .parents = s->parents,
                              .children = replicas,
                              .group = plan->group,
                              .groups = plan->groups,
                              .stop = round->stop};
    return stepper_submit(s, &step);
}

engine_status stepper_submit_round(stepper *s, const engine_round *round) {
    assert(s->plan != NULL && !s->under_way);
    s->round = *round;
    if (!s->engine_rounds)
        return submit_as_step(s, round);
    for (size_t k = 0; k < s->groups && !s->totals; k++)
        histogram_clear(&s->group[k]);
    s->totals = true;
    s->submitted_at = clock_seconds();
    const engine_status status = s->engine->verbs->async->submit_round(s->engine, round);
    s->under_way = status == ENGINE_OK;
    return status;
}

engine_status stepper_wait_round(stepper *s) {
    engine *const e = s->engine;
    const round_plan *const plan = s->plan;
    if (s->engine_rounds) {
        if (!s->under_way)
            return ENGINE_OK;
        s->under_way = false;
        return e->verbs->async->wait_round(e, s->group, s->group_overlaps);
    }
    engine_status status = stepper_wait(s);
    for (size_t k = 0; k < s->groups && s->round.overlaps && status == ENGINE_OK; k++)
        status =
            e->verbs->group_overlaps(e, k * plan->replicas, plan->replicas, &s->group_overlaps[k]);
    return status;
}

engine_status stepper_complete_round(stepper *s) {
    engine *const e = s->engine;
    return s->engine_rounds && e->verbs->async->complete_round != NULL
               ? e->verbs->async->complete_round(e, s->group)
               : ENGINE_OK;
}

void stepper_hint(stepper *s, const engine_step *next) {
    const struct engine_async_verbs *const async = s->engine->verbs->async;
    if (async != NULL && async->hint != NULL)
        async->hint(s->engine, next);
}

void stepper_flush(stepper *s) {
    const struct engine_async_verbs *const async = s->engine->verbs->async;
    if (async != NULL && async->flush != NULL)
        async->flush(s->engine);
}

bool stepper_heeds_stop(const stepper *s) {
    return s->engine->heeds_stop && !s->engine_rounds;
}

bool stepper_is_under_way(const stepper *s) {
    return s->under_way;
}

engine_status stepper_wait(stepper *s) {
    engine *const e = s->engine;
    const struct engine_async_verbs *const async = e->verbs->async;
    if (!s->under_way)
        return ENGINE_OK;
    s->under_way = false;
    histogram *const out = s->in_groups ? s->group : &s->report;
    const engine_status status =
        async != NULL ? async->wait(e, out) : e->verbs->step(e, &s->step, out);
    if (status != ENGINE_OK)
        return status;
    s->incomplete = async != NULL && async->wait_all != NULL && s->measures && !s->in_groups;
    s->overlaps_asked = s->overlaps_there = false;
    return ENGINE_OK;
}

engine_status stepper_wait_all(stepper *s) {
    if (!s->incomplete)
        return ENGINE_OK;
    const engine_status status = s->engine->verbs->async->wait_all(s->engine, &s->report);
    s->incomplete = status != ENGINE_OK;
    return status;
}

bool stepper_has_all(const stepper *s) {
    return !s->incomplete;
}

engine_status stepper_submit_overlaps(stepper *s) {
    engine *const e = s->engine;
    const struct engine_async_verbs *const async = e->verbs->async;
    const bool later = async != NULL && async->submit_overlaps != NULL;
    if (s->overlaps_asked)
        return ENGINE_OK;
    const engine_status status =
        later ? async->submit_overlaps(e, &s->overlaps) : e->verbs->overlaps(e, &s->overlaps);
    s->overlaps_asked = status == ENGINE_OK;
    s->overlaps_there = s->overlaps_asked && !later;
    return status;
}

engine_status stepper_wait_overlaps(stepper *s) {
    engine_status status = stepper_submit_overlaps(s);
    if (status != ENGINE_OK || s->overlaps_there)
        return status;
    status = s->engine->verbs->async->wait_overlaps(s->engine);
    s->overlaps_there = status == ENGINE_OK;
    return status;
}

void stepper_join_batch(engine *e, engine *other) {
    if (e->verbs->async != NULL && e->verbs->async->join_batch != NULL)
        e->verbs->async->join_batch(e, other);
}
