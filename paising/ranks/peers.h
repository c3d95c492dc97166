/* Memory on the devices of a host's ranks that all of these read, as their engines know how (peer_verbs in
 * engine/share.h): replicas pass through it from GPU to GPU. Every function but `peer_memory_of` is called by all ranks of
 * the host in the same order, and all get the same answer. */
#ifndef PAISING_RANKS_PEERS_H
#define PAISING_RANKS_PEERS_H

#include "engine/partition.h"

typedef struct peer_memory peer_memory;

/* So many bytes on the device of each rank of this host. NULL: there is one rank only, or one of them has no such memory, or
 * cannot read that of another. `peer_memory_return` gives it back, for the next engine. */
peer_memory *peer_memory_take(uint64_t bytes, const peer_verbs *peers);
void peer_memory_return(peer_memory *m);

/* The memory of a rank; NULL: m is NULL, or the rank is on another host. */
uint8_t *peer_memory_of(const peer_memory *m, uint32_t rank);

/* Reads a little of the memory of a rank, so that its link does not sleep when it is needed. */
void peer_memory_warm_up(const peer_memory *m, uint32_t rank);

/* Frees all of it, given back or not. */
void peer_memory_free(void);

#endif
