/* Room for parents under way. */
#include "luggage.h"

#include "ranks.h"

#include <stdlib.h>

/* How many parents a message has at most. */
static uint64_t room_of(uint64_t each) {
    const uint64_t room = LUGGAGE_BYTES / each;
    return room < 1 ? 1 : room > LUGGAGE_CHILDREN ? LUGGAGE_CHILDREN : room;
}

void *luggage_lend(engine *of, uint64_t bytes, bool on_device) {
    return of->share->lend != NULL ? of->share->lend(of, bytes, on_device) : malloc(bytes);
}

void luggage_reclaim(engine *of, void *memory) {
    if (memory != NULL && of->share->reclaim != NULL)
        of->share->reclaim(of, memory);
    else
        free(memory);
}

/* Has an engine reach the shared memory of all ranks of the host fast. Returns this rank's. */
static uint8_t *pin(engine *of, const shared_memory *shared) {
    uint64_t bytes;
    uint8_t *const all = shared_begin(shared, &bytes);
    if (of->share->pin != NULL)
        of->share->pin(of, all, bytes);
    return shared_of(shared, ranks_world().rank);
}

static void unpin(engine *of, const shared_memory *shared) {
    uint64_t bytes;
    if (of->share->unpin != NULL)
        of->share->unpin(of, shared_begin(shared, &bytes));
}

rank_luggage *luggage_create(engine *of, bool on_device, shared_memory *shared) {
    rank_luggage *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->of = of;
    l->each = model_packed_bytes(&of->model);
    l->room = room_of(l->each);
    l->head = luggage_lend(of, luggage_head_bytes(l->room), false);
    l->shared = shared;
    l->spins = shared != NULL ? pin(of, shared)
                              : luggage_lend(of, luggage_spin_bytes(&of->model), on_device);
    if (l->head != NULL && l->spins != NULL)
        return l;
    luggage_destroy(l);
    return NULL;
}

void luggage_destroy(rank_luggage *l) {
    if (l == NULL)
        return;
    luggage_reclaim(l->of, l->head);
    if (l->shared != NULL)
        unpin(l->of, l->shared);
    else
        luggage_reclaim(l->of, l->spins);
    free(l);
}

uint64_t luggage_spin_bytes(const spin_model *model) {
    const uint64_t each = model_packed_bytes(model);
    return room_of(each) * each;
}

uint64_t luggage_memory(const spin_model *model) {
    return luggage_head_bytes(room_of(model_packed_bytes(model))) + luggage_spin_bytes(model);
}
