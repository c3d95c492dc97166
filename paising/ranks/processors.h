/* The number of threads of a rank. */
#ifndef PAISING_RANKS_PROCESSORS_H
#define PAISING_RANKS_PROCESSORS_H

#include <mpi.h>

/* The processors that this rank may run on, divided by the number of ranks of its host that may run
 * on the first of them; at least 1. Called by all ranks of the host; count: ranks in all.
 *
 * By default Open MPI's mpirun binds each of one or two ranks to one core, and more ranks to a part
 * of the host. One core is no fair share. A rank bound by this default therefore runs on all
 * processors of mpirun. Only versions before 5 let a rank know that its binding is a default. */
int processors_of_rank(MPI_Comm host, int count);

#endif
