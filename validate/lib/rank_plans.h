/* What the engines of ranks (ranks/ranks.h) are to be in a test, and those that have a fault, which a comparison must find, or
 * fail. */
#ifndef PAISING_RANK_PLANS_H
#define PAISING_RANK_PLANS_H

#include "engine/async.h"
#include "engine/partition.h"
#include "ranks/ranks.h"
#include "validate/lib/annealer.h"

#include <stdio.h>
#include <string.h>

/* --- plans --- */

/* What the maker of engines is asked for in place of a device. */
enum {
    SOUND,
    READY, /* but other ranks than 0 that did not get ready for this fail */
    LOSES_ONE,
    DOUBLES_ONE,
    WRONG_FAMILY,
    KEEPS_BOUNDARY, /* an exchange between groups is left out */
    WRONG_ORIGIN,   /* replicas have the numbers of others */
    EARLIER_RULES,  /* flips are decided by the rules that groups had first */
    FAILS_TO_WRITE,
    FAILS_TO_WALK,
    LOSES_A_VISIT,    /* each rank, in each walk; */
    MISTAKES_A_LEVEL, /* of the last walker of each rank, the lowest one; */
    WALKS_BY_PLACES,  /* walkers have the numbers of their places */
    NO_MEMORY,
    CROWDED,
    COUNTS_MUCH,
    FAILS_TO_PUT,
    FAILS_TO_TAKE,
    FAILS_TO_RESERVE,
    FAILS_TO_SYNCHRONISE,
    FAILS_TO_ASSIGN,
    FAILS_TO_ATTACH,
    FAILS_TO_COMPLETE,
    COUNTS_TOO_MANY,
    LATE,
    ONE_IS_NONE, /* late, with parents that stay, and seeing each other's memory by their own means; but the last rank does */
    ONE_IS_SILENT, /* not know how, cannot offer any, or cannot open any, so that none of its host does; */
    ONE_IS_BLIND,
    PEERS, /* or all can */
    ON_GPUS,
    MIXED
};

static const struct partition_verbs *true_verbs;
static const struct engine_verbs *true_engine_verbs;

/* --- with a fault --- */

/* The first parent that comes is lost: in its place stands one whose spins are all down. */
static inline engine_status lose_one(engine *e, uint64_t first, uint64_t count,
                                     const uint8_t *spins) {
    uint8_t *const down = calloc(1, model_packed_bytes(&e->model));
    const engine_status status = true_verbs->put(e, first, count, spins);
    assert_non_null(down);
    true_verbs->put(e, first, 1, down);
    free(down);
    return status;
}

/* The last child from elsewhere is the twin of the first. */
static inline void make_twins(parent_list list, uint64_t count) {
    if (count < 2)
        return;
    list.place[count - 1] = list.place[0];
    list.family[count - 1] = list.family[0];
}

static child_assignment assigned; /* last, where it is watched, */
static uint32_t asked;            /* how often for parents since then; */
static uint32_t assignments[3];   /* how often children were assigned so far, ... */
#define AHEAD   1                 /* ... of these before remote parents came, ... */
#define UNASKED 2                 /* ... and before anything else */

static inline engine_status watch_assignment(engine *e, const child_assignment *children,
                                             const engine_step *step) {
    assigned = *children;
    assignments[0]++;
    assignments[AHEAD] += step != NULL;
    assignments[UNASKED] += step != NULL && asked == 0;
    asked = 0;
    return true_verbs->assign(e, children, step);
}

static inline engine_status double_one(engine *e, parent_list below, parent_list above) {
    make_twins(below, assigned.below);
    make_twins(above, assigned.above);
    return true_verbs->attach(e, below, above);
}

static inline engine_status mistake_family(engine *e, uint64_t first, uint64_t count,
                                           parent_list to) {
    const engine_status status = true_verbs->parents(e, first, count, to);
    to.family[0] ^= 1;
    return status;
}

static inline engine_status keep_replicas(engine *e, uint64_t first, uint64_t count,
                                          uint64_t replicas, const uint8_t *spins,
                                          const uint32_t *families) {
    (void)e, (void)first, (void)count, (void)replicas, (void)spins, (void)families;
    return ENGINE_OK;
}

static inline void hold_others(engine *e, uint64_t origin, uint64_t population) {
    true_verbs->hold(e, origin + MACHINE_LANES, population + MACHINE_LANES);
}

#define MOST_GROUPS 8

static const engine
    *has_rules; /* of which the rules of groups were noted; NULL: no engine of this plan */

static inline engine_status step_by_earlier_rules(engine *e, const engine_step *step,
                                                  histogram *out) {
    static engine_group first[MOST_GROUPS];
    engine_step own = *step;
    if (step->groups > 0 && has_rules != e) {
        memcpy(first, step->group, step->groups * sizeof *first);
        has_rules = e;
    }
    own.group = first;
    return true_engine_verbs->step(e, &own, out);
}

