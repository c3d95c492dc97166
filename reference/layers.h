/* Exact thermodynamics of long cubic lattices with any couplings, 4 x 4 x Lz, at one temperature. */
#ifndef PAISING_LAYERS_H
#define PAISING_LAYERS_H

#include "exact.h"
#include "model/couplings.h"

#define LAYERS_MAX_LAYER 16 /* sites of a layer, Lx Ly */

/* The largest Lz and beta; beyond them weights would leave the range of a double. */
#define LAYERS_MAX_EDGE 64
#define LAYERS_MAX_BETA 3

/* The values of a three-dimensional lattice by a transfer matrix. The error of e and betaF is 1e-12
 * relative, that of C and S 1e-11 absolute. The time is proportional to Lz 4^(Lx Ly): some minutes
 * on two cores for 4 x 4 x 4. Returns false without memory. */
bool layers_thermodynamics(const couplings *c, double beta, exact_result *result);

#endif
