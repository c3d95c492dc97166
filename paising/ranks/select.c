/* Who is the parent of each child, and where the child is made.
 *
 * The children of all parents are numbered in the order of these. A prefix sum over the ranks says which numbers the
 * children of a rank's parents have; the shares of the new population say which of them it is to make. Of those that
 * another rank is to make it sends the parents, packed: to its neighbours a few, since what a rank's parents have
 * differs from its share by some sqrt(R); and to any rank as many as it takes where it must be. Who sends what to
 * whom follows from the numbers, which all ranks know. */
#include "base/clock.h"
#include "exchange.h"
#include "resample/rules.h"

#include <stdlib.h>

/* Adds an amount of each rank up: e->ends[] becomes the sums up to each, with it. Returns false if a rank has failed, or has
 * more than there can be. */
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

/* What the replicas here weigh on the line of the parents, by the levels of their last report. */
static uint64_t weight_here(const distributed_engine *e, const engine_step *step) {
    const histogram *const h = &e->steps.report;
    uint64_t weight = 0;
    if (distributed_own(e) > 0)
        for (size_t n = h->first; n < h->end; n++)
            weight += h->level[n].replicas * resampling_weight(e->rule, step->tau_hat[n]);
    return weight;
}

/* Counts the children of all ranks; by rules that have the parents stand on a line, from where those of a rank begin
 * on it. Returns whether no rank has failed. */
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
        if (offspring == ENGINE_OUTGROWN && !e->wide)
            children = e->capacity + 1;
        else if (offspring == ENGINE_OUTGROWN)
            snprintf(e->wrong, sizeof e->wrong,
                     "its replicas have 2^32 children or more in one step: more ranks, or smaller "
                     "steps, are needed");
        else
            distributed_check(e, offspring);
    }
    return sum_up_to_ranks(e, children);
}

/* Children that are made here of parents below, and of those above. */
static uint64_t from_below(const exchange *x) {
    return range_size(range_common(x->share, (rank_range){0, x->offspring.begin}));
}

static uint64_t from_above(const exchange *x) {
    return range_size(x->share) - range_size(x->kept) - from_below(x);
}

/* Lets the engine have its new share, and with a step begin to make it. */
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

/* The places that parents of so many children may need. */
static uint64_t places_for(const distributed_engine *e, uint64_t children) {
    const uint64_t room = migration_room(&e->local->model, NULL);
    const bool in_words = migration_word_room(e->local, e->messages.peer[0]) > 0;
    return in_words && children > 0
               ? migration_places_for(children, children / room + ranks_world().count)
               : children;
}

/* Whether there is room for all parents that may come, or can be made in advance; where so many come that the few parents of
 * very many children may be among them, it is made for those that do. */
static bool remote_parents_fit(const exchange *x) {
    distributed_engine *const e = x->e;
    const uint64_t most = range_size(x->share) - range_size(x->kept),
                   end = x->next + places_for(e, most);
    return e->wrong[0] == '\0' && most <= 2 * MIGRATION_CHILDREN &&
           end <= partition_places(e->local, end);
}

/* Whether the engine may adopt before it is asked for the parents that leave. */
static bool parents_stay(const exchange *x) {
    const engine *const local = x->e->local;
    return local->verbs->partition->list_room != NULL &&
           range_size(x->offspring) <= local->verbs->partition->list_room(local);
}

/* Parents are packed, sent and received while the engine makes the children of those that stay, unless there is no room for
 * all that may come, or the engine must be asked for more before than a message to each neighbour. Before hosts are told who
 * leaves they have the time to add up what is left of the reports. */
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
