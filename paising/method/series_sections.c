/* The sections of a series' checkpoint. A series that is resumed gives the bytes of one that was never interrupted. */
#include "base/clock.h"
#include "files/checkpoint.h"
#include "saved_population.h"
#include "series.h"

#include <stdlib.h>
#include <string.h>

static bool position_section(section_file *f, void *state) {
    series *const s = state;
    uint64_t taken = s->taken;
    double seconds = s->earlier + (clock_seconds() - s->start);
    const uint64_t all = (uint64_t)s->given->thermalisation + s->given->measurements;
    if (!section_choice(f, &taken, all) || !SECTION_VALUE(f, s->parts) ||
        !SECTION_VALUE(f, seconds))
        return false;
    if (f->mode == SECTION_READ) {
        s->taken = s->checkpoints.step = (uint32_t)taken;
        s->earlier = seconds;
        s->parts++;
    }
    return true;
}

static bool record_section(section_file *f, void *state) {
    series *const s = state;
    const uint32_t before = s->given->thermalisation;
    return measurement_series_transfer(f, &s->record) &&
           (s->record.count == (s->taken > before ? s->taken - before : 0) || section_altered(f));
}

static bool method_section(section_file *f, void *state) {
    series *const s = state;
    return s->way->transfer == NULL || s->way->transfer(f, s);
}

static bool population_section(section_file *f, void *state) {
    const series *const s = state;
    const uint64_t replicas = s->temperatures * s->replicas;
    const saved_population p = {.worker = s->steps.engine,
                                .replicas = replicas,
                                .founders = replicas,
                                .in_any_order = true};
    return saved_population_transfer(f, &p);
}

/* Measures the groups at hand. */
static bool measure(section_file *f, series *s) {
    const engine_step step = {.parts = PART_MEASURE, .group = s->group, .groups = s->temperatures};
    return saved_population_engine_did(f, s->steps.engine, stepper_submit(&s->steps, &step)) &&
           saved_population_engine_did(f, s->steps.engine, stepper_wait(&s->steps)) &&
           saved_population_engine_did(f, s->steps.engine, series_measure(s));
}

/* The population and its measurements belong together. */
static bool population_check(section_file *f, void *state) {
    series *const s = state;
    if (!measure(f, s))
        return false;
    for (size_t k = 0; k < s->temperatures && s->record.count > 0; k++) {
        const measurement then = s->record.of[(s->record.count - 1) * s->temperatures + k];
        if (memcmp(&s->now[k], &then, sizeof then) != 0)
            return section_fail(f, "altered: sections 'population' and 'series' do not agree");
    }
    return true;
}

static exit_status transfer(series *s, checkpoint_action *action) {
    const section_entry section[] = {{"position", position_section, s, NULL},
                                     {"series", record_section, s, NULL},
                                     {"method", method_section, s, NULL},
                                     {"population", population_section, s, population_check}};
    return action(s->given, section, sizeof section / sizeof *section);
}

exit_status series_save(series *s) {
    return transfer(s, checkpoint_write);
}

exit_status series_resume(series *s) {
    return transfer(s, checkpoint_read);
}
