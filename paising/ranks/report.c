/* One report from those of all ranks. Sums are added over the levels that are occupied on any rank,
 * and families that continue on the next rank are joined. The replicas of each level are added
 * first, because the next step waits for them. The many other sums are added while the next step is
 * under way: once the words that need not wait are started (exchange.c), unless they were needed
 * earlier. */
#include "base/clock.h"
#include "base/signals.h"
#include "broadcast.h"
#include "distributed.h"

#include <string.h>

#define LEVEL_NUMBERS (sizeof(level_sums) / sizeof(uint64_t))
#define BLOCK_NUMBERS                                                                              \
    ((sizeof(block_sums) + sizeof(founder_sums) + sizeof(parent_sums)) / sizeof(uint64_t) *        \
     POPULATION_BLOCKS)

/* Of energies without levels the sums of E^2 are numbers of their own, and groups report the energies. */
uint64_t report_numbers(const energy_levels *levels) {
    const uint64_t of_level = LEVEL_NUMBERS + (levels->fine ? 1 : 0);
    return BLOCK_NUMBERS + of_level * levels->count +
           (levels->fine ? SQUARE_NUMBERS * POPULATION_BLOCKS : 0);
}

static uint64_t square(uint64_t members) {
    return members * members;
}

uint64_t distributed_join_families(const distributed_engine *e, uint64_t all, family_number *f) {
    family_run open = {0, 0}; /* the last family of the ranks so far */
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        const family_run *const edge = e->sums.families[rank].edge;
        if (edge->members == 0)
            continue;
        const bool one = edge[0].family == edge[1].family;
        const uint32_t before = open.family == edge->family ? open.members : 0;
        if (before > 0)
            all += f((uint64_t)before + edge->members) - f(before) - f(edge->members);
        open = edge[1];
        open.members += one ? before : 0;
    }
    return all;
}

/* The number of families in a run of `members` adjacent replicas of one family. */
static uint64_t one(uint64_t members) {
    return members > 0;
}

/* Gathers on rank 0 the families of all ranks, and whether each rank's report is complete. */
static void gather_families(distributed_engine *e, bool whole) {
    const histogram *const h = &e->steps.report;
    rank_families mine = {.failed = !whole};
    if (distributed_own(e) > 0) {
        mine.families = h->families;
        mine.family_squares = h->family_squares;
        memcpy(mine.edge, h->edge, sizeof mine.edge);
    }
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, e->sums.families, sizeof mine, MPI_BYTE, 0,
               world_comm());
}

/* Joins these into the families of one population. */
static void join_families(const distributed_engine *e, histogram *out) {
    uint64_t families = 0, squares = 0;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        families += e->sums.families[rank].families;
        squares += e->sums.families[rank].family_squares;
    }
    out->families = distributed_join_families(e, families, one);
    out->family_squares = distributed_join_families(e, squares, square);
}

/* Copies the sums of a report to numbers (out), or back, those of levels only if energies have them. Returns how many there are. */
static size_t pass_numbers(histogram *h, uint64_t *numbers, bool out) {
    const struct {
        void *sums;
        size_t bytes;
    } part[] = {{h->block, sizeof h->block},
                {h->founder, sizeof h->founder},
                {h->parent, sizeof h->parent},
                {h->level + h->first, h->levels.fine ? 0 : (h->end - h->first) * sizeof *h->level}};
    size_t bytes = 0;
    for (size_t n = 0; n < sizeof part / sizeof *part; n++) {
        uint8_t *const place = (uint8_t *)numbers + bytes;
        memcpy(out ? (void *)place : part[n].sums, out ? part[n].sums : place, part[n].bytes);
        bytes += part[n].bytes;
    }
    return bytes / sizeof *numbers;
}

/* Sets the levels of the last report. The next one is expected within these and an eighth more on
 * either side, unless the step is large. */
void distributed_set_occupied(distributed_engine *e, level_range occupied) {
    if (distributed_has_energies(e)) /* each rank has a list of its own */
        return;
    const size_t more = (occupied.end - occupied.first) / 8 + 8, all = e->steps.report.levels.count;
    e->levels.occupied = occupied;
    e->steps.report.first = occupied.first;
    e->steps.report.end = occupied.end;
    e->levels.guessed = (level_range){occupied.first > more ? occupied.first - more : 0,
                                      occupied.end + more < all ? occupied.end + more : all};
}

/* Adds the first `count` numbers of all ranks on rank 0. */
static void add_up(distributed_engine *e, size_t count, MPI_Datatype type) {
    MPI_Reduce(ranks_world().rank == 0 ? MPI_IN_PLACE : e->sums.number, e->sums.number, (int)count,
               type, MPI_SUM, 0, world_comm());
}

/* Counts of replicas are sent as 32 bits. The next step waits for this message. */
static void put_count(distributed_engine *e, size_t n, uint64_t count) {
    ((uint32_t *)e->sums.number)[n] = (uint32_t)count;
}

