#include "annealing.h"

#include "base/clock.h"
#include "base/signals.h"
#include "resample/resampling.h"
#include "settings/plans.h"

#include <math.h>
#include <stdlib.h>

exit_status annealing_create(annealing *a, const parameters *p, engine *e) {
    const schedule_plan plan = parameters_schedule(p);
    *a = (annealing){.parameters = p, .engine = e};
    a->copies = calloc(e->levels.count, sizeof *a->copies);
    if (!a->copies || histogram_create(&a->histogram, e->levels) ||
        (p->reweight && reweighting_create(&a->reweighting, e->levels)) ||
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
    histogram_destroy(&a->histogram);
    reweighting_destroy(&a->reweighting);
    free(a->rows.row);
    free(a->copies);
}

/* floor(2^32 exp(-x)) as a threshold for 32-bit numbers. */
static uint32_t acceptance_threshold(double x) {
    return (uint32_t)fmin(floor(ldexp(exp(-x), 32)), UINT32_MAX);
}

/* What the engine needs for the Metropolis updates at inverse temperature beta. */
static void set_thresholds(engine_step *step, const engine *e, double beta) {
    for (size_t n = 0; n < e->thresholds; n++)
        step->threshold[n] = acceptance_threshold(beta * e->energy_gap[n]);
    bernoulli_make(&step->bernoulli, step->threshold);
}

static exit_status explain_engine(annealing *a, double beta, engine_status status) {
    const uint32_t run = a->run;
    progress_end(&a->progress);
    switch (status) {
    case ENGINE_EXTINCT:
        return complain(STATUS_FAILED,
                        "run %u: the population died out at beta = %.10g: a larger "
                        "population (-R) or smaller steps (-d) are needed",
                        run, beta);
    case ENGINE_OUTGROWN:
        return complain(STATUS_FAILED,
                        "run %u: the population outgrew its memory at beta = %.10g: "
                        "a larger population (-R) or smaller steps (-d) are needed",
                        run, beta);
    default:
        return complain(STATUS_FAILED, "run %u: %s failed at beta = %.10g: %s", run,
                        a->engine->name, beta, a->engine->error);
    }
}

static exit_status explain_schedule(annealing *a, schedule_status status) {
    const uint32_t run = a->run;
    progress_end(&a->progress);
    if (status == SCHEDULE_TOO_LONG)
        return complain(STATUS_FAILED,
                        "run %u: more than %d temperatures: a smaller overlap (-a) or "
                        "a larger population (-R) is needed",
                        run, SCHEDULE_MAX_TEMPERATURES);
    return complain(STATUS_FAILED, "run %u: not enough memory for the temperatures", run);
}

static uint64_t spin_count(const annealing *a) {
    return (uint64_t)a->parameters->size * a->parameters->size;
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
            return complain(STATUS_FAILED, "not enough memory for the results");
        rows->row = row;
        rows->room = room;
    }
    rows->row[rows->count++] =
        observables_compute(&a->histogram, spin_count(a), beta, &a->free_energy);
    if (a->parameters->reweight &&
        reweighting_add(&a->reweighting, &a->histogram, beta, a->free_energy.beta_f))
        return complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis");
    return STATUS_OK;
}

exit_status annealing_begin(annealing *a, uint32_t run) {
    const parameters *const p = a->parameters;
    a->run = run;
    a->temperature = 0;
    a->rows.count = 0;
    if (p->reweight)
        reweighting_clear(&a->reweighting);
    const engine_status done =
        a->engine->randomise(a->engine, stream_run_key(p->seed, run), p->population, &a->histogram);
    if (done != ENGINE_OK)
        return explain_engine(a, 0, done);
    free_energy_start(&a->free_energy, spin_count(a));
    return STATUS_OK;
}

/* Whether the run is to pause at the temperature at hand; `next` is what follows it. */
static bool pause_is_due(const annealing *a, const annealing_pauses *pauses, schedule_status next) {
    if (next == SCHEDULE_END && a->run + 1 == a->parameters->runs)
        return false;
    if (signals_pending())
        return true;
    return (pauses->every.steps > 0 && pauses->steps >= pauses->every.steps) ||
           (pauses->every.seconds > 0 && clock_seconds() - pauses->last >= pauses->every.seconds);
}

/* Begins the step to the next temperature. */
static exit_status start_step(annealing *a, double *ln_q, double *overlap) {
    const parameters *const p = a->parameters;
    const double beta = a->schedule.beta[a->temperature];
    const double beta_next = a->schedule.beta[a->temperature + 1];
    engine_step step = {.key = stream_run_key(p->seed, a->run),
                        .temperature = (uint32_t)(a->temperature + 1),
                        .sweeps = p->sweeps,
                        .founders = p->population,
                        .copies = a->copies};
    *ln_q = resampling_copies(&a->histogram, beta_next - beta, p->population, a->copies);
    set_thresholds(&step, a->engine, beta_next);
    const engine_status done = a->engine->start(a->engine, &step);
    if (done != ENGINE_OK)
        return explain_engine(a, beta_next, done);
    *overlap = resampling_overlap(&a->histogram, beta_next - beta);
    return STATUS_OK;
}

/* Ends it. */
static exit_status finish_step(annealing *a, double ln_q, double overlap) {
    const engine_status done = a->engine->finish(a->engine, &a->histogram);
    if (done != ENGINE_OK)
        return explain_engine(a, a->schedule.beta[a->temperature + 1], done);
    a->temperature++;
    free_energy_step(&a->free_energy, &a->histogram, ln_q, overlap);
    a->spin_flips +=
        (double)spin_count(a) * a->parameters->sweeps * (double)a->histogram.population;
    return STATUS_OK;
}

exit_status annealing_run(annealing *a, annealing_pauses *pauses, bool *paused) {
    *paused = false;
    for (;;) {
        const schedule_status next = schedule_next(&a->schedule, a->temperature, &a->histogram);
        if ((next == SCHEDULE_NEXT || next == SCHEDULE_END) && pause_is_due(a, pauses, next)) {
            *paused = true;
            return STATUS_OK;
        }
        double ln_q = 0, overlap = 1;
        if (next == SCHEDULE_NEXT && start_step(a, &ln_q, &overlap))
            return STATUS_FAILED;

        /* The row of this temperature is made while the engine works on the next. */
        if (annealing_add_row(a))
            return STATUS_FAILED;
        progress_update(&a->progress, a->run, a->schedule.beta[a->temperature],
                        a->histogram.population, a->free_energy.ln_q);
        if (next == SCHEDULE_END)
            return STATUS_OK;
        if (next != SCHEDULE_NEXT)
            return explain_schedule(a, next);
        if (finish_step(a, ln_q, overlap))
            return STATUS_FAILED;
        pauses->steps++;
    }
}
