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

/* Where another rank is: messages to and from ranks below, and above, have memory of their own. */
enum { BELOW, ABOVE };

static int side_of(int here, int there) {
    return there > here ? ABOVE : BELOW;
}

/* A message that waits for its turn: to whom it is, and the children that are left for them behind it. */
typedef struct {
    int to;
    rank_range left;
} packed_ahead;

#define NOBODY (-1)

/* One rank's view of a selection. */
typedef struct {
    ranked *e;
    uint64_t population;   /* of children */
    rank_range bred;       /* children of the parents here, */
    rank_range share;      /* children to be made here, */
    rank_range kept;       /* and what these have in common */
    uint64_t next;         /* the place of the next parent that comes */
    packed_ahead ahead[2]; /* by side */
    bool taken[2], put[2]; /* the engine may still be at messages out, and in */
} exchange;

/* The children of the parents on a rank. */
static rank_range bred_on(const ranked *e, uint64_t rank) {
    return (rank_range){rank > 0 ? e->ends[rank - 1] : 0, e->ends[rank]};
}

/* The children that one rank makes of the parents on another. */
static rank_range passed(const exchange *x, uint64_t from, uint64_t to) {
    return range_common(bred_on(x->e, from), ranked_share(x->e, x->population, to));
}

/* Waits until the engine is at no message any more. */
static void settle(exchange *x) {
    ranked *const e = x->e;
    if (e->local->share->settle != NULL && (x->taken[0] || x->taken[1] || x->put[0] || x->put[1]))
        ranked_noted(e, e->local->share->settle(e->local));
    memset(x->taken, 0, sizeof x->taken);
    memset(x->put, 0, sizeof x->put);
}

/* --- sending --- */

/* The memory that another rank sees of this one's for messages to its side; NULL: it sees none. */
static uint8_t *seen_by(const exchange *x, int rank) {
    const int here = (int)ranks_world().rank;
    const shared_memory *const shared = x->e->shared[side_of(here, rank)];
    return shared_of(shared, (uint32_t)rank) != NULL ? shared_of(shared, (uint32_t)here) : NULL;
}

/* How many machine words a message has in place of so many parents, from the first one's to the last one's; 0: they are
 * packed, since others do not see words of this rank, or too few of these words' replicas would be wanted. */
static uint64_t words_for(const exchange *x, int to, const uint32_t *places, uint64_t parents) {
    const ranked *const e = x->e;
    const int side = side_of((int)ranks_world().rank, to);
    const shared_memory *const seen = seen_by(x, to) != NULL ? e->shared[side] : NULL;
    if (parents == 0)
        return 0;
    const uint64_t words = places[parents - 1] / MACHINE_LANES - places[0] / MACHINE_LANES + 1;
    return words <= luggage_word_room(e->local, seen) && words <= luggage_most_words(parents)
               ? words
               : 0;
}

/* Lists the parents of the next children of a range, as many as a message has room for; *begin moves behind these. If
 * something fails, there are none. */
static void list_parents(exchange *x, int to, uint64_t *begin, uint64_t end) {
    ranked *const e = x->e;
    const int side = side_of((int)ranks_world().rank, to);
    rank_luggage *const l = e->out[side];
    const uint64_t room =
        luggage_room(&e->local->model, seen_by(x, to) != NULL ? e->shared[side] : NULL);
    uint32_t *const places = e->places[side], *const families = places + LUGGAGE_CHILDREN,
                    *const children = luggage_children(l);
    const uint64_t left = end - *begin, most = left < LUGGAGE_CHILDREN ? left : LUGGAGE_CHILDREN;
    uint64_t parents = 0, n = 0;
    if (x->taken[side])
        settle(x);
    if (e->wrong[0] == '\0' &&
        ranked_noted(
            e, e->local->share->parents(e->local, *begin - x->bred.begin, most, places, families)))
        for (; n < most; n++) {
            if (parents > 0 && places[n] == places[parents - 1]) {
                children[parents - 1]++;
                continue;
            }
            if (parents == room)
                break;
            places[parents] = places[n];
            families[parents] = families[n];
            children[parents++] = 1;
        }
    *luggage_count(l) = parents;
    *luggage_words(l) = words_for(x, to, places, parents);
    memcpy(luggage_families(l), families, parents * sizeof *families);
    *begin += n;
}

