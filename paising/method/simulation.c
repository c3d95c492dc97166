/* A simulation: its runs in batches, with pauses for checkpoints and signals. */
#include "simulation.h"

#include "base/clock.h"
#include "base/signals.h"
#include "ground_survey.h"
#include "settings/exclusions.h"
#include "settings/plans.h"
#include "simulation_sections.h"
#include "spin_loader.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* Computes the multi-histogram analysis of a finished run (eq. 9). It has no rows if the run died
 * out, if the histograms do not overlap, or if the equations do not converge. */
static exit_status analyse(simulation *s, annealing *a) {
    const beta_grid grid = parameters_grid(s->given);
    observables *rows = NULL;
    size_t count = 0;
    const reweighting_status solved = a->died_at > 0
                                          ? REWEIGHTING_NO_CONVERGENCE
                                          : reweighting_solve(&a->histograms, &s->gaps[a->run]);
    const int failed =
        solved == REWEIGHTING_NO_MEMORY ||
        (solved == REWEIGHTING_OK &&
         reweighting_rows(&a->histograms, a->steps.engine->model.sites, &grid, &rows, &count)) ||
        weighted_add(&s->analysed, rows, count, beta_grid_size(&grid));
    free(rows);
    return failed ? simulation_fail(s,
                                    "run %" PRIu32 ": not enough memory for the multi-histogram "
                                    "analysis (-m)",
                                    a->run)
                  : STATUS_OK;
}

/* Begins the next runs, one per engine. */
static void begin_batch(simulation *s) {
    const uint32_t first = (uint32_t)s->finished.runs, left = s->given->runs - first;
    batch_clear(&s->flight);
    for (uint32_t n = 0; n < left && n < s->flight.room; n++)
        if (!batch_add(&s->flight, first + n))
            break;
}

/* Searches the states of lowest energy of a run that has not died out. */
static exit_status find_ground_states(simulation *s, annealing *a) {
    const double start = clock_seconds();
    const engine_status found = a->died_at > 0 ? ENGINE_OK : ground_survey(a, &s->ground[a->run]);
    s->ground_seconds += clock_seconds() - start;
    if (found == ENGINE_FAILED)
        return simulation_fail(s, "run %" PRIu32 ": %s failed: %.200s", a->run,
                               a->steps.engine->name, a->steps.engine->error);
    return found == ENGINE_OK
               ? STATUS_OK
               : simulation_fail(s, "run %" PRIu32 ": not enough memory for its ground states",
                                 a->run);
}

/* Adds the rows of a run to the finished ones: all of them, or none without memory. */
static exit_status keep_rows(simulation *s, annealing *a, size_t temperatures) {
    if (weighted_add(&s->finished, a->rows.row, a->rows.count, temperatures))
        return simulation_fail(s, "run %" PRIu32 ": not enough memory for the averages over runs",
                               a->run);
    if (annealing_has_overlaps(a) &&
        overlap_record_append(&s->overlaps, &a->overlaps, temperatures)) {
        s->finished.runs--; /* the run keeps its rows, and is written as an unfinished one */
        return simulation_fail(s, "run %" PRIu32 ": not enough memory for the overlaps", a->run);
    }
    return STATUS_OK;
}

static exit_status end_run(simulation *s, annealing *a) {
    const beta_schedule *const betas = &s->flight.schedule;
    const size_t temperatures = betas->count - betas->first_row;
    if (overlap_is_of_bits(annealing_model(a)) && find_ground_states(s, a))
        return STATUS_FAILED;
    if (keep_rows(s, a, temperatures))
        return STATUS_FAILED;
    if (spin_copies_move(&s->saved, &a->saved))
        return simulation_fail(s, "run %" PRIu32 ": not enough memory for its saved populations",
                               a->run);
    return s->given->reweight ? analyse(s, a) : STATUS_OK;
}

/* Whether all runs are made and all died out before the last temperature. */
static bool all_died_out(const simulation *s) {
    const beta_schedule *const betas = &s->flight.schedule;
    return s->finished.runs == s->given->runs &&
           weighted_rows(&s->finished) < betas->count - betas->first_row;
}

