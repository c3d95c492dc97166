/* Walks of flat-histogram methods on ranks (engine/walk.h). A rank walks the replicas of its share, which may begin and end within a
 * window. Rank 0 sends the windows and their thresholds, adds the visits of all ranks up, and collects the extreme levels. */
#include "base/clock.h"
#include "distributed.h"

#include <stdlib.h>
#include <string.h>

#define ADDED_TOGETHER (UINT64_C(1) << 27) /* numbers, which MPI counts by an int */

uint64_t walk_bytes(const engine_config *config, uint64_t own) {
    const spin_model *const m = &config->model;
    const uint64_t of_row = walk_changes(m) * sizeof(uint32_t) + sizeof(uint64_t);
    return engine_has_walkers(config)
               ? engine_populations(config) * m->levels.count * of_row + 2 * own * sizeof(uint32_t)
               : 0;
}

void distributed_destroy_walks(distributed_engine *e) {
    free(e->walks.window);
    free(e->walks.threshold);
    free(e->walks.visits);
    free(e->walks.extremes);
}

/* The levels of all windows. */
static uint64_t rows_of(const walk_window window[], size_t windows) {
    uint64_t rows = 0;
    for (size_t k = 0; k < windows; k++)
        rows += window[k].levels;
    return rows;
}

/* Copies the windows and thresholds of rank 0 to all ranks. */
static void send_windows(distributed_engine *e, const engine_walk *walk, size_t windows) {
    distributed_walks *const d = &e->walks;
    const uint32_t changes = walk_changes(&e->local->model);
    d->window = world_memory(d->window, windows * sizeof *d->window);
    if (walk != NULL)
        memcpy(d->window, walk->window, windows * sizeof *d->window);
    world_broadcast(d->window, windows * sizeof *d->window);
    const uint64_t rows = rows_of(d->window, windows), numbers = rows * changes;
    d->threshold = world_memory(d->threshold, numbers * sizeof *d->threshold);
    uint32_t *to = d->threshold;
    for (size_t k = 0; k < windows && walk != NULL; to += walk->window[k++].levels * changes)
        memcpy(to, walk->window[k].threshold,
               (size_t)walk->window[k].levels * changes * sizeof *to);
    world_broadcast(d->threshold, numbers * sizeof *d->threshold);
    d->rows = rows;
}

/* Leaves of the windows what this share has of them, with the thresholds and visits that are here. Returns how many there are. */
static size_t keep_share(distributed_engine *e, size_t windows) {
    distributed_walks *const d = &e->walks;
    const uint32_t changes = walk_changes(&e->local->model);
    const rank_range share = distributed_share(e, e->replicas, ranks_world().rank);
    uint64_t row = 0;
    size_t kept = 0;
    for (size_t k = 0; k < windows; k++) {
        walk_window w = d->window[k];
        const rank_range own = range_common(share, (rank_range){w.first, w.first + w.count});
        w.first = own.begin - share.begin;
        w.count = range_size(own);
        w.threshold = d->threshold + row * changes;
        w.visits = d->visits + row;
        row += w.levels;
        if (w.count > 0)
            d->window[kept++] = w;
    }
    return kept;
}

/* Makes room for what the walk gives, and clears the visits. */
static void make_room(distributed_walks *d, uint64_t own) {
    d->visits = world_memory(d->visits, d->rows * sizeof *d->visits);
    d->extremes = world_memory(d->extremes, 2 * (own + 1) * sizeof *d->extremes);
    memset(d->visits, 0, d->rows * sizeof *d->visits);
}

/* Adds the visits of all ranks up in the windows of rank 0. */
static void add_visits(distributed_engine *e, const engine_walk *walk) {
    const distributed_walks *const d = &e->walks;
    const bool here = ranks_world().rank == 0;
    for (uint64_t n = 0; n < d->rows; n += ADDED_TOGETHER) {
        const int count = (int)(d->rows - n < ADDED_TOGETHER ? d->rows - n : ADDED_TOGETHER);
        MPI_Reduce(here ? MPI_IN_PLACE : (void *)(d->visits + n), here ? d->visits + n : NULL,
                   count, MPI_UINT64_T, MPI_SUM, 0, world_comm());
    }
    const uint64_t *row = d->visits;
    for (size_t k = 0; here && k < walk->windows; row += walk->window[k++].levels)
        memcpy(walk->window[k].visits, row, walk->window[k].levels * sizeof *row);
}

engine_status distributed_walk(distributed_engine *e, const engine_walk *walk) {
    distributed_walks *const d = &e->walks;
    const uint64_t replicas = distributed_own(e);
    engine_walk own = walk != NULL ? *walk : (engine_walk){.number = 0};
    const double clock = clock_seconds();
    world_broadcast(&own, sizeof own);
    send_windows(e, walk, own.windows);
    make_room(d, replicas);
    own.windows = keep_share(e, own.windows);
    own.window = d->window;
    own.least = d->extremes;
    own.most = d->extremes + replicas;
    distributed_time(e, PHASE_EXCHANGE, clock);
    if (own.windows > 0)
        distributed_check(e, e->local->verbs->walk(e->local, &own));
    const double walked = clock_seconds();
    const engine_status status = distributed_meet(e);
    const double known = distributed_time(e, PHASE_WAIT, walked);
    if (status != ENGINE_OK)
        return status;
    add_visits(e, walk);
    distributed_collect(e, own.least, walk != NULL ? walk->least : NULL);
    distributed_collect(e, own.most, walk != NULL ? walk->most : NULL);
    distributed_time(e, PHASE_REDUCE, known);
    return ENGINE_OK;
}
