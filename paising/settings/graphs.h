/* The graph that a simulation is of, where it is not of an even lattice without field. */
#ifndef PAISING_GRAPHS_H
#define PAISING_GRAPHS_H

#include "base/message.h"
#include "parameters.h"

/* The shortest edge of a lattice, and why. */
#define SHORTEST_EDGE 3
#define WHY_SHORTEST_EDGE                                                                          \
    "shorter ones join two sites twice where they are periodic; --graph takes any list of bonds"

/* Makes the graph that *p asks for, if any, and sets p->graph and the fingerprint. The bonds are those of the file, or of
 * the lattice with couplings (parameters_couplings). Returns STATUS_OK; or STATUS_REFUSED after a message on stderr: for an
 * unusable file, one that is not that of the checkpoint p->resume, edges that a lattice cannot have, and without memory. */
exit_status parameters_make_graph(parameters *p);

/* Makes copied parameters of several samples those of sample number `number` alone, with a graph of its own, if they ask for one.
 * Returns the same statuses. */
exit_status parameters_take_sample(parameters *p, uint32_t number);

/* Frees the graph. */
void parameters_end(parameters *p);

#endif