/* Ends the runs of a batch in their order, and begins the next batch if runs are left. Fails if all
 * runs died out. */
static exit_status end_batch(simulation *s) {
    batch *const b = &s->flight;
    const size_t sound = batch_sound(b);
    for (size_t n = 0; n < sound; n++)
        if (end_run(s, &b->member[n]))
            return STATUS_FAILED;
    if (all_died_out(s))
        annealing_fail_extinct(&b->member[b->count - 1]);
    const annealing *const failed = batch_failed(b);
    if (failed != NULL)
        return simulation_fail(s, "%s", failed->failure);
    if (s->finished.runs < s->given->runs)
        begin_batch(s);
    return STATUS_OK;
}

/* Writes a checkpoint, if requested. */
static void pause_for_checkpoint(simulation *s) {
    if (s->given->checkpoint == NULL)
        return;
    const double start = clock_seconds();
    s->checkpoint_failed = simulation_save(s) != STATUS_OK;
    s->checkpoints += !s->checkpoint_failed;
    s->pauses.last = clock_seconds();
    s->pauses.steps = 0;
    s->pauses.saving = s->pauses.last - start;
    s->checkpoint_seconds += s->pauses.saving;
}

/* Ends the simulation at a pause, with the results so far. */
static exit_status interrupt(simulation *s, int number) {
    const parameters *const p = s->given;
    const bool resumable = p->checkpoint != NULL && !s->checkpoint_failed;
    char where[SIMULATION_PLACE_SIZE], how[PROGRESS_TEXT_SIZE];
    s->interrupted = number;
    progress_end(&s->flight.progress);
    if (!s->silent)
        warn("%s: ended at %s%s", signals_name(number), simulation_place(where, s),
             progress_how_to_go_on(how, p, resumable));
    batch_add_rows(&s->flight);
    const annealing *const failed = batch_failed(&s->flight);
    return failed != NULL ? simulation_fail(s, "%s", failed->failure) : STATUS_OK;
}

/* Whether there is another step to make. */
static bool goes_on(const simulation *s) {
    return s->failure[0] == '\0' && !s->interrupted && s->finished.runs < s->given->runs;
}

/* The parts of a step, in the order of their calls. First: starts the next step of the runs in
 * flight. */
static void start_step(simulation *s) {
    s->pauses.nothing_follows = s->finished.runs + s->flight.count == s->given->runs;
    batch_submit(&s->flight, &s->pauses);
}

/* Second: flushes its launches. */
static void send_off_step(simulation *s) {
    batch_flush(&s->flight);
}

/* Third, while the step runs: makes the rows of the step before. */
static void follow_step(simulation *s) {
    batch_take_reports(&s->flight);
}

static void add_overlaps(simulation *s) {
    batch_add_overlaps(&s->flight);
}

/* Fourth: makes texts for so many seconds, those that the host waited for the last step, so that it does not hold up the next one.
 * Texts that are left are made by all threads at the end; a thread that is alone makes them now. Returns the seconds that are left,
 * negative where a text took longer. */
static double make_texts(simulation s[], size_t count, double seconds) {
    if (omp_get_max_threads() == 1)
        seconds = INFINITY;
    for (size_t n = 0; n < count; n++)
        if (goes_on(&s[n]))
            seconds = batch_make_texts(&s[n].flight, seconds);
    return isinf(seconds) ? 0 : seconds;
}

/* Last: finishes the step, and handles the end of a batch or a pause. */
static void finish_step(simulation *s) {
    batch_wait(&s->flight, &s->pauses);
    if (s->flight.state == BATCH_ENDED)
        end_batch(s);
    if (s->flight.state != BATCH_PAUSED)
        return;
    pause_for_checkpoint(s);
    s->pauses.stepped = clock_seconds();
    if (batch_time_is_up(&s->pauses))
        signals_take(SIGNAL_OF_TIME_LIMIT);
    if (signals_pending())
        interrupt(s, signals_pending());
}

