/* Memory of each rank of a host that all of them see: the host's, through windows of MPI, or that of their devices. */
#ifndef PAISING_RANKS_SHARED_H
#define PAISING_RANKS_SHARED_H

#include "engine/share.h"

typedef struct shared_memory shared_memory;

/* So many bytes of each rank of this host, of the host's memory, or of devices, as their engines have it seen (NULL: one
 * cannot); called by all ranks, in the same order. NULL: there is none, on any rank of the host. `shared_return` gives it
 * back. */
shared_memory *shared_take(uint64_t bytes);
shared_memory *shared_take_on_devices(uint64_t bytes, const share_peers *peers);
void shared_return(shared_memory *m);

/* The memory of a rank; NULL: it is not seen here. */
uint8_t *shared_of(const shared_memory *m, uint32_t rank);

/* Has the way to that awake, if there is one and it may sleep. */
void shared_wake(const shared_memory *m, uint32_t rank);

/* Where all of it begins, and how many bytes it has; NULL: it is on devices. */
uint8_t *shared_begin(const shared_memory *m, uint64_t *bytes);

/* What was written there is seen by a rank that is told so afterwards; called by both. */
void shared_sync(const shared_memory *m);

/* Frees all that was given back or not; called by all ranks at their end. */
void shared_free(void);

#endif
