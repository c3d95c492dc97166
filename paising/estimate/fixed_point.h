/* Logarithms in fixed point, whose sums, differences and multiples are exact: ln Omega(E), beta F and
 * beta E are of the order of the number of spins, up to 1e10, and what they differ by is to be known
 * to 1e-13 and better. */
#ifndef PAISING_FIXED_POINT_H
#define PAISING_FIXED_POINT_H

#include <math.h>
#include <stdint.h>

__extension__ typedef __int128 fixed; /* in units of 2^-80 */

/* x cut off after the digit 2^-80. What is beyond 2^40 becomes 2^40. */
static inline fixed fixed_of(double x) {
    return (fixed)(fmax(-0x1p40, fmin(x, 0x1p40)) * 0x1p80);
}

static inline double fixed_value(fixed x) {
    return (double)x * 0x1p-80;
}

/* beta, to be multiplied by energies up to 2^31. What is beyond 2^12 becomes 2^12: options end below. */
static inline fixed fixed_beta(double beta) {
    return fixed_of(fmax(-0x1p12, fmin(beta, 0x1p12)));
}

#endif
