/* What decides the flips of a graph at one temperature: a table by the change of the energy.
 *
 * Change c of a flip is its cost in units of the spacing of the levels, from -most to most. As for lattices (flip_rule in
 * engine.h) thresholds are rounded at random (rounding.h), and a random number below the threshold decides. A threshold is
 * t or t + 1; which it is matters where the number is t, once in 2^32 times. */
#ifndef PAISING_FLIP_TABLE_H
#define PAISING_FLIP_TABLE_H

#include "model/model.h"
#include "update/update.h"

#include <stdbool.h>

/* By change, [2 most + 1] numbers each, one array behind the other. With DOWNHILL_ALWAYS flips of changes below 1 are always
 * made, and their thresholds 2^32 - 1; with DOWNHILL_COMPLEMENT those of changes below 0 are those of the opposite change,
 * and a number that is not below flips. */
typedef struct flip_table {
    uint32_t most;             /* changes are -most .. most */
    uint64_t *fraction, *rest; /* as in flip_rule */
    uint32_t *threshold;       /* t */
    const update_kind *update; /* what it follows from: NULL in kernels */
    double beta;
} flip_table;

/* The bytes of a table for a graph. */
static inline uint64_t flip_table_bytes(const spin_graph *g) {
    return g->levels.fine ? 0
                          : sizeof(flip_table) + (2 * (uint64_t)g->most_change + 1) *
                                                     (sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

C_DECLARATIONS_BEGIN

/* The whole number, fraction and rest of 2^32 times a probability (flip_rule). */
void probability_split(double probability, uint32_t *threshold, uint64_t *fraction, uint64_t *rest);

/* The table of an update for a model of a graph at inverse temperature beta. It is made when it is first asked for, and stays until
 * flip_tables_forget: rules hold pointers to it. Threads may call it at a time. NULL: no memory. */
const flip_table *flip_table_at(const update_kind *update, const spin_model *model, double beta);

/* Frees all tables, and those of fine energies. */
void flip_tables_forget(void);

C_DECLARATIONS_END

/* Whether a spin flips, at a cost of `change`, by the random number r. u is that of its replica and turn, of_rest that of the
 * temperature (rounding.h). */
SHARED_FUNCTION int flip_of_table(const flip_table *t, downhill_flips downhill, int32_t change,
                                  uint32_t r, uint64_t u, uint64_t of_rest) {
    const uint32_t n = t->most + (uint32_t)change;
    int below = r < t->threshold[n];
    if (r == t->threshold[n])
        below = u < t->fraction[n] + (of_rest < t->rest[n]) ||
                (downhill == DOWNHILL_ALWAYS && change <= 0);
    return downhill == DOWNHILL_COMPLEMENT && change < 0 ? !below : below;
}

#endif
