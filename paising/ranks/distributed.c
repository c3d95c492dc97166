/* The share of a rank, and the verbs that need no more than each rank's engine and a report. */
#include "distributed.h"

#include "base/clock.h"
#include "broadcast.h"
#include "migration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rank_range distributed_share(const distributed_engine *e, uint64_t population, uint64_t rank) {
    const uint32_t ranks = ranks_world().count;
    return (rank_range){share_begin(population, e->unit, rank, ranks),
                        share_begin(population, e->unit, rank + 1, ranks)};
}

uint64_t distributed_own(const distributed_engine *e) {
    return range_size(distributed_share(e, e->replicas, ranks_world().rank));
}

const peer_memory *distributed_peer_memory(const distributed_engine *e, int from, int to) {
    const peer_memory *const peer = e->peer[distributed_side(from, to)];
    const int other = from == (int)ranks_world().rank ? to : from;
    return peer_memory_of(peer, (uint32_t)other) != NULL ? peer : NULL;
}

uint8_t *distributed_peer_spins(const distributed_engine *e, int from, int to) {
    return peer_memory_of(distributed_peer_memory(e, from, to), (uint32_t)from);
}

bool distributed_check(distributed_engine *e, engine_status status) {
    if (status != ENGINE_OK && e->wrong[0] == '\0')
        snprintf(e->wrong, sizeof e->wrong, "%s",
                 status == ENGINE_FAILED ? e->local->error : "its share is larger than it can be");
    return status == ENGINE_OK;
}

double distributed_time(distributed_engine *e, distributed_phase where, double start) {
    const double now = clock_seconds();
    e->base.phase_seconds[where] += now - start;
    return now;
}

bool distributed_reserve_remote(distributed_engine *e, uint64_t children) {
    const uint64_t twice = 2 * children; /* they are often more by and by */
    const uint64_t room = twice < e->most ? twice : e->most;
    if (children <= e->remote_room)
        return true;
    engine_free_pinned(e->local, e->remote.place);
    e->remote = (parent_list){.place = NULL};
    e->remote_room = 0;
    void *const memory = engine_allocate_pinned(e->local, migration_parents_bytes(room, e->wide));
    if (memory == NULL)
        return false;
    e->remote = migration_parents_in(memory, room, e->wide);
    e->remote_room = room;
    return true;
}

engine_status distributed_agree(distributed_engine *e) {
    return world_agrees(e->wrong[0] != '\0' ? e->wrong : NULL, e->base.error, sizeof e->base.error)
               ? ENGINE_OK
               : ENGINE_FAILED;
}

/* Makes room for guests in advance: for as many as the words of the longest message may need, three shares at most, or as
 * there is memory for. */
static void reserve_remote_places(distributed_engine *e) {
    const uint64_t most = migration_places_for(MIGRATION_CHILDREN, 1);
    uint64_t guests = 3 * e->most < most ? 3 * e->most : most;
    while (guests >= e->unit && partition_places(e->local, e->most + guests) < e->most + guests)
        guests /= 2;
}

/* Has the ways awake that parents take in most steps: those from the ranks beside this one. */
static void warm_up_links(const distributed_engine *e) {
    const rank_world world = ranks_world();
    if (world.rank > 0)
        peer_memory_warm_up(e->peer[ABOVE], world.rank - 1);
    if (world.rank + 1 < world.count)
        peer_memory_warm_up(e->peer[BELOW], world.rank + 1);
}

void distributed_hold(distributed_engine *e, uint64_t population) {
    const struct partition_verbs *const share = e->local->verbs->partition;
    e->replicas = population;
    share->hold(e->local, distributed_share(e, population, ranks_world().rank).begin, population);
    if (share->list_room != NULL) /* it knows what memory is left */
        reserve_remote_places(e);
    warm_up_links(e);
}

/* --- steps --- */

/* Leaves nothing of a step that failed, or of a run that did. */
static void forget(distributed_engine *e) {
    e->wrong[0] = '\0';
    e->selected = ENGINE_OK;
}

void distributed_randomise(distributed_engine *e, stream_key key, uint64_t replicas) {
    forget(e);
    distributed_hold(e, replicas);
    distributed_check(e, stepper_randomise(&e->steps, key, distributed_own(e)));
    distributed_count(e);
}

void distributed_start(distributed_engine *e, const engine_step *step) {
    engine_step own = *step;
    e->parts = step->parts;
    e->selected = step->parts & PART_SELECT ? distributed_select(e, step) : ENGINE_OK;
    own.tau_hat = NULL;
    if (e->selected == ENGINE_OK && e->wrong[0] == '\0')
        distributed_check(e, stepper_submit(&e->steps, &own));
}

engine_status distributed_finish(distributed_engine *e) {
    if (e->selected != ENGINE_OK)
        return e->selected == ENGINE_FAILED ? distributed_agree(e) : e->selected;
    if (e->wrong[0] == '\0')
        distributed_check(e, stepper_wait(&e->steps));
    if (!(e->parts & PART_MEASURE))
        return distributed_agree(e);
    distributed_count(e);
    return ENGINE_OK;
}

