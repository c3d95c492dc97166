/* Overlaps of pairs whose replicas are on two ranks. Replicas k and k + h form a pair
 * (engine/overlaps.h). All pairs between the same two ranks form a stretch. The rank of the lower
 * replicas compares the first half of the stretch, the other rank the second half. Each rank sends
 * the partners that the other one needs in pieces of bounded size, in the memory of the migration
 * messages (migration.h). */
#include "base/clock.h"
#include "distributed.h"
#include "migration.h"

/* Pairs begin .. end - 1, compared on rank `at`, with partners from rank `from`, which may be the
 * same. */
typedef struct {
    uint64_t begin, end;
    int at, from;
    int64_t own,
        partner; /* distance from the number of a pair to its replica on rank `at`, and to its
                  * partner */
} stretch;

typedef struct {
    distributed_engine *e;
    overlap_sums *sums;
    uint64_t offset, pairs;
} pairing;

/* The rank that holds a replica: the last one that does not begin behind it (share_begin). */
static int owner_of(const distributed_engine *e, uint64_t replica) {
    const uint64_t units = (e->replicas + e->unit - 1) / e->unit;
    return (int)(((replica / e->unit + 1) * ranks_world().count - 1) / units);
}

/* The place on this rank of replica k + distance. */
static uint64_t place_of(const distributed_engine *e, uint64_t k, int64_t distance) {
    return (uint64_t)((int64_t)k + distance) -
           distributed_share(e, e->replicas, ranks_world().rank).begin;
}

/* The words of lanes of so many replicas. */
static uint64_t words_of(const distributed_engine *e, uint64_t pairs) {
    const uint64_t lanes = overlap_lanes(&e->local->model);
    return (pairs + lanes - 1) / lanes;
}

/* --- transfer of partners --- */

/* Where this rank stores lanes for another rank, and where it finds those from another rank. */
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

/* The layout of the lanes of `pairs` pairs in that memory. */
static lane_block lanes_in(const distributed_engine *e, uint8_t *memory, uint64_t pairs) {
    return migration_lanes(&e->local->model, memory, words_of(e, pairs));
}

/* Copies the partners of `count` pairs of a stretch, from number k on, into the memory for rank
 * s->at. */
static void copy_out(const pairing *p, const stretch *s, uint64_t k, uint64_t count) {
    distributed_engine *const e = p->e;
    const lane_block out = lanes_in(e, memory_for(e, s->at), count);
    if (e->wrong[0] == '\0' && count > 0)
        distributed_check(e, e->local->verbs->partition->lanes(e->local, place_of(e, k, s->partner),
                                                               words_of(e, count), &out));
}

/* Sends the lanes of `goes` pairs to a rank that does not read this rank's memory, and receives
 * those of `comes` pairs. Where both read each other's memory, or are the same rank, an empty
 * message or none suffices. */
static void carry(const distributed_engine *e, int other, uint64_t goes, uint64_t comes) {
    const spin_model *const model = &e->local->model;
    const int here = (int)ranks_world().rank;
    const bool sent = distributed_peer_spins(e, here, other) == NULL;
    if (other == here)
        return;
    MPI_Sendrecv(sent ? memory_for(e, other) : NULL,
                 sent ? (int)migration_lanes_bytes(model, words_of(e, goes)) : 0, MPI_BYTE, other,
                 0, sent ? memory_from(e, other) : NULL,
                 sent ? (int)migration_lanes_bytes(model, words_of(e, comes)) : 0, MPI_BYTE, other,
                 0, world_comm(), MPI_STATUS_IGNORE);
}

/* Waits until both ranks have compared their pieces, so that neither overwrites lanes that the
 * other reads. */
static void part(const distributed_engine *e, int other) {
    const int here = (int)ranks_world().rank;
    if (other != here && distributed_peer_spins(e, here, other) != NULL)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 0, NULL, 0, MPI_BYTE, other, 0, world_comm(),
                     MPI_STATUS_IGNORE);
}

/* --- pairs --- */

/* Compares `count` pairs of a stretch on this rank, from number k on. */
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

/* The number of pairs in the next piece of a stretch, at most `most`, after `done` pairs. */
static uint64_t in_piece(const stretch *s, uint64_t done, uint64_t most) {
    const uint64_t all = s->end - s->begin, left = all > done ? all - done : 0;
    return left < most ? left : most;
}

/* Compares the pairs of two stretches, each of which takes its partners from the rank that compares
 * the other. On a rank that holds both replicas the second stretch is empty. */
