/* The resampling rules: a function in a header of its own for host and device each, and a case here; what asks
 * for it is engine_step.resampling. */
#ifndef PAISING_RESAMPLING_RULES_H
#define PAISING_RESAMPLING_RULES_H

#include "engine/kinds.h"
#include "nearest.h"

/* The children of a parent: tau-hat in 32.32 fixed point, r a random number of 32 bits. */
SHARED_FUNCTION uint64_t copies_by_rule(resampling_rule rule, uint64_t tau_hat, uint32_t r) {
    switch (rule) {
    case RESAMPLE_NEAREST:
        return nearest_copies(tau_hat, r);
    }
    return 0;
}

#endif
