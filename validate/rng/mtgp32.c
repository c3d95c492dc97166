/* The parameter sets of MTGP32, from the header of the CUDA toolkit where it is there, and its seeds. */
#include "mtgp32.h"

#include <string.h>

#ifdef HAVE_MTGP32

#include <curand_mtgp32dc_p_11213.h>

uint32_t mtgp32_sets(void) {
    return (uint32_t)mtgpdc_params_11213_num;
}

mtgp32_set mtgp32_set_at(uint32_t n) {
    const mtgp32_params_fast_t *const p = &mtgp32dc_params_fast_11213[n];
    mtgp32_set set = {
        .pos = (uint32_t)p->pos, .sh1 = (uint32_t)p->sh1, .sh2 = (uint32_t)p->sh2, .mask = p->mask};
    memcpy(set.table, p->tbl, sizeof set.table);
    memcpy(set.temper, p->tmp_tbl, sizeof set.temper);
    return set;
}

#else

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
