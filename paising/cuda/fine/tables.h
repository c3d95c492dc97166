/* The tables by which the kernels of lattices without energy levels find neighbours and couplings. Places are sites in the order
 * of `read` (engine/engine.h): the even sub-lattice row by row, then the odd one. Quads are four places of a sub-lattice, or two
 * at its end. */
#ifndef PAISING_CUDA_FINE_TABLES_H
#define PAISING_CUDA_FINE_TABLES_H

#include "cuda/graph/tables.h"
#include "model/model.h"

/* Patterns of the neighbours of a site in three dimensions (patterns.cuh). */
#define FINE_PATTERNS 64

/* Quads of a sub-lattice. */
SHARED_FUNCTION uint32_t fine_quads(uint32_t sites) {
    return (sites / 2 + 3) / 4;
}

C_DECLARATIONS_BEGIN

/* Fills base[2][quads][4], - sum J over the bonds of a place, and row[2][quads][2 dimension], its neighbours with 2 J, both in units
 * of 1 / FINE_UNIT. What stands for places that a quad has not is 0. Returns the sum of |J| over all bonds. */
uint64_t fine_fill_tables(const spin_model *model, int32_t *base, graph_row *row);

C_DECLARATIONS_END

#endif
