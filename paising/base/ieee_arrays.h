/* exp (ieee_math.h) of many numbers at a time: the same bits, sooner. */
#ifndef PAISING_IEEE_ARRAYS_H
#define PAISING_IEEE_ARRAYS_H

#include <stddef.h>

/* Puts exp(x) in the place of each of the numbers x[count]. */
void ieee_exp_all(double *x, size_t count);

#endif
