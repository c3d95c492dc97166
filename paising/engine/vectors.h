/* Models whose spins are unit vectors. vector_arithmetic.h has their updates and measurements.
 *
 *     E = -sum J_ij s_i . s_j over nearest neighbours,  |s_i| = 1,  with n = 2 (XY) or n = 3 (Heisenberg) components
 *
 * on the square and the cubic lattice, with the sites of couplings.h and even edges from 2. The energy of each bond is rounded
 * to a multiple of 2^-20, and so is each component of the magnetisation, before anything is added: sums are of whole numbers.
 *
 * The components are floats or doubles. vector_math.h is read once for each. It has no operations but + - * / and square roots,
 * which IEEE 754 rounds in one way, and none is contracted (-ffp-contract=off). So all machines have the same bits. (REAL_FAST of a GPU
 * has functions of the hardware, and bits of its own.) A sweep
 * updates the even sub-lattice, then the odd one. (reference/plain_vectors.c does the same.) */
#ifndef PAISING_VECTORS_H
#define PAISING_VECTORS_H

#include "model/model.h"
#include "update/update.h"

#define VECTOR_ONE 0x1p20 /* a component, or the energy of a bond, of 1 */

/* What decides the local updates at one temperature. */
typedef struct {
    bool heat_bath; /* or Metropolis, with a new spin in any direction */
    double beta;
} vector_rule;

/* A lattice of such spins. */
typedef struct {
    uint32_t components, dimension; /* n; 2 or 3 */
    uint32_t edge[MODEL_MAX_DIMENSION], sites;
    real_kind real;
    uint32_t reflections; /* sweeps of over-relaxation after each sweep */
    double order_scale;   /* |M| / 2^20 times this is the order of a replica, */
    uint32_t most_order;  /* at most this (histogram.h) */
    /* J in the kind of the components, sorted as the engine needs it; NULL: all J are 1 */
    void *couplings;
} vector_lattice;

C_DECLARATIONS_BEGIN

vector_rule vector_rule_at(const update_kind *update, double beta);
vector_lattice vector_lattice_of(const spin_model *model);

C_DECLARATIONS_END

#endif