/* --- creation --- */

engine_config ranks_share(const engine_config *config) {
    engine_config own = *config;
    const uint64_t unit = partition_unit(config), ranks = ranks_world().count;
    if (unit == 0 || ranks == 1)
        return own;
    const uint64_t units = (config->capacity + unit - 1) / unit;
    const uint64_t share = (units + ranks - 1) / ranks * unit;
    const uint64_t guests = (uint64_t)ceil(8 * sqrt((double)share));
    own.capacity = share + (guests + unit - 1) / unit * unit + unit;
    return own;
}

/* Who the parents of a share are, if all come from elsewhere. */
static uint64_t remote_parent_bytes(const engine_config *config) {
    return migration_parents_bytes(ranks_share(config).capacity, config->wide);
}

uint64_t ranks_bytes(const engine_config *config) {
    const uint64_t levels = config->model.levels.count, ranks = ranks_world().count;
    if (ranks == 1)
        return 0;
    return migration_host_bytes(&config->model) + remote_parent_bytes(config) +
           report_numbers(&config->model.levels) * sizeof(uint64_t) +
           levels * (sizeof(level_sums) + sizeof(uint64_t)) +
           2 * MIGRATION_CHILDREN * sizeof(uint32_t);
}

/* Places of parents that leave; parents and families of children that are noted; and spins. */
uint64_t ranks_device_bytes(const engine_config *config) {
    if (ranks_world().count == 1)
        return 0;
    const uint64_t capacity = ranks_share(config).capacity;
    return MIGRATION_CHILDREN * sizeof(uint32_t) +
           (offspring_list_room(capacity) + 2 * offspring_list_margin(capacity)) *
               (2 * sizeof(uint32_t) + config->wide) +
           migration_device_bytes(&config->model);
}

/* Makes what the ranks need beside the engine. Returns whether there is memory for it. */
static bool make_rooms(distributed_engine *e, const spin_model *model) {
    const uint32_t ranks = ranks_world().count;
    e->tau_hat = calloc(model->levels.count, sizeof *e->tau_hat);
    e->sums = malloc(report_numbers(&model->levels) * sizeof *e->sums);
    e->ends = calloc(ranks, sizeof *e->ends);
    e->kin = calloc(ranks, sizeof *e->kin);
    return e->tau_hat && e->sums && e->ends && e->kin;
}

/* Makes what messages are in; called by all ranks. Returns likewise. */
static bool make_messages(distributed_engine *e) {
    bool made = true;
    migration_peer_memory(e->local, e->peer);
    for (size_t side = 0; side < 2; side++) {
        e->out[side] = migration_create(e->local, e->peer[side], e->wide);
        e->in[side] = migration_create(e->local, e->peer[side], e->wide);
        e->packed[side] = engine_allocate_pinned(e->local, MIGRATION_CHILDREN * sizeof(uint32_t));
        made = made && e->out[side] && e->in[side] && e->packed[side];
    }
    return made && distributed_reserve_remote(e, e->most < MIGRATION_CHILDREN ? e->most
                                                                              : MIGRATION_CHILDREN);
}

/* Adds the threads of all ranks up, and names them. */
static void introduce(distributed_engine *e) {
    uint32_t threads = e->local->threads;
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_UINT32_T, MPI_SUM, world_comm());
    snprintf(e->name, sizeof e->name, "%.300s, %u ranks", e->local->name, ranks_world().count);
    e->base.name = e->name;
    e->base.driver = e->local->driver;
    e->base.model = e->local->model;
    e->base.threads = threads;
    memcpy(e->base.seconds, e->local->seconds, sizeof e->base.seconds);
}

bool distributed_create(distributed_engine *e, uint32_t number, const engine_config *config,
                        int device, const rank_maker *maker, char *reason, size_t size) {
    const engine_config own = ranks_share(config);
    char wrong[300] = "not enough memory";
    *e = (distributed_engine){.number = number,
                              .unit = partition_unit(config),
                              .capacity = config->capacity,
                              .wide = config->wide,
                              .most = own.capacity,
                              .rule = config->resampling};
    broadcast_reserve_numbers(number, 0);
    if (make_rooms(e, &config->model))
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
    introduce(e);
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
        migration_destroy(e->out[side]);
        migration_destroy(e->in[side]);
        if (e->peer[side] != NULL)
            peer_memory_return(e->peer[side]);
        engine_free_pinned(e->local, e->packed[side]);
    }
    engine_free_pinned(e->local, e->remote.place);
    if (e->local != NULL)
        e->local->verbs->destroy(e->local);
    stepper_destroy(&e->steps);
    free(e->tau_hat);
    free(e->sums);
    free(e->ends);
    free(e->kin);
    broadcast_reserve_numbers(e->number, 0);
    *e = (distributed_engine){.local = NULL};
}
