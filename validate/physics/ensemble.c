/* Making the runs of an ensemble, on the CPU several at a time; an engine is observed at each step from
 * behind its interface. */
#include "ensemble.h"

#include "base/clock.h"
#include "device/place.h"
#include "estimate/trust.h"
#include "method/annealing.h"
#include "method/simulation_state.h"
#include "settings/plans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An engine that looks on: it passes everything to another one, and notes the resampling. */
typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    const annealing *loop; /* whose histogram is that of the population at hand */
    resampling_draw *draw; /* [temperatures] of the run at hand */
    size_t room;
    uint32_t temperature; /* of the step at hand */
} observer;

/* Sums over the population at hand, from eq. (2) written out: with x = exp(-dbeta (E - E_0)),
 * E_0 being the lowest occupied level, tau-hat = R x / sum x. */
static resampling_draw expect(const histogram *h, double dbeta, double target) {
    resampling_draw d = {0};
    double sum = 0;
    for (size_t n = h->first; n < h->end; n++)
        sum += (double)h->level[n].replicas *
               exp(-dbeta * (double)((int64_t)(n - h->first) * h->levels.spacing));
    for (size_t n = h->first; n < h->end; n++) {
        const double replicas = (double)h->level[n].replicas;
        const double tau_hat =
            target * exp(-dbeta * (double)((int64_t)(n - h->first) * h->levels.spacing)) / sum;
        const double f = tau_hat - floor(tau_hat);
        d.mean += replicas * tau_hat;
        d.variance += replicas * f * (1 - f);
        d.cumulant4 += replicas * f * (1 - f) * (1 - 6 * f * (1 - f));
    }
    return d;
}

/* Makes room for the draw of this temperature. */
static int reserve(observer *o, size_t temperature) {
    if (temperature < o->room)
        return 0;
    const size_t room = 2 * temperature + 64;
    resampling_draw *const draw = realloc(o->draw, room * sizeof *draw);
    if (!draw)
        return -1;
    o->draw = draw;
    o->room = room;
    return 0;
}

static engine_status observe_randomise(engine *self, stream_key key, uint64_t replicas,
                                       histogram *out) {
    observer *const o = (observer *)self;
    const engine_status status = o->inner->randomise(o->inner, key, replicas, out);
    if (status == ENGINE_OK && reserve(o, 0))
        return ENGINE_FAILED;
    if (status == ENGINE_OK)
        o->draw[0] = (resampling_draw){0};
    return status;
}

static engine_status observe_start(engine *self, const engine_step *step) {
    observer *const o = (observer *)self;
    const double *const beta = o->loop->schedule.beta;
    o->temperature = step->temperature;
    if (reserve(o, o->temperature))
        return ENGINE_FAILED;
    o->draw[o->temperature] =
        expect(&o->loop->report, beta[o->temperature] - beta[o->temperature - 1],
               (double)o->loop->given->population);
    return o->inner->start(o->inner, step);
}

static engine_status observe_finish(engine *self, histogram *out) {
    observer *const o = (observer *)self;
    const engine_status status = o->inner->finish(o->inner, out);
    if (status == ENGINE_OK)
        o->draw[o->temperature].population = (double)out->population;
    return status;
}

static void observer_create(observer *o, engine *inner, const annealing *loop) {
    *o = (observer){.face = *inner, .inner = inner, .loop = loop};
    o->face.randomise = observe_randomise;
    o->face.start = observe_start;
    o->face.finish = observe_finish;
}

/* What one thread makes its runs with. */
typedef struct {
    engine *worker;
    observer watch;
    annealing loop;
} workshop;

static exit_status workshop_create(workshop *w, const parameters *p, fault_kind fault) {
    double start;
    memset(w, 0, sizeof *w);
    engine *const made = place_engine(p, NULL, simulation_bytes(p), &start);
    if (!made)
        return STATUS_REFUSED;
    w->worker = fault_plant(fault, made, p);
    if (!w->worker)
        return complain(STATUS_REFUSED, "not enough memory for a planted fault");
    observer_create(&w->watch, w->worker, &w->loop);
    if (annealing_create(&w->loop, p, &w->watch.face))
        return STATUS_REFUSED;
    w->loop.progress.shown = false;
    return STATUS_OK;
}