static void compare_both(const pairing *p, const stretch *low, const stretch *high) {
    const distributed_engine *const e = p->e;
    const int here = (int)ranks_world().rank;
    if (here != low->at && here != high->at)
        return;
    const stretch *const own = here == low->at ? low : high;
    const stretch *const others = own->from == here ? own : own == low ? high : low;
    const peer_memory *const peer = distributed_peer_memory(e, here, own->from);
    const spin_model *const model = &e->local->model;
    const uint64_t most = overlap_lanes(model) * migration_lanes_room(model, peer);
    for (uint64_t done = 0; in_piece(own, done, most) + in_piece(others, done, most) > 0;
         done += most) {
        const uint64_t goes = in_piece(others, done, most), comes = in_piece(own, done, most);
        copy_out(p, others, others->begin + done, goes);
        carry(e, own->from, goes, comes);
        compare(p, own, own->begin + done, comes);
        part(e, own->from);
    }
}

/* Compares all pairs, stretch by stretch, in the same order on every rank: no two ranks wait for
 * each other. */
static void compare_all(const pairing *p) {
    const distributed_engine *const e = p->e;
    const int64_t offset = (int64_t)p->offset;
    const uint64_t lanes = overlap_lanes(&e->local->model);
    for (uint64_t k = 0; k < p->pairs;) {
        const int low = owner_of(e, k), high = owner_of(e, k + p->offset);
        const uint64_t low_end = distributed_share(e, e->replicas, (uint64_t)low).end,
                       high_end = distributed_share(e, e->replicas, (uint64_t)high).end - p->offset;
        uint64_t end = low_end < high_end ? low_end : high_end;
        end = end < p->pairs ? end : p->pairs;
        const uint64_t middle = low == high ? end : k + words_of(e, end - k) / 2 * lanes;
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

static uint64_t log_of_family(uint64_t members) {
    return members * family_log(members);
}

/* Adds the sums of all ranks on rank 0. */
static void reduce(const distributed_engine *e, overlap_sums *s) {
    const bool of_vectors = !overlap_is_of_bits(&e->local->model);
    const uint64_t differ = (uint64_t)OVERLAP_PARTS * s->scale.differ_bins,
                   walls = (uint64_t)OVERLAP_PARTS * s->scale.wall_bins;
    add_up(&s->relatives, 1, MPI_UINT64_T);
    add_up(s->block, sizeof s->block / (sizeof(uint64_t)), MPI_UINT64_T);
    if (of_vectors)
        add_up(s->vectors, sizeof s->vectors / (sizeof(uint64_t)), MPI_UINT64_T);
    add_up(s->differ, differ, MPI_UINT32_T);
    add_up(s->walls, walls, MPI_UINT32_T);
}

static void reduce_families(distributed_engine *e, overlap_sums *s) {
    add_up(&s->family_logs, 1, MPI_UINT64_T);
    if (ranks_world().rank == 0)
        s->family_logs = distributed_join_families(e, s->family_logs, log_of_family);
}

engine_status distributed_overlaps(distributed_engine *e, overlap_sums *out) {
    const bool here = ranks_world().rank == 0;
    const pairing p = {.e = e,
                       .sums = here ? out : &e->steps.overlaps,
                       .offset = overlap_offset(e->replicas),
                       .pairs = overlap_pairs(e->replicas)};
    const double start = clock_seconds();
    distributed_sum(e); /* joined families are those of the report */
    engine_status status = distributed_agree(e);
    if (status == ENGINE_OK) {
        overlap_sums_begin(p.sums, e->replicas);
        if (distributed_own(e) > 0)
            distributed_check(
                e, e->local->verbs->partition->family_logs(e->local, &p.sums->family_logs));
        compare_all(&p);
        status = distributed_agree(e);
    }
    if (status == ENGINE_OK) {
        reduce(e, p.sums);
        reduce_families(e, p.sums);
    }
    e->local->seconds[STAGE_OVERLAPS] += clock_seconds() - start;
    return status;
}

/* A group is on one rank (groups.c). The others add nothing. */
engine_status distributed_group_overlaps(distributed_engine *e, uint64_t first, uint64_t count,
                                         overlap_sums *out) {
    overlap_sums *const sums = ranks_world().rank == 0 ? out : &e->steps.overlaps;
    const rank_range own = distributed_share(e, e->replicas, ranks_world().rank);
    const double start = clock_seconds();
    overlap_sums_begin(sums, count);
    if (first >= own.begin && first < own.end)
        distributed_check(
            e, e->local->verbs->group_overlaps(e->local, first - own.begin, count, sums));
    const engine_status status = distributed_agree(e);
    if (status == ENGINE_OK)
        reduce(e, sums);
    e->local->seconds[STAGE_OVERLAPS] += clock_seconds() - start;
    return status;
}
