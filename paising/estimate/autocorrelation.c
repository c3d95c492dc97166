/* Autocorrelation of a series. */
#include "autocorrelation.h"

#include <math.h>
#include <stdbool.h>

#define WINDOW_TIMES 6 /* the window over tau_int */
#define TOGETHER     8 /* covariances that are summed at a time */

static double mean_of(const double value[], size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return sum / (double)n;
}

static double variance_of(const double value[], size_t n, double mean) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (value[i] - mean) * (value[i] - mean);
    return sum / (double)n;
}

/* Fills of[k] with the mean of products of deviations from the mean, t + k apart, k < TOGETHER, as far as there are any. Each sum
 * goes from the first value to the last; additions of different sums do not wait for each other. */
static void covariances(const double value[], size_t n, double mean, size_t t,
                        double of[TOGETHER]) {
    const size_t last = t + TOGETHER - 1, common = n > last ? n - last : 0;
    double sum[TOGETHER] = {0};
    for (size_t i = 0; i < common; i++) {
        const double off = value[i] - mean;
        for (size_t k = 0; k < TOGETHER; k++)
            sum[k] += off * (value[i + t + k] - mean);
    }
    for (size_t k = 0; k < TOGETHER && t + k < n; k++) {
        for (size_t i = common; i + t + k < n; i++)
            sum[k] += (value[i] - mean) * (value[i + t + k] - mean);
        of[k] = sum[k] / (double)(n - t - k);
    }
}

static bool are_the_same(const double value[], size_t n) {
    size_t i = 1;
    while (i < n && value[i] == value[0])
        i++;
    return i >= n;
}

autocorrelation autocorrelation_of(const double value[], size_t n) {
    return autocorrelation_within(value, n, 0);
}

autocorrelation autocorrelation_within(const double value[], size_t n, size_t least) {
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
    a.variance = variance_of(value, n, a.mean);
    double tau = 0.5, at[TOGETHER] = {0};
    for (size_t window = 1; window < n / 2; window++) {
        const size_t place = (window - 1) % TOGETHER;
        if (place == 0)
            covariances(value, n, a.mean, window, at);
        tau += at[place] / a.variance;
        if (window < least || (tau > 0 && (double)window < WINDOW_TIMES * tau))
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
