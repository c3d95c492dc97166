/* --plan: which population and how many sweeps to choose for a given time, from pilots: short simulations of what is asked
 * for, with a small population and 1, 2, 4, ... sweeps a temperature.
 *
 * Variances and biases fall as 1/R (Weigel et al., Phys. Rev. E 103, 053301), and time grows with R, so that a pilot's
 * variance times its seconds is the variance that a second buys, at its number of sweeps: few sweeps leave relatives alike,
 * and many are wasted on replicas that have forgotten each other. The number with the smallest is proposed, and R by
 * what a replica costs beyond what every step does. */
#ifndef PAISING_PLAN_H
#define PAISING_PLAN_H

#include "base/message.h"
#include "model/couplings.h"
#include "settings/parameters.h"

/* What a pilot found. */
typedef struct {
    uint32_t sweeps;
    uint64_t population;
    double seconds;
    size_t temperatures;
    double families; /* sure families (kinship.h) of the temperature that has the fewest */
    double
        variance_f; /* of beta F of the whole lattice at the last temperature, as the run gives it */
    double variance_c; /* of C, where that is largest */
} plan_pilot;

/* What is proposed. */
typedef struct {
    size_t chosen; /* the pilot */
    uint64_t population;
    uint32_t sweeps, runs;
    double seconds;  /* that it will take, all runs and samples together */
    double families; /* sure families of a run */
    double
        error_f; /* of beta F of the whole lattice, of the average of the runs; nan: not promised */
    double error_c; /* of C, where that is largest, likewise */
    bool
        believed; /* by errors, which can be believed; else by families alone, and none are promised */
    bool fits;    /* there is a population for the time */
} plan_proposal;

#define PLAN_MOST_PILOTS 12

/* What a step costs whatever the population, in seconds a run, from two pilots with equally many sweeps; 0 where they are too
 * alike to tell, so that noise of their times does not make replicas look cheap. */
double plan_fixed_seconds(const plan_pilot *small, const plan_pilot *large);

/* Proposes from pilots[count] how to spend `seconds` on a run of each of p->samples samples; `largest` is the largest
 * population that fits. What does not go into R goes into runs. */
plan_proposal plan_propose(const parameters *p, const plan_pilot pilots[], size_t count,
                           double fixed_seconds, uint64_t largest);

/* Makes the pilots, which take a tenth of the time p->plan, or five minutes, at most (half of a short time), and prints them and the proposal on stdout.
 * *number becomes the signal that ended it, 0 without one. Returns STATUS_OK; after a line on stderr STATUS_REFUSED (the
 * device is not there, or the time is too short for the smallest population) or STATUS_FAILED. */
exit_status plan_make(const parameters *p, const couplings *sample, int *number);

#endif
