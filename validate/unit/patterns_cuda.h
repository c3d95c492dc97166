/* Sweeps by patterns (cuda/fine/patterns.cuh) as the host makes them. */
#ifndef PAISING_PATTERNS_CUDA_H
#define PAISING_PATTERNS_CUDA_H

#include "base/portable.h"

#include <stdint.h>

/* Whether a site flips whose number is the threshold of its pattern. */
typedef int pattern_decision(void *state, uint32_t site, uint32_t pattern, uint32_t number);

C_DECLARATIONS_BEGIN

/* A sweep of the sites of a colour of a cube: row[edge^2] has its rows as bits, threshold[edge^3 / 2][64], number[edge^3 / 2] those of the
 * colour. Returns 0, or -1 if there are no sweeps of this edge. */
int patterns_sweep(uint32_t edge, uint32_t *row, const uint32_t *threshold, uint32_t parity,
                   const uint32_t *number, pattern_decision *exactly, void *state);

C_DECLARATIONS_END

#endif
