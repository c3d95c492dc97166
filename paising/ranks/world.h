/* The ranks as MPI knows them, and how they agree. */
#ifndef PAISING_RANKS_WORLD_H
#define PAISING_RANKS_WORLD_H

#include "ranks.h"

#include <mpi.h>

/* Their communicator, which nobody else uses. */
MPI_Comm world_comm(void);

/* Whether MPI carries the memory of GPUs as it does that of hosts. */
bool world_passes_device_memory(void);

/* Leaves MPI. */
void world_close(void);

/* Whether all are well; called by all, with what is wrong on this rank, if anything is. If not, text[size] becomes what
 * is wrong on the first of those where something is, with its number, on every rank. */
bool world_agrees(const char *wrong, char *text, size_t size);

/* Sends bytes from rank 0 to all others. */
void world_tell(void *data, size_t size);

#endif
