/* Parents under way from one rank to another: a message of bounded size. */
#ifndef PAISING_RANKS_LUGGAGE_H
#define PAISING_RANKS_LUGGAGE_H

#include "engine/share.h"
#include "luggage_words.h"
#include "shared.h"

#include <stdint.h>

/* Bytes of the spins of a message that is sent, or seen in memory of the host, unless one replica has more; one that is seen
 * on a device has all that an engine takes. */
#define LUGGAGE_BYTES    (UINT64_C(2) << 20)
#define LUGGAGE_CHILDREN SHARE_PARENTS /* of a message */

/* What places and families of children stand behind. */
typedef struct {
    uint64_t children; /* 0: the sender has failed */
    uint64_t parents;  /* that are packed; or else */
    uint64_t words;    /* in which they stand */
} luggage_head;

/* A message is a head, which is on the host: how many children, and for each its parent's place among those that come, and
 * family, in two parts; and spins. These stand where the other ranks of the host see them, and are not sent there
 * (luggage_share); or where the engine and MPI reach them fastest, to be sent. They are of parents packed one behind the
 * other; what ranks see on devices may be the machine words in which these stand. */
typedef struct rank_luggage {
    engine *of;    /* who lends the memory */
    uint64_t each; /* bytes of the spins of one packed parent */
    bool wide;     /* families need more than 32 bits */
    luggage_head *head;
    uint8_t *spins; /* that are sent; NULL: none are, all ranks see each other's */
} rank_luggage;

/* Bytes of the head of a message about so many children. */
static inline uint64_t luggage_head_bytes(uint64_t children, bool wide) {
    return sizeof(luggage_head) + children * (2 * sizeof(uint32_t) + wide);
}

static inline uint32_t *luggage_places(const rank_luggage *l) {
    return (uint32_t *)(void *)(l->head + 1);
}

/* The lower 32 bits of the families, and the others; NULL: there are none. */
static inline uint32_t *luggage_families(const rank_luggage *l) {
    return luggage_places(l) + l->head->children;
}

static inline uint8_t *luggage_families_high(const rank_luggage *l) {
    return l->wide ? (uint8_t *)(luggage_families(l) + l->head->children) : NULL;
}

/* Memory that an engine reaches fast, as share.h has it, the host's or its device's; NULL: there is none. Frees it. */
void *luggage_lend(engine *of, uint64_t bytes, bool on_device);
void luggage_reclaim(engine *of, void *memory);

/* Memory for spins on their way out that the ranks of the host see of each other, for messages to either side: on devices,
 * where all have one and see each other's; or the host's. Of one kind, for what comes from one side stands in what its
 * sender has for the other. Called by all ranks. NULL: there is none for both, or MPI carries those of devices. Gives one
 * back, before the engine is destroyed. */
void luggage_share(engine *of, shared_memory *side[2]);
void luggage_unshare(engine *of, shared_memory *shared);

/* Makes one for replicas of an engine, beside memory that is seen; NULL without memory. Frees it, before the engine, also
 * if it was not made. */
rank_luggage *luggage_create(engine *of, const shared_memory *shared, bool wide);
void luggage_destroy(rank_luggage *l);

/* How many parents a message has at most whose spins are sent, or seen; and how many words, 0: it has none. */
uint64_t luggage_room(const spin_model *model, const shared_memory *seen);
uint64_t luggage_word_room(const engine *of, const shared_memory *seen);

/* Between two steps the same memory serves for replicas that are compared elsewhere: the words of lanes that it has room
 * for, the bytes of so many, and where their parts stand. `wide`: families need more than 32 bits. */
uint64_t luggage_lanes_room(const spin_model *model, const shared_memory *seen, bool wide);
uint64_t luggage_lanes_bytes(const spin_model *model, uint64_t words, bool wide);
share_lanes luggage_lanes(const spin_model *model, uint8_t *memory, uint64_t words, bool wide);

/* What all this takes at most on a rank: of the host's memory, and of a device's. */
uint64_t luggage_host_bytes(const spin_model *model);
uint64_t luggage_device_bytes(const spin_model *model);

#endif
