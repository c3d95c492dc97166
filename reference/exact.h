/* Exact thermodynamics of the 2D Ising model on a finite lattice: B. Kaufman, Phys. Rev. 76, 1232
 * (1949), in the form of A. E. Ferdinand and M. E. Fisher, Phys. Rev. 185, 832 (1969). All
 * simulated e, C, betaF and S are compared with it. */
#ifndef PAISING_EXACT_H
#define PAISING_EXACT_H

#include <float.h>
#include <stdint.h>

#define EXACT_MIN_SIZE 4
#define EXACT_MAX_BETA (DBL_MAX / 2) /* betaF / N overflows a double beyond */

/* All values are per spin, with J = k_B = 1. */
typedef struct {
    double e;      /* energy, -d ln Z / d beta / N */
    double c;      /* specific heat, beta^2 d^2 ln Z / d beta^2 / N */
    double beta_f; /* free energy times beta, -ln Z / N */
    double s;      /* entropy, beta e - betaF / N */
} exact_result;

/* The exact values of the L x L lattice with periodic boundaries, L = size >= EXACT_MIN_SIZE, at
 * beta from 0 to EXACT_MAX_BETA. Their relative error is at most 1e-12 for L <= 1024 if long double
 * has at least the 64 bits of the x87. The time is proportional to L: some milliseconds at L =
 * 1024. */
exact_result exact_thermodynamics(uint32_t size, double beta);

#endif
