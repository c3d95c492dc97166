/* The sections of a checkpoint of a flat-histogram method, of which a step and a walk may be under way. A simulation that is resumed gives
 * the bytes of one that was never interrupted. */
#include "base/clock.h"
#include "files/checkpoint.h"
#include "flat.h"
#include "saved_population.h"

#include <stdlib.h>

/* Whether the step and the walk under way are parts of what they can be. */
static bool step_is_possible(const flat *f) {
    const uint64_t all = (uint64_t)f->given->sweeps * f->steps.engine->model.sites;
    return f->left <= all && f->made % 4 == 0 && (f->made == 0 || f->made < f->left);
}

static bool position_section(section_file *s, void *state) {
    flat *const f = state;
    double seconds = f->earlier + (clock_seconds() - f->start);
    if (!SECTION_VALUE(s, f->taken) || !SECTION_VALUE(s, f->walk) || !SECTION_VALUE(s, f->made) ||
        !SECTION_VALUE(s, f->left) || !SECTION_VALUE(s, f->searched) ||
        !SECTION_VALUE(s, f->in_iteration) || !SECTION_VALUE(s, f->length) ||
        !SECTION_VALUE(s, f->known) || !SECTION_VALUE(s, f->produced) ||
        !section_bool(s, &f->found) || !SECTION_VALUE(s, f->round_trips) ||
        !SECTION_VALUE(s, f->parts) || !SECTION_VALUE(s, seconds))
        return false;
    if (s->mode == SECTION_READ) {
        if (f->taken != f->searched + f->produced || !step_is_possible(f) ||
            f->produced > (uint64_t)f->given->thermalisation + f->given->measurements)
            return section_altered(s);
        f->checkpoints.step = f->taken;
        f->earlier = seconds;
        f->parts++;
    }
    return true;
}

static bool weights_section(section_file *s, void *state) {
    flat *const f = state;
    bool good = section_transfer(s, f->ln_w, f->rows * sizeof *f->ln_w);
    for (size_t row = 0; row < f->rows && good; row++)
        good = section_bool(s, &f->seen[row]);
    for (size_t k = 0; k < f->windows && good; k++) {
        flat_window *const w = &f->window[k];
        good = SECTION_VALUE(s, w->ln_f) && SECTION_VALUE(s, w->attempts) &&
               SECTION_VALUE(s, w->iteration) && section_bool(s, &w->by_time) &&
               section_bool(s, &w->ready) && SECTION_VALUE(s, w->exchanges) &&
               SECTION_VALUE(s, w->accepted);
        if (good && s->mode == SECTION_READ)
            flat_make_thresholds(f, w);
    }
    return good;
}

static bool histograms_section(section_file *s, void *state) {
    flat *const f = state;
    bool good = section_transfer(s, f->visits, f->rows * sizeof *f->visits) &&
                section_transfer(s, f->block, f->rows * sizeof *f->block) &&
                section_transfer(s, f->counts, FLAT_GROUPS * f->rows * sizeof *f->counts);
    for (size_t g = 0; g < FLAT_GROUPS && f->order != NULL && good; g++) {
        reweighting *const r = &f->order[g];
        good = section_range(s, &r->first, &r->end, r->level, r->levels.count, sizeof *r->level);
    }
    return good;
}

static bool diary_section(section_file *s, void *state) {
    flat *const f = state;
    uint64_t noted = f->noted;
    if (!SECTION_VALUE(s, noted))
        return false;
    if (s->mode == SECTION_READ && noted > 0) {
        f->diary = section_allocate(s, noted, sizeof *f->diary);
        if (f->diary == NULL)
            return false;
        f->noted = f->room = noted;
    }
    return section_transfer(s, f->diary, noted * sizeof *f->diary);
}

static bool walkers_section(section_file *s, void *state) {
    flat *const f = state;
    if (!section_transfer(s, f->walker, f->replicas * sizeof *f->walker) ||
        !section_transfer(s, f->way_of, f->replicas * sizeof *f->way_of) ||
        !section_transfer(s, f->least, f->replicas * sizeof *f->least) ||
        !section_transfer(s, f->most, f->replicas * sizeof *f->most))
        return false;
    for (uint64_t n = 0; n < f->replicas; n++)
        if (f->walker[n] >= f->replicas || f->way_of[n] > 2)
            return section_altered(s);
    return true;
}

static bool population_section(section_file *s, void *state) {
    const flat *const f = state;
    const saved_population p = {.worker = f->steps.engine,
                                .replicas = f->replicas,
                                .founders = f->replicas,
                                .in_any_order = true};
    return saved_population_transfer(s, &p);
}

/* All walkers are in their windows. */
static bool population_check(section_file *s, void *state) {
    flat *const f = state;
    engine *const e = f->steps.engine;
    if (!saved_population_engine_did(s, e, engine_measure(e, &f->steps.report)) ||
        !saved_population_engine_did(s, e, e->verbs->read_levels(e, 0, f->replicas, f->level)))
        return false;
    for (uint64_t n = 0; n < f->replicas; n++) {
        const flat_window *const w = &f->window[n / f->given->population];
        if (f->level[n] - w->lowest >= w->levels)
            return section_fail(s, "altered: sections 'population' and 'weights' do not agree");
    }
    return true;
}

static exit_status transfer(flat *f, checkpoint_action *action) {
    const section_entry section[] = {{"position", position_section, f, NULL},
                                     {"weights", weights_section, f, NULL},
                                     {"histograms", histograms_section, f, NULL},
                                     {"diary", diary_section, f, NULL},
                                     {"walkers", walkers_section, f, NULL},
                                     {"population", population_section, f, population_check},
                                     {"record", flat_record_section, f, NULL}};
    const size_t sections = sizeof section / sizeof *section;
    return action(f->given, section, f->record.level != NULL ? sections : sections - 1);
}

exit_status flat_save(flat *f) {
    return transfer(f, checkpoint_write);
}

exit_status flat_resume(flat *f) {
    return transfer(f, checkpoint_read);
}
