/* Observables of spins below energy ceilings (--spin-observables): sums over the replicas of each energy that were found at any ceiling,
 * as of |m|. All states of an energy are equally probable, so that their means by energy give those at any temperature. */
#include "microcanonical.h"

#include "engine/capacity.h"

#include <stdio.h>
#include <stdlib.h>

/* The sums of a run, [levels] of each observable. */
static reweighting_level *sums_of(const ceiling_annealer *a, uint64_t run) {
    const ceiling_spins *const s = &a->spins;
    return s->sum + run * s->reader.count * a->steps.engine->model.levels.count;
}

bool microcanonical_spins_create(ceiling_annealer *a) {
    const engine *const e = a->steps.engine;
    ceiling_spins *const s = &a->spins;
    const uint64_t room = population_capacity(a->given->population, a->given->word);
    if (!a->given->spin_observables)
        return true;
    if (!spin_reader_create(&s->reader, &e->model, SPIN_ORDER + 1))
        return false;
    s->value = calloc(room, s->reader.count * sizeof *s->value);
    s->level = calloc(room, sizeof *s->level);
    s->sum =
        calloc(a->given->runs, s->reader.count * e->model.levels.count * sizeof(reweighting_level));
    return s->value != NULL && s->level != NULL && s->sum != NULL;
}

void microcanonical_spins_destroy(ceiling_annealer *a) {
    spin_reader_destroy(&a->spins.reader);
    free(a->spins.value);
    free(a->spins.level);
    free(a->spins.sum);
}

/* Sums of all runs, and averages over all but one of them, as of |M|. */
uint64_t microcanonical_spins_bytes(const parameters *p, const spin_model *m) {
    const uint64_t room = population_capacity(p->population, p->word),
                   sums = (2 * (uint64_t)p->runs + 1) * m->levels.count *
                          (sizeof(reweighting_level) + sizeof(fixed));
    const spin_observable *of[SPIN_OBSERVABLES_MOST];
    return p->spin_observables
               ? spin_reader_bytes(m) + room * sizeof(uint32_t) +
                     spin_observables(m, SPIN_ORDER + 1, of) * (room * sizeof(double) + sums)
               : 0;
}

engine_status microcanonical_spins_add(ceiling_annealer *a) {
    engine *const e = a->steps.engine;
    ceiling_spins *const s = &a->spins;
    const uint64_t replicas = a->steps.report.population, count = s->reader.count;
    if (count == 0)
        return ENGINE_OK;
    engine_status status = e->verbs->read_levels(e, 0, replicas, s->level);
    if (status == ENGINE_OK)
        status = spin_reader_read(&s->reader, e, replicas, s->value, NULL);
    for (uint64_t n = 0; n < replicas * count && status == ENGINE_OK; n++) {
        const size_t k = n % count, level = s->level[n / count];
        const double x = s->value[n] * (double)e->model.sites;
        reweighting_level *const sum = sums_of(a, a->runs) + k * e->model.levels.count + level;
        sum->replicas++;
        sum->abs_m += x;
        sum->m2 += x * x;
        sum->m4 += x * x * x * x;
    }
    return status;
}

bool microcanonical_spins_transfer(section_file *f, ceiling_annealer *a, uint64_t run) {
    const size_t sums = a->spins.reader.count * a->steps.engine->model.levels.count;
    return sums == 0 || section_transfer(f, sums_of(a, run), sums * sizeof(reweighting_level));
}

void microcanonical_spins_of_run(const ceiling_annealer *a, uint64_t run, size_t k,
                                 ceiling_run *of) {
    *of = a->run[run];
    of->found.level = sums_of(a, run) + k * a->steps.engine->model.levels.count;
}

size_t microcanonical_spins_columns(const ceiling_annealer *a, bool errors,
                                    spin_column column[SPIN_COLUMNS_MOST]) {
    static const char *const power[SPIN_MOMENTS] = {"", "2", "4"};
    static const char *const meaning[SPIN_MOMENTS] = {"", ", mean of its square",
                                                      ", mean of its fourth power"};
    size_t count = 0;
    for (size_t k = 0; k < a->spins.reader.count; k++)
        for (size_t n = 0; n < SPIN_MOMENTS; n++) {
            const spin_observable *const o = a->spins.reader.of[k];
            spin_column *const mean = &column[count++];
            snprintf(mean->name, sizeof mean->name, "%s%s", o->name, power[n]);
            snprintf(mean->meaning, sizeof mean->meaning, "%s%s", o->meaning, meaning[n]);
            if (!errors)
                continue;
            spin_column *const error = &column[count++];
            snprintf(error->name, sizeof error->name, "err_%s%s", o->name, power[n]);
            snprintf(error->meaning, sizeof error->meaning, "error of %s%s", o->name, power[n]);
        }
    return count;
}