static void workshop_destroy(workshop *w) {
    if (!w->worker)
        return;
    if (w->loop.worker)
        annealing_destroy(&w->loop);
    free(w->watch.draw);
    w->worker->destroy(w->worker);
}

/* Fills the places of one run in a table of rows, which the first to come makes. */
static int store(weighted_average *table, size_t runs, size_t run, const observables *rows,
                 size_t count) {
    if (!table->row) {
        table->row = calloc(runs * count, sizeof *table->row);
        table->temperatures = count;
        table->room = runs * count;
        table->runs = runs;
    }
    if (!table->row || count != table->temperatures)
        return -1;
    memcpy(table->row + run * count, rows, count * sizeof *rows);
    return 0;
}

static int store_draws(ensemble *s, size_t run, const resampling_draw *draw, size_t count) {
    if (!s->draw)
        s->draw = calloc(s->given.runs * count, sizeof *s->draw);
    if (!s->draw)
        return -1;
    memcpy(s->draw + run * count, draw, count * sizeof *draw);
    return 0;
}

/* The multi-histogram analysis of the run just made (eq. 9). */
static exit_status analyse(workshop *w, observables **rows, size_t *count) {
    reweighting *const histograms = &w->loop.histograms;
    histogram_gap gap;
    if (reweighting_solve(histograms, &gap) != REWEIGHTING_OK)
        return complain(STATUS_FAILED, "the multi-histogram analysis does not converge");
    const parameters *const p = w->loop.given;
    const beta_grid grid = parameters_grid(p);
    return reweighting_rows(histograms, w->worker->model.sites, &grid, rows, count)
               ? complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis")
               : STATUS_OK;
}

static exit_status make_run(ensemble *s, workshop *w, uint32_t run) {
    const bool reweight = s->given.reweight;
    const annealing_rows *const rows = &w->loop.rows;
    annealing_pauses never = {.steps = 0};
    bool paused;
    observables *grid = NULL;
    size_t points = 0;
    exit_status status = annealing_begin(&w->loop, run);
    if (!status)
        status = annealing_run(&w->loop, &never, &paused);
    if (!status && w->loop.died_at > 0)
        status = complain(STATUS_FAILED, "run %u died out at beta = %g", run, w->loop.died_at);
    if (!status && reweight)
        status = analyse(w, &grid, &points);
    if (!status)
        trust_judge(rows->row, rows->count);
    if (!status) {
        int failed;
#pragma omp critical
        failed = store(&s->rows, s->given.runs, run, rows->row, rows->count) ||
                 store_draws(s, run, w->watch.draw, rows->count) ||
                 (reweight && store(&s->reweighted, s->given.runs, run, grid, points));
        if (failed)
            status = complain(STATUS_FAILED, "not enough memory for %u runs", s->given.runs);
    }
    free(grid);
    return status;
}

/* One engine works at a time on a GPU, and where the first run decides the temperatures. */
static int workshops(const parameters *p) {
    return p->device == DEVICE_CPU && p->overlap <= 0;
}

exit_status ensemble_make(ensemble *s, const parameters *p, fault_kind fault) {
    const double start = clock_seconds();
    exit_status status = STATUS_OK;
    *s = (ensemble){.given = *p};
#pragma omp parallel if (workshops(p))
    {
        workshop w;
        exit_status mine = workshop_create(&w, p, fault);
#pragma omp for schedule(dynamic)
        for (uint32_t run = 0; run < p->runs; run++)
            if (!mine)
                mine = make_run(s, &w, run);
#pragma omp critical
        status = mine ? mine : status;
        workshop_destroy(&w);
    }
    s->seconds = clock_seconds() - start;
    return status;
}

void ensemble_destroy(ensemble *s) {
    weighted_end(&s->rows);
    weighted_end(&s->reweighted);
    free(s->draw);
    *s = (ensemble){0};
}
