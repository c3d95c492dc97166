/* Parents that are given, on ranks: those of replica exchange between neighbouring temperatures.
 *
 * A child may have any parent of the same share. A child in the population at a boundary between two ranks may have a parent in
 * the population at the other side, in any order. The replica in its place then has no children in its own share. Other parents
 * are refused.
 *
 * At a boundary that parents cross, each of the two ranks sends the population next to it: R packed replicas and families. It
 * writes those that are parents over the replicas in the places of their children. These children then have local parents. */
#include "base/clock.h"
#include "distributed.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { HERE, THERE };

#define MOST_GIVEN ((uint64_t)INT_MAX / sizeof(uint32_t)) /* whose levels MPI counts by an int */

uint64_t given_bytes(const engine_config *config) {
    const uint64_t each = sizeof(uint32_t) + model_packed_bytes(&config->model);
    return config->group == 0 ? 0 : config->capacity * sizeof(uint32_t) + 4 * config->group * each;
}

bool distributed_create_given(distributed_engine *e) {
    distributed_given *const d = &e->given;
    const size_t bytes = model_packed_bytes(&e->local->model);
    if (e->group == 0)
        return true;
    d->parent = malloc(e->capacity * sizeof *d->parent);
    bool made = d->parent != NULL;
    for (size_t n = 0; n < 4; n++) {
        d->families[n / 2][n % 2] = malloc(e->group * sizeof **d->families[0]);
        d->spins[n / 2][n % 2] = malloc(e->group * bytes);
        made = made && d->families[n / 2][n % 2] && d->spins[n / 2][n % 2];
    }
    return made;
}

void distributed_destroy_given(distributed_engine *e) {
    free(e->given.parent);
    for (size_t n = 0; n < 4; n++) {
        free(e->given.families[n / 2][n % 2]);
        free(e->given.spins[n / 2][n % 2]);
    }
}

/* The replicas of a share next to its lower or upper end, one population of them. */
static rank_range next_to(rank_range share, int side, uint64_t group) {
    return side == BELOW ? (rank_range){share.begin, share.begin + group}
                         : (rank_range){share.end - group, share.end};
}

/* Replicas of the rank below or above that children of a share may have as parents. */
static rank_range beyond(rank_range share, int side, uint64_t group) {
    return side == BELOW ? (rank_range){share.begin - (share.begin > 0 ? group : 0), share.begin}
                         : (rank_range){share.end, share.end + group};
}

static bool is_in(rank_range r, uint64_t replica) {
    return replica >= r.begin && replica < r.end;
}

/* --- rank 0 --- */

/* Whether child k of a share may have its parent. */
static bool fits(const distributed_engine *e, rank_range share, const uint32_t parents[],
                 uint64_t k) {
    const uint32_t j = parents[k];
    if (is_in(share, j))
        return is_in(share, parents[j]);
    for (int side = BELOW; side <= ABOVE; side++)
        if (is_in(next_to(share, side, e->group), k) && is_in(beyond(share, side, e->group), j))
            return j < e->replicas;
    return false;
}

/* How many of a share's children have parents that they may not have. */
static uint64_t misfits(const distributed_engine *e, rank_range share, const uint32_t parents[]) {
    uint64_t count = 0;
#pragma omp parallel for reduction(+ : count) schedule(static)
    for (uint64_t k = share.begin; k < share.end; k++)
        count += !fits(e, share, parents, k);
    return count;
}

bool distributed_parents_fit(distributed_engine *e, const engine_step *step) {
    uint64_t count = 0;
    if (e->group == 0 || e->replicas % e->group > 0 || step->children != e->replicas ||
        e->replicas > MOST_GIVEN) {
        snprintf(e->base.error, sizeof e->base.error,
                 "given parents of %" PRIu64 " children: on ranks %" PRIu64
                 " replicas, whole populations and at most %" PRIu64 ", have one child each",
                 step->children, e->replicas, MOST_GIVEN);
        return false;
    }
    for (uint32_t rank = 0; rank < ranks_world().count; rank++)
        count += misfits(e, distributed_share(e, e->replicas, rank), step->parents);
    if (count > 0)
        snprintf(e->base.error, sizeof e->base.error,
                 "%" PRIu64 " children have parents on other ranks that are not those of an "
                 "exchange between neighbouring populations",
                 count);
    return count == 0;
}

/* --- all ranks --- */

/* The rank whose share begins or ends at a boundary; -1: there is none. */
static int rank_beyond(const distributed_engine *e, rank_range share, int side) {
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        const rank_range other = distributed_share(e, e->replicas, rank);
        if (range_size(other) > 0 &&
            (side == BELOW ? other.end == share.begin : other.begin == share.end))
            return (int)rank;
    }
    return -1;
}

