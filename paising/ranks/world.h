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

/* How spins go from rank to rank: sent from host to host; seen by the ranks of a host, and sent to others; or sent from
 * one GPU's memory to another's, where MPI carries that. PAISING_EXCHANGE in the environment says what is the most that
 * is allowed, to compare. */
typedef enum { EXCHANGE_HOST, EXCHANGE_SHARED, EXCHANGE_DEVICE } exchange_way;
exchange_way world_exchange(void);

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