/* Packs those that are listed, where a rank sees their spins or else to be sent; or lets it see the words that they stand
 * in. */
static void pack(exchange *x, int to) {
    ranked *const e = x->e;
    const int side = side_of((int)ranks_world().rank, to);
    const rank_luggage *const l = e->out[side];
    const struct share_verbs *const share = e->local->share;
    uint8_t *const seen = seen_by(x, to), *const spins = seen != NULL ? seen : l->spins;
    const uint32_t *const places = e->places[side];
    const uint64_t parents = *luggage_count(l), words = *luggage_words(l);
    x->taken[side] = parents > 0;
    if (parents == 0)
        return;
    const uint32_t first = places[0] / MACHINE_LANES;
    for (uint32_t n = 0; n < parents; n++)
        luggage_places(l)[n] = words > 0 ? places[n] - first * MACHINE_LANES : n;
    ranked_noted(e, words > 0 ? share->take_words(e->local, first, words, spins)
                              : share->take(e->local, places, parents, spins));
}

/* Lists the first message for each neighbour. Returns whether nothing else leaves. */
static bool list_ahead(exchange *x) {
    const rank_world world = ranks_world();
    const int here = (int)world.rank;
    uint64_t left = range_size(x->bred) - range_size(x->kept);
    for (int to = here - 1; to <= here + 1; to += 2) {
        packed_ahead *const ahead = &x->ahead[side_of(here, to)];
        ahead->to = NOBODY;
        if (to < 0 || to >= (int)world.count)
            continue;
        ahead->left = passed(x, (uint64_t)here, (uint64_t)to);
        const uint64_t begin = ahead->left.begin;
        if (range_size(ahead->left) == 0)
            continue;
        list_parents(x, to, &ahead->left.begin, ahead->left.end);
        ahead->to = to;
        left -= ahead->left.begin - begin;
    }
    return left == 0;
}

static void pack_ahead(exchange *x) {
    for (int side = BELOW; side <= ABOVE; side++)
        if (x->ahead[side].to != NOBODY)
            pack(x, x->ahead[side].to);
}

/* Has the next message for a rank in luggage; what is left for it moves behind that. If something fails, nothing is: a
 * message without parents says that no more will come. */
static void make_message(exchange *x, int to, rank_range *left) {
    const int side = side_of((int)ranks_world().rank, to);
    packed_ahead *const ahead = &x->ahead[side];
    if (ahead->to == to) {
        *left = ahead->left;
    } else {
        list_parents(x, to, &left->begin, left->end);
        pack(x, to);
    }
    ahead->to = NOBODY;
    if (x->taken[side])
        settle(x);
    if (x->e->wrong[0] != '\0') {
        *luggage_count(x->e->out[side]) = 0;
        left->begin = left->end;
    }
}

/* --- receiving --- */

/* Notes who the parent of the next child is. */
static void note_parent(const exchange *x, uint64_t *child, foster_parent parent) {
    const uint64_t k = *child - x->share.begin;
    const bool below = *child < x->bred.begin;
    if (x->e->wrong[0] == '\0')
        x->e->foster[below ? k : k - range_size(x->kept)] = parent;
    ++*child;
}