static exit_status end(simulation *s) {
    char option[SETTING_OPTION_SIZE], value[SETTING_TEXT_SIZE];
    const setting *const steps = setting_of_steps(s->given);
    progress_end(&s->flight.progress);
    if (s->flight.schedule.shortened)
        warn("warning: steps are shorter than %s %s asks for: less than %d of the %" PRIu64
             " replicas (-R) would carry their weights",
             setting_option(option, steps), setting_text(value, steps, s->given), SCHEDULE_CARRIERS,
             s->given->population);
    return s->failure[0] == '\0' ? STATUS_OK : STATUS_FAILED;
}

static bool any_goes_on(const simulation s[], size_t count) {
    bool any = false;
    for (size_t n = 0; n < count; n++)
        any = any || goes_on(&s[n]);
    return any;
}

/* Applies a part of a step to all simulations that go on. */
static void each(simulation s[], size_t count, void part(simulation *)) {
    for (size_t n = 0; n < count; n++)
        if (goes_on(&s[n]))
            part(&s[n]);
}

exit_status simulations_run(simulation s[], size_t count, const meanwhile_work *beside) {
    exit_status status = STATUS_OK;
    double waited = 0;
    for (size_t n = 0; n < count; n++)
        if (s[n].given->resume == NULL)
            begin_batch(&s[n]);
    while (any_goes_on(s, count)) {
        each(s, count, start_step);
        each(s, count, send_off_step);
        each(s, count, follow_step);
        each(s, count, add_overlaps);
        const double left = make_texts(s, count, waited);
        if (beside != NULL)
            beside->work(beside->state);
        const double begun = clock_seconds();
        each(s, count, finish_step);
        waited = clock_seconds() - begun + fmin(left, 0);
    }
    for (size_t n = 0; n < count; n++)
        if (end(&s[n]))
            status = STATUS_FAILED;
    return status;
}

exit_status simulation_run(simulation *s) {
    return simulations_run(s, 1, NULL);
}

void simulation_leave_engine(simulation *s, engine *kept) {
    *kept = *s->flight.member->steps.engine;
    s->flight.member->steps.engine = kept;
}

exit_status simulation_checkpoints(const simulation *s) {
    const bool lost = s->checkpoint_failed && (s->interrupted || s->checkpoints == 0);
    return lost ? STATUS_FAILED : STATUS_OK;
}

/* The number of runs with ground states. */
static size_t ground_runs(const simulation *s) {
    return simulation_model(s)->disordered ? s->given->runs : 1;
}

exit_status simulation_begin(simulation *s, const parameters *p, engine *const worker[],
                             size_t engines, double start) {
    *s = (simulation){.given = p, .start = start};
    exit_status status = batch_create(&s->flight, p, worker, engines);
    if (status)
        return status;
    overlap_record_start(&s->overlaps, simulation_model(s));
    s->gaps = calloc(p->reweight ? p->runs : 1, sizeof *s->gaps);
    s->ground = calloc(ground_runs(s), sizeof *s->ground);
    if (s->gaps == NULL || s->ground == NULL)
        status = complain(STATUS_REFUSED, "not enough memory for -M %" PRIu32, p->runs);
    else if (p->resume != NULL)
        status = simulation_resume(s);
    else if (p->load_spins != NULL)
        status = spin_loader_load(p, worker[0], &s->flight.member->steps.report);
    if (status) {
        simulation_end(s);
        return status;
    }
    s->pauses = (batch_pauses){.last = clock_seconds()};
    s->pauses.stepped = s->pauses.last;
    if (p->time_limit.seconds > 0 && !p->ground_states)
        s->pauses.limit = start + p->time_limit.seconds;
    if (p->checkpoint != NULL)
        s->pauses.every = p->checkpoint_every;
    return STATUS_OK;
}

void simulation_end(simulation *s) {
    weighted_end(&s->finished);
    weighted_end(&s->analysed);
    weighted_end(&s->solved);
    free(s->average);
    free(s->analysed_average);
    free(s->overlap_average);
    free(s->gaps);
    for (size_t run = 0; s->ground && run < ground_runs(s); run++)
        ground_states_destroy(&s->ground[run]);
    free(s->ground);
    overlap_record_end(&s->overlaps);
    spin_copies_destroy(&s->saved);
    batch_destroy(&s->flight);
}
