/* Exact thermodynamics of long cubic lattices with any couplings, 4 x 4 x Lz, at one temperature. */
#ifndef PAISING_LAYERS_H
#define PAISING_LAYERS_H

#include "exact.h"
#include "model/couplings.h"

#define LAYERS_MAX_LAYER 16 /* sites of a layer, Lx Ly */
#define LAYERS_MAX_EDGE  64 /* Lz: beyond these two, weights would leave the range of a double */
#define LAYERS_MAX_BETA  3

/* The values of a three-dimensional lattice, e and betaF right to a relative 1e-12, C and S to an absolute 1e-11,
 * by a transfer matrix: a time proportional to Lz 4^(Lx Ly), some minutes on two cores for 4 x 4 x 4. Returns
 * false without memory. */
bool layers_thermodynamics(const couplings *c, double beta, exact_result *result);

#endif
