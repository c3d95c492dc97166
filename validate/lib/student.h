/* Student's t: how improbable a deviation is in units of an error that is itself estimated. */
#ifndef PAISING_STUDENT_H
#define PAISING_STUDENT_H

#include <stdint.h>

/* The probability that |t| with n >= 1 degrees of freedom is larger than `limit` >= 0 (Abramowitz and
 * Stegun 26.7.3, 26.7.4: a sum of n / 2 terms), to 1e-15. */
double student_tail(double limit, uint64_t n);

/* The limit that |t| exceeds with this probability, 1e-12 or more and less than 1. */
double student_limit(double probability, uint64_t n);

#endif
