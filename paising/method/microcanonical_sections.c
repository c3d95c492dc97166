/* The sections of a checkpoint of microcanonical annealing. What is resumed gives the bytes of what was never interrupted. */
#include "base/clock.h"
#include "engine/capacity.h"
#include "files/checkpoint.h"
#include "microcanonical.h"
#include "saved_population.h"

#include <stdlib.h>

static bool position_section(section_file *f, void *state) {
    ceiling_annealer *const a = state;
    ceiling_position *const at = &a->at;
    uint64_t most = at->most, next = at->next, rising = at->rising;
    if (!section_choice(f, &a->runs, a->given->runs - 1) || !SECTION_VALUE(f, a->taken) ||
        !SECTION_VALUE(f, a->stuck) || !SECTION_VALUE(f, a->parts) ||
        !SECTION_VALUE(f, a->before) || !SECTION_VALUE(f, at->replicas) ||
        !SECTION_VALUE(f, at->step) || !SECTION_VALUE(f, most) || !SECTION_VALUE(f, next) ||
        !SECTION_VALUE(f, rising) || !SECTION_VALUE(f, at->ln_states) ||
        !SECTION_VALUE(f, at->largest) || !SECTION_VALUE(f, at->looks) ||
        !SECTION_VALUE(f, at->left))
        return false;
    at->begun = true;
    at->most = most;
    at->next = next;
    at->rising = rising;
    const uint64_t room = population_capacity(a->given->population, a->given->word);
    return (at->replicas >= 1 && at->replicas <= room) || section_altered(f);
}

static bool transfer_run(section_file *f, ceiling_run *run) {
    const size_t levels = run->found.levels.count;
    uint64_t count = run->count;
    if (!SECTION_VALUE(f, count))
        return false;
    if (count == 0)
        return section_altered(f);
    if (f->mode == SECTION_READ) {
        run->of = section_allocate(f, count, sizeof *run->of);
        if (run->of == NULL)
            return false;
        run->count = run->room = count;
    }
    return section_transfer(f, run->of, count * sizeof *run->of) &&
           section_transfer(f, run->weighted, levels * sizeof *run->weighted) &&
           section_transfer(f, run->looked, levels * sizeof *run->looked) &&
           reweighting_transfer(f, &run->found, count);
}

/* The complete runs, and the one at hand. */
static bool runs_section(section_file *f, void *state) {
    ceiling_annealer *const a = state;
    for (uint64_t m = 0; m <= a->runs; m++)
        if (!transfer_run(f, &a->run[m]) || !microcanonical_spins_transfer(f, a, m))
            return false;
    return true;
}

static bool population_section(section_file *f, void *state) {
    const ceiling_annealer *const a = state;
    const saved_population p = {
        .worker = a->steps.engine, .replicas = a->at.replicas, .founders = a->given->population};
    return saved_population_transfer(f, &p);
}

/* The replicas are below the ceiling, and the other two ceilings are among those of the run and of the model: that below only where
 * ceilings fall, which may have ended because there was none. */
static bool population_check(section_file *f, void *state) {
    ceiling_annealer *const a = state;
    engine *const e = a->steps.engine;
    if (!saved_population_engine_did(f, e, engine_measure(e, &a->steps.report)))
        return false;
    const bool fits = a->at.most < e->model.levels.count &&
                      ceilings_left(&a->steps.report, a->at.most) == a->at.replicas &&
                      a->at.rising < a->run[a->runs].count &&
                      (a->at.looks == 0 || a->at.rising > 0 || a->at.next < e->model.levels.count);
    return fits || section_fail(f, "altered: sections 'population' and 'position' do not agree");
}

static exit_status transfer(ceiling_annealer *a, checkpoint_action *action) {
    const section_entry section[] = {{"position", position_section, a, NULL},
                                     {"runs", runs_section, a, NULL},
                                     {"population", population_section, a, population_check}};
    return action(a->given, section, sizeof section / sizeof *section);
}

exit_status microcanonical_save(ceiling_annealer *a) {
    const double before = a->before;
    a->at.replicas = a->steps.report.population;
    a->before += clock_seconds() - a->start;
    const exit_status status = transfer(a, checkpoint_write);
    a->before = before;
    return status;
}

exit_status microcanonical_resume(ceiling_annealer *a) {
    const exit_status status = transfer(a, checkpoint_read);
    for (uint64_t m = 0; status == STATUS_OK && m < a->runs; m++)
        ceilings_count_states(&a->run[m]);
    a->parts++;
    return status;
}
