/* Room for parents under way. */
#include "luggage.h"

#include <stdlib.h>

/* How many parents a message has at most. */
static uint64_t room_of(uint64_t each) {
    const uint64_t room = LUGGAGE_BYTES / each;
    return room < 1 ? 1 : room > LUGGAGE_CHILDREN ? LUGGAGE_CHILDREN : room;
}

rank_luggage *luggage_create(const spin_model *model) {
    rank_luggage *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->each = model_packed_bytes(model);
    l->room = room_of(l->each);
    l->bytes = malloc(luggage_bytes(l, l->room));
    if (l->bytes != NULL)
        return l;
    free(l);
    return NULL;
}

void luggage_destroy(rank_luggage *l) {
    if (l != NULL)
        free(l->bytes);
    free(l);
}

uint64_t luggage_memory(const spin_model *model) {
    const rank_luggage l = {.each = model_packed_bytes(model)};
    return luggage_bytes(&l, room_of(l.each));
}
