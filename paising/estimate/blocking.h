/* Division of a population into blocks for error bars: 256 contiguous blocks, merged pairwise down
 * to 16 until blocks are long compared to families, whose members are relatives and agree more than
 * strangers do. (Blocking analysis of Weigel et al., Phys. Rev. E 103, 053301.) */
#ifndef PAISING_BLOCKING_H
#define PAISING_BLOCKING_H

#include "engine/histogram.h"

#define BLOCKING_FEWEST 16

/* Blocks in all divisions together, 256 + 128 + 64 + 32 + 16: the division into n blocks has the
 * indices 2 * POPULATION_BLOCKS - 2 n + [0, n). */
#define BLOCKING_TOTAL (2 * POPULATION_BLOCKS - BLOCKING_FEWEST)

/* A block holds at least so many times rho_t, the mean family size seen by a replica, if 16 blocks
 * can. */
#define BLOCKING_FAMILIES 8

/* rho_t = R sum_f (n_f / R)^2, 1 for a population without relatives. */
double mean_family_size(const histogram *h);

/* The number of blocks for this population: the largest of 256, 128, 64, 32, 16 whose blocks are
 * long enough, else 16; 0 for less than 16 replicas, which know no error. */
size_t blocking_choose(const histogram *h);

/* The jackknife error from the estimates without[b] of n that leave out block b each; and error[count], those of so
 * many quantities, from without[n][count]. */
double jackknife_error(const double *without, size_t n);
void jackknife_errors(const double *without, size_t n, size_t count, double error[]);

#endif
