/* The Nishimori line (H. Nishimori, Prog. Theor. Phys. 66, 1169 (1981)). If beta and the
 * probability P of J = +1 satisfy
 *
 *     exp(2 beta) = P / (1 - P),
 *
 * the energy averaged over all samples is known on any lattice: the weight of a sample and its
 * Boltzmann factors form one distribution, so that
 *
 *     [<J_ij s_i s_j>] = tanh beta,  [E] = -bonds tanh beta. */
#ifndef PAISING_NISHIMORI_H
#define PAISING_NISHIMORI_H

#include <math.h>

/* beta for a P from 1/2 to 1 (1: infinite). */
static inline double nishimori_beta(double p) {
    return (log(p) - log1p(-p)) / 2;
}

/* [E] of a lattice with `bonds` bonds; tanh beta = 2 P - 1. */
static inline double nishimori_energy(double p, double bonds) {
    return -bonds * (2 * p - 1);
}

#endif
