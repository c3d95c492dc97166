/* The exchange of parents. Messages have a bounded size; several messages between two ranks are
 * sent in turn. Where ranks read each other's device memory, only heads are sent, and the receiver
 * fetches the spins. Between engines of one kind on such devices, whole machine words are fetched,
 * and no replica is packed. */
#include "exchange.h"

#include <string.h>

#define NOBODY (-1)

/* The children that rank `to` makes of parents on rank `from`. */
static rank_range passed(const exchange *x, uint64_t from, uint64_t to) {
    return range_common(offspring_on(x->e, from), distributed_share(x->e, x->population, to));
}

/* Waits until the engine no longer works on any message buffer. */
static void synchronise(exchange *x) {
    distributed_engine *const e = x->e;
    if (e->local->verbs->partition->synchronise != NULL &&
        (x->taken[0] || x->taken[1] || x->put[0] || x->put[1]))
        distributed_check(e, e->local->verbs->partition->synchronise(e->local));
    memset(x->taken, 0, sizeof x->taken);
    memset(x->put, 0, sizeof x->put);
}

/* --- sending --- */

/* The memory of this rank that another rank reads; NULL: none. */
static uint8_t *seen_by(const exchange *x, int rank) {
    return distributed_peer_spins(x->e, (int)ranks_world().rank, rank);
}

/* The memory of another rank that this rank reads; NULL: none. */
static uint8_t *seen_of(const exchange *x, int rank) {
    return distributed_peer_spins(x->e, rank, (int)ranks_world().rank);
}

/* The machine words of a message to a rank that reads this rank's memory (migration_words). */
static uint64_t words_for(const exchange *x, int to, const uint32_t *places, uint64_t *children) {
    const distributed_engine *const e = x->e;
    const peer_memory *const seen = distributed_peer_memory(e, (int)ranks_world().rank, to);
    return migration_words(places, children, migration_word_room(e->local, seen),
                           migration_room(&e->local->model, NULL));
}

/* Replaces in places[] the place of each parent by its number among the packed parents, and fills
 * packed[] with the place of each packed parent, once. Stops when `room` parents are packed.
 * Returns the number of children listed. */
static uint64_t list_packed(migration_head *head, uint32_t *places, uint64_t children,
                            uint64_t room, uint32_t *packed) {
    uint64_t n = 0, parents = 0;
    for (; n < children; n++) {
        const bool another = n == 0 || places[n] != packed[parents - 1];
        if (another && parents == room)
            break;
        if (another)
            packed[parents++] = places[n];
        places[n] = (uint32_t)parents - 1;
    }
    head->parents = parents;
    return n;
}

/* Lists the parents of the next children of a range, as many as fit into one message, and moves
 * *begin behind them. After a failure the list is empty. */
static void list_parents(exchange *x, int to, uint64_t *begin, uint64_t end) {
    distributed_engine *const e = x->e;
    const int here = (int)ranks_world().rank, side = distributed_side(here, to);
    migration_message *const l = e->messages.out[side];
    const uint64_t room = migration_room(&e->local->model, distributed_peer_memory(e, here, to));
    const uint64_t left = end - *begin,
                   most = left < MIGRATION_CHILDREN ? left : MIGRATION_CHILDREN;
    const parent_list parents = migration_parents(l, most);
    migration_head head = {.children = 0};
    if (x->taken[side])
        synchronise(x);
    if (e->wrong[0] == '\0' &&
        distributed_check(e, e->local->verbs->partition->parents(
                                 e->local, *begin - x->offspring.begin, most, parents))) {
        head.children = most;
        head.words = words_for(x, to, parents.place, &head.children);
        head.first = head.words > 0 ? parents.place[0] / MACHINE_LANES * MACHINE_LANES : 0;
        if (head.words == 0)
            head.children = list_packed(&head, parents.place, most, room, e->messages.packed[side]);
        if (head.children < most)
            migration_keep_parents(l, head.children, most);
    }
    *l->head = head;
    *begin += head.children;
}

/* Packs the listed spins into memory that the receiver reads, or else into the message. If whole
 * words are exchanged, the engine makes them readable instead. */
