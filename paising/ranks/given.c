/* Parents that are given, on ranks: those of an exchange of replicas between temperatures, or between windows of walkers.
 *
 * A child may have any parent. Where the parent is on another rank, it comes to the place of the child, which then has a local parent. So the
 * replica that was in that place must have no child in that share.
 *
 * Each rank reads the populations of its share of which replicas move, or what it has of them. It sends the parents, packed,
 * and their families, to the ranks of their children. It writes those that come over the replicas in the places of their children. */
#include "base/clock.h"
#include "distributed.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVE, COME };

#define MOST_GIVEN ((uint64_t)INT_MAX / sizeof(uint32_t)) /* whose levels MPI counts by an int */

/* Parents come from other ranks to the two populations beside the ends of a share, or leave them; and where populations are divided,
 * to two more. */
uint64_t given_bytes(const engine_config *config, uint64_t own) {
    const uint64_t each = sizeof(uint32_t) + model_packed_bytes(&config->model),
                   most = (config->walkers ? 4 : 2) * config->group,
                   moving = most < own ? most : own;
    return config->group == 0 ? 0
                              : config->capacity * (sizeof(uint32_t) + 1) + own * sizeof(uint32_t) +
                                    3 * moving * each;
}

bool distributed_create_given(distributed_engine *e) {
    distributed_given *const d = &e->given;
    const uint32_t ranks = ranks_world().count;
    if (e->group == 0)
        return true;
    d->parent = malloc(e->capacity * sizeof *d->parent);
    d->moves = malloc(e->capacity * sizeof *d->moves);
    d->at = malloc(e->most * sizeof *d->at);
    bool made = d->parent && d->moves && d->at;
    for (int way = LEAVE; way <= COME; way++) {
        d->number[way] = malloc(ranks * sizeof **d->number);
        d->first[way] = malloc(ranks * sizeof **d->first);
        made = made && d->number[way] && d->first[way];
    }
    return made;
}

void distributed_destroy_given(distributed_engine *e) {
    distributed_given *const d = &e->given;
    const replica_row row[] = {d->here, d->out, d->in};
    free(d->parent);
    free(d->moves);
    free(d->at);
    for (int way = LEAVE; way <= COME; way++) {
        free(d->number[way]);
        free(d->first[way]);
    }
    for (size_t n = 0; n < sizeof row / sizeof *row; n++) {
        free(row[n].spins);
        free(row[n].families);
    }
}

static bool is_in(rank_range r, uint64_t replica) {
    return replica >= r.begin && replica < r.end;
}

/* --- rank 0 --- */

/* How many of a share's children have parents that they may not have: none, or one whose place another takes. */
static uint64_t misfits(const distributed_engine *e, rank_range share, const uint32_t parents[]) {
    uint64_t count = 0;
#pragma omp parallel for reduction(+ : count) schedule(static)
    for (uint64_t k = share.begin; k < share.end; k++) {
        const uint32_t j = parents[k];
        count += j >= e->replicas || (is_in(share, j) && !is_in(share, parents[j]));
    }
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
                 "%" PRIu64 " children have no parent, or one in whose place another comes from "
                 "another rank",
                 count);
    return count == 0;
}

/* --- all ranks --- */

/* Marks the replicas that have a parent, or a child, on another rank. */
static void mark_moves(distributed_engine *e) {
    const uint32_t *const parent = e->given.parent;
    uint8_t *const moves = e->given.moves;
    memset(moves, 0, e->replicas);
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        const rank_range share = distributed_share(e, e->replicas, rank);
#pragma omp parallel for schedule(static)
        for (uint64_t k = share.begin; k < share.end; k++) {
            if (is_in(share, parent[k]))
                continue;
#pragma omp atomic write
            moves[k] = 1;
#pragma omp atomic write
            moves[parent[k]] = 1;
        }
    }
}

/* Whether child k comes from another rank than its parent's. */
static bool is_remote(const distributed_engine *e, uint64_t k) {
    return e->given.moves[k] &&
           distributed_rank_of(e, k) != distributed_rank_of(e, e->given.parent[k]);
}

/* Counts what goes to each rank and comes from it, and places it in the order of ranks and children. */
static void count_moves(distributed_engine *e) {
    distributed_given *const d = &e->given;
    const uint32_t mine = ranks_world().rank, ranks = ranks_world().count;
    for (int way = LEAVE; way <= COME; way++)
        memset(d->number[way], 0, ranks * sizeof **d->number);
    for (uint64_t k = 0; k < e->replicas; k++) {
        if (!is_remote(e, k))
            continue;
        const uint32_t to = distributed_rank_of(e, k), from = distributed_rank_of(e, d->parent[k]);
        d->number[LEAVE][to] += from == mine;
        d->number[COME][from] += to == mine;
    }
    for (int way = LEAVE; way <= COME; way++)
        for (uint32_t rank = 0, first = 0; rank < ranks; first += (uint32_t)d->number[way][rank++])
            d->first[way][rank] = (int)first;
}

/* Makes room for so many replicas. */
static void make_room(replica_row *row, uint64_t replicas, size_t bytes) {
    if (replicas <= row->room)
        return;
    row->spins = world_memory(row->spins, replicas * bytes);
    row->families = world_memory(row->families, replicas * sizeof *row->families);
    row->room = replicas;
}

