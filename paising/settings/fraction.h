/* Fractions of whole numbers, as options have them: "3/10", "-2", "0.3". */
#ifndef PAISING_FRACTION_H
#define PAISING_FRACTION_H

#include <stdint.h>

#define FRACTION_MOST 10000 /* of both numbers */

/* A number in units of 1 / unit; unit 0: it is not a fraction. */
typedef struct {
    int64_t number;
    uint32_t unit;
} fraction;

/* NULL is 0. The two numbers are as they are written; of a decimal number, without a common divisor. */
fraction fraction_read(const char *text);

/* The same without common divisors. */
fraction fraction_reduced(fraction f);

#endif