static inline engine_status fail_to_synchronise(engine *e) {
    snprintf(e->error, sizeof e->error, "planted");
    return ENGINE_FAILED;
}

/* Reports of steps have no more than decides the next step. */
static engine_step submitted;

static inline engine_status submit_only(engine *e, const engine_step *step) {
    (void)e;
    submitted = *step;
    return ENGINE_OK;
}

static inline engine_status wait_for_step(engine *e, histogram *out) {
    return true_engine_verbs->step(e, &submitted, out);
}

static inline engine_status fail_to_complete(engine *e, histogram *out) {
    (void)out;
    return fail_to_synchronise(e);
}

static const struct engine_async_verbs fails_to_complete = {
    .submit = submit_only, .wait = wait_for_step, .wait_all = fail_to_complete};

static inline engine_status fail_to_put(engine *e, uint64_t first, uint64_t count,
                                        const uint8_t *spins) {
    (void)first, (void)count, (void)spins;
    return fail_to_synchronise(e);
}

static inline engine_status fail_to_take(engine *e, const uint32_t *places, uint64_t count,
                                         uint8_t *spins) {
    (void)places, (void)count, (void)spins;
    return fail_to_synchronise(e);
}

static inline engine_status fail_to_write(engine *e, uint64_t first, uint64_t count,
                                          uint64_t replicas, const uint8_t *spins,
                                          const uint32_t *families) {
    (void)first, (void)count, (void)replicas, (void)spins, (void)families;
    return fail_to_synchronise(e);
}

static inline uint64_t fail_to_reserve(engine *e, uint64_t end) {
    (void)end;
    fail_to_synchronise(e);
    return 0;
}

static inline engine_status fail_to_assign(engine *e, const child_assignment *children,
                                           const engine_step *step) {
    (void)children, (void)step;
    return fail_to_synchronise(e);
}

static inline engine_status fail_to_attach(engine *e, parent_list below, parent_list above) {
    (void)below, (void)above;
    return fail_to_synchronise(e);
}

static inline engine_status count_too_many(engine *e, const engine_step *step, uint64_t *children) {
    (void)e, (void)step, (void)children;
    return ENGINE_OUTGROWN;
}

/* --- walks --- */

/* Where the share of this rank begins, in a population of so many. */
static uint64_t held_from, held_of;

static inline void note_share(engine *e, uint64_t origin, uint64_t population) {
    held_from = origin;
    held_of = population;
    true_verbs->hold(e, origin, population);
}

static inline engine_status fail_to_walk(engine *e, const engine_walk *walk) {
    (void)walk;
    return fail_to_synchronise(e);
}

static inline engine_status lose_a_visit(engine *e, const engine_walk *walk) {
    const engine_status status = true_engine_verbs->walk(e, walk);
    uint64_t *visits = walk->window[walk->windows - 1].visits;
    while (*visits == 0)
        visits++;
    --*visits;
    return status;
}

static inline engine_status mistake_a_level(engine *e, const engine_walk *walk) {
    const engine_status status = true_engine_verbs->walk(e, walk);
    const walk_window *const last = &walk->window[walk->windows - 1];
    walk->least[last->first + last->count - 1] ^= 1;
    return status;
}

static inline engine_status walk_by_places(engine *e, const engine_walk *walk) {
    true_verbs->hold(e, 0, held_of);
    const engine_status status = true_engine_verbs->walk(e, walk);
    true_verbs->hold(e, held_from, held_of);
    return status;
}

static inline void walk_wrongly(struct engine_verbs *verbs, struct partition_verbs *share,
                                int plan) {
    verbs->walk = plan == FAILS_TO_WALK      ? fail_to_walk
                  : plan == LOSES_A_VISIT    ? lose_a_visit
                  : plan == MISTAKES_A_LEVEL ? mistake_a_level
                  : plan == WALKS_BY_PLACES  ? walk_by_places
                                             : verbs->walk;
    share->hold = plan == WALKS_BY_PLACES ? note_share : share->hold;
}

static inline void fail_to(struct partition_verbs *verbs, int plan) {
    verbs->put = plan == FAILS_TO_PUT ? fail_to_put : verbs->put;
    verbs->take = plan == FAILS_TO_TAKE ? fail_to_take : verbs->take;
    verbs->reserve = plan == FAILS_TO_RESERVE ? fail_to_reserve : verbs->reserve;
    verbs->synchronise = plan == FAILS_TO_SYNCHRONISE ? fail_to_synchronise : verbs->synchronise;
    verbs->assign = plan == FAILS_TO_ASSIGN ? fail_to_assign : verbs->assign;
    verbs->attach = plan == FAILS_TO_ATTACH ? fail_to_attach : verbs->attach;
    verbs->count_offspring = plan == COUNTS_TOO_MANY ? count_too_many : verbs->count_offspring;
}

#endif
