/* The spread of the specific heat over independent runs, and its own error.
 *
 * For M runs with the values C_1 .. C_M at one temperature
 *
 *     sigma^2(C) = sum (C_r - <C>)^2 / (M - 1).
 *
 * Every error here is a jackknife over the runs, the only unit that is independent: temperatures of
 * one run are correlated, replicas too. */
#ifndef PAISING_INFLATION_SPREAD_H
#define PAISING_INFLATION_SPREAD_H

#include <stddef.h>

/* C of many runs. */
typedef struct {
    size_t runs, temperatures;
    double *beta; /* [temperatures], rising */
    double *c;    /* [temperature * runs + run] */
} spread_sample;

/* A number with its error (one standard deviation). */
typedef struct {
    double value, error;
} measured;

/* Reserves a sample. Returns 0, or -1 without memory. */
int spread_create(spread_sample *sample, size_t runs, size_t temperatures);
void spread_destroy(spread_sample *sample);

/* Mean of C over the runs at temperature t. */
double spread_mean(const spread_sample *sample, size_t t);

/* sigma(C) / <C> at temperature t, nan if <C> is 0 (as it is at beta = 0). At least 3 runs. */
measured spread_relative(const spread_sample *sample, size_t t);

/* ln sigma^2(C) at temperature t; -inf if all runs agree. */
measured spread_ln_variance(const spread_sample *sample, size_t t);

/* The mean of ln sigma^2(C) over the temperatures first <= beta <= last; nan if there are none. */
measured spread_window(const spread_sample *sample, double first, double last);

/* exp(a - b) of two independent logarithms: the ratio of the variances, with its error. */
measured spread_ratio(measured a, measured b);

#endif
