/* Room for parents under way. */
#include "luggage.h"

#include "world.h"

#include <stdlib.h>
#include <string.h>

/* Memory of a device that others see is in pages of its own. */
#define PAGE_BYTES (UINT64_C(2) << 20)

/* How many parents a message of so many bytes has at most. */
static uint64_t room_in(uint64_t bytes, const spin_model *model) {
    const uint64_t room = bytes / model_packed_bytes(model);
    return room < 1 ? 1 : room > LUGGAGE_CHILDREN ? LUGGAGE_CHILDREN : room;
}

/* With room for a word of lanes, where there are any. */
static uint64_t with_lanes(const spin_model *model, uint64_t bytes) {
    const uint64_t least = model->disordered ? luggage_lanes_bytes(model, 1, true) : 0;
    return bytes > least ? bytes : least;
}

static uint64_t spin_bytes(const spin_model *model) {
    return with_lanes(model, room_in(LUGGAGE_BYTES, model) * model_packed_bytes(model));
}

static uint64_t device_bytes(const spin_model *model) {
    const uint64_t bytes = with_lanes(model, share_message_bytes(model));
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Whether there are ranks beyond the host. */
static bool has_far_ranks(void) {
    return ranks_world().count > ranks_world().neighbours;
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

/* --- that is seen --- */

/* Of the host: the engine is to reach that of all ranks fast. */
static shared_memory *share_on_host(engine *of) {
    uint64_t bytes;
    shared_memory *const shared = shared_take(spin_bytes(&of->model));
    uint8_t *const all = shared != NULL ? shared_begin(shared, &bytes) : NULL;
    if (all != NULL && of->share->pin != NULL)
        of->share->pin(of, all, bytes);
    return shared;
}

/* Whether it is memory of devices that is seen. */
static bool is_on_devices(const shared_memory *seen) {
    uint64_t bytes;
    return seen != NULL && shared_begin(seen, &bytes) == NULL;
}

static shared_memory *share(engine *of) {
    shared_memory *const shared =
        world_allows(EXCHANGE_PEER)
            ? shared_take_on_devices(device_bytes(&of->model), of->share->peers)
            : NULL;
    if (shared != NULL || world_allows(EXCHANGE_DEVICE) || !world_allows(EXCHANGE_SHARED))
        return shared;
    return share_on_host(of);
}

void luggage_share(engine *of, shared_memory *side[2]) {
    for (size_t n = 0; n < 2; n++)
        side[n] = share(of);
    if (side[0] != NULL && side[1] != NULL && is_on_devices(side[0]) == is_on_devices(side[1]))
        return;
    for (size_t n = 0; n < 2; n++) {
        if (side[n] != NULL)
            luggage_unshare(of, side[n]);
        side[n] = NULL;
    }
}

void luggage_unshare(engine *of, shared_memory *shared) {
    uint64_t bytes;
    uint8_t *const all = shared_begin(shared, &bytes);
    if (all != NULL && of->share->unpin != NULL)
        of->share->unpin(of, all);
    shared_return(shared);
}

/* --- messages --- */

rank_luggage *luggage_create(engine *of, const shared_memory *shared, bool wide) {
    rank_luggage *const l = calloc(1, sizeof *l);
    const bool sends = shared == NULL || has_far_ranks();
    if (l == NULL)
        return NULL;
    l->of = of;
    l->each = model_packed_bytes(&of->model);
    l->wide = wide;
    l->head = luggage_lend(of, luggage_head_bytes(LUGGAGE_CHILDREN, wide), false);
    l->spins =
        sends ? luggage_lend(of, spin_bytes(&of->model), world_allows(EXCHANGE_DEVICE)) : NULL;
    if (l->head != NULL && (l->spins != NULL || !sends))
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

uint64_t luggage_room(const spin_model *model, const shared_memory *seen) {
    return room_in(is_on_devices(seen) ? SHARE_BYTES : LUGGAGE_BYTES, model);
}

uint64_t luggage_word_room(const engine *of, const shared_memory *seen) {
    const uint64_t each = of->share->word_bytes != NULL ? of->share->word_bytes(of) : 0;
    return is_on_devices(seen) && each > 0 ? share_message_bytes(&of->model) / each : 0;
}

share_parents luggage_parents_in(void *memory, uint64_t children, bool wide) {
    uint32_t *const place = memory, *const low = place + children;
    return (share_parents){place, {low, wide ? (uint8_t *)(low + children) : NULL}};
}

void luggage_keep_parents(const rank_luggage *l, uint64_t children, uint64_t all) {
    const share_parents from = luggage_parents(l, all), to = luggage_parents(l, children);
    memmove(to.family.low, from.family.low, children * sizeof *to.family.low);
    if (l->wide)
        memmove(to.family.high, from.family.high, children * sizeof *to.family.high);
}

/* --- lanes --- */

uint64_t luggage_lanes_bytes(const spin_model *model, uint64_t words, bool wide) {
    const uint64_t family = sizeof(uint32_t) + (wide ? sizeof(uint8_t) : 0);
    return words * (model->sites * sizeof(uint32_t) + MACHINE_LANES * family);
}

share_lanes luggage_lanes(const spin_model *model, uint8_t *memory, uint64_t words, bool wide) {
    uint32_t *const spins = (uint32_t *)(void *)memory;
    uint32_t *const low = spins + words * model->sites;
    return (share_lanes){spins, {low, wide ? (uint8_t *)(low + words * MACHINE_LANES) : NULL}};
}

uint64_t luggage_lanes_room(const spin_model *model, const shared_memory *seen, bool wide) {
    return (is_on_devices(seen) ? device_bytes(model) : spin_bytes(model)) /
           luggage_lanes_bytes(model, 1, wide);
}

/* --- what it takes --- */

/* Two sides have a message out and one in each. Where there are ranks to be sent to beside such as see this one's memory,
 * spins on their way out stand there once more. */
uint64_t luggage_host_bytes(const spin_model *model) {
    const bool both = has_far_ranks() && ranks_world().neighbours > 1;
    return 4 * luggage_head_bytes(LUGGAGE_CHILDREN, true) + (both ? 6 : 4) * spin_bytes(model);
}

/* Spins on their way out that are seen, and the four messages that are sent; and what an engine brings messages through,
 * two of them. */
uint64_t luggage_device_bytes(const spin_model *model) {
    const bool seen = world_allows(EXCHANGE_PEER) && ranks_world().neighbours > 1;
    return (seen ? 2 * device_bytes(model) : 0) +
           (world_allows(EXCHANGE_DEVICE) ? 4 * spin_bytes(model) : 0) +
           2 * share_message_bytes(model);
}
