/* Making the runs of an ensemble, on the CPU several at a time; an engine is observed at each step from
 * behind its interface. */
#include "ensemble.h"

#include "base/clock.h"
#include "device/pool.h"
#include "engine/disorder.h"
#include "estimate/trust.h"
#include "method/simulation_state.h"
#include "settings/plans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An engine that looks on: it passes everything to another one, and notes the resampling. */
typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    const batch *loop;     /* whose histogram is that of the population at hand */
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
    const engine_status status = o->inner->verbs->randomise(o->inner, key, replicas, out);
    if (status == ENGINE_OK && reserve(o, 0))
        return ENGINE_FAILED;
    if (status == ENGINE_OK)
        o->draw[0] = (resampling_draw){0};
    return status;
}

static engine_status observe_step(engine *self, const engine_step *step, histogram *out) {
    observer *const o = (observer *)self;
    const double *const beta = o->loop->schedule.beta;
    o->temperature = step->temperature;
    if (reserve(o, o->temperature))
        return ENGINE_FAILED;
    o->draw[o->temperature] =
        expect(&o->loop->member->steps.report, beta[o->temperature] - beta[o->temperature - 1],
               (double)o->loop->member->given->population);
    const engine_status status = o->inner->verbs->step(o->inner, step, out);
    if (status == ENGINE_OK)
        o->draw[o->temperature].population = (double)out->population;
    return status;
}

static engine_status observe_overlaps(engine *self, overlap_sums *out) {
    observer *const o = (observer *)self;
    return o->inner->verbs->overlaps(o->inner, out);
}

static engine_status observe_read_levels(engine *self, uint64_t first, uint64_t count,
                                         uint32_t *levels) {
    engine *const e = ((observer *)self)->inner;
    return e->verbs->read_levels(e, first, count, levels);
}

static const struct engine_verbs observer_verbs = {.randomise = observe_randomise,
                                                   .step = observe_step,
                                                   .overlaps = observe_overlaps,
                                                   .read_levels = observe_read_levels};

static void observer_create(observer *o, engine *inner, const batch *loop) {
    *o = (observer){.face = *inner, .inner = inner, .loop = loop};
    o->face.verbs = &observer_verbs;
}

/* What one thread makes its runs with. */
typedef struct {
    engine_pool engines; /* one, maybe with a fault */
    observer watch;
    batch loop; /* of one run at a time */
} workshop;

static exit_status workshop_create(workshop *w, const ensemble *s, fault_kind fault) {
    const parameters *const p = &s->given;
    parameters alone = *p;
    memset(w, 0, sizeof *w);
    alone.in_flight = 1;
    if (pool_create(&w->engines, &alone, s->model.sample, simulation_bytes(p)))
        return STATUS_REFUSED;
    engine *const planted = fault_plant(fault, w->engines.member[0], p);
    w->engines.count = planted ? 1 : 0;
    if (!planted)
        return complain(STATUS_REFUSED, "not enough memory for a planted fault");
    w->engines.member[0] = planted;
    observer_create(&w->watch, planted, &w->loop);
    engine *const watched = &w->watch.face;
    if (batch_create(&w->loop, p, &watched, 1))
        return STATUS_REFUSED;
    w->loop.progress.shown = false;
    return STATUS_OK;
}

static void workshop_destroy(workshop *w) {
    if (w->loop.room > 0)
        batch_destroy(&w->loop);
    free(w->watch.draw);
    pool_destroy(&w->engines);
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
    reweighting *const histograms = &w->loop.member->histograms;
    histogram_gap gap;
    if (reweighting_solve(histograms, &gap) != REWEIGHTING_OK)
        return complain(STATUS_FAILED, "the multi-histogram analysis does not converge");
    const parameters *const p = w->loop.member->given;
    const beta_grid grid = parameters_grid(p);
    return reweighting_rows(histograms, w->loop.member->steps.engine->model.sites, &grid, rows,
                            count)
               ? complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis")
               : STATUS_OK;
}

/* Gives the rows of a glass its order parameter. */
static void take_overlaps(observables *row, const overlap_record *overlaps) {
    for (size_t i = 0; i < overlaps->count; i++) {
        const overlap_row *const q = &overlaps->row[i];
        row[i].abs_m = q->value[OVERLAP_ABS_Q];
        row[i].m2 = q->value[OVERLAP_Q2];
        row[i].m4 = q->value[OVERLAP_Q4];
        row[i].error_abs_m = q->error[OVERLAP_ABS_Q];
        row[i].error_m2 = q->error[OVERLAP_Q2];
        row[i].error_m4 = q->error[OVERLAP_Q4];
    }
}

static exit_status make_run(ensemble *s, workshop *w, uint32_t run) {
    const bool reweight = s->given.reweight;
    const annealing *const a = w->loop.member;
    const annealing_rows *const rows = &a->rows;
    batch_pauses never = {.steps = 0};
    bool paused;
    observables *grid = NULL;
    size_t points = 0;
    exit_status status = STATUS_OK;
    batch_clear(&w->loop);
    batch_add(&w->loop, run);
    batch_run(&w->loop, &never, &paused);
    if (a->failure[0] != '\0')
        status = complain(STATUS_FAILED, "%s", a->failure);
    else if (a->died_at > 0)
        status = complain(STATUS_FAILED, "run %u died out at beta = %g", run, a->died_at);
    if (!status && reweight)
        status = analyse(w, &grid, &points);
    if (!status)
        trust_judge(rows->row, rows->count);
    if (!status && annealing_has_overlaps(a))
        take_overlaps(rows->row, &a->overlaps);
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

/* Draws the couplings of a glass. */
static exit_status draw_sample(ensemble *s) {
    const parameters *const p = &s->given;
    if (!s->model.disordered)
        return STATUS_OK;
    if (!couplings_create(&s->sample, s->model.dimension, s->model.edge))
        return complain(STATUS_FAILED, "not enough memory for couplings");
    disorder_draw(&s->sample, (disorder){p->disorder, p->sample, p->ferromagnetic});
    s->model = model_of_sample(s->model, &s->sample);
    return STATUS_OK;
}

exit_status ensemble_make(ensemble *s, const parameters *p, fault_kind fault) {
    const double start = clock_seconds();
    *s = (ensemble){.given = *p, .model = parameters_model(p)};
    exit_status status = draw_sample(s);
    if (status)
        return status;
#pragma omp parallel if (workshops(p))
    {
        workshop w;
        exit_status mine = workshop_create(&w, s, fault);
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
    couplings_destroy(&s->sample);
    *s = (ensemble){0};
}
