/* Who is the parent of each child, and where the child is made.
 *
 * The children of all parents are numbered in the order of these. A prefix sum over the ranks says which numbers the
 * children of a rank's parents have; the shares of the new population say which of them it is to make. Of those that
 * another rank is to make it sends the parents, packed: to its neighbours a few, since what a rank's parents have
 * differs from its share by some sqrt(R); and to any rank as many as it takes where it must be. Who sends what to
 * whom follows from the numbers, which all ranks know. */
#include "base/clock.h"
#include "luggage.h"
#include "ranked.h"
#include "resample/rules.h"

#include <stdlib.h>
#include <string.h>

/* One rank's view of a selection. */
typedef struct {
    ranked *e;
    uint64_t population; /* of children */
    rank_range bred;     /* children of the parents here, */
    rank_range share;    /* children to be made here, */
    rank_range kept;     /* and what these have in common */
    uint64_t next;       /* the place of the next parent that comes */
    bool unsettled;      /* the engine may still take in what came last */
} exchange;

/* The children of the parents on a rank. */
static rank_range bred_on(const ranked *e, uint64_t rank) {
    return (rank_range){rank > 0 ? e->ends[rank - 1] : 0, e->ends[rank]};
}

/* The children that one rank makes of the parents on another. */
static rank_range passed(const exchange *x, uint64_t from, uint64_t to) {
    return range_common(bred_on(x->e, from), ranked_share(x->e, x->population, to));
}

/* --- sending --- */

/* The memory that another rank sees of this one's; NULL: it sees none. */
static uint8_t *seen_by(const exchange *x, uint32_t rank) {
    uint8_t *const its = shared_of(x->e->shared, rank);
    return its != NULL ? shared_of(x->e->shared, ranks_world().rank) : NULL;
}

/* Packs the parents of the next children of a range, as many as there is room for, where a rank sees their spins or
 * else to be sent; *begin moves behind these. If something fails, a message without parents says that no more will
 * come. */
static void pack(exchange *x, uint32_t to, uint64_t *begin, uint64_t end) {
    ranked *const e = x->e;
    rank_luggage *const l = e->out;
    uint8_t *const seen = seen_by(x, to), *const spins = seen != NULL ? seen : l->spins;
    const uint64_t room = luggage_room(&e->local->model, seen != NULL ? e->shared : NULL);
    uint32_t children[LUGGAGE_CHILDREN];
    const uint64_t left = end - *begin, most = left < LUGGAGE_CHILDREN ? left : LUGGAGE_CHILDREN;
    uint64_t parents = 0, n = 0;
    *luggage_count(l) = 0;
    if (e->wrong[0] == '\0' &&
        ranked_noted(e,
                     e->local->share->parents(e->local, *begin - x->bred.begin, most, e->places)))
        for (; n < most; n++) {
            if (parents > 0 && e->places[n] == e->places[parents - 1]) {
                children[parents - 1]++;
                continue;
            }
            if (parents == room)
                break;
            e->places[parents] = e->places[n];
            children[parents++] = 1;
        }
    *luggage_count(l) = parents;
    memcpy(luggage_children(l), children, parents * sizeof *children);
    if (parents == 0 || !ranked_noted(e, e->local->share->take(e->local, e->places, parents, spins,
                                                               luggage_families(l)))) {
        *luggage_count(l) = 0;
        n = left;
    }
    *begin += n;
}

/* --- receiving --- */

/* Notes the parent of the next child, *begin, which moves behind it. */
static void foster(exchange *x, uint64_t *begin, foster_parent from) {
    ranked *const e = x->e;
    const uint64_t child = (*begin)++, k = child - x->share.begin;
    if (e->wrong[0] == '\0')
        e->foster[child < x->bred.begin ? k : k - range_size(x->kept)] = from;
}

/* Takes the parents of a message in, whose spins stand there: of children from number *begin on, which moves behind them.
 * Without parents the sender has failed, and the range is given up: any replica has the children, of which all ranks are
 * to learn at the end of the step that they are none. */
