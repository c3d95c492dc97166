/* Energies of the chains of parallel tempering, as they are read from the engine: for cluster moves, and for their means over time. */
#include "tempering.h"

bool tempering_read_energies(series *s) {
    tempering *const t = s->state;
    engine *const e = s->steps.engine;
    const engine_status read = t->energy != NULL
                                   ? e->verbs->read_energies(e, 0, t->replicas, t->energy)
                                   : e->verbs->read_levels(e, 0, t->replicas, t->level);
    return read == ENGINE_OK || series_fail(s, "%s failed: %.200s", e->name, e->error);
}

bool tempering_record_chains(series *s) {
    tempering *const t = s->state;
    const energy_levels levels = s->model.levels;
    if (!tempering_read_energies(s))
        return false;
    for (uint64_t j = 0; j < t->replicas; j++) {
        const int64_t E = t->energy != NULL ? t->energy[j] : level_energy(levels, t->level[j]);
        t->chains.sum[j] += (double)E / level_unit(levels);
    }
    t->chains.values++;
    return true;
}
