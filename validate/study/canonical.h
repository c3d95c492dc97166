/* The canonical distribution of the energy of the L x L ferromagnet, from its exact numbers of states
 * (reference/kaufman_states.c), and energies drawn from it.
 *
 * Level n has the energy of n unsatisfied pairs of bonds, as the model counts levels (model.h). */
#ifndef PAISING_CANONICAL_H
#define PAISING_CANONICAL_H

#include "model/model.h"

#include <stdbool.h>

/* ln of the number of states of every level. */
typedef struct {
    energy_levels levels;
    double *ln_states; /* [levels.count]; -infinity where there are none */
} level_states;

/* Counts the states; returns false without memory. */
bool level_states_create(level_states *s, const spin_model *square);
void level_states_destroy(level_states *s);

/* Probabilities p[levels.count] at inverse temperature beta. Returns ln Z. */
double canonical_fill(const level_states *s, double beta, double *p);

/* A table to draw levels by: level n where the number of 64 bits is below limit[n] and not below that of the level
 * before. Each probability is exact to 2^-64, and to the rounding of a double. */
#define CANONICAL_GUIDES 4096
typedef struct {
    size_t count;
    uint64_t *limit; /* [count]; the last is 2^64 - 1, and takes that number, too */
    /* where to begin to look, by the highest bits of the number */
    uint32_t guide[CANONICAL_GUIDES];
} canonical_table;

bool canonical_table_create(canonical_table *t, size_t levels);
void canonical_table_destroy(canonical_table *t);
void canonical_table_fill(canonical_table *t, const double *p);

static inline uint32_t canonical_draw(const canonical_table *t, uint64_t number) {
    uint32_t n = t->guide[number / (UINT64_MAX / CANONICAL_GUIDES + 1)];
    while (number >= t->limit[n] && n + 1 < t->count)
        n++;
    return n;
}

#endif
