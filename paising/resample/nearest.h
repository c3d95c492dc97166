/* Resampling to nearest integers (eq. 2): a parent has floor(tau-hat) children, and one more with
 * probability tau-hat - floor(tau-hat). */
#ifndef PAISING_NEAREST_H
#define PAISING_NEAREST_H

#include "line.h"

/* The number of children of a parent; tau_hat in 32.32 fixed point. */
STREAM_FUNCTION uint64_t nearest_copies(selection_numbers numbers, uint32_t parent,
                                        const stream_block *four, uint64_t tau_hat) {
    (void)numbers;
    return (tau_hat >> 32) + (four->number[parent % 4] < (uint32_t)tau_hat ? 1 : 0);
}

#endif
