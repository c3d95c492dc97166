/* The multiply-with-carry generator of lag 2: in base b = 2^32
 *
 *     x_n + b c_n = A x_{n-2} + c_{n-1},    0 <= x_n < b,  0 <= c_n < A,
 *
 * x_n is the number drawn. The state (x_{n-1}, x_{n-2}, c) is the residue
 *
 *     z = x_{n-2} + b x_{n-1} + b^2 c,      0 <= z <= m = A b^2 - 1,
 *
 * each once, and a draw takes z to z / b modulo m: b z' = z + m x_{n-2}. 0 and m stay where they are. A is such that m
 * and (m - 1) / 2 are prime: all other states lie on two cycles of (m - 1) / 2 = 2^94.9 states each. The bitwise complement of a state,
 * with A - 1 - c for the carry, lies on the other cycle, which draws the complements. The proofs, and how A
 * was chosen: validate/rng/multiplier.py. */
#ifndef PAISING_MWC_H
#define PAISING_MWC_H

#include "base/portable.h"

#include <stdint.h>

#define MWC_MULTIPLIER 0xef319015u

typedef struct {
    uint32_t x1, x2, c; /* x_{n-1}, x_{n-2}, c_{n-1} */
} mwc_state;

/* A state from four random numbers: any x_{n-1} and x_{n-2}, and 0 < c < A - 1, to 2^-32 equally probable, which
 * excludes 0 and m. */
SHARED_FUNCTION mwc_state mwc_seed(uint32_t n0, uint32_t n1, uint32_t n2, uint32_t n3) {
    const uint64_t carries = MWC_MULTIPLIER - 2;
    const uint64_t c = 1 + ((n3 * carries + (n2 * carries >> 32)) >> 32);
    const mwc_state state = {n0, n1, (uint32_t)c};
    return state;
}

SHARED_FUNCTION uint32_t mwc_next(mwc_state *state) {
    const uint32_t x = state->x2;
    state->x2 = state->x1;
#ifdef __CUDA_ARCH__
    /* Each half of the sum by an instruction of its own: one for both would want two more, which move them. */
    asm("mad.lo.u32 %0, %1, %2, %3;"
        : "=r"(state->x1)
        : "r"(x), "n"(MWC_MULTIPLIER), "r"(state->c));
    state->c = (uint32_t)(((uint64_t)MWC_MULTIPLIER * x + state->c) >> 32);
#else
    const uint64_t sum = (uint64_t)MWC_MULTIPLIER * x + state->c;
    state->x1 = (uint32_t)sum;
    state->c = (uint32_t)(sum >> 32);
#endif
    return state->x1;
}

#endif
