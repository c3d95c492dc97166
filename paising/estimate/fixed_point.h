/* Logarithms in fixed point, whose sums, differences and multiples are exact. ln Omega(E), beta F
 * and beta E are of the order of the number of spins, up to 1e10, and their differences are needed
 * to 1e-13 or better. */
#ifndef PAISING_FIXED_POINT_H
#define PAISING_FIXED_POINT_H

#include <math.h>
#include <stdint.h>

__extension__ typedef __int128 fixed; /* in units of 2^-80 */

/* x truncated to a multiple of 2^-80. |x| is limited to 2^40. */
static inline fixed fixed_of(double x) {
    return (fixed)(fmax(-0x1p40, fmin(x, 0x1p40)) * 0x1p80);
}

static inline double fixed_value(fixed x) {
    return (double)x * 0x1p-80;
}

/* beta, for multiplication by energies up to 2^31. |beta| is limited to 2^12; options allow less. */
static inline fixed fixed_beta(double beta) {
    return fixed_of(fmax(-0x1p12, fmin(beta, 0x1p12)));
}

#endif
