/* Families of replicas, side by side: 32 bits of each; and 8 more where there are more than 2^32 founders, so that others
 * need neither the memory nor the time for them. */
#ifndef PAISING_FAMILY_LIST_H
#define PAISING_FAMILY_LIST_H

#include "base/portable.h"

#include <stddef.h>
#include <string.h>

typedef struct family_list {
    uint32_t *low;
    uint8_t *high; /* NULL: no family needs it */

#ifdef __CUDACC__ /* an array for templates */
    __host__ __device__ __forceinline__ uint64_t operator[](uint64_t k) const;
#endif
} family_list;

/* Family k, whose lower half is known. */
SHARED_FUNCTION uint64_t family_joined(family_list l, uint64_t k, uint32_t low) {
    return l.high != NULL ? (uint64_t)l.high[k] << 32 | low : low;
}

SHARED_FUNCTION uint64_t family_at(family_list l, uint64_t k) {
    return family_joined(l, k, l.low[k]);
}

SHARED_FUNCTION void family_put(family_list l, uint64_t k, uint64_t family) {
    l.low[k] = (uint32_t)family;
    if (l.high != NULL)
        l.high[k] = (uint8_t)(family >> 32);
}

/* From a place on, which may stand before the list. */
SHARED_FUNCTION family_list families_from(family_list l, int64_t place) {
    l.low += place;
    l.high = l.high != NULL ? l.high + place : NULL;
    return l;
}

static inline void families_copy(family_list to, family_list from, uint64_t count) {
    memcpy(to.low, from.low, count * sizeof *to.low);
    if (to.high != NULL)
        memcpy(to.high, from.high, count);
}

#ifdef __CUDACC__
__host__ __device__ __forceinline__ uint64_t family_list::operator[](uint64_t k) const {
    return family_at(*this, k);
}
#endif

#endif
