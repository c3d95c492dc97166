/* The MPI communicators of the ranks, and how ranks agree. */
#ifndef PAISING_RANKS_WORLD_H
#define PAISING_RANKS_WORLD_H

#include "ranks.h"

#include <mpi.h>

/* The communicator of all ranks, for this folder only. */
MPI_Comm world_comm(void);

/* The communicator of the ranks of this host, and the number of a rank in it; MPI_UNDEFINED if the
 * rank is on another host. */
MPI_Comm world_host(void);
int world_place(uint32_t rank);

/* How spins move between ranks. By default GPUs of a host read each other's memory (peers.h); all
 * else goes as MPI messages from host memory. PAISING_EXCHANGE=host in the environment makes all of
 * it messages, for comparison. PAISING_EXCHANGE=peer is the default, with a warning where it is not
 * possible. The first function tells whether GPUs may read each other's memory, the second whether
 * that was requested by name. All ranks get the same answer. */
bool world_allows_peers(void);
bool world_asks_for_peers(void);

/* Leaves MPI. */
void world_close(void);

/* Like realloc, but ends the job if there is no memory: for what ranks need before they can tell
 * each other of a failure. */
void *world_memory(void *old, size_t bytes);

/* Whether no rank reports an error; called by all ranks. wrong: the error of this rank, empty if
 * none. Otherwise text[size] receives, on every rank, the error and number of the first rank that
 * reports one. */
bool world_agrees(const char *wrong, char *text, size_t size);

/* Copies `size` bytes from rank 0 to all other ranks. */
void world_broadcast(void *data, size_t size);

#endif