static void unpack(exchange *x, const uint8_t *spins, uint64_t *begin, uint64_t end) {
    ranked *const e = x->e;
    const rank_luggage *const l = e->in;
    const uint64_t parents = *luggage_count(l);
    const uint32_t *const children = luggage_children(l), *const families = luggage_families(l);
    if (e->wrong[0] == '\0' && parents > 0 &&
        ranked_noted(e, e->local->share->reserve(e->local, x->next + parents))) {
        ranked_noted(e, e->local->share->put(e->local, x->next, parents, spins));
        x->unsettled = e->local->share->settle != NULL;
    }
    for (uint64_t n = 0; n < parents; n++)
        for (uint32_t child = 0; child < children[n]; child++)
            foster(x, begin, (foster_parent){(uint32_t)(x->next + n), families[n]});
    x->next += parents;
    while (parents == 0 && *begin < end)
        foster(x, begin, (foster_parent){0, 0});
}

/* --- both --- */

enum { TAG_HEAD, TAG_SPINS, TAG_TAKEN };

/* Waits until the engine needs nothing any more of what came. */
static void settle(exchange *x) {
    ranked *const e = x->e;
    if (x->unsettled)
        ranked_noted(e, e->local->share->settle(e->local));
    x->unsettled = false;
}

/* Begins to receive a message. */
static void begin_receiving(exchange *x, int from, MPI_Request request[2]) {
    const rank_luggage *const l = x->e->in;
    settle(x);
    MPI_Irecv(l->head, (int)luggage_head_bytes(LUGGAGE_CHILDREN), MPI_BYTE, from, TAG_HEAD,
              world_comm(), &request[0]);
    if (shared_of(x->e->shared, (uint32_t)from) == NULL)
        MPI_Irecv(l->spins, (int)(luggage_room(&x->e->local->model, NULL) * l->each), MPI_BYTE,
                  from, TAG_SPINS, world_comm(), &request[1]);
}

/* Begins to send one. */
static void begin_sending(const exchange *x, int to, MPI_Request request[2]) {
    const rank_luggage *const l = x->e->out;
    const uint64_t parents = *luggage_count(l);
    if (shared_of(x->e->shared, (uint32_t)to) != NULL)
        shared_sync(x->e->shared);
    else
        MPI_Isend(l->spins, (int)(parents * l->each), MPI_BYTE, to, TAG_SPINS, world_comm(),
                  &request[1]);
    MPI_Isend(l->head, (int)luggage_head_bytes(parents), MPI_BYTE, to, TAG_HEAD, world_comm(),
              &request[0]);
}

/* The spins of a message that has come. */
static const uint8_t *spins_from(const exchange *x, int from) {
    const uint8_t *const seen = shared_of(x->e->shared, (uint32_t)from);
    if (seen != NULL)
        shared_sync(x->e->shared);
    return seen != NULL ? seen : x->e->in->spins;
}

/* Whether a rank that has sent to one at a distance sends another message in this step: to that one, if anything is left
 * for it, or to one beyond. Between steps all ranks wait for each other. */
static bool sends_again(const exchange *x, int from, uint32_t distance, rank_range left) {
    const uint32_t count = ranks_world().count;
    for (uint32_t d = distance + 1; d < count; d++)
        if (range_size(passed(x, (uint64_t)from, ((uint32_t)from + d) % count)) > 0)
            return true;
    return range_size(left) > 0;
}

/* Sends parents to the rank at a distance above, and receives from that below. Spins that a rank has seen are not
 * overwritten before it says that it has taken them. */
static void pass(exchange *x, uint32_t distance) {
    const rank_world world = ranks_world();
    const int here = (int)world.rank, to = (int)((world.rank + distance) % world.count),
              from = (int)((world.rank + world.count - distance) % world.count);
    const bool is_seen = shared_of(x->e->shared, (uint32_t)to) != NULL,
               sees = shared_of(x->e->shared, (uint32_t)from) != NULL;
    rank_range out = passed(x, (uint64_t)here, (uint64_t)to),
               in = passed(x, (uint64_t)from, (uint64_t)here);
    while (range_size(out) > 0 || range_size(in) > 0) {
        MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                  MPI_REQUEST_NULL};
        const bool comes = range_size(in) > 0, goes = range_size(out) > 0;
        if (comes)
            begin_receiving(x, from, request);
        if (goes) {
            pack(x, (uint32_t)to, &out.begin, out.end);
            begin_sending(x, to, request + 2);
        }
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        if (comes)
            unpack(x, spins_from(x, from), &in.begin, in.end);
        if (comes && sees && sends_again(x, from, distance, in)) {
            settle(x);
            MPI_Send(NULL, 0, MPI_BYTE, from, TAG_TAKEN, world_comm());
        }
        if (goes && is_seen && sends_again(x, here, distance, out))
            MPI_Recv(NULL, 0, MPI_BYTE, to, TAG_TAKEN, world_comm(), MPI_STATUS_IGNORE);
    }
}

