/* The sections of a search's checkpoint (ground_sections.h). */
#include "ground_sections.h"

#include "files/checkpoint.h"
#include "settings/plans.h"

#include <stdlib.h>

#define MOST_RUNS   ((uint64_t)1 << 32) /* more than any search has time for */
#define LEAST_BYTES 64                  /* of a run in a section */

static bool position_section(section_file *f, void *state) {
    ground_position *const g = state;
    return SECTION_VALUE(f, g->population) && SECTION_VALUE(f, g->sweeps) &&
           SECTION_VALUE(f, g->beta) && SECTION_VALUE(f, g->parts) &&
           SECTION_VALUE(f, g->enlarged) && section_bool(f, &g->measuring) &&
           SECTION_VALUE(f, g->spin_flips) && SECTION_VALUE(f, g->seconds) &&
           SECTION_VALUE(f, g->round_seconds) && section_choice(f, &g->count, MOST_RUNS);
}

/* Spins are there of the first run with the lowest energy alone. */
static bool transfer_run(section_file *f, ground_run *run, const spin_model *model) {
    ground_states states = run->states;
    bool spins = states.spins != NULL;
    if (!SECTION_VALUE(f, run->population) || !SECTION_VALUE(f, run->sweeps) ||
        !SECTION_VALUE(f, run->beta) || !SECTION_VALUE(f, run->seconds) ||
        !section_bool(f, &run->measured) || !section_bool(f, &spins) ||
        !SECTION_VALUE(f, run->states.replicas))
        return false;
    if (!spins)
        states.replicas = 0;
    if (!ground_states_transfer(f, &states, model))
        return false;
    states.replicas = run->states.replicas;
    run->states = states;
    return true;
}

static bool runs_section(section_file *f, void *state) {
    ground_position *const g = state;
    if (f->mode == SECTION_READ) {
        if (g->count > f->left / LEAST_BYTES)
            return section_altered(f);
        g->run = calloc(g->count + 1, sizeof *g->run);
        if (g->run == NULL)
            return section_no_memory(f);
    }
    for (uint64_t n = 0; n < g->count; n++)
        if (!transfer_run(f, &g->run[n], g->model))
            return false;
    return true;
}

typedef struct {
    const parameters *given;
    ground_position *at;
} searched;

/* Of the next runs: adaptive steps are decided by the first of them. */
static bool schedule_section(section_file *f, void *state) {
    const searched *const s = state;
    parameters next = *s->given;
    schedule_plan plan;
    if (f->mode == SECTION_READ) {
        next.population = s->at->population;
        next.sweeps = s->at->sweeps;
        next.beta_end = s->at->beta;
        if (parameters_schedule(&next, &plan))
            return section_altered(f);
        if (schedule_create(&s->at->betas, &plan) != SCHEDULE_NEXT)
            return section_no_memory(f);
    }
    return schedule_transfer(f, &s->at->betas);
}

static exit_status transfer(const parameters *p, ground_position *g, checkpoint_action *action) {
    searched s = {p, g};
    const section_entry section[] = {{"search", position_section, g, NULL},
                                     {"runs", runs_section, g, NULL},
                                     {"schedule", schedule_section, &s, NULL}};
    return action(p, section, sizeof section / sizeof *section);
}

exit_status ground_position_write(const parameters *p, ground_position *g) {
    return transfer(p, g, checkpoint_write);
}

exit_status ground_position_read(const parameters *p, ground_position *g) {
    return transfer(p, g, checkpoint_read);
}
