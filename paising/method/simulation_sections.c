/* The sections of a simulation's checkpoint, in the order of writing. Reading a section may need
 * the contents of earlier ones. */
#include "simulation_sections.h"

#include "engine/capacity.h"
#include "files/checkpoint.h"
#include "saved_population.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SAVED_TEXT_SIZE 1024 /* of --save-spins, as far as it is compared */

/* --- common to all runs --- */

static bool schedule_section(section_file *f, void *state) {
    return schedule_transfer(f, &((simulation *)state)->flight.schedule);
}

/* The first of the runs in flight, and their number. */
static bool transfer_members(section_file *f, simulation *s, uint64_t *first, uint64_t *count) {
    const uint32_t runs = s->given->runs;
    const beta_schedule *const betas = &s->flight.schedule;
    const size_t room = s->flight.room;
    if (!section_choice(f, first, runs - 1) || !section_choice(f, count, runs - *first))
        return false;
    /* The first run decides the whole schedule. */
    if (*count == 0 || (*first > 0 && !schedule_is_whole(betas)))
        return section_altered(f);
    return *count <= room ||
           section_fail(f,
                        "it holds %" PRIu64 " runs in flight, and there is room for %zu: "
                        "--in-flight %" PRIu64 " is needed",
                        *count, room, *count);
}

/* Whether all runs that go on, at least one, are at the same temperature, and the others died
 * earlier. */
static bool is_in_step(const batch *b) {
    const annealing *const leader = batch_leader(b);
    bool good = leader != NULL;
    for (size_t n = 0; n < b->count && good; n++) {
        const annealing *const a = &b->member[n];
        good = annealing_stands(a) ? a->temperature == leader->temperature
                                   : a->temperature < leader->temperature;
    }
    return good;
}

static bool position_section(section_file *f, void *state) {
    simulation *const s = state;
    batch *const b = &s->flight;
    uint64_t first = b->member->run, count = batch_sound(b);
    if (!transfer_members(f, s, &first, &count))
        return false;
    if (f->mode == SECTION_READ)
        b->count = count;
    for (size_t n = 0; n < count; n++) {
        b->member[n].run = (uint32_t)(first + n);
        if (!annealing_transfer_position(f, &b->member[n]))
            return false;
    }
    return (is_in_step(b) || section_altered(f)) && SECTION_VALUE(f, b->spin_flips);
}

static bool times_section(section_file *f, void *state) {
    return simulation_times_transfer(f, state);
}

static bool finished_section(section_file *f, void *state) {
    simulation *const s = state;
    const beta_schedule *const betas = &s->flight.schedule;
    return weighted_transfer(f, &s->finished, s->flight.member->run,
                             betas->count - betas->first_row);
}

static bool analysed_section(section_file *f, void *state) {
    simulation *const s = state;
    const beta_grid grid = parameters_grid(s->given);
    const size_t runs = s->given->reweight ? s->flight.member->run : 0;
    return weighted_transfer(f, &s->analysed, runs, runs > 0 ? beta_grid_size(&grid) : 0) &&
           section_transfer(f, s->gaps, runs * sizeof *s->gaps);
}

/* --- each member's own part, without members that failed --- */

typedef bool member_content(section_file *f, annealing *a);

static bool pass_members(section_file *f, const batch *b, member_content *content) {
    const size_t sound = batch_sound(b);
    bool good = true;
    for (size_t n = 0; n < sound && good; n++)
        good = content(f, &b->member[n]);
    return good;
}

static bool pass_free_energy(section_file *f, annealing *a) {
    return free_energy_transfer(f, &a->free_energy);
}

/* Of a run that died out only the rows are needed. */
static bool pass_histograms(section_file *f, annealing *a) {
    return !a->given->reweight || !annealing_stands(a) ||
           reweighting_transfer(f, &a->histograms, annealing_rows_before(a));
}

static bool pass_report(section_file *f, annealing *a) {
    return !annealing_stands(a) ||
           histogram_transfer(f, &a->steps.report,
                              population_capacity(a->given->population, a->given->word));
}

static saved_population population_of(const annealing *a) {
    return (saved_population){.worker = a->steps.engine,
                              .replicas = a->steps.report.population,
                              .founders = a->given->population};
}

