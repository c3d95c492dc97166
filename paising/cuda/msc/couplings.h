/* The couplings of a lattice as the threads of the multi-spin-coded kernels keep them: a few registers a strip.
 *
 * A register holds four words of a sub-lattice, a byte each, whose bit 7 - g says that the bond in direction g has
 * J = -1. In three dimensions a strip has four registers, its even cell's words of the even and of the odd sub-lattice,
 * then its odd cell's; directions x, y, z inside the cell, then outside (msc_cells.cuh). In two it has two, of either
 * sub-lattice; byte i holds row i, its neighbours above, in the same column, below, at the side, and then those of row
 * i + 4 (msc_rows.cuh). */
#ifndef PAISING_CUDA_MSC_COUPLINGS_H
#define PAISING_CUDA_MSC_COUPLINGS_H

#include "model/model.h"

C_DECLARATIONS_BEGIN

/* Bytes of all registers; 0 of a model without couplings. */
uint64_t msc_coupling_bytes(const spin_model *model);

/* Fills them from its sample. */
void msc_coupling_fill(const spin_model *model, uint32_t registers[]);

C_DECLARATIONS_END

#endif
