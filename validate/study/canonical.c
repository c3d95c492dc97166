/* Exact energies (canonical.h). */
#include "canonical.h"

#include "reference/energy_states.h"

#include <math.h>
#include <stdlib.h>

/* --- the distribution --- */

bool level_states_create(level_states *s, const spin_model *square) {
    couplings c = {0};
    energy_states states = {0};
    *s = (level_states){square->levels, malloc(square->levels.count * sizeof *s->ln_states)};
    const bool good = s->ln_states != NULL && couplings_create(&c, 2, square->edge) &&
                      kaufman_states_count(&states, &c);
    for (size_t n = 0; good && n < s->levels.count; n++) {
        const int64_t energy = level_energy(s->levels, n) + (int64_t)states.bonds;
        s->ln_states[n] = (double)logl(energy_states_number(&states, (uint64_t)energy / 2));
    }
    energy_states_destroy(&states);
    couplings_destroy(&c);
    return good;
}

void level_states_destroy(level_states *s) {
    free(s->ln_states);
    s->ln_states = NULL;
}

double canonical_fill(const level_states *s, double beta, double *p) {
    double top = -INFINITY, sum = 0;
    for (size_t n = 0; n < s->levels.count; n++) {
        p[n] = s->ln_states[n] - beta * (double)level_energy(s->levels, n);
        top = fmax(top, p[n]);
    }
    for (size_t n = 0; n < s->levels.count; n++)
        sum += p[n] = exp(p[n] - top);
    for (size_t n = 0; n < s->levels.count; n++)
        p[n] /= sum;
    return top + log(sum);
}

/* --- drawing --- */

bool canonical_table_create(canonical_table *t, size_t levels) {
    t->count = levels;
    t->limit = malloc(levels * sizeof *t->limit);
    return t->limit != NULL;
}

void canonical_table_destroy(canonical_table *t) {
    free(t->limit);
    t->limit = NULL;
}

void canonical_table_fill(canonical_table *t, const double *p) {
    /* From both ends to the middle, so that rare levels of either keep their digits. */
    double below = 0, above = 0;
    for (size_t n = 0; n < t->count; n++) {
        below += p[n];
        t->limit[n] = below < 0.5 ? (uint64_t)(0x1p64 * below) : UINT64_MAX;
    }
    for (size_t n = t->count - 1; n > 0; n--) {
        above += p[n];
        if (above > 0.5)
            break;
        t->limit[n - 1] = UINT64_MAX - (uint64_t)(0x1p64 * above);
    }
    for (size_t g = 0, n = 0; g < CANONICAL_GUIDES; g++) {
        const uint64_t first = (uint64_t)g * (UINT64_MAX / CANONICAL_GUIDES + 1);
        while (n + 1 < t->count && first >= t->limit[n])
            n++;
        t->guide[g] = (uint32_t)n;
    }
}
