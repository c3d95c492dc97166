/* The measurement of a step, from what its engine reports: of replicas, or of stripes of lattices. */
#include "series.h"

engine_status series_measure(series *s) {
    engine *const e = s->steps.engine;
    const uint32_t stripes = s->given->stripes;
    const engine_status status =
        stripes > 1
            ? e->verbs->read_stripes(e, 0, s->temperatures * s->replicas, s->unsatisfied, s->up)
            : ENGINE_OK;
    for (size_t k = 0; k < s->temperatures && status == ENGINE_OK; k++)
        s->now[k] = stripes > 1 ? measurement_of_stripes(s->unsatisfied + k * s->replicas,
                                                         s->up + k * s->replicas,
                                                         s->given->population, stripes, &s->model)
                                : measurement_of(&s->steps.group[k], s->model.sites);
    return status;
}
