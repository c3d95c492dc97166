/* Errors of quantities that hardly scatter within a population. At low temperatures nearly all
 * replicas have the lowest energy, or nearly all pairs have two replicas of one state. A mean is
 * then a count of rare events.
 *
 * Blocks without events agree, and the jackknife error is 0. But no event among R replicas only
 * says that events are rarer than about 1 / R. A count of 0 excludes means above -ln 0.0455 = 3.09
 * at two sigma (95.45%). The error of a count is therefore at least half of that, 1.545, which also
 * covers one sigma (1.148 events). It is added in quadrature to the jackknife error, which is about
 * the root of the count. The result covers the mean of a Poisson count in at least 73% of cases
 * within one error, and in 95% within two, for every mean. Without it, one error would cover 10%
 * for a mean of 0.1, and two errors 93% for 10.
 *
 * An event of the energy is an excited replica: one above the lowest energy known to exist. An
 * event of the overlaps is a pair of two different states in a sample with one ground state, where
 * such pairs are rare. In a sample with several ground states such pairs are common, and their
 * scatter is the error.
 *
 * All R replicas count, whatever their families: excitations last about a sweep. Longer ones are
 * removed one by one, because a step gives each of them less than one child on average. */
#ifndef PAISING_COUNTING_H
#define PAISING_COUNTING_H

/* The error of a mean over `replicas` replicas or pairs, `events` of which are events. jackknife:
 * its jackknife error; one: the change of the value that one event makes. Where events are not rare
 * the jackknife error is returned. */
double counting_error(double jackknife, double replicas, double events, double one);

#endif
