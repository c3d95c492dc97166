/* The loop of population annealing (Sec. 2.1): from the histogram of a population to the next temperature
 * and the step that leads there; the row of each temperature is made while the engine works. */
#include "annealing.h"

#include "base/clock.h"
#include "base/signals.h"
#include "resample/resampling.h"
#include "settings/plans.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

exit_status annealing_create(annealing *a, const parameters *p, engine *e) {
    const schedule_plan plan = parameters_schedule(p);
    *a = (annealing){.given = p, .worker = e};
    a->copies = calloc(e->model.levels.count, sizeof *a->copies);
    if (!a->copies || histogram_create(&a->report, &e->model) ||
        (p->reweight && reweighting_create(&a->histograms, e->model.levels)) ||
        schedule_create(&a->schedule, &plan) != SCHEDULE_NEXT) {
        annealing_destroy(a);
        return complain(STATUS_REFUSED, "not enough memory for the histogram of L = %u", p->size);
    }
    progress_begin(&a->progress, p);
    return STATUS_OK;
}

void annealing_destroy(annealing *a) {
    progress_end(&a->progress);
    schedule_destroy(&a->schedule);
    histogram_destroy(&a->report);
    reweighting_destroy(&a->histograms);
    free(a->rows.row);
    free(a->copies);
}

exit_status annealing_fail(annealing *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->failure, sizeof a->failure, format, arguments);
    va_end(arguments);
    progress_end(&a->progress);
    return complain(STATUS_FAILED, "%s", a->failure);
}

/* Whether others can go on without the run at hand: not if it was to decide their temperatures. */
static bool is_dispensable(const annealing *a) {
    return !(a->given->overlap > 0) || a->run > 0;
}

exit_status annealing_fail_extinct(annealing *a) {
    return annealing_fail(a,
                          "run %u: the population died out at beta = %.10g: a larger population "
                          "(-R) or %s are needed",
                          a->run, a->died_at,
                          a->given->overlap > 0 ? "a larger overlap (-a)" : "smaller steps (-d)");
}

/* What is wrong with a step to beta, if it is wrong: an extinct population may be a result. */
static exit_status explain_engine(annealing *a, double beta, engine_status status) {
    switch (status) {
    case ENGINE_EXTINCT:
        a->died_at = beta;
        return is_dispensable(a) ? STATUS_OK : annealing_fail_extinct(a);
    case ENGINE_OUTGROWN:
        return annealing_fail(a,
                              "run %u: the population outgrew its memory at beta = %.10g: "
                              "a larger population (-R) or smaller steps (-d) are needed",
                              a->run, beta);
    default:
        return annealing_fail(a, "run %u: %s failed at beta = %.10g: %.200s", a->run,
                              a->worker->name, beta, a->worker->error);
    }
}

static exit_status explain_schedule(annealing *a, schedule_status status) {
    if (status == SCHEDULE_TOO_LONG)
        return annealing_fail(a,
                              "run %u: more than %d temperatures: a smaller overlap (-a) or "
                              "a larger population (-R) is needed",
                              a->run, SCHEDULE_MAX_TEMPERATURES);
    return annealing_fail(a, "run %u: not enough memory for the temperatures", a->run);
}

exit_status annealing_add_row(annealing *a) {
    annealing_rows *const rows = &a->rows;
    const double beta = a->schedule.beta[a->temperature];
    if (a->temperature < a->schedule.first_row)
        return STATUS_OK;
    if (rows->count == rows->room) {
        const size_t room = rows->room ? 2 * rows->room : 256;
        observables *const row = realloc(rows->row, room * sizeof *row);
        if (!row)
            return annealing_fail(a, "run %u: not enough memory for the results", a->run);
        rows->row = row;
        rows->room = room;
    }
    observables *const row = &rows->row[rows->count++];
    *row = observables_compute(&a->report, a->worker->model.sites, beta, &a->free_energy);
    if (parameters_replicas_correlated(a->given))
        observables_ignore_kinship(row);
    if (a->given->reweight &&
        reweighting_add(&a->histograms, &a->report, beta, a->free_energy.beta_f))
        return annealing_fail(a, "run %u: not enough memory for the multi-histogram analysis",
                              a->run);
    return STATUS_OK;
}

exit_status annealing_begin(annealing *a, uint32_t run) {
    const parameters *const p = a->given;
    a->run = run;
    a->temperature = 0;
    a->died_at = 0;
    a->rows.count = 0;
    if (p->reweight)
        reweighting_clear(&a->histograms);
    const engine_status done =
        a->worker->randomise(a->worker, stream_run_key(p->seed, run), p->population, &a->report);
    if (done != ENGINE_OK)
        return explain_engine(a, 0, done);
    free_energy_start(&a->free_energy, a->worker->model.sites);
    return STATUS_OK;
}

