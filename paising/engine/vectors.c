/* Rules and lattices of spins that are vectors (vectors.h). */
#include "vectors.h"

#include <string.h>

vector_rule vector_rule_at(const update_kind *update, double beta) {
    return (vector_rule){.heat_bath = update->downhill == DOWNHILL_COMPLEMENT, .beta = beta};
}

vector_lattice vector_lattice_of(const spin_model *model) {
    const uint64_t most = model_largest_order(model) / model->order_unit;
    vector_lattice l = {.components = model->components,
                        .dimension = model->dimension,
                        .sites = (uint32_t)model->sites,
                        .real = model->real,
                        .reflections = model->reflections,
                        .most_order = (uint32_t)most};
    memcpy(l.edge, model->edge, sizeof l.edge);
    l.order_scale = (double)model_largest_order(model) / model->order_unit /
                    ((double)model->sites * VECTOR_ONE);
    return l;
}
