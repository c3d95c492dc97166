/* The resampling rule of eq. (2), nearest integers: a parent that expects tau-hat children gets
 * floor(tau-hat), and one more with the probability of what the floor cut off. One function for the host
 * and for the device. */
#ifndef PAISING_NEAREST_H
#define PAISING_NEAREST_H

#include "base/portable.h"

#include <stdint.h>

/* The children of a parent: tau-hat in 32.32 fixed point, r a random number of 32 bits. */
SHARED_FUNCTION uint64_t nearest_copies(uint64_t tau_hat, uint32_t r) {
    return (tau_hat >> 32) + (r < (uint32_t)tau_hat ? 1 : 0);
}

#endif
