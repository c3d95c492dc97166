/* Averages over samples of the disorder, [.] = mean over samples of what each has at one temperature, and their
 * errors. Ratios are taken of averages, and are not averages of ratios: U4 = [q4] / [q2]^2, the Binder parameter
 * g = (3 - U4) / 2, and xi / L from [q2] and [|q(k)|^2] (overlap.h). Errors are jackknife errors over the samples:
 * they hold what the samples differ by, and what is not known of each. */
#ifndef PAISING_DISORDER_AVERAGE_H
#define PAISING_DISORDER_AVERAGE_H

#include "overlap.h"

/* Those before DISORDER_MEANS are known of each sample. */
typedef enum {
    DISORDER_E,
    DISORDER_C,
    DISORDER_BETA_F, /* per spin */
    DISORDER_ABS_Q,
    DISORDER_Q2,
    DISORDER_Q4,
    DISORDER_LINK,
    DISORDER_WAVE, /* |q(k)|^2 */
    DISORDER_ENTROPY,
    DISORDER_RHO_T,
    DISORDER_MEANS,
    DISORDER_U4 = DISORDER_MEANS,
    DISORDER_BINDER,
    DISORDER_CHI,
    DISORDER_XI,
    DISORDER_VALUES
} disorder_value;

/* A sample at one temperature. */
typedef struct {
    double beta;
    double value[DISORDER_MEANS], error[DISORDER_MEANS]; /* errors of its own; 0: not known */
    bool equilibrated; /* its families fulfil the criterion (equilibration.h) */
} sample_row;

/* All of them. */
typedef struct {
    double beta;
    double value[DISORDER_VALUES],
        error[DISORDER_VALUES]; /* errors of a single sample are nan; where samples have no
                                                              scatter, they follow from those of each */
    size_t equilibrated;        /* samples */
} disorder_row;

/* Averages rows[samples][temperatures] at temperature number i; without[DISORDER_VALUES][samples] is room. */
disorder_row disorder_average(const sample_row rows[], size_t samples, size_t temperatures,
                              size_t i, const spin_model *model, double without[]);

/* How many samples fulfil the criterion at all temperatures. */
size_t disorder_equilibrated(const sample_row rows[], size_t samples, size_t temperatures);

#endif
