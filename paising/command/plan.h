/* --plan: proposes population and sweeps for a given time. The proposal follows from pilots: short
 * simulations of the same problem with a small population and 1, 2, 4, ... sweeps per temperature.
 *
 * Variances and biases fall as 1/R (Weigel et al., Phys. Rev. E 103, 053301), and time grows with
 * R. The product of a pilot's variance and its seconds is therefore the variance that one second
 * buys with its number of sweeps. Few sweeps leave relatives correlated, many are wasted on
 * replicas that are already independent. The number of sweeps with the smallest product is
 * proposed. R follows from the time per replica, besides the fixed time of every step. */
#ifndef PAISING_PLAN_H
#define PAISING_PLAN_H

#include "base/message.h"
#include "model/couplings.h"
#include "settings/parameters.h"

/* The result of a pilot. */
typedef struct {
    uint32_t sweeps;
    uint64_t population;
    double seconds;
    size_t temperatures;
    double families;   /* the fewest effective families (relatives.h) at any temperature */
    double variance_f; /* of beta F of the whole lattice at the last temperature, as estimated by
                        * the run */
    double variance_c; /* of C, where it is largest */
} plan_pilot;

/* A proposal. */
typedef struct {
    size_t chosen; /* index of the pilot */
    uint64_t population;
    uint32_t sweeps, runs;
    double seconds;  /* expected time of all runs and samples */
    double families; /* effective families of a run */
    double error_f; /* of beta F of the whole lattice, averaged over the runs; nan: not estimated */
    double error_c; /* of C, where it is largest; nan: not estimated */
    bool believed;  /* chosen by reliable errors; else by families alone, and the errors are nan */
    bool fits;      /* there is a population for the time */
} plan_proposal;

#define PLAN_MOST_PILOTS 12

/* The fixed time of all steps of a run, in seconds, from two pilots with the same number of sweeps.
 * Returns 0 if their populations are too similar to tell; noise would otherwise make replicas look
 * cheap. */
double plan_fixed_seconds(const plan_pilot *small, const plan_pilot *large);

/* Proposes how to spend the time p->plan, from pilots[count], for all of p->samples samples.
 * largest: the largest population that fits; time beyond that goes into more runs. */
plan_proposal plan_propose(const parameters *p, const plan_pilot pilots[], size_t count,
                           double fixed_seconds, uint64_t largest);

/* Runs the pilots, and prints them and the proposal on stdout. Pilots take at most a tenth of the
 * time p->plan or five minutes; half if the time is short. *number becomes the signal that ended
 * them, or 0. Returns STATUS_OK; or after a message on stderr STATUS_REFUSED (no device, or too
 * little time for the smallest population) or STATUS_FAILED. */
exit_status plan_make(const parameters *p, const couplings *sample, int *number);

#endif
