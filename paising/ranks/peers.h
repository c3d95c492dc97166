/* Exported device memory: memory on the devices of a host's ranks that all these ranks read
 * (peer_verbs in engine/partition.h). Replicas move through it from GPU to GPU. All ranks of the host
 * call every function except peer_memory_of and peer_memory_warm_up, in the same order, and get the
 * same answer. */
#ifndef PAISING_RANKS_PEERS_H
#define PAISING_RANKS_PEERS_H

#include "engine/partition.h"

typedef struct peer_memory peer_memory;

/* Exports `bytes` bytes on the device of each rank of this host. Returns NULL if there is only one
 * rank, or if a rank cannot export its memory or read that of another. peer_memory_return makes it
 * available to the next engine. */
peer_memory *peer_memory_take(uint64_t bytes, const peer_verbs *peers);
void peer_memory_return(peer_memory *m);

/* The memory of a rank; NULL if m is NULL or the rank is on another host. */
uint8_t *peer_memory_of(const peer_memory *m, uint32_t rank);

/* Reads a little of a rank's memory, so that the link is not in a power-saving state when it is
 * needed. */
void peer_memory_warm_up(const peer_memory *m, uint32_t rank);

/* Frees all exported memory, returned or not. */
void peer_memory_free(void);

#endif
