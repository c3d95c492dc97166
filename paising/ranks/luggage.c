/* Room for parents under way. */
#include "luggage.h"

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

rank_luggage *luggage_create(engine *of, bool on_device) {
    rank_luggage *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->of = of;
    l->each = model_packed_bytes(&of->model);
    l->room = room_of(l->each);
    l->head = luggage_lend(of, luggage_head_bytes(l->room), false);
    l->spins = luggage_lend(of, l->room * l->each, on_device);
    if (l->head != NULL && l->spins != NULL)
        return l;
    luggage_destroy(l);
    return NULL;
}

void luggage_destroy(rank_luggage *l) {
    if (l == NULL)
        return;
    luggage_reclaim(l->of, l->head);
    luggage_reclaim(l->of, l->spins);
    free(l);
}

uint64_t luggage_memory(const spin_model *model) {
    const uint64_t each = model_packed_bytes(model), room = room_of(each);
    return luggage_head_bytes(room) + room * each;
}
