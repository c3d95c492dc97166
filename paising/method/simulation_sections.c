/* The sections of a simulation's checkpoint, in the order in which they are written: what one of them
 * says may be needed to read those behind it. */
#include "simulation_sections.h"

#include "engine/capacity.h"
#include "files/checkpoint.h"
#include "saved_population.h"
#include "settings/plans.h"

static bool schedule_section(section_file *f, void *state) {
    return schedule_transfer(f, &((annealing *)state)->schedule);
}

static bool position_section(section_file *f, void *state) {
    return annealing_transfer_position(f, state);
}

static bool times_section(section_file *f, void *state) {
    return simulation_times_transfer(f, state);
}

static bool free_energy_section(section_file *f, void *state) {
    return free_energy_transfer(f, &((annealing *)state)->free_energy);
}

static bool rows_section(section_file *f, void *state) {
    return annealing_transfer_rows(f, state);
}

static bool finished_section(section_file *f, void *state) {
    simulation *const s = state;
    const beta_schedule *const betas = &s->at_hand.schedule;
    return weighted_transfer(f, &s->finished, s->at_hand.run, betas->count - betas->first_row);
}

static bool analysed_section(section_file *f, void *state) {
    simulation *const s = state;
    const beta_grid grid = parameters_grid(s->given);
    const size_t runs = s->given->reweight ? s->at_hand.run : 0;
    return weighted_transfer(f, &s->analysed, runs, runs > 0 ? beta_grid_size(&grid) : 0) &&
           section_transfer(f, s->gaps, runs * sizeof *s->gaps);
}

static bool histograms_section(section_file *f, void *state) {
    annealing *const a = state;
    return !a->given->reweight || reweighting_transfer(f, &a->histograms, a->rows.count);
}

static bool report_section(section_file *f, void *state) {
    annealing *const a = state;
    return histogram_transfer(f, &a->report,
                              population_capacity(a->given->population, a->given->word));
}

static bool population_section(section_file *f, void *state) {
    return saved_population_transfer(f, state);
}

static bool population_check(section_file *f, void *state) {
    return saved_population_agrees(f, state);
}

/* Writes or reads them all. `times` are those so far: of this part too, or of those before it. */
static exit_status transfer(simulation *s, simulation_times *times, checkpoint_action *action) {
    annealing *const a = &s->at_hand;
    saved_population replicas = {a->worker, &a->report, s->given->population};
    const section_entry section[] = {
        {"schedule", schedule_section, a, NULL},
        {"position", position_section, a, NULL},
        {"times", times_section, times, NULL},
        {"free energy", free_energy_section, a, NULL},
        {"rows", rows_section, a, NULL},
        {"finished runs", finished_section, s, NULL},
        {"analysed runs", analysed_section, s, NULL},
        {"multi-histogram", histograms_section, a, NULL},
        {"histogram", report_section, a, NULL},
        {"population", population_section, &replicas, population_check},
    };
    return action(s->given, section, sizeof section / sizeof *section);
}

exit_status simulation_save(simulation *s) {
    simulation_times times = simulation_spent(s);
    return transfer(s, &times, checkpoint_write);
}

exit_status simulation_resume(simulation *s) {
    return transfer(s, &s->before, checkpoint_read);
}