/* The end of what a share has of the population of replica k. */
static uint64_t population_end(const distributed_engine *e, rank_range share, uint64_t k) {
    const uint64_t end = (k / e->group + 1) * e->group;
    return end < share.end ? end : share.end;
}

/* Calls for each population of which replicas move what is to be done with its part here. Returns how many replicas these parts
 * have. */
typedef void part_work(distributed_engine *e, rank_range part, uint64_t at);

static uint64_t each_part(distributed_engine *e, rank_range share, part_work *work) {
    uint64_t at = 0;
    for (uint64_t k = share.begin, end; k < share.end; k = end) {
        end = population_end(e, share, k);
        if (memchr(e->given.moves + k, 1, end - k) == NULL)
            continue;
        if (work != NULL)
            work(e, (rank_range){k, end}, at);
        at += end - k;
    }
    return at;
}

static void read_part(distributed_engine *e, rank_range part, uint64_t at) {
    const replica_row *const here = &e->given.here;
    const uint64_t place = part.begin - distributed_share(e, e->replicas, ranks_world().rank).begin;
    for (uint64_t n = 0; n < range_size(part); n++)
        e->given.at[place + n] = (uint32_t)(at + n);
    distributed_check(e,
                      e->local->verbs->read(e->local, place, range_size(part),
                                            here->spins + at * model_packed_bytes(&e->local->model),
                                            here->families + at));
}

static void write_part(distributed_engine *e, rank_range part, uint64_t at) {
    const replica_row *const here = &e->given.here;
    const rank_range share = distributed_share(e, e->replicas, ranks_world().rank);
    distributed_check(
        e, e->local->verbs->write(
               e->local, part.begin - share.begin, range_size(part), range_size(share),
               here->spins + at * model_packed_bytes(&e->local->model), here->families + at));
}

static void copy_replica(const replica_row *to, uint64_t n, const replica_row *from, uint64_t m,
                         size_t bytes) {
    memcpy(to->spins + n * bytes, from->spins + m * bytes, bytes);
    to->families[n] = from->families[m];
}

/* Copies the parents of other ranks' children out. */
static void pack(distributed_engine *e, rank_range share, size_t bytes) {
    distributed_given *const d = &e->given;
    uint64_t n = 0;
    for (uint64_t k = 0; k < e->replicas; k++)
        if (d->moves[k] && !is_in(share, k) && is_in(share, d->parent[k]))
            copy_replica(&d->out, n++, &d->here, d->at[d->parent[k] - share.begin], bytes);
}

/* Sends what leaves, and receives what comes. */
static void pass(distributed_engine *e, size_t bytes) {
    distributed_given *const d = &e->given;
    MPI_Datatype replica;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &replica);
    MPI_Type_commit(&replica);
    MPI_Alltoallv(d->out.families, d->number[LEAVE], d->first[LEAVE], MPI_UINT32_T, d->in.families,
                  d->number[COME], d->first[COME], MPI_UINT32_T, world_comm());
    MPI_Alltoallv(d->out.spins, d->number[LEAVE], d->first[LEAVE], replica, d->in.spins,
                  d->number[COME], d->first[COME], replica, world_comm());
    MPI_Type_free(&replica);
}

/* Puts parents that came in the places of their children here, of which they become the parents. */
static void replace(distributed_engine *e, rank_range share, size_t bytes) {
    distributed_given *const d = &e->given;
    for (uint64_t k = share.begin; k < share.end; k++) {
        if (is_in(share, d->parent[k]))
            continue;
        const int n = d->first[COME][distributed_rank_of(e, d->parent[k])]++;
        copy_replica(&d->here, d->at[k - share.begin], &d->in, (uint64_t)n, bytes);
        d->parent[k] = (uint32_t)k;
    }
}

/* The last entry of first[] and number[] is the end of a row. */
static uint64_t moving(const distributed_given *d, int way) {
    const uint32_t last = ranks_world().count - 1;
    return (uint64_t)(d->first[way][last] + d->number[way][last]);
}

static void exchange(distributed_engine *e, rank_range share) {
    distributed_given *const d = &e->given;
    const size_t bytes = model_packed_bytes(&e->local->model);
    mark_moves(e);
    count_moves(e);
    make_room(&d->here, each_part(e, share, NULL), bytes);
    make_room(&d->out, moving(d, LEAVE), bytes);
    make_room(&d->in, moving(d, COME), bytes);
    each_part(e, share, read_part);
    pack(e, share, bytes);
    pass(e, bytes);
    replace(e, share, bytes);
    each_part(e, share, write_part);
}

const uint32_t *distributed_exchange(distributed_engine *e, const uint32_t parents[]) {
    const rank_range share = distributed_share(e, e->replicas, ranks_world().rank);
    uint32_t *const parent = e->given.parent;
    const double clock = clock_seconds();
    if (ranks_world().rank == 0)
        memcpy(parent, parents, e->replicas * sizeof *parent);
    MPI_Bcast(parent, (int)e->replicas, MPI_UINT32_T, 0, world_comm());
    exchange(e, share);
    for (uint64_t k = share.begin; k < share.end; k++)
        parent[k] -= (uint32_t)share.begin;
    distributed_time(e, PHASE_EXCHANGE, clock);
    return parent + share.begin;
}