static bool pass_population(section_file *f, annealing *a) {
    const saved_population replicas = population_of(a);
    return !annealing_stands(a) || saved_population_transfer(f, &replicas);
}

static bool check_population(section_file *f, annealing *a) {
    return !annealing_stands(a) || saved_population_agrees(f, a->steps.engine, &a->steps.report);
}

static bool free_energy_section(section_file *f, void *state) {
    return pass_members(f, state, pass_free_energy);
}

static bool rows_section(section_file *f, void *state) {
    return pass_members(f, state, annealing_transfer_rows);
}

static bool histograms_section(section_file *f, void *state) {
    return pass_members(f, state, pass_histograms);
}

/* The overlaps of finished runs and of those in flight. */
static bool overlaps_section(section_file *f, void *state) {
    simulation *const s = state;
    const batch *const b = &s->flight;
    const beta_schedule *const betas = &b->schedule;
    const size_t runs = b->member->run;
    bool good = overlap_record_transfer(f, &s->overlaps, runs * (betas->count - betas->first_row));
    for (size_t run = 0; run < runs && good; run++)
        good = ground_states_transfer(f, &s->ground[run], simulation_model(s));
    for (size_t n = 0; n < batch_sound(b) && good; n++)
        good = overlap_record_transfer(f, &b->member[n].overlaps,
                                       annealing_rows_before(&b->member[n]));
    return good;
}

/* The populations that are saved of finished runs and of those in flight. */
static bool saved_section(section_file *f, void *state) {
    simulation *const s = state;
    const batch *const b = &s->flight;
    const spin_model *const model = simulation_model(s);
    const uint64_t most = population_capacity(s->given->population, s->given->word);
    const uint32_t last_run = s->given->runs - 1;
    char asked[SAVED_TEXT_SIZE], text[SAVED_TEXT_SIZE];
    snprintf(asked, sizeof asked, "%s", s->given->save_spins != NULL ? s->given->save_spins : "");
    memcpy(text, asked, sizeof text);
    bool good =
        section_text(f, text, sizeof text) &&
        (strcmp(text, asked) == 0 ||
         section_fail(f,
                      "written for other parameters: --save-spins is '%.100s' there, not '%.100s'",
                      text, asked)) &&
        spin_copies_transfer(f, &s->saved, model, most, last_run);
    for (size_t n = 0; n < batch_sound(b) && good; n++)
        good = spin_copies_transfer(f, &b->member[n].saved, model, most, last_run);
    return good;
}

static bool report_section(section_file *f, void *state) {
    return pass_members(f, state, pass_report);
}

static bool population_section(section_file *f, void *state) {
    return pass_members(f, state, pass_population);
}

static bool population_check(section_file *f, void *state) {
    return pass_members(f, state, check_population);
}

/* --- all of them --- */

/* Writes or reads all sections. times: when writing, including this part; when reading, those of
 * earlier parts. */
static exit_status transfer(simulation *s, simulation_times *times, checkpoint_action *action) {
    batch *const b = &s->flight;
    const section_entry section[] = {
        {"schedule", schedule_section, s, NULL},
        {"position", position_section, s, NULL},
        {"times", times_section, times, NULL},
        {"free energy", free_energy_section, b, NULL},
        {"rows", rows_section, b, NULL},
        {"finished runs", finished_section, s, NULL},
        {"analysed runs", analysed_section, s, NULL},
        {"multi-histogram", histograms_section, b, NULL},
        {"histogram", report_section, b, NULL},
        {"population", population_section, b, population_check},
        {"saved spins", saved_section, s, NULL},
        {"overlaps", overlaps_section, s, NULL}, /* of a disordered model only */
    };
    const size_t count = sizeof section / sizeof *section;
    return action(s->given, section, simulation_model(s)->disordered ? count : count - 1);
}

exit_status simulation_save(simulation *s) {
    simulation_times times = simulation_spent(s);
    return transfer(s, &times, checkpoint_write);
}

exit_status simulation_resume(simulation *s) {
    return transfer(s, &s->before, checkpoint_read);
}