/* The first place from one on where a machine word begins. */
static uint64_t whole_words(uint64_t place) {
    return (place + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
}

/* Takes the parents of a message in, whose spins stand there: of children from number *begin on, which moves behind them.
 * Without parents the sender has failed, and the range is given up: any replica will do. */
static void unpack(exchange *x, int side, const uint8_t *spins, uint64_t *begin, uint64_t end) {
    ranked *const e = x->e;
    const rank_luggage *const l = e->in[side];
    const struct share_verbs *const share = e->local->share;
    const uint64_t parents = *luggage_count(l), words = *luggage_words(l);
    const uint64_t next = words > 0 ? whole_words(x->next) : x->next,
                   behind = next + (words > 0 ? words * MACHINE_LANES : parents);
    const uint32_t *const children = luggage_children(l), *const families = luggage_families(l),
                          *const places = luggage_places(l);
    if (e->wrong[0] == '\0' && parents > 0 &&
        ranked_noted(e, share->reserve(e->local, behind) < behind ? ENGINE_FAILED : ENGINE_OK)) {
        ranked_noted(e, words > 0 ? share->put_words(e->local, next / MACHINE_LANES, words, spins)
                                  : share->put(e->local, next, parents, spins));
        x->put[side] = true;
    }
    for (uint64_t n = 0; n < parents; n++)
        for (uint32_t child = 0; child < children[n]; child++)
            note_parent(x, begin, (foster_parent){(uint32_t)(next + places[n]), families[n]});
    x->next = behind;
    while (parents == 0 && *begin < end)
        note_parent(x, begin, (foster_parent){0, 0});
}

/* --- both --- */

enum { TAG_HEAD, TAG_SPINS, TAG_TAKEN };

/* Begins to receive a message. */
static void begin_receiving(exchange *x, int from, MPI_Request request[2]) {
    const int here = (int)ranks_world().rank, side = side_of(here, from);
    const rank_luggage *const l = x->e->in[side];
    if (x->put[side])
        settle(x);
    MPI_Irecv(l->head, (int)luggage_head_bytes(LUGGAGE_CHILDREN), MPI_BYTE, from, TAG_HEAD,
              world_comm(), &request[0]);
    if (shared_of(x->e->shared[side_of(from, here)], (uint32_t)from) == NULL)
        MPI_Irecv(l->spins, (int)(luggage_room(&x->e->local->model, NULL) * l->each), MPI_BYTE,
                  from, TAG_SPINS, world_comm(), &request[1]);
}

/* Begins to send one. */
static void begin_sending(const exchange *x, int to, MPI_Request request[2]) {
    const int side = side_of((int)ranks_world().rank, to);
    const rank_luggage *const l = x->e->out[side];
    const uint64_t parents = *luggage_count(l);
    if (shared_of(x->e->shared[side], (uint32_t)to) != NULL)
        shared_sync(x->e->shared[side]);
    else
        MPI_Isend(l->spins, (int)(parents * l->each), MPI_BYTE, to, TAG_SPINS, world_comm(),
                  &request[1]);
    MPI_Isend(l->head, (int)luggage_head_bytes(parents), MPI_BYTE, to, TAG_HEAD, world_comm(),
              &request[0]);
}

/* The spins of a message that has come. */
static const uint8_t *spins_from(const exchange *x, int from) {
    const int here = (int)ranks_world().rank;
    shared_memory *const shared = x->e->shared[side_of(from, here)];
    const uint8_t *const seen = shared_of(shared, (uint32_t)from);
    if (seen != NULL)
        shared_sync(shared);
    return seen != NULL ? seen : x->e->in[side_of(here, from)]->spins;
}

/* Whether a rank that has sent to one at a distance sends another message to that side in this step: to that one, if
 * anything is left for it, or to one whose turn comes later. Between steps all ranks wait for each other. */
static bool sends_again(const exchange *x, int from, uint32_t distance, rank_range left) {
    const int count = (int)ranks_world().count,
              side = side_of(from, (from + (int)distance) % count);
    for (int d = (int)distance + 1; d < count; d++) {
        const int to = (from + d) % count;
        if (side_of(from, to) == side && range_size(passed(x, (uint64_t)from, (uint64_t)to)) > 0)
            return true;
    }
    return range_size(left) > 0;
}

/* Sends parents to the rank at a distance above, and receives from that below. Spins that a rank has seen are not
 * overwritten before it says that it has taken them. */
static void pass(exchange *x, uint32_t distance) {
    const rank_world world = ranks_world();
    const int here = (int)world.rank, to = (int)((world.rank + distance) % world.count),
              from = (int)((world.rank + world.count - distance) % world.count);
    const bool is_seen = shared_of(x->e->shared[side_of(here, to)], (uint32_t)to) != NULL,
               sees = shared_of(x->e->shared[side_of(from, here)], (uint32_t)from) != NULL;
    rank_range out = passed(x, (uint64_t)here, (uint64_t)to),
               in = passed(x, (uint64_t)from, (uint64_t)here);
    while (range_size(out) > 0 || range_size(in) > 0) {
        MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                  MPI_REQUEST_NULL};
        const bool comes = range_size(in) > 0, goes = range_size(out) > 0;
        if (comes)
            begin_receiving(x, from, request);
        if (goes) {
            make_message(x, to, &out);
            begin_sending(x, to, request + 2);
        }
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        if (comes)
            unpack(x, side_of(here, from), spins_from(x, from), &in.begin, in.end);
        const bool tells = comes && sees && sends_again(x, from, distance, in),
                   waits = goes && is_seen && sends_again(x, here, distance, out);
        if (tells)
            settle(x);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, tells ? from : MPI_PROC_NULL, TAG_TAKEN, NULL, 0, MPI_BYTE,
                     waits ? to : MPI_PROC_NULL, TAG_TAKEN, world_comm(), MPI_STATUS_IGNORE);
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

/* Children that are made here of parents below, and of those above. */
static uint64_t from_below(const exchange *x) {
    return range_size(range_common(x->share, (rank_range){0, x->bred.begin}));
}

static uint64_t from_above(const exchange *x) {
    return range_size(x->share) - range_size(x->kept) - from_below(x);
}

/* Lets the engine have its new share, and with a step begin to make it. */
static void adopt(exchange *x, const engine_step *step) {
    ranked *const e = x->e;
    const share_adoption children = {.origin = x->share.begin,
                                     .population = x->population,
                                     .below = from_below(x),
                                     .first = x->kept.begin - x->bred.begin,
                                     .own = range_size(x->kept),
                                     .above = from_above(x)};
    if (e->wrong[0] == '\0')
        ranked_noted(e, e->local->share->adopt(e->local, &children, step));
}

static void foster(exchange *x) {
    ranked *const e = x->e;
    if (e->wrong[0] == '\0' && from_below(x) + from_above(x) > 0)
        ranked_noted(e, e->local->share->foster(e->local, e->foster, e->foster + from_below(x)));
}

/* Whether there is room for all parents that may come, or can be made in advance; where so many come that the few parents of
 * very many children may be among them, it is made for those that do. */
static bool guests_fit(const exchange *x) {
    const struct share_verbs *const share = x->e->local->share;
    const uint64_t most = range_size(x->share) - range_size(x->kept),
                   messages = most / luggage_room(&x->e->local->model, NULL) + ranks_world().count,
                   end = x->next + (most > 0 ? luggage_places_for(most, messages) : 0);
    return x->e->wrong[0] == '\0' && most <= 2 * LUGGAGE_CHILDREN &&
           end <= share->reserve(x->e->local, end);
}

/* Whether the engine may adopt before it is asked for the parents that leave. */
static bool parents_stay(const exchange *x) {
    return x->e->local->share->parents_stay && range_size(x->bred) <= x->e->most;
}

/* Parents are packed, sent and received while the engine makes the children of those that stay, unless there is no room for
 * all that may come, or the engine must be asked for more before than a message to each neighbour. */
engine_status ranked_select(ranked *e, const engine_step *step) {
    const rank_world world = ranks_world();
    double clock = clock_seconds();
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
    const bool fit = guests_fit(&x), later = fit && parents_stay(&x);
    const bool early = later || (list_ahead(&x) && fit);
    ranked_spent(e, JOINT_EXCHANGE, clock);
    if (early)
        adopt(&x, step);
    clock = clock_seconds();
    reserve_foster(e, range_size(x.share) - range_size(x.kept));
    if (later)
        list_ahead(&x);
    pack_ahead(&x);
    for (uint32_t distance = 1; distance < world.count; distance++)
        pass(&x, distance);
    if (!early)
        adopt(&x, NULL);
    foster(&x);
    e->replicas = population;
    ranked_spent(e, JOINT_EXCHANGE, clock);
    return ENGINE_OK;
}
