/* Errors at low temperatures, where nearly all replicas are in a ground state and the energy is a count
 * of rare excitations.
 *
 * Blocks that have seen no excitation agree, and the jackknife's error is 0; but no excitation among R
 * replicas only says that they are rarer than some 1 / R. The mean number that a count of 0 excludes at two
 * sigma (95.45%) is -ln 0.0455 = 3.09, so that the error of a count has to be half of that, 1.545, at
 * least, for which 1 sigma (1.148 excitations) is inside as well. In quadrature with the error of the
 * jackknife, about the root of the count, it gives errors that cover the mean of a Poisson count in 73% of
 * cases or more, within two of them in 95%, for every mean (without it: 10% for a mean of 0.1, 93% for 10).
 * Excitations of one spin last a sweep or so: all R replicas count, whatever their families. */
#ifndef PAISING_COUNTING_H
#define PAISING_COUNTING_H

/* The error of a mean over `replicas` replicas of which so many are excited, from that of the jackknife
 * and what one excitation adds to a replica's value. Where excitations are not few it is the jackknife's. */
double counting_error(double jackknife, double replicas, double excited, double one);

#endif
