/* MTGP32-11213 (M. Saito, M. Matsumoto, ACM Trans. Math. Softw. 39, 12 (2013)), with the 200 parameter sets that come
 * with cuRAND. */
#ifndef PAISING_MTGP32_H
#define PAISING_MTGP32_H

#include "base/portable.h"

#define MTGP32_WORDS 351  /* of the state */
#define MTGP32_RING  1024 /* in which it moves on, as in cuRAND */

typedef struct {
    uint32_t pos, sh1, sh2, mask, table[16], temper[16];
} mtgp32_set;

C_DECLARATIONS_BEGIN

/* How many sets there are: 0 where the program was built without the CUDA toolkit. */
uint32_t mtgp32_sets(void);
mtgp32_set mtgp32_set_at(uint32_t n);

/* Fills the state x[351] of a set from a seed, as mtgp32_init_state of the authors and of cuRAND. */
void mtgp32_seed(uint32_t x[MTGP32_WORDS], const mtgp32_set *set, uint32_t seed);

C_DECLARATIONS_END

#endif
