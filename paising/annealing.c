#include "annealing.h"

#include "resampling.h"

#include <math.h>
#include <stdlib.h>

exit_status annealing_create(annealing *a, const parameters *p, engine *e) {
    *a = (annealing){.parameters = p, .engine = e};
    a->copies = calloc(e->levels.count, sizeof *a->copies);
    if (!a->copies || histogram_create(&a->histogram, e->levels) ||
        schedule_create(&a->schedule, p) != SCHEDULE_NEXT) {
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

static exit_status explain_engine(annealing *a, uint32_t run, double beta, engine_status status) {
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

static exit_status explain_schedule(annealing *a, uint32_t run, schedule_status status) {
    progress_end(&a->progress);
    if (status == SCHEDULE_TOO_LONG)
        return complain(STATUS_FAILED,
                        "run %u: more than %d temperatures: a smaller overlap (-a) or "
                        "a larger population (-R) is needed",
                        run, SCHEDULE_MAX_TEMPERATURES);
    return complain(STATUS_FAILED, "run %u: not enough memory for the temperatures", run);
}

/* Appends the row of the population at hand. */
static exit_status append_row(annealing *a, annealing_rows *rows, double beta, const free_energy *f,
                              reweighting *histograms) {
    if (rows->count == rows->room) {
        const size_t room = rows->room ? 2 * rows->room : 256;
        observables *const row = realloc(rows->row, room * sizeof *row);
        if (!row)
            return complain(STATUS_FAILED, "not enough memory for the results");
        rows->row = row;
        rows->room = room;
    }
    const uint64_t spins = (uint64_t)a->parameters->size * a->parameters->size;
    rows->row[rows->count++] = observables_compute(&a->histogram, spins, beta, f);
    if (histograms && reweighting_add(histograms, &a->histogram, beta, f->beta_f))
        return complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis");
    return STATUS_OK;
}

exit_status annealing_run(annealing *a, uint32_t run, annealing_rows *rows,
                          reweighting *histograms) {
    const parameters *const p = a->parameters;
    const uint64_t spins = (uint64_t)p->size * p->size;
    engine_step step = {.key = stream_run_key(p->seed, run),
                        .sweeps = p->sweeps,
                        .founders = p->population,
                        .copies = a->copies};
    free_energy f;

    engine_status done = a->engine->randomise(a->engine, step.key, p->population, &a->histogram);
    if (done != ENGINE_OK)
        return explain_engine(a, run, 0, done);
    free_energy_start(&f, spins);

    for (size_t i = 0;; i++) {
        const double beta = a->schedule.beta[i];
        const schedule_status next = schedule_next(&a->schedule, i, &a->histogram);
        double beta_next = beta, ln_q = 0, overlap = 1;
        if (next == SCHEDULE_NEXT) {
            beta_next = a->schedule.beta[i + 1];
            ln_q = resampling_copies(&a->histogram, beta_next - beta, p->population, a->copies);
            step.temperature = (uint32_t)(i + 1);
            set_thresholds(&step, a->engine, beta_next);
            done = a->engine->start(a->engine, &step);
            if (done != ENGINE_OK)
                return explain_engine(a, run, beta_next, done);
            overlap = resampling_overlap(&a->histogram, beta_next - beta);
        }

        /* The row of this temperature is made while the engine works on the next. */
        if (i >= a->schedule.first_row && append_row(a, rows, beta, &f, histograms))
            return STATUS_FAILED;
        progress_update(&a->progress, run, beta, a->histogram.population, f.ln_q);
        if (next == SCHEDULE_END)
            return STATUS_OK;
        if (next != SCHEDULE_NEXT)
            return explain_schedule(a, run, next);

        done = a->engine->finish(a->engine, &a->histogram);
        if (done != ENGINE_OK)
            return explain_engine(a, run, beta_next, done);
        free_energy_step(&f, &a->histogram, ln_q, overlap);
        a->spin_flips += (double)spins * p->sweeps * (double)a->histogram.population;
    }
}
