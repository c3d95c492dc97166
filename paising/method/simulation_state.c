/* The state of a simulation: position, failures, time and memory (simulation_state.h). */
#include "simulation_state.h"

#include "base/clock.h"
#include "sample_files.h"
#include "saved_population.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const spin_model *simulation_model(const simulation *s) {
    return &s->flight.member->steps.engine->model;
}

exit_status simulation_fail(simulation *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->failure, sizeof s->failure, format, arguments);
    va_end(arguments);
    progress_end(&s->flight.progress);
    return simulation_complain(s, s->failure);
}

exit_status simulation_complain(const simulation *s, const char *reason) {
    return s->is_sample
               ? complain(STATUS_FAILED, "sample %" PRIu32 ", %s", s->given->sample, reason)
               : complain(STATUS_FAILED, "%s", reason);
}

const char *simulation_place(char text[SIMULATION_PLACE_SIZE], const simulation *s) {
    const batch *const b = &s->flight;
    const uint32_t first = b->member->run, last = first + (uint32_t)batch_sound(b) - 1;
    const int length =
        snprintf(text, SIMULATION_PLACE_SIZE, "beta = %.*g of run", s->given->precision,
                 b->schedule.beta[batch_leader(b)->temperature]);
    snprintf(text + length, SIMULATION_PLACE_SIZE - (size_t)length,
             last > first ? "s %" PRIu32 " to %" PRIu32 : " %" PRIu32, first, last);
    return text;
}

/* The time in a stage, summed over all engines. Steps of several that are timed as a whole overlap; for these it is the
 * time in which at least one was in flight. */
static double stage_seconds(const batch *b, size_t stage) {
    double seconds = 0;
    for (size_t n = 0; n < b->room; n++)
        seconds += b->member[n].steps.engine->seconds[stage];
    return stage == STAGE_STEP && b->room > 1 && !isnan(seconds) ? b->step_seconds : seconds;
}

simulation_times simulation_spent(const simulation *s) {
    simulation_times t = s->before;
    t.parts++;
    for (size_t stage = 0; stage < STAGES; stage++)
        t.seconds[stage] += stage_seconds(&s->flight, stage);
    t.checkpoint_seconds += s->checkpoint_seconds;
    t.ground_seconds += s->ground_seconds;
    t.total_seconds += clock_seconds() - s->start;
    return t;
}

void simulation_add_phases(const simulation *s, double seconds[DISTRIBUTED_PHASES]) {
    for (size_t n = 0; n < s->flight.room; n++)
        for (size_t phase = 0; phase < DISTRIBUTED_PHASES; phase++)
            seconds[phase] += s->flight.member[n].steps.engine->phase_seconds[phase];
}

bool simulation_times_transfer(section_file *f, simulation_times *t) {
    return SECTION_VALUE(f, t->parts) && SECTION_VALUE(f, t->seconds) &&
           SECTION_VALUE(f, t->checkpoint_seconds) && SECTION_VALUE(f, t->ground_seconds) &&
           SECTION_VALUE(f, t->total_seconds);
}

memory_share simulation_bytes(const parameters *p) {
    double sweeps;
    const spin_model model = parameters_model(p);
    const uint64_t levels = model.levels.count, temperatures = parameters_temperatures(p, &sweeps);
    memory_share bytes = {.each = sizeof(annealing) + sizeof(histogram) +
                                  levels * (sizeof(level_sums) + sizeof(uint64_t))};
    /* Growing arrays are at most twice as long as needed. */
    bytes.once = 2 * temperatures * (sizeof(double) + sizeof(uint32_t));
    bytes.each += 2 * temperatures * sizeof(observables);
    bytes.once += (2 * (uint64_t)p->runs + 1) * temperatures * sizeof(observables);
    if (p->reweight) {
        const double rows = 1 + schedule_steps(p->beta_end - p->beta_start, p->reweight_step);
        bytes.each +=
            reweighting_levels(&model).count * (sizeof(reweighting_level) + sizeof(fixed));
        bytes.each += 2 * temperatures * sizeof(reweighting_temperature);
        /* Analyses as they are made, and copies of those that are averaged. */
        bytes.once += (4 * (uint64_t)p->runs + 2) * (uint64_t)rows * sizeof(observables);
        bytes.once += p->runs * sizeof(histogram_gap);
    }
    if (model.disordered) {
        bytes.each += 2 * (temperatures + 1) * overlap_record_bytes(&model);
        bytes.each += temperatures * overlap_text_bytes(&model, p->precision);
        bytes.each += (uint64_t)OVERLAP_PARTS * overlap_bin_count(overlap_scale_of(&model)) *
                      sizeof(uint32_t);
        bytes.once += 2 * (uint64_t)p->runs * temperatures * overlap_record_bytes(&model) +
                      p->runs * (sizeof(ground_states) + model_packed_bytes(&model)) +
                      ground_search_bytes(p->population);
    }
    if (p->graph != NULL)
        bytes.once += graph_bytes(p->graph) + temperatures * flip_table_bytes(p->graph);
    if (p->checkpoint != NULL)
        bytes.once += saved_population_bytes(&model);
    bytes.once += p->runs * spin_saver_bytes(p);
    /* A sample needs all of this, and the sample before it too until its files are written. Rows
     * for the averages stay. */
    if (p->samples > 1)
        bytes = (memory_share){
            .once = 2 * p->samples * sizeof(bool) + sample_files_bytes(p, temperatures),
            .each = 2 * (bytes.once + bytes.each + sizeof(simulation) + model.bonds / 8)};
    return bytes;
}

uint64_t simulation_analysis_bytes(const parameters *p) {
    double sweeps;
    return parameters_model(p).levels.count * sizeof(double) * parameters_temperatures(p, &sweeps);
}
