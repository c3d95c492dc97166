/* Clusters by union-find (R. E. Tarjan, J. ACM 22, 215, 1975). The trees of label[] have their smallest site as root: joining two
 * hangs the larger root below the smaller one. So the labels do not depend on the order of the bonds. */
#ifndef PAISING_CPU_UNION_FIND_H
#define PAISING_CPU_UNION_FIND_H

#include <stdint.h>

static inline uint32_t root_of(uint32_t *label, uint32_t n) {
    while (label[n] != n)
        n = label[n] = label[label[n]];
    return n;
}

static inline void join(uint32_t *label, uint32_t a, uint32_t b) {
    const uint32_t p = root_of(label, a), q = root_of(label, b);
    label[p > q ? p : q] = p > q ? q : p;
}

#endif
