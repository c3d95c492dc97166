/* Overlaps of pairs whose replicas stand on two ranks. Replica k and replica k + h are a pair (engine/overlaps.h). The
 * pairs whose halves stand on the same two ranks are a stretch: the rank of the lower half compares the first half of them,
 * that of the upper half the others, and each has what the other one needs go there, in pieces of bounded size, by way of
 * the memory that parents pass through in a step (luggage.h). */
#include "distributed.h"
#include "migration.h"

/* Pairs that are compared on one rank, of which the partners come from another, or the same: from their number on. */
typedef struct {
    uint64_t begin, end;
    int at, from;
    int64_t own, partner; /* from the number of a pair to that of the replica, at either */
} stretch;

typedef struct {
    distributed_engine *e;
    overlap_sums *sums;
    uint64_t offset, pairs;
} pairing;

/* The rank that has a replica: the last one that does not begin behind it (share_begin). */
static int owner_of(const distributed_engine *e, uint64_t replica) {
    const uint64_t units = (e->replicas + e->unit - 1) / e->unit;
    return (int)(((replica / e->unit + 1) * ranks_world().count - 1) / units);
}

/* The place of a replica on this rank. */
static uint64_t place_of(const distributed_engine *e, uint64_t k, int64_t distance) {
    return (uint64_t)((int64_t)k + distance) -
           distributed_share(e, e->replicas, ranks_world().rank).begin;
}

static uint64_t words_of(uint64_t pairs) {
    return (pairs + MACHINE_LANES - 1) / MACHINE_LANES;
}

/* --- partners under way --- */

/* Where this rank has lanes for another, and finds those from there. */
static uint8_t *memory_for(const distributed_engine *e, int to) {
    const int here = (int)ranks_world().rank;
    uint8_t *const seen = distributed_peer_spins(e, here, to);
    return seen != NULL ? seen : e->messages.out[distributed_side(here, to)]->spins;
}

static uint8_t *memory_from(const distributed_engine *e, int from) {
    const int here = (int)ranks_world().rank;
    uint8_t *const seen = distributed_peer_spins(e, from, here);
    return from == here   ? memory_for(e, here)
           : seen != NULL ? seen
                          : e->messages.in[distributed_side(here, from)]->spins;
}

/* The lanes of so many pairs there. */
static lane_block lanes_in(const distributed_engine *e, uint8_t *memory, uint64_t pairs) {
    return migration_lanes(&e->local->model, memory, words_of(pairs), e->wide);
}

/* Has partners of `count` pairs of a stretch from number k on, which stand here, where they go from. */
static void copy_out(const pairing *p, const stretch *s, uint64_t k, uint64_t count) {
    distributed_engine *const e = p->e;
    const lane_block out = lanes_in(e, memory_for(e, s->at), count);
    if (e->wrong[0] == '\0' && count > 0)
        distributed_check(e, e->local->verbs->partition->lanes(e->local, place_of(e, k, s->partner),
                                                               words_of(count), &out));
}

/* Sends lanes of so many pairs to a rank that does not see them, and receives as many as come from there. Where both see
 * them, or are one, each knows that they are there. */
static void carry(const distributed_engine *e, int other, uint64_t goes, uint64_t comes) {
    const spin_model *const model = &e->local->model;
    const int here = (int)ranks_world().rank;
    const bool sent = distributed_peer_spins(e, here, other) == NULL;
    if (other == here)
        return;
    MPI_Sendrecv(sent ? memory_for(e, other) : NULL,
                 sent ? (int)migration_lanes_bytes(model, words_of(goes), e->wide) : 0, MPI_BYTE,
                 other, 0, sent ? memory_from(e, other) : NULL,
                 sent ? (int)migration_lanes_bytes(model, words_of(comes), e->wide) : 0, MPI_BYTE,
                 other, 0, world_comm(), MPI_STATUS_IGNORE);
}

/* Neither goes on before both have seen what they compare. */
static void part(const distributed_engine *e, int other) {
    const int here = (int)ranks_world().rank;
    if (other != here && distributed_peer_spins(e, here, other) != NULL)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 0, NULL, 0, MPI_BYTE, other, 0, world_comm(),
                     MPI_STATUS_IGNORE);
}

/* --- pairs --- */

/* Compares `count` pairs of a stretch from number k on here. */
static void compare(const pairing *p, const stretch *s, uint64_t k, uint64_t count) {
    distributed_engine *const e = p->e;
    const pair_range pairs = {.first = place_of(e, k, s->own),
                              .count = count,
                              .number = k,
                              .pairs = p->pairs,
                              .partners = lanes_in(e, memory_from(e, s->from), count)};
    if (e->wrong[0] == '\0' && count > 0)
        distributed_check(e, e->local->verbs->partition->compare(e->local, &pairs, p->sums));
}

