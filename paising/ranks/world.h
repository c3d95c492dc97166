/* The ranks as MPI knows them, and how they agree. */
#ifndef PAISING_RANKS_WORLD_H
#define PAISING_RANKS_WORLD_H

#include "ranks.h"

#include <mpi.h>

/* Their communicator, which nobody else uses. */
MPI_Comm world_comm(void);

/* That of the ranks of this host, and the number of a rank there; MPI_UNDEFINED: it is on another one. */
MPI_Comm world_host(void);
int world_place(uint32_t rank);

/* How spins go from rank to rank: sent from the host's memory; seen there by the ranks of a host, and sent to others; sent
 * from the memory of GPUs, where MPI carries that; or seen there. PAISING_EXCHANGE in the environment says what is the
 * most that is allowed, to compare. Whether a way is, as far as MPI has a say; and whether it is the one that was named:
 * the same on all ranks. */
typedef enum { EXCHANGE_HOST, EXCHANGE_SHARED, EXCHANGE_DEVICE, EXCHANGE_PEER } exchange_way;
bool world_allows(exchange_way way);
bool world_was_asked_for(exchange_way way);

/* Leaves MPI. */
void world_close(void);

/* As realloc, but where there is no memory, the job ends: for what all ranks need before they could tell each other. */
void *world_memory(void *old, size_t bytes);

/* Whether all are well; called by all, with what is wrong on this rank, if anything is. If not, text[size] becomes what
 * is wrong on the first of those where something is, with its number, on every rank. */
bool world_agrees(const char *wrong, char *text, size_t size);

/* Sends bytes from rank 0 to all others. */
void world_tell(void *data, size_t size);

#endif
