/* The processors that a rank may run on. */
#ifndef PAISING_RANKS_PROCESSORS_H
#define PAISING_RANKS_PROCESSORS_H

#include <mpi.h>

/* This rank's share of those that it may run on: as many as come to each rank of its host that may run on the first of them, 1
 * at least. Called by all ranks of the host, of `count` ranks in all.
 *
 * Open MPI's mpirun binds each of one or two ranks to a core, and more to a part of the host, unless it is told otherwise. A
 * core is no share: a rank that was bound to one for no other reason runs wherever mpirun may, where that is known (before
 * version 5). */
int processors_of_rank(MPI_Comm host, int count);

#endif
