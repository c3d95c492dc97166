/* exp and log (ieee_math.h) of many numbers at a time: the same bits, sooner. */
#ifndef PAISING_IEEE_ARRAYS_H
#define PAISING_IEEE_ARRAYS_H

#include <stddef.h>

/* Put exp(x) or log(x) in the place of each of the numbers x[count]. */
void ieee_exp_all(double *x, size_t count);
void ieee_log_all(double *x, size_t count);

#endif
