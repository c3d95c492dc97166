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

/* How spins go from rank to rank: GPUs of a host read each other's memory (peers.h), and all else are messages of MPI from
 * the host's memory. PAISING_EXCHANGE=host in the environment has all be messages, to compare; PAISING_EXCHANGE=peer is the
 * default, but says why where it cannot be. Whether GPUs may read each other's memory; and whether that was asked for by
 * name: the same on all ranks. */
bool world_allows_peers(void);
bool world_asks_for_peers(void);

/* Leaves MPI. */
void world_close(void);

/* As realloc, but where there is no memory, the job ends: for what all ranks need before they could tell each other. */
void *world_memory(void *old, size_t bytes);

/* Whether all are well; called by all, with what is wrong on this rank, if anything is. If not, text[size] becomes what
 * is wrong on the first of those where something is, with its number, on every rank. */
bool world_agrees(const char *wrong, char *text, size_t size);

/* Sends bytes from rank 0 to all others. */
void world_broadcast(void *data, size_t size);

#endif
