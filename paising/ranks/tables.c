/* Tables that decide flips, which rules point to: of graphs, and of energies without levels. Each rank makes its own, of what
 * rank 0's follow from: a message of a few numbers in place of a table. */
#include "distributed.h"

#include <math.h>

/* What the tables of a rule follow from. */
typedef struct {
    double rate;     /* of energies without levels; NAN: there is no table of them */
    double beta;     /* of a graph's table, with */
    uint32_t update; /* its number in update_kinds; UPDATES: there is no such table */
} table_origin;

static table_origin origin_of(const flip_rule *rule) {
    table_origin of = {.rate = rule->fine != NULL ? rule->fine->rate : NAN, .update = UPDATES};
    for (uint32_t n = 0; rule->table != NULL && n < UPDATES; n++)
        if (update_kinds[n] == rule->table->update)
            of.update = n;
    of.beta = rule->table != NULL ? rule->table->beta : 0;
    return of;
}

void distributed_take_tables(const distributed_engine *e, flip_rule *rule) {
    const spin_model *const model = &e->local->model;
    const bool here = ranks_world().rank == 0;
    if (model->graph == NULL && (!model->levels.fine || model->spins == SPINS_VECTOR))
        return;
    table_origin of = here ? origin_of(rule) : (table_origin){.rate = NAN};
    world_broadcast(&of, sizeof of);
    if (here)
        return;
    /* the rate alone decides, and is the same: this unit is a power of two */
    rule->fine = isnan(of.rate) ? NULL : fine_flips_at(of.rate * FINE_UNIT, FINE_UNIT);
    rule->table =
        of.update < UPDATES ? flip_table_at(update_kinds[of.update], model, of.beta) : NULL;
}
