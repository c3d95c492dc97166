/* What is claimed of sigma^2_MSC(C) / sigma^2_SSC(C), and how a claim is decided. */
#ifndef PAISING_INFLATION_CLAIMS_H
#define PAISING_INFLATION_CLAIMS_H

#include "spread.h"

/* A ratio must be known at least so well that one this factor off a claim would refute it. */
#define CLAIM_SHARPNESS 1.5

typedef enum { CLAIM_HOLDS, CLAIM_REFUTED, CLAIM_UNDECIDED } claim_outcome;

/* That a ratio lies between low and high, which may be equal. */
typedef struct {
    double low, high;
} claim;

/* The distance of ln ratio from the claim in units of its error, as the equally improbable number of
 * a normal distribution; 0 within. The error is one of two samples of `runs` runs. */
double claim_z(claim c, measured ratio, size_t runs);

/* Whether the claim holds at the limit for |z|: it is undecided, which is no success, if the limit
 * times the error is more than ln CLAIM_SHARPNESS, so that nothing could have refuted it. */
claim_outcome claim_decide(claim c, measured ratio, size_t runs, double limit);

const char *claim_outcome_name(claim_outcome outcome);

#endif
