/* How far a run is off on average: the bias of population annealing falls as 1/R, and averages over
 * runs weighted by eqs. (6) and (7) do not have it. */
#ifndef PAISING_PHYSICS_BIAS_H
#define PAISING_PHYSICS_BIAS_H

#include "base/message.h"
#include "claims.h"

/* Anneals L = 16 in small populations of several R, as many runs each as make the same number of
 * replicas, and finds whether
 *   - R times the bias of e, C and betaF of single runs is the same for every R (chi-square),
 *   - weighted averages over groups of runs of the smallest R have none,
 *   - the bias of single runs of the smallest R is seen at all, without which the rest means
 *     nothing: *seen is its z-score.
 * Writes FOLDER/bias.dat and FOLDER/weighted.dat. */
exit_status bias_check(const char *folder, const parameters *base, int full, findings *found,
                       double *seen);

#endif
