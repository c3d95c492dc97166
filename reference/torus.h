/* Sums over the even subgraphs of a square lattice with periodic boundaries, modulo a prime: the partition
 * function of the Ising model with any couplings (B. L. van der Waerden, Z. Phys. 118, 473 (1941)),
 *
 *     Z = 2^N cosh(beta)^(2 N) S(t),  S(t) = sum over sets of bonds that have an even number of ends in
 *                                            each site, of the product of J t, t = tanh beta,
 *
 * by Pfaffians (P. W. Kasteleyn, J. Math. Phys. 4, 287 (1963)). */
#ifndef PAISING_TORUS_H
#define PAISING_TORUS_H

#include "model/couplings.h"
#include "modular.h"

/* Sets *sum to S(t) modulo p, for a two-dimensional lattice with any couplings and an even number
 * of sites; t is not 0. Returns false without memory, or if this t would need more places; another
 * t will do. */
bool torus_sum(const couplings *c, const modulus *m, uint64_t t, uint64_t *sum);

#endif