/* How many pairs of a stretch there are in a piece of at most so many, behind as many that are done. */
static uint64_t in_piece(const stretch *s, uint64_t done, uint64_t most) {
    const uint64_t all = s->end - s->begin, left = all > done ? all - done : 0;
    return left < most ? left : most;
}

/* Compares the pairs of two stretches, each of which brings its partners to where the other one's come from; or of one, and
 * nothing of the other, on a rank that has both halves. */
static void compare_both(const pairing *p, const stretch *low, const stretch *high) {
    const distributed_engine *const e = p->e;
    const int here = (int)ranks_world().rank;
    if (here != low->at && here != high->at)
        return;
    const stretch *const own = here == low->at ? low : high;
    const stretch *const others = own->from == here ? own : own == low ? high : low;
    const peer_memory *const peer = distributed_peer_memory(e, here, own->from);
    const uint64_t most = MACHINE_LANES * migration_lanes_room(&e->local->model, peer, e->wide);
    for (uint64_t done = 0; in_piece(own, done, most) + in_piece(others, done, most) > 0;
         done += most) {
        const uint64_t goes = in_piece(others, done, most), comes = in_piece(own, done, most);
        copy_out(p, others, others->begin + done, goes);
        carry(e, own->from, goes, comes);
        compare(p, own, own->begin + done, comes);
        part(e, own->from);
    }
}

/* Compares all pairs, stretch by stretch, in the same order on every rank, so that none waits for another in turn. */
static void compare_all(const pairing *p) {
    const distributed_engine *const e = p->e;
    const int64_t offset = (int64_t)p->offset;
    for (uint64_t k = 0; k < p->pairs;) {
        const int low = owner_of(e, k), high = owner_of(e, k + p->offset);
        const uint64_t low_end = distributed_share(e, e->replicas, (uint64_t)low).end,
                       high_end = distributed_share(e, e->replicas, (uint64_t)high).end - p->offset;
        uint64_t end = low_end < high_end ? low_end : high_end;
        end = end < p->pairs ? end : p->pairs;
        const uint64_t middle = low == high ? end : k + words_of(end - k) / 2 * MACHINE_LANES;
        compare_both(p, &(stretch){k, middle, low, high, 0, offset},
                     &(stretch){middle, end, high, low, offset, 0});
        k = end;
    }
}

/* --- sums --- */

static void add_up(void *numbers, uint64_t count, MPI_Datatype type) {
    MPI_Reduce(ranks_world().rank == 0 ? MPI_IN_PLACE : numbers, numbers, (int)count, type, MPI_SUM,
               0, world_comm());
}

static uint128 log_of_family(uint64_t members) {
    return members * family_log(members);
}

/* Adds the sums of all ranks up on rank 0. */
static void reduce(distributed_engine *e, overlap_sums *s) {
    const uint64_t differ = (uint64_t)OVERLAP_PARTS * s->scale.differ_bins,
                   walls = (uint64_t)OVERLAP_PARTS * s->scale.wall_bins;
    add_up(&s->relatives, 1, MPI_UINT64_T);
    add_up(&s->family_logs, 1, MPI_UINT64_T);
    add_up(s->block, sizeof s->block / (sizeof(uint64_t)), MPI_UINT64_T);
    add_up(s->differ, differ, MPI_UINT32_T);
    add_up(s->walls, walls, MPI_UINT32_T);
    if (ranks_world().rank == 0)
        s->family_logs = (uint64_t)distributed_join_families(e, s->family_logs, log_of_family);
}

engine_status distributed_overlaps(distributed_engine *e, overlap_sums *out) {
    const bool here = ranks_world().rank == 0;
    const pairing p = {.e = e,
                       .sums = here ? out : &e->steps.overlaps,
                       .offset = overlap_offset(e->replicas),
                       .pairs = overlap_pairs(e->replicas)};
    distributed_sum(e); /* the families that are joined are those of the report */
    engine_status status = distributed_agree(e);
    if (status == ENGINE_OK) {
        overlap_sums_begin(p.sums, e->replicas);
        if (distributed_own(e) > 0)
            distributed_check(
                e, e->local->verbs->partition->family_logs(e->local, &p.sums->family_logs));
        compare_all(&p);
        status = distributed_agree(e);
    }
    if (status == ENGINE_OK)
        reduce(e, p.sums);
    return status;
}
