/* How well the runs carry their weighted average (weighted.h): how many died out, and how different their
 * weights are.
 *
 * With ln of the weights nearly Gaussian of variance v, M runs carry the average like M exp(-v) equal ones,
 * and a single run is off by v / 2 in beta F (Machta, Phys. Rev. E 82, 026704, 2010; Weigel et al., Phys.
 * Rev. E 103, 053301, 2021). From v = 1 on few of the runs have the weight, and neither the average nor its
 * error is to be relied on. */
#ifndef PAISING_RUN_WEIGHTS_H
#define PAISING_RUN_WEIGHTS_H

#include "weighted.h"

#include <stdio.h>

#define TRUSTED_VARIANCE 1

typedef struct {
    size_t runs;
    size_t died;        /* runs that do not reach the last temperature */
    double died_at;     /* the first inverse temperature that not all of them reached */
    double variance;    /* of beta F over the runs, as it is in the weights: the largest, */
    double variance_at; /* at this inverse temperature */
} run_weights;

/* Looks at all runs, of which there must be one. */
run_weights run_weights_of(const weighted_average *w);

/* Prints what it found for the header of a data file, warnings with `# warning: `. */
void run_weights_print(FILE *file, const run_weights *r);

/* The warnings on stderr. */
void run_weights_warn(const run_weights *r);

#endif
