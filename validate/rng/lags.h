/* Whether a sequence remembers: each of the 32 bits of its numbers against the same bit of an earlier number. TestU01's
 * SmallCrush does not compare numbers that are further apart than some ten. */
#ifndef PAISING_LAGS_H
#define PAISING_LAGS_H

#include <stddef.h>
#include <stdint.h>

#define LAGS_MOST                                                                                  \
    4096 /* as many as the threads of the orders of streams_under_test.h: a thread's own number before */

/* The largest |z| of all bits and lags 1 to LAGS_MOST, and where. */
typedef struct {
    double z;
    uint32_t lag, bit;
} lag_finding;

/* z = (agreements - disagreements) / sqrt(pairs) has unit variance if bits are independent. count: more than 2 LAGS_MOST. Returns 0, or
 * -1 if there is not enough memory. */
int lags_scan(const uint32_t numbers[], size_t count, lag_finding *worst);

#endif