static void pack(exchange *x, int to) {
    distributed_engine *const e = x->e;
    const int side = distributed_side((int)ranks_world().rank, to);
    const migration_head *const head = e->messages.out[side]->head;
    const struct partition_verbs *const share = e->local->verbs->partition;
    uint8_t *const seen = seen_by(x, to), *const spins =
                                              seen != NULL ? seen : e->messages.out[side]->spins;
    x->taken[side] = head->children > 0;
    if (head->words > 0)
        distributed_check(
            e, share->take_words(e->local, head->first / MACHINE_LANES, head->words, spins));
    else if (head->parents > 0)
        distributed_check(e, share->take(e->local, e->messages.packed[side], head->parents, spins));
}

bool exchange_list(exchange *x) {
    const rank_world world = ranks_world();
    const int here = (int)world.rank;
    uint64_t left = range_size(x->offspring) - range_size(x->kept);
    for (int to = here - 1; to <= here + 1; to += 2) {
        packed_ahead *const ahead = &x->ahead[distributed_side(here, to)];
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

void exchange_pack(exchange *x) {
    for (int side = BELOW; side <= ABOVE; side++)
        if (x->ahead[side].to != NOBODY)
            pack(x, x->ahead[side].to);
}

/* Prepares the next message for a rank, and moves *left behind its children. After a failure the
 * message has no parents, which tells the receiver that no more will come. */
static void make_message(exchange *x, int to, rank_range *left) {
    const int side = distributed_side((int)ranks_world().rank, to);
    packed_ahead *const ahead = &x->ahead[side];
    if (ahead->to == to) {
        *left = ahead->left;
    } else {
        list_parents(x, to, &left->begin, left->end);
        pack(x, to);
    }
    ahead->to = NOBODY;
    if (x->e->wrong[0] != '\0') {
        *x->e->messages.out[side]->head = (migration_head){.children = 0};
        left->begin = left->end;
    }
}

/* --- receiving --- */

/* The first place for the parents of a message. */
static uint64_t first_place(const exchange *x, const migration_head *head) {
    return head->words > 0 ? migration_whole_words(x->next) : x->next;
}

/* Records the parents of the children of a message, from child *begin on, and moves *begin behind
 * them. A message without children says that the sender has failed; the rest of the range is then
 * given up. */
static void record_parents(const exchange *x, const migration_message *l, uint64_t *begin,
                           uint64_t end) {
    const uint64_t count = l->head->children, n = *begin - x->share.begin;
    const parent_list from = migration_parents(l, count),
                      to = parent_list_from(x->e->messages.remote, *begin < x->offspring.begin
                                                                       ? n
                                                                       : n - range_size(x->kept));
    const uint32_t further = (uint32_t)(first_place(x, l->head) - l->head->first);
    const bool noted = x->e->wrong[0] == '\0';
    for (uint64_t i = 0; noted && i < count; i++)
        to.place[i] = from.place[i] + further;
    if (noted)
        memcpy(to.family, from.family, count * sizeof *to.family);
    for (uint64_t i = 0; noted && count == 0 && i < end - *begin; i++) {
        to.place[i] = 0;
        to.family[i] = 0;
    }
    *begin = count > 0 ? *begin + count : end;
}

/* Has the engine unpack the spins of a message, and sets the place for the next ones. */
static void unpack(exchange *x, int side, const uint8_t *spins) {
    distributed_engine *const e = x->e;
    const struct partition_verbs *const share = e->local->verbs->partition;
    const migration_head *const head = e->messages.in[side]->head;
    const uint64_t first = first_place(x, head),
                   behind = first + (head->words > 0 ? head->words * MACHINE_LANES : head->parents);
    if (e->wrong[0] == '\0' && head->children > 0 &&
        distributed_check(e, partition_places(e->local, behind) < behind ? ENGINE_FAILED
                                                                         : ENGINE_OK)) {
        distributed_check(e, head->words > 0 ? share->put_words(e->local, first / MACHINE_LANES,
                                                                head->words, spins)
                                             : share->put(e->local, first, head->parents, spins));
        x->put[side] = true;
    }
    x->next = behind;
}

/* --- sending and receiving --- */

enum { TAG_HEAD, TAG_SPINS, TAG_TAKEN };

/* Begins to receive a message: its head, and its spins. Where this rank reads the sender's memory,
 * an empty message announces that the spins are there. */
static void begin_receiving(exchange *x, int from, MPI_Request request[2]) {
    const int side = distributed_side((int)ranks_world().rank, from);
    const migration_message *const l = x->e->messages.in[side];
    const bool sees = seen_of(x, from) != NULL;
    if (x->put[side])
        synchronise(x);
    MPI_Irecv(l->head, (int)migration_head_bytes(MIGRATION_CHILDREN), MPI_BYTE, from, TAG_HEAD,
              world_comm(), &request[0]);
    MPI_Irecv(sees ? NULL : l->spins,
              sees ? 0 : (int)(migration_room(&x->e->local->model, NULL) * l->each), MPI_BYTE, from,
              TAG_SPINS, world_comm(), &request[1]);
}

/* Sends the head while the engine still packs the spins, so that the receiver can begin with it.
 * Then begins to send the spins, or an empty message that announces them. */
static void begin_sending(exchange *x, int to, MPI_Request *request) {
    const int side = distributed_side((int)ranks_world().rank, to);
    const migration_message *const l = x->e->messages.out[side];
    const bool is_seen = seen_by(x, to) != NULL;
    MPI_Send(l->head, (int)migration_head_bytes(l->head->children), MPI_BYTE, to, TAG_HEAD,
             world_comm());
    if (x->taken[side])
        synchronise(x);
    MPI_Isend(is_seen ? NULL : l->spins, is_seen ? 0 : (int)(l->head->parents * l->each), MPI_BYTE,
              to, TAG_SPINS, world_comm(), request);
}

/* Completes the receipt of a message and unpacks it. */
static void take_in(exchange *x, int from, MPI_Request request[2], uint64_t *begin, uint64_t end) {
    const int here = (int)ranks_world().rank, side = distributed_side(here, from);
    const migration_message *const l = x->e->messages.in[side];
    const uint8_t *const seen = seen_of(x, from);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    record_parents(x, l, begin, end);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    unpack(x, side, seen != NULL ? seen : l->spins);
}

/* Whether rank `from`, which has just sent to the rank at `distance`, sends another message on the
 * same side in this step. That is so if children are left for the same rank, or for one at a larger
 * distance. Between steps all ranks wait for each other. */
static bool sends_again(const exchange *x, int from, uint32_t distance, rank_range left) {
    const int count = (int)ranks_world().count,
              side = distributed_side(from, (from + (int)distance) % count);
    for (int d = (int)distance + 1; d < count; d++) {
        const int to = (from + d) % count;
        if (distributed_side(from, to) == side &&
            range_size(passed(x, (uint64_t)from, (uint64_t)to)) > 0)
            return true;
    }
    return range_size(left) > 0;
}

/* Sends parents to the rank `distance` above, and receives from the rank `distance` below. Spins in
 * memory that another rank reads are not overwritten before that rank has confirmed that it has
 * taken them. */
static void pass(exchange *x, uint32_t distance) {
    const rank_world world = ranks_world();
    const int here = (int)world.rank, to = (int)((world.rank + distance) % world.count),
              from = (int)((world.rank + world.count - distance) % world.count);
    const bool is_seen = seen_by(x, to) != NULL, sees = seen_of(x, from) != NULL;
    rank_range out = passed(x, (uint64_t)here, (uint64_t)to),
               in = passed(x, (uint64_t)from, (uint64_t)here);
    while (range_size(out) > 0 || range_size(in) > 0) {
        MPI_Request coming[2], going = MPI_REQUEST_NULL;
        const bool comes = range_size(in) > 0, goes = range_size(out) > 0;
        if (comes)
            begin_receiving(x, from, coming);
        if (goes) {
            make_message(x, to, &out);
            begin_sending(x, to, &going);
        }
        if (comes)
            take_in(x, from, coming, &in.begin, in.end);
        MPI_Wait(&going, MPI_STATUS_IGNORE);
        const bool tells = comes && sees && sends_again(x, from, distance, in),
                   waits = goes && is_seen && sends_again(x, here, distance, out);
        if (tells)
            synchronise(x);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, tells ? from : MPI_PROC_NULL, TAG_TAKEN, NULL, 0, MPI_BYTE,
                     waits ? to : MPI_PROC_NULL, TAG_TAKEN, world_comm(), MPI_STATUS_IGNORE);
    }
}

void exchange_parents(exchange *x) {
    for (uint32_t distance = 1; distance < ranks_world().count; distance++)
        pass(x, distance);
}
