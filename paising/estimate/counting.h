/* Errors of what a population has hardly any scatter in: at low temperatures nearly all replicas have the lowest energy,
 * or nearly all pairs are of one state, and a mean is a count of rare events.
 *
 * Blocks that have seen no event agree, and the jackknife's error is 0; but no event among R replicas only says that
 * they are rarer than some 1 / R. The mean number that a count of 0 excludes at two sigma (95.45%) is
 * -ln 0.0455 = 3.09, so that the error of a count has to be half of that, 1.545, at least, for which 1 sigma
 * (1.148 events) is inside as well. In quadrature with the error of the jackknife, about the root of the count, it gives
 * errors that cover the mean of a Poisson count in 73% of cases or more, within two of them in 95%, for every mean
 * (without it: 10% for a mean of 0.1, 93% for 10).
 *
 * An event of the energy is an excited replica, above the lowest energy that is known to exist. An event of the
 * overlaps is a pair of two states, where hardly any is: of a sample with one ground state. Where there are several, pairs of
 * these are no rare events, and their scatter is the error.
 *
 * All R replicas count, whatever their families: excitations last a sweep or so, and those that last longer are
 * thinned out one by one, since a step gives each of them less than one child on average. */
#ifndef PAISING_COUNTING_H
#define PAISING_COUNTING_H

/* The error of a mean over `replicas` replicas, or pairs, of which so many are events, from that of the jackknife and
 * what one event adds to a value. Where events are not few it is the jackknife's. */
double counting_error(double jackknife, double replicas, double events, double one);

#endif
