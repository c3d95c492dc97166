/* Resampling to nearest integers (eq. 2): a parent has floor(tau-hat) children, and one more with
 * probability tau-hat - floor(tau-hat). */
#ifndef PAISING_NEAREST_H
#define PAISING_NEAREST_H

#include "base/portable.h"

#include <stdint.h>

/* The number of children of a parent. tau_hat: 32.32 fixed point; r: a random number of 32 bits. */
SHARED_FUNCTION uint64_t nearest_copies(uint64_t tau_hat, uint32_t r) {
    return (tau_hat >> 32) + (r < (uint32_t)tau_hat ? 1 : 0);
}

#endif
