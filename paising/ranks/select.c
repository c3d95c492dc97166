/* Selection on ranks: the parent of each child, and the rank that makes the child.
 *
 * The children of all parents are numbered in the order of the parents. A prefix sum over the ranks
 * gives the numbers of the children of each rank's parents. The shares of the new population say
 * which numbers each rank is to make. A rank sends the parents of children that another rank is to
 * make. These are few, and for neighbours, because the children of a rank's parents differ from its
 * share by about sqrt(R); if necessary there are many, for any rank. All ranks know the numbers,
 * and thereby which rank sends what to which. */
#include "base/clock.h"
#include "exchange.h"
#include "resample/rules.h"

#include <stdlib.h>

/* Sums an amount over the ranks: e->ends[rank] becomes the sum up to and including that rank.
 * Returns false if a rank has failed or reports an impossible amount. */
static bool sum_up_to_ranks(distributed_engine *e, uint64_t amount) {
    if (e->wrong[0] != '\0')
        amount = UINT64_MAX;
    MPI_Allgather(&amount, 1, MPI_UINT64_T, e->ends, 1, MPI_UINT64_T, world_comm());
    uint64_t all = 0;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        if (e->ends[rank] == UINT64_MAX)
            return false;
        e->ends[rank] = all += e->ends[rank];
    }
    return true;
}

/* The weight of this rank's replicas on the line of the parents, from the levels of its last
 * report. */
static uint64_t weight_here(const distributed_engine *e, const engine_step *step) {
    const histogram *const h = &e->steps.report;
    uint64_t weight = 0;
    if (distributed_own(e) > 0)
        for (size_t n = h->first; n < h->end; n++)
            weight += h->level[n].replicas * resampling_weight(e->rule, step->tau_hat[n]);
    return weight;
}

/* Counts the children on all ranks. Rules with a line of parents first need the position of each
 * rank's parents on it. Returns whether no rank has failed. */
static bool count_children(distributed_engine *e, const engine_step *step) {
    uint64_t children = 0;
    engine_step placed;
    if (resampling_way_of(e->rule) != BY_THEMSELVES) {
        if (!sum_up_to_ranks(e, weight_here(e, step)))
            return false;
        placed = *step;
        placed.line.before = offspring_on(e, ranks_world().rank).begin;
        step = &placed;
    }
    if (e->wrong[0] == '\0') {
        const engine_status offspring =
            e->local->verbs->partition->count_offspring(e->local, step, &children);
        if (offspring == ENGINE_OUTGROWN)
            children = e->capacity + 1;
        else
            distributed_check(e, offspring);
    }
    return sum_up_to_ranks(e, children);
}

/* The children made here whose parents are on lower ranks, and on higher ranks. */
static uint64_t from_below(const exchange *x) {
    return range_size(range_common(x->share, (rank_range){0, x->offspring.begin}));
}

static uint64_t from_above(const exchange *x) {
    return range_size(x->share) - range_size(x->kept) - from_below(x);
}

/* Tells the engine its new share; with `step`, also to begin it. */
static void assign(exchange *x, const engine_step *step) {
    distributed_engine *const e = x->e;
    const child_assignment children = {.origin = x->share.begin,
                                       .population = x->population,
                                       .below = from_below(x),
                                       .first = x->kept.begin - x->offspring.begin,
                                       .own = range_size(x->kept),
                                       .above = from_above(x)};
    if (e->wrong[0] == '\0')
        distributed_check(e, e->local->verbs->partition->assign(e->local, &children, step));
}

static void attach(exchange *x) {
    distributed_engine *const e = x->e;
    if (e->wrong[0] == '\0' && from_below(x) + from_above(x) > 0)
        distributed_check(e, e->local->verbs->partition->attach(
                                 e->local, e->messages.remote,
                                 parent_list_from(e->messages.remote, from_below(x))));
}

/* The places that the parents of `children` children may need. */
static uint64_t places_for(const distributed_engine *e, uint64_t children) {
    const uint64_t room = migration_room(&e->local->model, NULL);
    const bool in_words = migration_word_room(e->local, e->messages.peer[0]) > 0;
    return in_words && children > 0
               ? migration_places_for(children, children / room + ranks_world().count)
               : children;
}

/* Whether the engine has, or can make, places for all parents that may come. If very many children
 * come, they may have few parents; places are then made as these arrive. */
static bool remote_parents_fit(const exchange *x) {
    distributed_engine *const e = x->e;
    const uint64_t most = range_size(x->share) - range_size(x->kept),
                   end = x->next + places_for(e, most);
    return e->wrong[0] == '\0' && most <= 2 * MIGRATION_CHILDREN &&
           end <= partition_places(e->local, end);
}

/* Whether the engine may assign children before it lists the parents that leave. */
static bool parents_stay(const exchange *x) {
    const engine *const local = x->e->local;
    return local->verbs->partition->list_room != NULL &&
           range_size(x->offspring) <= local->verbs->partition->list_room(local);
}

/* Parents are packed, sent and received while the engine makes the children of parents that stay.
 * There are two exceptions: no room for all that may come, or more parents to list than a message
 * to each neighbour holds. While the engine lists the parents, the host adds up the rest of the
 * reports. */
engine_status distributed_select(distributed_engine *e, const engine_step *step) {
    const rank_world world = ranks_world();
    double clock = clock_seconds();
    if (!count_children(e, step))
        return ENGINE_FAILED;
    const uint64_t population = e->ends[world.count - 1];
    if (population == 0 || population > e->capacity)
        return population == 0 ? ENGINE_EXTINCT : ENGINE_OUTGROWN;
    exchange x = {.e = e,
                  .population = population,
                  .offspring = offspring_on(e, world.rank),
                  .share = distributed_share(e, population, world.rank)};
    x.kept = range_common(x.offspring, x.share);
    x.next = (distributed_own(e) + e->unit - 1) / e->unit * e->unit;
    const bool fit = remote_parents_fit(&x), later = fit && parents_stay(&x);
    const bool early = later || (exchange_list(&x) && fit);
    distributed_time(e, PHASE_EXCHANGE, clock);
    if (early)
        assign(&x, step);
    distributed_sum(e);
    clock = clock_seconds();
    if (!distributed_reserve_remote(e, range_size(x.share) - range_size(x.kept)))
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for children from other ranks");
    if (later)
        exchange_list(&x);
    exchange_pack(&x);
    exchange_parents(&x);
    if (!early)
        assign(&x, NULL);
    attach(&x);
    e->replicas = population;
    distributed_time(e, PHASE_EXCHANGE, clock);
    return ENGINE_OK;
}
