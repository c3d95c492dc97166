/* Division of a population into blocks for error bars. 256 contiguous blocks are merged pairwise,
 * down to 16 if necessary, until blocks are long compared with families, whose members are
 * correlated. (Blocking analysis of Weigel et al., Phys. Rev. E 103, 053301.) */
#ifndef PAISING_BLOCKING_H
#define PAISING_BLOCKING_H

#include "engine/histogram.h"

#define BLOCKING_FEWEST 16

/* The number of blocks in all divisions together, 256 + 128 + 64 + 32 + 16. The division into n
 * blocks has the indices 2 * POPULATION_BLOCKS - 2 n + [0, n). */
#define BLOCKING_TOTAL (2 * POPULATION_BLOCKS - BLOCKING_FEWEST)

/* The least length of a block in units of rho_t, the mean family size seen by a replica, if 16
 * blocks allow it. */
#define BLOCKING_FAMILIES 8

/* rho_t = R sum_f (n_f / R)^2, 1 for a population without relatives. */
double mean_family_size(const histogram *h);

/* The number of blocks for this population: the largest of 256, 128, 64, 32, 16 whose blocks are
 * long enough, else 16. Below 16 replicas it is 0, and there is no error. */
size_t blocking_choose(const histogram *h);

/* The jackknife error from n estimates; without[b] leaves out block b. The second form computes the
 * errors of `count` quantities, error[count], from without[n][count]. */
double jackknife_error(const double *without, size_t n);
void jackknife_errors(const double *without, size_t n, size_t count, double error[]);

#endif
