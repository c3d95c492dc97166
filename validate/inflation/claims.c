/* What is claimed of the ratio of variances, and how a claim is decided. */
#include "claims.h"

#include "validate/lib/statistics.h"

#include <math.h>

double claim_z(claim c, measured ratio, size_t runs) {
    const double nearest = fmin(fmax(ratio.value, c.low), c.high);
    if (ratio.value == nearest)
        return 0;
    return z_of_student(log(ratio.value / nearest) * ratio.value / ratio.error, (double)runs - 1);
}

claim_outcome claim_decide(claim c, measured ratio, size_t runs, double limit) {
    if (fabs(claim_z(c, ratio, runs)) > limit)
        return CLAIM_REFUTED;
    const double sharpness = limit * ratio.error / ratio.value;
    return sharpness <= log(CLAIM_SHARPNESS) ? CLAIM_HOLDS : CLAIM_UNDECIDED;
}

const char *claim_outcome_name(claim_outcome outcome) {
    static const char *const names[] = {"holds", "REFUTED", "UNDECIDED"};
    return names[outcome];
}
