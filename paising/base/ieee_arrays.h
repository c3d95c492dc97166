/* exp and log (ieee_math.h) of arrays: the same bits, faster. */
#ifndef PAISING_IEEE_ARRAYS_H
#define PAISING_IEEE_ARRAYS_H

#include <stddef.h>

/* Replace each of x[count] by its exp or log. */
void ieee_exp_all(double *x, size_t count);
void ieee_log_all(double *x, size_t count);

#endif
