/* The share of a rank, and what has failed there. */
#include "distributed.h"

#include "base/clock.h"
#include "base/signals.h"
#include "migration.h"

#include <string.h>

rank_range distributed_share(const distributed_engine *e, uint64_t population, uint64_t rank) {
    const uint32_t ranks = ranks_world().count;
    return (rank_range){share_begin(population, e->unit, rank, ranks),
                        share_begin(population, e->unit, rank + 1, ranks)};
}

uint32_t distributed_rank_of(const distributed_engine *e, uint64_t replica) {
    const uint64_t units = (e->replicas + e->unit - 1) / e->unit;
    return (uint32_t)(((replica / e->unit + 1) * ranks_world().count - 1) / units);
}

uint64_t distributed_own(const distributed_engine *e) {
    return range_size(distributed_share(e, e->replicas, ranks_world().rank));
}

const peer_memory *distributed_peer_memory(const distributed_engine *e, int from, int to) {
    const peer_memory *const peer = e->messages.peer[distributed_side(from, to)];
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
    if (children <= e->messages.remote_room)
        return true;
    engine_free_pinned(e->local, e->messages.remote.place);
    e->messages.remote = (parent_list){.place = NULL};
    e->messages.remote_room = 0;
    void *const memory = engine_allocate_pinned(e->local, migration_parents_bytes(room));
    if (memory == NULL)
        return false;
    e->messages.remote = migration_parents_in(memory, room);
    e->messages.remote_room = room;
    return true;
}

engine_status distributed_agree(distributed_engine *e) {
    return world_agrees(e->wrong[0] != '\0' ? e->wrong : NULL, e->base.error, sizeof e->base.error)
               ? ENGINE_OK
               : ENGINE_FAILED;
}

engine_status distributed_meet(distributed_engine *e) {
    uint64_t most[] = {e->wrong[0] != '\0', (uint64_t)signals_pending()};
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, world_comm());
    signals_take((int)most[1]);
    return most[0] > 0 ? distributed_agree(e) : ENGINE_OK;
}

/* Makes room for remote parents in advance: for as many as the words of the longest message may need, three shares at most, or as
 * there is memory for. */
static void reserve_remote_places(distributed_engine *e) {
    const uint64_t most = migration_places_for(MIGRATION_CHILDREN, 1);
    uint64_t remote = 3 * e->most < most ? 3 * e->most : most;
    while (remote >= e->unit && partition_places(e->local, e->most + remote) < e->most + remote)
        remote /= 2;
}

/* Has the ways awake that parents take in most steps: those from the ranks beside this one. */
static void warm_up_links(const distributed_engine *e) {
    const rank_world world = ranks_world();
    if (world.rank > 0)
        peer_memory_warm_up(e->messages.peer[ABOVE], world.rank - 1);
    if (world.rank + 1 < world.count)
        peer_memory_warm_up(e->messages.peer[BELOW], world.rank + 1);
}

void distributed_hold(distributed_engine *e, uint64_t population) {
    const struct partition_verbs *const share = e->local->verbs->partition;
    e->replicas = population;
    share->hold(e->local, distributed_share(e, population, ranks_world().rank).begin, population);
    if (share->list_room != NULL && e->group == 0 && e->local->verbs->walk == NULL)
        /* it knows what memory is left */
        reserve_remote_places(e);
    warm_up_links(e);
}
