/* A distributed engine and the memory that it takes. */
#include "broadcast.h"
#include "distributed.h"
#include "migration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

engine_config ranks_share(const engine_config *config) {
    engine_config own = *config;
    const uint64_t unit = partition_unit(config), ranks = ranks_world().count;
    if (unit == 0 || ranks == 1)
        return own;
    const uint64_t units = (config->capacity + unit - 1) / unit;
    const uint64_t share = (units + ranks - 1) / ranks * unit;
    if (config->group > 0 || config->walkers) { /* populations that neither grow nor move */
        own.capacity = share < config->capacity ? share : config->capacity;
        return own;
    }
    const uint64_t remote = (uint64_t)ceil(8 * sqrt((double)share));
    own.capacity = share + (remote + unit - 1) / unit * unit + unit;
    return own;
}

/* Who the parents of a share are, if all come from elsewhere. */
static uint64_t remote_parent_bytes(const engine_config *config) {
    return migration_parents_bytes(ranks_share(config).capacity);
}

/* The levels of a report of all ranks: of energies without levels as many as there may be replicas. */
static energy_levels levels_of_all(const engine_config *config) {
    energy_levels levels = config->model.levels;
    if (levels.fine)
        levels.count = (uint32_t)config->capacity;
    return levels;
}

uint64_t ranks_bytes(const engine_config *config) {
    const energy_levels levels = levels_of_all(config);
    const uint64_t own = ranks_share(config).capacity;
    if (ranks_world().count == 1)
        return 0;
    return migration_host_bytes(&config->model) + remote_parent_bytes(config) +
           given_bytes(config, own) + walk_bytes(config, own) +
           report_numbers(&levels) * sizeof(uint64_t) +
           levels.count * (sizeof(level_sums) + sizeof(uint64_t)) +
           distributed_energies_bytes(config) + 2 * MIGRATION_CHILDREN * sizeof(uint32_t);
}

/* Places of parents that leave; parents and families of children that are noted; and spins. */
uint64_t ranks_device_bytes(const engine_config *config) {
    if (ranks_world().count == 1)
        return 0;
    const uint64_t capacity = ranks_share(config).capacity;
    return MIGRATION_CHILDREN * sizeof(uint32_t) +
           (offspring_list_room(capacity) + 2 * offspring_list_margin(capacity)) * 2 *
               sizeof(uint32_t) +
           migration_device_bytes(&config->model);
}

/* Makes what the ranks need beside the engine. Returns whether there is memory for it. */
static bool make_rooms(distributed_engine *e, const energy_levels *levels) {
    const uint32_t ranks = ranks_world().count;
    e->tau_hat = calloc(levels->count, sizeof *e->tau_hat);
    e->sums.number = malloc(report_numbers(levels) * sizeof *e->sums.number);
    e->ends = calloc(ranks, sizeof *e->ends);
    e->sums.families = calloc(ranks, sizeof *e->sums.families);
    return e->tau_hat && e->sums.number && e->ends && e->sums.families &&
           (!levels->fine || distributed_create_energies(e));
}

/* Makes what messages are in; called by all ranks. Returns likewise. */
static bool make_messages(distributed_engine *e) {
    bool made = true;
    migration_peer_memory(e->local, e->messages.peer);
    for (size_t side = 0; side < 2; side++) {
        e->messages.out[side] = migration_create(e->local, e->messages.peer[side]);
        e->messages.in[side] = migration_create(e->local, e->messages.peer[side]);
        e->messages.packed[side] =
            engine_allocate_pinned(e->local, MIGRATION_CHILDREN * sizeof(uint32_t));
        made = made && e->messages.out[side] && e->messages.in[side] && e->messages.packed[side];
    }
    return made && distributed_create_given(e) &&
           distributed_reserve_remote(e,
                                      e->most < MIGRATION_CHILDREN ? e->most : MIGRATION_CHILDREN);
}

/* Adds the threads of all ranks up, and names them. */
static void introduce(distributed_engine *e, const energy_levels *levels) {
    uint32_t threads = e->local->threads;
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_UINT32_T, MPI_SUM, world_comm());
    snprintf(e->name, sizeof e->name, "%.300s, %u ranks", e->local->name, ranks_world().count);
    e->base.name = e->name;
    e->base.driver = e->local->driver;
    e->base.model = e->local->model;
    e->base.model.levels.count = levels->count;
    e->base.threads = threads;
    memcpy(e->base.seconds, e->local->seconds, sizeof e->base.seconds);
}

bool distributed_create(distributed_engine *e, uint32_t number, const engine_config *config,
                        int device, const rank_maker *maker, char *reason, size_t size) {
    const engine_config own = ranks_share(config);
    const energy_levels levels = levels_of_all(config);
    char wrong[300] = "not enough memory";
    *e = (distributed_engine){.number = number,
                              .unit = partition_unit(config),
                              .capacity = config->capacity,
                              .group = config->group,
                              .most = own.capacity,
                              .rule = config->resampling};
    broadcast_reserve_numbers(number, 0);
    if (make_rooms(e, &levels))
        e->local = maker->make(&own, device, wrong, sizeof wrong);
    bool made = e->local != NULL && e->local->verbs->partition != NULL;
    if (e->local != NULL && !made)
        snprintf(wrong, sizeof wrong, "%s cannot hold a share of a population", e->local->name);
    if (made && stepper_create(&e->steps, e->local)) {
        snprintf(wrong, sizeof wrong, "not enough memory");
        made = false;
    }
    if (!world_agrees(made ? NULL : wrong, reason, size) ||
        !world_agrees(make_messages(e) ? NULL : "not enough memory", reason, size)) {
        distributed_destroy(e);
        return false;
    }
    distributed_set_occupied(e, (level_range){0, 0});
    introduce(e, &levels);
    return true;
}

void distributed_describe(const engine_config *config, int device, const rank_maker *maker,
                          rank_needs needs[]) {
    const engine_config own = ranks_share(config);
    rank_needs mine = {.gpu = false};
    maker->describe(&own, device, &mine);
    mine.host_bytes += ranks_bytes(config);
    mine.device_bytes += mine.gpu ? ranks_device_bytes(config) : 0;
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, needs, sizeof mine, MPI_BYTE, 0, world_comm());
}

void distributed_destroy(distributed_engine *e) {
    const struct partition_verbs *const share =
        e->local != NULL ? e->local->verbs->partition : NULL;
    if (share != NULL &&
        share->synchronise != NULL) /* a step that failed may have left it at work */
        share->synchronise(e->local);
    for (size_t side = 0; side < 2; side++) {
        migration_destroy(e->messages.out[side]);
        migration_destroy(e->messages.in[side]);
        if (e->messages.peer[side] != NULL)
            peer_memory_return(e->messages.peer[side]);
        engine_free_pinned(e->local, e->messages.packed[side]);
    }
    engine_free_pinned(e->local, e->messages.remote.place);
    if (e->local != NULL)
        e->local->verbs->destroy(e->local);
    stepper_destroy(&e->steps);
    distributed_destroy_groups(e);
    distributed_destroy_given(e);
    distributed_destroy_walks(e);
    distributed_destroy_energies(e);
    free(e->tau_hat);
    free(e->sums.number);
    free(e->ends);
    free(e->sums.families);
    broadcast_reserve_numbers(e->number, 0);
    *e = (distributed_engine){.local = NULL};
}