/* --- all of it --- */

/* Adds an amount of each rank up: e->ends[] becomes the sums up to each, with it. Returns false if a rank has failed, or has
 * more than there can be. */
static bool sum_up_to_ranks(ranked *e, uint64_t amount) {
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
static uint64_t weight_here(const ranked *e, const engine_step *step) {
    const histogram *const h = &e->report;
    uint64_t weight = 0;
    if (ranked_own(e) > 0)
        for (size_t n = h->first; n < h->end; n++)
            weight += h->level[n].replicas * resampling_weight(e->rule, step->copies[n]);
    return weight;
}

/* Counts the children of all ranks; by rules that have the parents stand on a line, from where those of a rank begin
 * on it. Returns whether no rank has failed. */
static bool count_children(ranked *e, const engine_step *step) {
    uint64_t children = 0;
    engine_step placed = *step;
    if (resampling_way_of(e->rule) != BY_THEMSELVES) {
        if (!sum_up_to_ranks(e, weight_here(e, step)))
            return false;
        placed.line.before = bred_on(e, ranks_world().rank).begin;
    }
    if (e->wrong[0] == '\0') {
        const engine_status bred = e->local->share->breed(e->local, &placed, &children);
        if (bred == ENGINE_OUTGROWN)
            children = (uint64_t)UINT32_MAX + 1; /* more than any capacity */
        else
            ranked_noted(e, bred);
    }
    return sum_up_to_ranks(e, children);
}

/* Sees to room for the foster parents of so many children. */
static void reserve_foster(ranked *e, uint64_t children) {
    if (children <= e->foster_room)
        return;
    foster_parent *const larger = realloc(e->foster, children * sizeof *larger);
    if (larger == NULL) {
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for children from other ranks");
        return;
    }
    e->foster = larger;
    e->foster_room = children;
}

static void adopt(exchange *x) {
    ranked *const e = x->e;
    const rank_range below = {x->share.begin, x->share.begin};
    const uint64_t from_below =
        x->bred.begin > below.begin
            ? range_size(range_common(x->share, (rank_range){x->share.begin, x->bred.begin}))
            : 0;
    const share_adoption children = {.below = e->foster,
                                     .below_count = from_below,
                                     .above = e->foster + from_below,
                                     .above_count =
                                         range_size(x->share) - range_size(x->kept) - from_below,
                                     .first = x->kept.begin - x->bred.begin,
                                     .own = range_size(x->kept)};
    if (e->wrong[0] == '\0')
        ranked_noted(e, e->local->share->adopt(e->local, &children));
}

engine_status ranked_select(ranked *e, const engine_step *step) {
    const rank_world world = ranks_world();
    const double start = clock_seconds();
    if (!count_children(e, step))
        return ENGINE_FAILED;
    const uint64_t population = e->ends[world.count - 1];
    if (population == 0 || population > e->capacity)
        return population == 0 ? ENGINE_EXTINCT : ENGINE_OUTGROWN;
    exchange x = {.e = e,
                  .population = population,
                  .bred = bred_on(e, world.rank),
                  .share = ranked_share(e, population, world.rank)};
    x.kept = range_common(x.bred, x.share);
    x.next = (ranked_own(e) + e->unit - 1) / e->unit * e->unit;
    reserve_foster(e, range_size(x.share) - range_size(x.kept));
    for (uint32_t distance = 1; distance < world.count; distance++)
        pass(&x, distance);
    adopt(&x);
    ranked_hold(e, population);
    ranked_spent(e, JOINT_EXCHANGE, start);
    return ENGINE_OK;
}
