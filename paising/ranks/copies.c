/* Copies of energies, levels and spins between the ranks that hold them and rank 0. */
#include "distributed.h"

#include <stdlib.h>
#include <string.h>

/* The replicas of a request that a rank holds. */
static rank_range asked_of(const distributed_engine *e, uint64_t rank, uint64_t first,
                           uint64_t count) {
    return range_common(distributed_share(e, e->replicas, rank),
                        (rank_range){first, first + count});
}

/* A buffer with one item for each requested replica. */
typedef struct {
    void *items;
    size_t each;
} item_buffer;

static void *item(item_buffer b, uint64_t n) {
    return (uint8_t *)b.items + n * b.each;
}

/* Allocates a buffer for this rank's part of a request. Rank 0 uses the caller's buffer for the
 * whole request instead. */
static item_buffer make_buffer(distributed_engine *e, void *of_program, uint64_t count,
                               size_t each) {
    const bool here = ranks_world().rank == 0;
    item_buffer b = {here ? of_program : malloc(count * each + 1), each};
    if (b.items == NULL)
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for copies of replicas");
    return b;
}

static void free_buffer(item_buffer b) {
    if (ranks_world().rank != 0)
        free(b.items);
}

/* Transfers items between rank 0 and the ranks that hold them. MPI counts by an int, which bytes of spins may exceed. */
static void carry(distributed_engine *e, item_buffer b, uint64_t first, uint64_t count,
                  bool to_program) {
    const rank_world world = ranks_world();
    MPI_Datatype one;
    MPI_Type_contiguous((int)b.each, MPI_BYTE, &one);
    MPI_Type_commit(&one);
    for (uint32_t rank = 1; rank < world.count; rank++) {
        const rank_range r = asked_of(e, rank, first, count);
        const int size = (int)range_size(r);
        if (size == 0 || (world.rank != 0 && world.rank != rank))
            continue;
        const bool sends = to_program == (world.rank == rank);
        void *const items = world.rank == 0 ? item(b, r.begin - first) : b.items;
        const int other = world.rank == 0 ? (int)rank : 0;
        if (sends)
            MPI_Send(items, size, one, other, 0, world_comm());
        else
            MPI_Recv(items, size, one, other, 0, world_comm(), MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&one);
}

void distributed_collect(distributed_engine *e, uint32_t own[], uint32_t all[]) {
    const bool here = ranks_world().rank == 0;
    if (here)
        memcpy(all, own, distributed_own(e) * sizeof *all);
    carry(e, (item_buffer){here ? all : own, sizeof *own}, 0, e->replicas, true);
}

/* Reads the levels, or the energies, of this rank's part of a request, and carries them to rank 0. */
static engine_status read_measured(distributed_engine *e, uint64_t first, uint64_t count,
                                   uint32_t *levels, int64_t *energies, bool of_levels) {
    const struct engine_verbs *const verbs = e->local->verbs;
    const uint32_t rank = ranks_world().rank;
    const rank_range mine = asked_of(e, rank, first, count);
    const uint64_t from = mine.begin - distributed_share(e, e->replicas, rank).begin,
                   own = range_size(mine);
    const item_buffer b = of_levels ? make_buffer(e, levels, own, sizeof *levels)
                                    : make_buffer(e, energies, own, sizeof *energies);
    if (b.items != NULL && own > 0)
        distributed_check(e, of_levels ? verbs->read_levels(e->local, from, own, b.items)
                                       : verbs->read_energies(e->local, from, own, b.items));
    const engine_status status = distributed_agree(e);
    if (status == ENGINE_OK)
        carry(e, b, first, count, true);
    free_buffer(b);
    return status;
}

/* A level of a group is that of its report. */
engine_status distributed_read_levels(distributed_engine *e, uint64_t first, uint64_t count,
                                      uint32_t *levels) {
    const engine_status status = read_measured(e, first, count, levels, NULL, true);
    if (status != ENGINE_OK || ranks_world().rank > 0 || !distributed_has_energies(e) ||
        e->in_groups)
        return status;
    for (uint32_t from = 0; from < ranks_world().count; from++) {
        const rank_range r = asked_of(e, from, first, count);
        distributed_name_levels(e, from, range_size(r), levels + (r.begin - first));
    }
    return ENGINE_OK;
}

engine_status distributed_read_energies(distributed_engine *e, uint64_t first, uint64_t count,
                                        int64_t *energies) {
    return read_measured(e, first, count, NULL, energies, false);
}

engine_status distributed_save(distributed_engine *e, uint64_t first, uint64_t count,
                               uint8_t *spins, uint32_t *families) {
    const uint32_t rank = ranks_world().rank;
    const uint64_t origin = distributed_share(e, e->replicas, rank).begin;
    const rank_range mine = asked_of(e, rank, first, count);
    const item_buffer s = make_buffer(e, spins, range_size(mine),
                                      model_packed_bytes(&e->local->model)),
                      f = make_buffer(e, families, range_size(mine), sizeof *families);
    if (e->wrong[0] == '\0' && range_size(mine) > 0)
        distributed_check(e, e->local->verbs->read(e->local, mine.begin - origin, range_size(mine),
                                                   s.items, f.items));
    const engine_status status = distributed_agree(e);
    e->wrong[0] = '\0'; /* the engine is unchanged */
    if (status == ENGINE_OK) {
        carry(e, s, first, count, true);
        carry(e, f, first, count, true);
    }
    free_buffer(s);
    free_buffer(f);
    return status;
}

engine_status distributed_load(distributed_engine *e, uint64_t first, uint64_t count,
                               uint64_t replicas, const uint8_t *spins, const uint32_t *families) {
    const uint32_t rank = ranks_world().rank;
    distributed_hold(e, replicas);
    const rank_range all = distributed_share(e, replicas, rank),
                     mine = asked_of(e, rank, first, count);
    const item_buffer s = make_buffer(e, (void *)(uintptr_t)spins, range_size(mine),
                                      model_packed_bytes(&e->local->model)),
                      f = make_buffer(e, (void *)(uintptr_t)families, range_size(mine),
                                      sizeof *families);
    engine_status status = distributed_agree(e);
    if (status == ENGINE_OK) {
        carry(e, s, first, count, false);
        carry(e, f, first, count, false);
        if (range_size(mine) > 0)
            distributed_check(e, e->local->verbs->write(e->local, mine.begin - all.begin,
                                                        range_size(mine), range_size(all), s.items,
                                                        f.items));
        status = distributed_agree(e);
    }
    free_buffer(s);
    free_buffer(f);
    return status;
}
