/* Parents under way from one rank to another: a message of bounded size. */
#ifndef PAISING_RANKS_MIGRATION_H
#define PAISING_RANKS_MIGRATION_H

#include "engine/partition.h"
#include "migration_words.h"
#include "peers.h"

#include <stdint.h>

/* Bytes of the spins of a message that is sent, unless one replica has more; one that is seen on a device has all that an
 * engine takes. */
#define MIGRATION_BYTES    (UINT64_C(2) << 20)
#define MIGRATION_CHILDREN PARTITION_PARENTS /* of a message */

/* What the parents of the children stand behind. */
typedef struct {
    uint64_t children; /* 0: the sender has failed */
    uint64_t first;    /* where, counted as their places are, what comes begins */
    uint64_t parents;  /* that are packed; or else */
    uint64_t words;    /* in which they stand */
} migration_head;

/* A message is a head, which is on the host: how many children, and the parent of each, by its place here or its number
 * among those that are packed; and spins. These stand where the other ranks of the host see them, and are not sent there
 * (migration_peer_memory); or where the engine reaches them fast, to be sent. They are of parents packed one behind the
 * other; what ranks see on devices may be the machine words in which these stand. */
typedef struct migration_message {
    engine *of;    /* who lends the memory */
    uint64_t each; /* bytes of the spins of one packed parent */
    bool wide;     /* families need more than 32 bits */
    migration_head *head;
    uint8_t *spins; /* that are sent; NULL: none are, all ranks see each other's */
} migration_message;

/* Bytes of the parents of so many children, and of the head of a message about them. */
static inline uint64_t migration_parents_bytes(uint64_t children, bool wide) {
    return children * (2 * sizeof(uint32_t) + wide);
}

static inline uint64_t migration_head_bytes(uint64_t children, bool wide) {
    return sizeof(migration_head) + migration_parents_bytes(children, wide);
}

/* The parents of so many children, one list behind the other. */
parent_list migration_parents_in(void *memory, uint64_t children, bool wide);

static inline parent_list migration_parents(const migration_message *l, uint64_t children) {
    return migration_parents_in(l->head + 1, children, l->wide);
}

/* Leaves the parents of the first `children` of `all`. */
void migration_keep_parents(const migration_message *l, uint64_t children, uint64_t all);

/* Memory of the host that an engine reaches fast, as share.h has it; NULL: there is none. Frees it. */
void *engine_allocate_pinned(engine *of, uint64_t bytes);
void engine_free_pinned(engine *of, void *memory);

/* Memory for spins on their way out that the ranks of the host see of each other, for messages to either side. Called by all
 * ranks. NULL: there is not enough for both. */
void migration_peer_memory(engine *of, peer_memory *side[2]);

/* Makes one for replicas of an engine, beside memory that is seen; NULL without memory. Frees it, before the engine, also
 * if it was not made. */
migration_message *migration_create(engine *of, const peer_memory *seen, bool wide);
void migration_destroy(migration_message *l);

/* How many parents a message has at most whose spins are sent, or seen; and how many words, 0: it has none. */
uint64_t migration_room(const spin_model *model, const peer_memory *seen);
uint64_t migration_word_room(const engine *of, const peer_memory *seen);

/* Between two steps the same memory serves for replicas that are compared elsewhere: the words of lanes that it has room
 * for, the bytes of so many, and where their parts stand. `wide`: families need more than 32 bits. */
uint64_t migration_lanes_room(const spin_model *model, const peer_memory *seen, bool wide);
uint64_t migration_lanes_bytes(const spin_model *model, uint64_t words, bool wide);
lane_block migration_lanes(const spin_model *model, uint8_t *memory, uint64_t words, bool wide);

/* What all this takes at most on a rank: of the host's memory, and of a device's. */
uint64_t migration_host_bytes(const spin_model *model);
uint64_t migration_device_bytes(const spin_model *model);

#endif