/* Whether children of some replicas have parents in others. */
static bool crosses(const uint32_t parents[], rank_range children, rank_range others) {
    for (uint64_t k = children.begin; k < children.end; k++)
        if (is_in(others, parents[k]))
            return true;
    return false;
}

/* An exchange at one end of a share. */
typedef struct {
    int side, other; /* -1: no rank, or no parent beyond */
    rank_range here, there;
    uint8_t *spins; /* of the replicas here; those of both ends where they are the same */
    uint32_t *families;
} boundary;

static boundary side_boundary(const distributed_engine *e, rank_range share, int side) {
    boundary b = {.side = side,
                  .other = rank_beyond(e, share, side),
                  .here = next_to(share, side, e->group),
                  .there = beyond(share, side, e->group)};
    const int of = b.here.begin == share.begin ? BELOW : ABOVE;
    b.spins = e->given.spins[HERE][of];
    b.families = e->given.families[HERE][of];
    if (b.other >= 0 && !crosses(e->given.parent, b.here, b.there) &&
        !crosses(e->given.parent, b.there, b.here))
        b.other = -1;
    return b;
}

static void read_here(distributed_engine *e, rank_range share, const boundary *b) {
    if (b->other >= 0)
        distributed_check(e, e->local->verbs->read(e->local, b->here.begin - share.begin, e->group,
                                                   b->spins, b->families));
}

/* Sends what is here, and receives what is there. */
static void exchange(distributed_engine *e, const boundary end[2]) {
    MPI_Request request[8];
    MPI_Datatype replica;
    int requests = 0;
    const int group = (int)e->group;
    MPI_Type_contiguous((int)model_packed_bytes(&e->local->model), MPI_BYTE, &replica);
    MPI_Type_commit(&replica);
    for (const boundary *b = end; b < end + 2; b++) {
        if (b->other < 0)
            continue;
        MPI_Irecv(e->given.families[THERE][b->side], group, MPI_UINT32_T, b->other, 0, world_comm(),
                  &request[requests++]);
        MPI_Irecv(e->given.spins[THERE][b->side], group, replica, b->other, 0, world_comm(),
                  &request[requests++]);
        MPI_Isend(b->families, group, MPI_UINT32_T, b->other, 0, world_comm(),
                  &request[requests++]);
        MPI_Isend(b->spins, group, replica, b->other, 0, world_comm(), &request[requests++]);
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&replica);
}

/* Puts parents from there in the places of their children here, of which they become the parents. */
static void replace(distributed_engine *e, const boundary *b) {
    const size_t bytes = model_packed_bytes(&e->local->model);
    for (uint64_t k = b->here.begin; k < b->here.end; k++) {
        const uint64_t to = k - b->here.begin, from = e->given.parent[k] - b->there.begin;
        if (!is_in(b->there, e->given.parent[k]))
            continue;
        memcpy(b->spins + to * bytes, e->given.spins[THERE][b->side] + from * bytes, bytes);
        b->families[to] = e->given.families[THERE][b->side][from];
        e->given.parent[k] = (uint32_t)k;
    }
}

static void write_here(distributed_engine *e, rank_range share, const boundary *b) {
    if (b->other >= 0)
        distributed_check(e, e->local->verbs->write(e->local, b->here.begin - share.begin, e->group,
                                                    range_size(share), b->spins, b->families));
}

/* Exchanges over both ends of a share. */
static void exchange_ends(distributed_engine *e, rank_range share) {
    const boundary end[2] = {side_boundary(e, share, BELOW), side_boundary(e, share, ABOVE)};
    for (size_t n = 0; n < 2; n++)
        read_here(e, share, &end[n]);
    exchange(e, end);
    for (size_t n = 0; n < 2; n++)
        if (end[n].other >= 0)
            replace(e, &end[n]);
    for (size_t n = 0; n < 2; n++)
        write_here(e, share, &end[n]);
}

const uint32_t *distributed_exchange(distributed_engine *e, const uint32_t parents[]) {
    const rank_range share = distributed_share(e, e->replicas, ranks_world().rank);
    uint32_t *const parent = e->given.parent;
    const double clock = clock_seconds();
    if (ranks_world().rank == 0)
        memcpy(parent, parents, e->replicas * sizeof *parent);
    MPI_Bcast(parent, (int)e->replicas, MPI_UINT32_T, 0, world_comm());
    if (range_size(share) > 0)
        exchange_ends(e, share);
    for (uint64_t k = share.begin; k < share.end; k++)
        parent[k] -= (uint32_t)share.begin;
    distributed_time(e, PHASE_EXCHANGE, clock);
    return parent + share.begin;
}
