/* Parents under way from one rank to another: a message of bounded size. */
#ifndef PAISING_RANKS_LUGGAGE_H
#define PAISING_RANKS_LUGGAGE_H

#include "model/model.h"

#include <stdint.h>

#define LUGGAGE_BYTES    (UINT64_C(4) << 20) /* of spins, unless one replica has more */
#define LUGGAGE_CHILDREN 16384               /* of a message */

/* A message is: how many parents, then children and family of each, then their spins. */
typedef struct rank_luggage {
    uint64_t room; /* parents */
    uint64_t each; /* bytes of the spins of one */
    uint8_t *bytes;
} rank_luggage;

/* Bytes of a message of `parents`. */
static inline uint64_t luggage_bytes(const rank_luggage *l, uint64_t parents) {
    return sizeof(uint64_t) + parents * (2 * sizeof(uint32_t) + l->each);
}

static inline uint64_t *luggage_count(const rank_luggage *l) {
    return (uint64_t *)(void *)l->bytes;
}

static inline uint32_t *luggage_children(const rank_luggage *l) {
    return (uint32_t *)(void *)(l->bytes + sizeof(uint64_t));
}

static inline uint32_t *luggage_families(const rank_luggage *l) {
    return luggage_children(l) + *luggage_count(l);
}

static inline uint8_t *luggage_spins(const rank_luggage *l) {
    return (uint8_t *)(luggage_families(l) + *luggage_count(l));
}

/* Makes one for replicas of a model; NULL without memory. Frees it, also if it was not made. */
rank_luggage *luggage_create(const spin_model *model);
void luggage_destroy(rank_luggage *l);
uint64_t luggage_memory(const spin_model *model);

#endif