static uint64_t count_at(const distributed_engine *e, size_t n) {
    return ((const uint32_t *)e->sums.number)[n];
}

/* The levels occupied on this rank; none if its report failed. */
static level_range occupied_here(const distributed_engine *e) {
    const bool counts = e->wrong[0] == '\0' && distributed_own(e) > 0;
    return counts ? (level_range){e->steps.report.first, e->steps.report.end} : (level_range){0, 0};
}

/* Adds the replicas of some levels over the ranks, and counts the ranks that must explain
 * themselves: after a failure or a signal, or if they occupy other levels. */
static void count_levels(distributed_engine *e, level_range levels) {
    const level_range here = occupied_here(e);
    const size_t count = levels.end - levels.first;
    for (size_t k = levels.first; k < levels.end; k++)
        put_count(e, k - levels.first, e->steps.report.level[k].replicas);
    put_count(e, count,
              e->wrong[0] != '\0' || signals_pending() ||
                  (here.end > here.first && (here.first < levels.first || here.end > levels.end)));
    add_up(e, count + 1, MPI_UINT32_T);
    e->levels.counted = levels;
    broadcast_reserve_numbers(e->number, count);
}

/* Levels are added as guessed, before it is known which are occupied: a rank that only sends need
 * not wait. */
void distributed_count(distributed_engine *e) {
    const double clock = clock_seconds();
    e->sums.ready = false;
    if (distributed_has_energies(e))
        distributed_count_energies(e);
    else
        count_levels(e, e->levels.guessed);
    distributed_time(e, PHASE_WAIT, clock);
}

bool distributed_is_counted(const distributed_engine *e) {
    if (distributed_has_energies(e))
        return distributed_energies_are_counted(e);
    return count_at(e, e->levels.counted.end - e->levels.counted.first) == 0;
}

/* Exchanges which levels are occupied on any rank, signals, and failures. */
engine_status distributed_explain(distributed_engine *e) {
    const level_range here = occupied_here(e);
    const bool counts = here.end > here.first;
    uint64_t most[] = {e->wrong[0] != '\0', (uint64_t)signals_pending(),
                       counts ? SIZE_MAX - here.first : 0, counts ? here.end : 0};
    const double clock = clock_seconds();
    MPI_Allreduce(MPI_IN_PLACE, most, sizeof most / sizeof *most, MPI_UINT64_T, MPI_MAX,
                  world_comm());
    signals_take((int)most[1]);
    if (most[0])
        return distributed_agree(e);
    if (distributed_has_energies(e))
        distributed_count_energies(e);
    else
        count_levels(e, most[3] > 0 ? (level_range){SIZE_MAX - most[2], most[3]}
                                    : (level_range){0, 0});
    distributed_time(e, PHASE_REDUCE, clock);
    return ENGINE_OK;
}

void distributed_report(distributed_engine *e, histogram *out) {
    if (distributed_has_energies(e)) {
        distributed_report_energies(e, out);
        return;
    }
    const double clock = clock_seconds();
    const size_t from = e->levels.counted.first;
    level_range occupied = e->levels.counted;
    while (occupied.first < occupied.end && count_at(e, occupied.first - from) == 0)
        occupied.first++;
    while (occupied.first < occupied.end && count_at(e, occupied.end - 1 - from) == 0)
        occupied.end--;
    histogram_move(out, occupied.first, occupied.end);
    out->population = e->replicas; /* the other sums follow when the report is completed */
    for (size_t k = occupied.first; k < occupied.end; k++)
        out->level[k].replicas = count_at(e, k - from);
    distributed_set_occupied(e, occupied);
    distributed_time(e, PHASE_REDUCE, clock);
}

void distributed_sum(distributed_engine *e) {
    if (e->sums.ready)
        return;
    const bool whole = distributed_check(e, stepper_wait_all(&e->steps));
    size_t count = pass_numbers(&e->steps.report, e->sums.number, true);
    if (distributed_has_energies(e))
        count += distributed_pack_squares(&e->steps.report, e->sums.number + count);
    add_up(e, count, MPI_UINT64_T);
    if (distributed_has_energies(e))
        distributed_sum_energies(e, count);
    gather_families(e, whole);
    e->sums.ready = true;
}

static bool is_whole(const distributed_engine *e) {
    uint64_t failed = 0;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++)
        failed += e->sums.families[rank].failed;
    return failed == 0;
}

engine_status distributed_complete(distributed_engine *e, histogram *out) {
    distributed_sum(e);
    if (ranks_world().rank > 0)
        return ENGINE_OK;
    if (!is_whole(e))
        return ENGINE_FAILED;
    size_t count = pass_numbers(out, e->sums.number, false);
    if (distributed_has_energies(e)) {
        count += distributed_unpack_squares(out, e->sums.number + count);
        distributed_complete_energies(e, count, out);
    }
    join_families(e, out);
    return ENGINE_OK;
}
