/* Residual resampling: a parent has floor(tau-hat) children for sure, and the rest of the population falls on what
 * the floors cut off as in multinomial resampling (J. S. Liu, R. Chen, 1998). The floors are never more than the
 * population: tau-hat is rounded by less than 2^-32, and of fewer than 2^32 parents. */
#ifndef PAISING_RESIDUAL_H
#define PAISING_RESIDUAL_H

#include "base/portable.h"

#include <stdint.h>

/* The children that a parent has for sure; tau-hat in 32.32 fixed point. */
SHARED_FUNCTION uint64_t residual_sure(uint64_t tau_hat) {
    return tau_hat >> 32;
}

/* Its weight on the line. */
SHARED_FUNCTION uint64_t residual_weight(uint64_t tau_hat) {
    return (uint32_t)tau_hat;
}

#endif
