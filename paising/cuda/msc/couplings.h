/* Couplings of a lattice in the form that the multi-spin-coded kernels keep in registers, some for
 * each strip.
 *
 * A register holds four words of a sub-lattice, a byte each. Bit 7 - g of a byte is 1 if the bond
 * in direction g has J = -1. In three dimensions a strip has four registers: its even cell's words
 * of the even and of the odd sub-lattice, then its odd cell's. The directions are x, y, z inside
 * the cell, then outside (cells.cuh). In two dimensions a strip has two registers, one for each
 * sub-lattice. Byte i holds row i, with neighbours above, in the same column, below and at the
 * side, and then those of row i + 4 (rows.cuh).
 *
 * Where bonds may be missing as many registers follow behind those of all strips, with 1 for the bonds that are. Of these half,
 * rounded down, have the bit of J = -1: they count as unsatisfied, the others as satisfied (model_counted_at_lowest). */
#ifndef PAISING_CUDA_MSC_COUPLINGS_H
#define PAISING_CUDA_MSC_COUPLINGS_H

#include "model/model.h"

C_DECLARATIONS_BEGIN

/* Returns the bytes of all registers; 0 for a model without couplings. */
uint64_t msc_coupling_bytes(const spin_model *model);

/* Fills the registers with the model's sample. */
void msc_coupling_fill(const spin_model *model, uint32_t registers[]);

C_DECLARATIONS_END

#endif
