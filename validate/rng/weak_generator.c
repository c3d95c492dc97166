/* A generator that `make rng GENERATOR=validate/rng/weak_generator.c` must find: 12 bits of state, 4096 numbers, of which
 * every thread takes its turn from another place. For tests. */
#include "validate/rng/external.h"

const size_t external_state_bytes = sizeof(uint32_t);

void external_seed(void *state, uint64_t seed, uint64_t thread) {
    *(uint32_t *)state = (uint32_t)(seed * 40503 + thread) & 0xfff;
}

uint32_t external_next(void *state) {
    uint32_t *const x = state;
    *x = (*x * 25173 + 13849) & 0xfff;
    return *x << 20;
}
