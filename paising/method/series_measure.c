/* The measurement of a step, from what its engine reports: of replicas, or of stripes of lattices. */
#include "series.h"

/* Sets S(k), the mean over the lattices of each temperature. */
static engine_status measure_waves(series *s) {
    engine *const e = s->steps.engine;
    const uint64_t lattices = s->given->population;
    const uint32_t stripes = s->given->stripes, planes = profile_planes(&e->model);
    const engine_status status =
        profiles_read(e, &s->room, s->temperatures * s->replicas, s->profiles);
    for (size_t k = 0; k < s->temperatures && status == ENGINE_OK; k++) {
        double sum = 0;
        for (uint64_t r = 0; r < lattices; r++)
            sum += structure_of(
                &s->waves, s->profiles + (k * lattices + r) * stripes * (size_t)planes, stripes);
        s->now[k].s_k = sum / (double)lattices;
    }
    return status;
}

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
    return status == ENGINE_OK && s->given->correlation_length ? measure_waves(s) : status;
}
