/* The seeds of MTGP32. Without the CUDA toolkit it has no parameter sets; with it, mtgp32_sets.cu has them. */
#include "mtgp32.h"

#include <string.h>

#ifndef PAISING_CUDA

uint32_t mtgp32_sets(void) {
    return 0;
}

mtgp32_set mtgp32_set_at(uint32_t n) {
    (void)n;
    return (mtgp32_set){0};
}

#endif

void mtgp32_seed(uint32_t x[MTGP32_WORDS], const mtgp32_set *set, uint32_t seed) {
    const uint32_t hidden = set->table[4] ^ set->table[8] << 16;
    uint32_t fill = hidden;
    fill += fill >> 16;
    fill += fill >> 8;
    memset(x, (int)(fill & 0xff), MTGP32_WORDS * sizeof *x);
    x[0] = seed;
    x[1] = hidden;
    for (uint32_t n = 1; n < MTGP32_WORDS; n++)
        x[n] ^= 1812433253u * (x[n - 1] ^ x[n - 1] >> 30) + n;
}
