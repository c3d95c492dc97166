/* Migration messages: parents on their way from one rank to another, in messages of bounded size. */
#ifndef PAISING_RANKS_MIGRATION_H
#define PAISING_RANKS_MIGRATION_H

#include "engine/partition.h"
#include "migration_words.h"
#include "peers.h"

#include <stdint.h>

/* Bytes of spins in a message that is sent, unless one replica has more. In exported device memory
 * a message is as large as the engine allows. */
#define MIGRATION_BYTES    (UINT64_C(2) << 20)
#define MIGRATION_CHILDREN PARTITION_PARENTS /* most children per message */

/* The first part of a message head; the list of parents follows it. */
typedef struct {
    uint64_t children; /* 0: the sender has failed */
    uint64_t first;    /* the place, in the numbering of the parent list, of the first parent or
                        * word */
    uint64_t parents;  /* packed parents; 0 if machine words are sent */
    uint64_t words;    /* machine words; 0 if parents are packed */
} migration_head;

/* A message has a head and spins. The head, in host memory, lists the parent of each child: its
 * place on the sender, or its number among the packed parents. The spins are in exported memory
 * where the receiver reads them (migration_peer_memory), or else in pinned memory, from which they
 * are sent. They belong to parents packed one behind the other. In exported device memory they may
 * be whole machine words instead. */
typedef struct migration_message {
    engine *of;    /* the engine that allocated the pinned memory */
    uint64_t each; /* bytes of the spins of one packed parent */
    migration_head *head;
    uint8_t *spins; /* spins to be sent or received; NULL if all ranks read each other's memory */
} migration_message;

/* Bytes of the parent list of `children` children, and of a message head with that list. */
static inline uint64_t migration_parents_bytes(uint64_t children) {
    return children * 2 * sizeof(uint32_t);
}

static inline uint64_t migration_head_bytes(uint64_t children) {
    return sizeof(migration_head) + migration_parents_bytes(children);
}

/* The parent list of `children` children: places, then families. */
parent_list migration_parents_in(void *memory, uint64_t children);

static inline parent_list migration_parents(const migration_message *l, uint64_t children) {
    return migration_parents_in(l->head + 1, children);
}

/* Shortens the parent list from `all` children to the first `children`. */
void migration_keep_parents(const migration_message *l, uint64_t children, uint64_t all);

/* Allocates host memory that the engine's device reaches fast (partition.h), or ordinary memory; NULL:
 * out of memory. The second function frees it. */
void *engine_allocate_pinned(engine *of, uint64_t bytes);
void engine_free_pinned(engine *of, void *memory);

/* Fills side[] with exported memory for outgoing spins, one buffer for each side; both are NULL if
 * there is not enough for both. Called by all ranks. */
void migration_peer_memory(engine *of, peer_memory *side[2]);

/* Creates a message for replicas of an engine; `seen` is the exported memory of its side, or NULL.
 * Returns NULL without memory. migration_destroy, which accepts NULL, must be called before the
 * engine is destroyed. */
migration_message *migration_create(engine *of, const peer_memory *seen);
void migration_destroy(migration_message *l);

/* The most parents in a message whose spins are sent (seen = NULL) or read by the receiver; and the
 * most machine words, 0 if words are not exchanged. */
uint64_t migration_room(const spin_model *model, const peer_memory *seen);
uint64_t migration_word_room(const engine *of, const peer_memory *seen);

/* Between two steps the same memory holds replicas to be compared on another rank. The functions
 * return the words of lanes that fit, the bytes of `words` words, and the layout of these bytes. */
uint64_t migration_lanes_room(const spin_model *model, const peer_memory *seen);
uint64_t migration_lanes_bytes(const spin_model *model, uint64_t words);
lane_block migration_lanes(const spin_model *model, uint8_t *memory, uint64_t words);

/* The most memory in bytes that messages take on a rank: of the host and of its device. */
uint64_t migration_host_bytes(const spin_model *model);
uint64_t migration_device_bytes(const spin_model *model);

#endif
