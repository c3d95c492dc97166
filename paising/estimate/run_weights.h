/* The weights of the runs in a weighted average (weighted.h): how many runs died out, and how much
 * the weights differ.
 *
 * If ln of the weights is nearly Gaussian with variance v, M runs are worth M exp(-v) runs of equal
 * weight. A single run is then biased by v / 2 in beta F (Machta, Phys. Rev. E 82, 026704, 2010;
 * Weigel et al., Phys. Rev. E 103, 053301, 2021). From v = 1 on few runs have most of the weight,
 * and neither the average nor its error is reliable. */
#ifndef PAISING_RUN_WEIGHTS_H
#define PAISING_RUN_WEIGHTS_H

#include "weighted.h"

#include <stdio.h>

#define TRUSTED_VARIANCE 1

typedef struct {
    size_t runs;
    size_t died;        /* runs that did not reach the last temperature */
    double died_at;     /* the first inverse temperature that not all runs reached */
    double variance;    /* the largest variance over the runs of beta F, as it enters the weights */
    double variance_at; /* inverse temperature of the largest variance */
} run_weights;

/* Computes the struct for all runs. w->runs > 0. */
run_weights run_weights_of(const weighted_average *w);

/* Prints the result for the header of a data file, warnings as `# warning: ` lines. */
void run_weights_print(FILE *file, const run_weights *r);

/* Prints the warnings on stderr. */
void run_weights_warn(const run_weights *r);

#endif
