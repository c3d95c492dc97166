/* Parents under way from one rank to another: a message of bounded size. */
#ifndef PAISING_RANKS_LUGGAGE_H
#define PAISING_RANKS_LUGGAGE_H

#include "engine/share.h"
#include "shared.h"

#include <stdint.h>

#define LUGGAGE_BYTES    (UINT64_C(2) << 20) /* of spins, unless one replica has more */
#define LUGGAGE_CHILDREN 16384               /* of a message */

/* A message is a head, which is on the host: how many parents, then children and family of each; and their spins, where
 * the engine and MPI reach them fastest. Those of a message out may stand where the other ranks of the host see them,
 * and are not sent there. */
typedef struct rank_luggage {
    engine *of;    /* who lends the memory */
    uint64_t room; /* parents */
    uint64_t each; /* bytes of the spins of one */
    uint64_t *head;
    uint8_t *spins;
    shared_memory *shared; /* NULL: the spins were lent */
} rank_luggage;

/* Bytes of the head of a message of `parents`. */
static inline uint64_t luggage_head_bytes(uint64_t parents) {
    return sizeof(uint64_t) + 2 * parents * sizeof(uint32_t);
}

static inline uint64_t *luggage_count(const rank_luggage *l) {
    return l->head;
}

static inline uint32_t *luggage_children(const rank_luggage *l) {
    return (uint32_t *)(void *)(l->head + 1);
}

static inline uint32_t *luggage_families(const rank_luggage *l) {
    return luggage_children(l) + *luggage_count(l);
}

/* Memory that an engine reaches fast, as share.h has it, the host's or its device's; NULL: there is none. Frees it. */
void *luggage_lend(engine *of, uint64_t bytes, bool on_device);
void luggage_reclaim(engine *of, void *memory);

/* Makes one for replicas of an engine, with spins on its device, in shared memory, or else on the host; NULL without
 * memory. Frees it, before the engine, also if it was not made. */
rank_luggage *luggage_create(engine *of, bool on_device, shared_memory *shared);
void luggage_destroy(rank_luggage *l);

/* Bytes of the spins of the largest message, and of all of it. */
uint64_t luggage_spin_bytes(const spin_model *model);
uint64_t luggage_memory(const spin_model *model);

#endif
