/* The parameter sets of MTGP32, from the header of the CUDA toolkit. */
#include "mtgp32.h"

#include <curand_mtgp32dc_p_11213.h>

#include <string.h>

uint32_t mtgp32_sets(void) {
    return (uint32_t)mtgpdc_params_11213_num;
}

mtgp32_set mtgp32_set_at(uint32_t n) {
    const mtgp32_params_fast_t *const p = &mtgp32dc_params_fast_11213[n];
    mtgp32_set set = {};
    set.pos = (uint32_t)p->pos;
    set.sh1 = (uint32_t)p->sh1;
    set.sh2 = (uint32_t)p->sh2;
    set.mask = p->mask;
    memcpy(set.table, p->tbl, sizeof set.table);
    memcpy(set.temper, p->tmp_tbl, sizeof set.temper);
    return set;
}