/* Whether the run is to pause at the temperature at hand; `next` is what follows it. */
static bool pause_is_due(const annealing *a, const annealing_pauses *pauses, schedule_status next) {
    if (next == SCHEDULE_END && a->run + 1 == a->given->runs)
        return false;
    if (signals_pending())
        return true;
    return (pauses->every.steps > 0 && pauses->steps >= pauses->every.steps) ||
           (pauses->every.seconds > 0 && pauses->steps > 0 &&
            clock_seconds() - pauses->last >= pauses->every.seconds);
}

/* What a step has found of the weights of the population before it. */
typedef struct {
    double ln_q, overlap;
} step_weights;

/* Begins the step to the next temperature. */
static exit_status start_step(annealing *a, step_weights *w) {
    const parameters *const p = a->given;
    const double beta = a->schedule.beta[a->temperature];
    const double beta_next = a->schedule.beta[a->temperature + 1];
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(p->seed, a->run),
                              .temperature = (uint32_t)(a->temperature + 1),
                              .sweeps = p->sweeps,
                              .resampling = RESAMPLE_NEAREST,
                              .founders = p->population,
                              .copies = a->copies,
                              .rule = flip_rule_at(&a->worker->model, beta_next)};
    w->ln_q = resampling_copies(&a->report, beta_next - beta, p->population, a->copies);
    const engine_status done = a->worker->start(a->worker, &step);
    if (done != ENGINE_OK)
        return explain_engine(a, beta_next, done);
    w->overlap = resampling_overlap(&a->report, beta_next - beta);
    return STATUS_OK;
}

/* Ends it. */
static exit_status finish_step(annealing *a) {
    const engine_status done = a->worker->finish(a->worker, &a->report);
    if (done != ENGINE_OK)
        return explain_engine(a, a->schedule.beta[a->temperature + 1], done);
    a->temperature++;
    a->spin_flips +=
        (double)a->worker->model.sites * a->given->sweeps * (double)a->report.population;
    return STATUS_OK;
}

exit_status annealing_run(annealing *a, annealing_pauses *pauses, bool *paused) {
    step_weights last = {0, 1}; /* of the step that led here, ... */
    bool arrived = false;       /* ... if one did since the call */
    for (;; arrived = true) {
        const schedule_status next = schedule_next(&a->schedule, a->temperature, &a->report);
        *paused = (next == SCHEDULE_NEXT || next == SCHEDULE_END) && pause_is_due(a, pauses, next);
        step_weights weights = {0, 1};
        const exit_status started =
            next == SCHEDULE_NEXT && !*paused ? start_step(a, &weights) : STATUS_OK;

        /* The row of this temperature is made while the engine works on the next. */
        if (arrived)
            free_energy_step(&a->free_energy, &a->report, last.ln_q, last.overlap);
        last = weights;
        if (*paused)
            return STATUS_OK;
        if (annealing_add_row(a) || started)
            return STATUS_FAILED;
        progress_update(&a->progress, a->run, a->schedule.beta[a->temperature],
                        a->report.population, a->free_energy.ln_q);
        if (next == SCHEDULE_END || a->died_at > 0)
            return STATUS_OK;
        if (next != SCHEDULE_NEXT)
            return explain_schedule(a, next);
        if (finish_step(a))
            return STATUS_FAILED;
        if (a->died_at > 0)
            return STATUS_OK;
        pauses->steps++;
    }
}

bool annealing_transfer_position(section_file *f, annealing *a) {
    const beta_schedule *const s = &a->schedule;
    uint64_t run = a->run, temperature = a->temperature;
    if (!section_choice(f, &run, a->given->runs - 1) ||
        !section_choice(f, &temperature, s->count - 1) || !SECTION_VALUE(f, a->spin_flips))
        return false;
    /* The first run has decided all temperatures. */
    if (run > 0 && s->beta[s->count - 1] < s->beta_end)
        return section_altered(f);
    a->run = (uint32_t)run;
    a->temperature = temperature;
    return true;
}

bool annealing_transfer_rows(section_file *f, annealing *a) {
    annealing_rows *const rows = &a->rows;
    const size_t first = a->schedule.first_row;
    const size_t count = a->temperature > first ? a->temperature - first : 0;
    if (!section_known(f, count))
        return false;
    if (f->mode == SECTION_READ) {
        rows->row = section_allocate(f, count, sizeof *rows->row);
        if (rows->row == NULL)
            return false;
        rows->count = rows->room = count;
    }
    return observables_transfer(f, rows->row, count);
}
