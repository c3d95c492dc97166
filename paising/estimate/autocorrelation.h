/* The integrated autocorrelation time of a stationary series x_0 .. x_{n-1}, in units of the time between two of its values:
 *
 *     tau_int = 1/2 + sum_{t >= 1} rho(t),   rho(t) = <x_0 x_t>_c / <x_0 x_0>_c
 *
 * The sum ends at the first window W >= 6 tau_int(W) (Sokal). The error of tau_int is tau_int sqrt(2 (2 W + 1) / n), and that of
 * the mean of the series is sqrt(2 tau_int var / n). Values that are independent of one another have tau_int = 1/2. Another
 * convention is tau = tau_int - 1/2, the sum alone. */
#ifndef PAISING_AUTOCORRELATION_H
#define PAISING_AUTOCORRELATION_H

#include <stddef.h>

typedef struct {
    double mean, variance; /* of the values */
    double tau, error_tau; /* nan where the values are all the same, or fewer than two */
    double error_mean;     /* likewise: a series that never changes says nothing of its error */
    /* W; 0: none, and tau and errors are nan: the series is shorter than twice the window that it needs, or its values
     * alternate (rho(1) near -1/2 or below), so that the sum falls to 0 */
    size_t window;
} autocorrelation;

/* Of value[n]. */
autocorrelation autocorrelation_of(const double value[], size_t n);

/* The same with a window of `least` or more: of a series with a small part that is slow, as that of another one with this window is. Else
 * its fast part closes the window before the slow one is seen. */
autocorrelation autocorrelation_within(const double value[], size_t n, size_t least);

#endif
