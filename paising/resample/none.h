/* No resampling: each replica goes on alone, which is simulated annealing. */
#ifndef PAISING_NONE_H
#define PAISING_NONE_H

#include "line.h"

/* The number of children of a parent: one. */
STREAM_FUNCTION uint64_t none_copies(selection_numbers numbers, uint32_t parent,
                                     const stream_block *four, uint64_t tau_hat) {
    (void)numbers;
    (void)parent;
    (void)four;
    (void)tau_hat;
    return 1;
}

#endif
