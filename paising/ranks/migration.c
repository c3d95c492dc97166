/* Memory for migration messages (migration.h). */
#include "migration.h"

#include "world.h"

#include <stdlib.h>
#include <string.h>

/* Exported device memory is allocated in pages of this size. */
#define PAGE_BYTES (UINT64_C(2) << 20)

/* The most parents in a message of `bytes` bytes. */
static uint64_t room_in(uint64_t bytes, const spin_model *model) {
    const uint64_t room = bytes / model_packed_bytes(model);
    return room < 1 ? 1 : room > MIGRATION_CHILDREN ? MIGRATION_CHILDREN : room;
}

/* Enlarges a message of a disordered model so that one word of lanes fits. */
static uint64_t with_lanes(const spin_model *model, uint64_t bytes) {
    const uint64_t least = model->disordered ? migration_lanes_bytes(model, 1) : 0;
    return bytes > least ? bytes : least;
}

static uint64_t spin_bytes(const spin_model *model) {
    return with_lanes(model, room_in(MIGRATION_BYTES, model) * model_packed_bytes(model));
}

static uint64_t device_bytes(const spin_model *model) {
    const uint64_t bytes = with_lanes(model, partition_message_bytes(model));
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Whether there are ranks on other hosts. */
static bool has_far_ranks(void) {
    return ranks_world().count > ranks_world().neighbours;
}

void *engine_allocate_pinned(engine *of, uint64_t bytes) {
    return of->verbs->partition->allocate_pinned != NULL
               ? of->verbs->partition->allocate_pinned(of, bytes)
               : malloc(bytes);
}

void engine_free_pinned(engine *of, void *memory) {
    if (memory != NULL && of->verbs->partition->free_pinned != NULL)
        of->verbs->partition->free_pinned(of, memory);
    else
        free(memory);
}

/* --- exported memory --- */

void migration_peer_memory(engine *of, peer_memory *side[2]) {
    for (size_t n = 0; n < 2; n++)
        side[n] = peer_memory_take(device_bytes(&of->model), of->verbs->partition->peers);
    for (size_t n = 0; n < 2; n++)
        if (side[n] != NULL && side[1 - n] == NULL) {
            peer_memory_return(side[n]);
            side[n] = NULL;
        }
}

/* --- messages --- */

migration_message *migration_create(engine *of, const peer_memory *seen) {
    migration_message *const l = calloc(1, sizeof *l);
    const bool sends = seen == NULL || has_far_ranks();
    if (l == NULL)
        return NULL;
    l->of = of;
    l->each = model_packed_bytes(&of->model);
    l->head = engine_allocate_pinned(of, migration_head_bytes(MIGRATION_CHILDREN));
    l->spins = sends ? engine_allocate_pinned(of, spin_bytes(&of->model)) : NULL;
    if (l->head != NULL && (l->spins != NULL || !sends))
        return l;
    migration_destroy(l);
    return NULL;
}

void migration_destroy(migration_message *l) {
    if (l == NULL)
        return;
    engine_free_pinned(l->of, l->head);
    engine_free_pinned(l->of, l->spins);
    free(l);
}

uint64_t migration_room(const spin_model *model, const peer_memory *seen) {
    return room_in(seen != NULL ? PARTITION_BYTES : MIGRATION_BYTES, model);
}

uint64_t migration_word_room(const engine *of, const peer_memory *seen) {
    const uint64_t each =
        of->verbs->partition->word_bytes != NULL ? of->verbs->partition->word_bytes(of) : 0;
    return seen != NULL && each > 0 ? partition_message_bytes(&of->model) / each : 0;
}

parent_list migration_parents_in(void *memory, uint64_t children) {
    uint32_t *const place = memory;
    return (parent_list){place, place + children};
}

void migration_keep_parents(const migration_message *l, uint64_t children, uint64_t all) {
    const parent_list from = migration_parents(l, all), to = migration_parents(l, children);
    memmove(to.family, from.family, children * sizeof *to.family);
}

/* --- lanes --- */

/* Bytes of the spins of a word. */
static uint64_t lanes_spin_bytes(const spin_model *model) {
    return overlap_is_of_bits(model) ? model->sites * sizeof(uint32_t) : model_packed_bytes(model);
}

uint64_t migration_lanes_bytes(const spin_model *model, uint64_t words) {
    return words * (lanes_spin_bytes(model) + overlap_lanes(model) * sizeof(uint32_t));
}

lane_block migration_lanes(const spin_model *model, uint8_t *memory, uint64_t words) {
    uint8_t *const family = memory + words * lanes_spin_bytes(model);
    return (lane_block){memory, (uint32_t *)(void *)family};
}

uint64_t migration_lanes_room(const spin_model *model, const peer_memory *seen) {
    return (seen != NULL ? device_bytes(model) : spin_bytes(model)) /
           migration_lanes_bytes(model, 1);
}

/* --- memory needed --- */

/* Each of the two sides has one outgoing and one incoming message. If some ranks read this rank's
 * memory and others do not, outgoing spins also need memory to be sent from. */
uint64_t migration_host_bytes(const spin_model *model) {
    const bool both = has_far_ranks() && ranks_world().neighbours > 1;
    return 4 * migration_head_bytes(MIGRATION_CHILDREN) + (both ? 6 : 4) * spin_bytes(model);
}

/* Two exported buffers for outgoing spins, and two device buffers through which the engine moves
 * messages. */
uint64_t migration_device_bytes(const spin_model *model) {
    const bool seen = world_allows_peers() && ranks_world().neighbours > 1;
    return (seen ? 2 * device_bytes(model) : 0) + 2 * partition_message_bytes(model);
}
