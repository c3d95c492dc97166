/* Residual resampling: a parent has floor(tau-hat) children for sure. The rest of the population
 * falls on the fractions of tau-hat, as in multinomial resampling (J. S. Liu, R. Chen, 1998). The
 * sum of the floors never exceeds the population: tau-hat is rounded by less than 2^-32, and there
 * are fewer than 2^32 parents. */
#ifndef PAISING_RESIDUAL_H
#define PAISING_RESIDUAL_H

#include "base/portable.h"

#include <stdint.h>

/* The children that a parent has for sure; tau_hat in 32.32 fixed point. */
SHARED_FUNCTION uint64_t residual_sure(uint64_t tau_hat) {
    return tau_hat >> 32;
}

/* The weight of the parent on the line: the fraction of tau-hat. */
SHARED_FUNCTION uint64_t residual_weight(uint64_t tau_hat) {
    return (uint32_t)tau_hat;
}

#endif
