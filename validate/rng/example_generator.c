/* What `make rng GENERATOR=my.c` takes, by example: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
#include "validate/rng/external.h"

const size_t external_state_bytes = sizeof(uint64_t);

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void external_seed(void *state, uint64_t seed, uint64_t thread) {
    *(uint64_t *)state = mix(mix(seed) + thread);
}

uint32_t external_next(void *state) {
    return (uint32_t)(mix(*(uint64_t *)state += 0x9e3779b97f4a7c15) >> 32);
}
