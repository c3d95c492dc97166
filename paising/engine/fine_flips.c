/* Tables of weights of flips (fine_flips.h). */
#include "fine_flips.h"

#include "base/ieee_math.h"

#include <stdlib.h>

/* A table that was made, and what it follows from. */
typedef struct made {
    struct made *next;
    double beta;
    uint32_t unit;
    fine_flips table;
} made;

static made *all;

void fine_weights_fill(uint64_t weight[][256], int bytes, double rate) {
    double step = rate; /* rate 256^n */
    for (int n = 0; n < bytes; n++, step *= 256)
        for (int b = 0; b < 256; b++) {
            const double w = 0x1p64 * ieee_exp(-step * b);
            weight[n][b] = w < 0x1p64 ? (uint64_t)w : UINT64_MAX;
        }
}

static const fine_flips *find_or_make(double beta, uint32_t unit) {
    made *m = all;
    while (m != NULL && (m->beta != beta || m->unit != unit))
        m = m->next;
    if (m != NULL)
        return &m->table;
    m = malloc(sizeof *m);
    if (m == NULL)
        return NULL;
    m->beta = beta;
    m->unit = unit;
    m->next = all;
    m->table.rate = beta / unit;
    fine_weights_fill(m->table.weight, FINE_BYTES, m->table.rate);
    all = m;
    return &m->table;
}

const fine_flips *fine_flips_at(double beta, uint32_t unit) {
    const fine_flips *found;
#pragma omp critical(fine_flips)
    found = find_or_make(beta, unit > 0 ? unit : 1);
    return found;
}

void fine_flips_forget(void) {
    while (all != NULL) {
        made *const m = all;
        all = m->next;
        free(m);
    }
}
