/* A graph: Ising spins on any sites, E = -sum J_ij s_i s_j - sum h_i s_i, with J and h whole numbers in units of 1 / unit
 * (bond_list.h).
 *
 * A colouring puts sites in an order in which all sites of a colour stand together, and no two of them are neighbours. Engines
 * update the sites colour by colour and know them by their place in this order; number[] says which site of the list a
 * place is. A graph with the bonds of an even periodic lattice has the order of engine/streams.h: the even sub-lattice, then
 * the odd one. */
#ifndef PAISING_GRAPH_H
#define PAISING_GRAPH_H

#include "bond_origin.h"
#include "levels.h"

#include <stdbool.h>

struct bond_list;

#define GRAPH_MOST_LEVELS ((size_t)1 << 20)
#define GRAPH_MOST_SITES  (UINT32_C(1) << 28)
#define GRAPH_MOST_ENERGY (INT64_C(1) << 44) /* sum of |J| and |h|, exclusive */
#define GRAPH_MOST_COST   (INT64_C(1) << 32) /* of a flip, exclusive */

typedef struct {
    uint32_t sites;
    size_t bonds; /* with J other than 0 */
    uint32_t colours;
    uint32_t *first_of_colour; /* [colours + 1] places */
    uint32_t *number;          /* [sites] site of the list, by place */
    size_t *first;       /* [sites + 1] where the neighbours of a place begin in the next three */
    uint32_t *neighbour; /* [2 bonds] places */
    int64_t *coupling;   /* [2 bonds] J */
    int32_t *weight;     /* [2 bonds] 4 J / spacing */
    int64_t *field;      /* [sites] h, by place */
    /* A flip of a spin up costs `base` + the sum of `weight` over its neighbours up, times the spacing; of a spin down the
     * opposite. [sites] 2 (h - sum J) / spacing. */
    int32_t *base;
    uint32_t most_change; /* most energy that any flip costs, / spacing */
    /* least of the most energies that the flip of one site costs, other than 0; no ground state has a cheaper first excitation */
    uint32_t cheapest;
    int64_t bound;   /* sum |J| + sum |h| */
    int64_t spacing; /* the greatest common divisor of what flips cost */
    /* of all energies that differ by multiples of the spacing, between -bound and bound; fine if these are more than
     * GRAPH_MOST_LEVELS */
    energy_levels levels;
    uint32_t fingerprint; /* CRC-32 of bonds, fields and unit, the same on every machine */
    bond_origin origin;   /* of the file that it was read from, as the reader sets it */
} spin_graph;

C_DECLARATIONS_BEGIN

/* Makes the graph of a list, whose bonds it sorts. Returns false with the reason in reason[size]: a pair of sites that is there
 * twice, too many sites, too large energies, or no memory. *g then holds nothing. */
bool graph_create(spin_graph *g, struct bond_list *list, char *reason, size_t size);
void graph_destroy(spin_graph *g);

/* Allocates the arrays of a graph of g->sites sites and g->bonds bonds, for which graph_destroy is due. Returns false without
 * memory. */
bool graph_allocate(spin_graph *g);

/* Bytes of the arrays above. */
uint64_t graph_bytes(const spin_graph *g);

/* The energy of spins +1 and -1 by place. */
int64_t graph_energy(const spin_graph *g, const int8_t *spin);

C_DECLARATIONS_END

#endif
