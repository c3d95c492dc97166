/* Autocorrelation of a series. */
#include "autocorrelation.h"

#include <math.h>
#include <stdbool.h>

#define WINDOW_TIMES 6 /* the window over tau_int */

static double mean_of(const double value[], size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return sum / (double)n;
}

/* The mean of products of deviations from the mean, t apart. */
static double covariance(const double value[], size_t n, double mean, size_t t) {
    double sum = 0;
    for (size_t i = 0; i + t < n; i++)
        sum += (value[i] - mean) * (value[i + t] - mean);
    return sum / (double)(n - t);
}

static bool are_the_same(const double value[], size_t n) {
    size_t i = 1;
    while (i < n && value[i] == value[0])
        i++;
    return i >= n;
}

autocorrelation autocorrelation_of(const double value[], size_t n) {
    autocorrelation a = {
        .mean = NAN, .variance = NAN, .tau = NAN, .error_tau = NAN, .error_mean = NAN};
    if (n == 0)
        return a;
    if (are_the_same(value, n)) { /* whose mean in floating point may be another number */
        a.mean = value[0];
        a.variance = 0;
        return a;
    }
    a.mean = mean_of(value, n);
    a.variance = covariance(value, n, a.mean, 0);
    double tau = 0.5;
    for (size_t window = 1; window < n / 2; window++) {
        tau += covariance(value, n, a.mean, window) / a.variance;
        if (tau > 0 && (double)window < WINDOW_TIMES * tau)
            continue;
        if (!(tau > 0)) /* values that alternate */
            break;
        a.window = window;
        a.tau = tau;
        a.error_tau = tau * sqrt(2 * (2 * (double)window + 1) / (double)n);
        a.error_mean = sqrt(2 * tau * a.variance / (double)n);
        break;
    }
    return a;
}
