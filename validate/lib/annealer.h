/* A small population annealing of the tests' own (Sec. 2.1), and the weighted averages of its runs
 * (Sec. 2.3), to hold engines against exact results. */
#ifndef PAISING_ANNEALER_H
#define PAISING_ANNEALER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "resample/resampling.h"

/* How to anneal. */
typedef struct {
    uint64_t seed, population;
    uint32_t sweeps;
    size_t steps; /* temperatures after beta = 0 */
    double dbeta;
    double threshold_factor; /* 1, or a wrong one */
    uint32_t update;         /* in update_kinds */
} annealing_plan;

/* Averages over the population of one run at one temperature, per spin. */
typedef struct {
    double e, e2, abs_m, m2, m4;
    double ln_z; /* of the whole lattice, with the product of R_k / R (weighted.h) */
} run_averages;

static inline run_averages population_averages(const histogram *h, double spins, double ln_z) {
    run_averages a = {.ln_z = ln_z};
    const double n = spins, r = (double)h->population;
    for (size_t k = h->first; k < h->end; k++) {
        const level_sums *const level = &h->level[k];
        const double e = (double)histogram_energy(h, k) / level_unit(h->levels) / n,
                     share = (double)level->replicas / r;
        a.e += share * e;
        a.e2 += share * e * e;
        a.abs_m += (double)level->abs_m / n / r;
        a.m2 += (double)level->m2 / n / n / r;
        a.m4 += histogram_m4_unit(h) * (double)histogram_fourth(h, level->q_low, level->q_high) /
                n / n / n / n / r;
    }
    return a;
}

static inline engine_step annealing_step(const engine *e, const annealing_plan *plan, uint32_t run,
                                         size_t index, const uint64_t *tau_hat) {
    engine_step step = {
        .parts = WHOLE_STEP,
        .key = stream_run_key(plan->seed, run),
        .temperature = (uint32_t)index,
        .sweeps = plan->sweeps,
        .founders = plan->population,
        .tau_hat = tau_hat,
        .rule = flip_rule_at(update_kinds[plan->update], &e->model, plan->dbeta * (double)index)};
    if (plan->threshold_factor != 1) {
        uint32_t wrong[MODEL_MAX_GAPS];
        for (size_t n = 0; n < e->model.gaps; n++)
            wrong[n] = (uint32_t)fmin(plan->threshold_factor * step.rule.threshold[n], UINT32_MAX);
        step.rule = flip_rule_with(step.rule.downhill, &e->model, wrong);
    }
    return step;
}

/* Run number `run`: fills row[0 .. plan->steps], row[i] at beta = i dbeta; NULL: not wanted. */
static inline void anneal(engine *e, const annealing_plan *plan, uint32_t run, run_averages *row) {
    const double spins = (double)e->model.sites;
    uint64_t *const tau_hat = malloc(e->model.levels.count * sizeof *tau_hat);
    double ln_z = spins * log(2);
    histogram h;
    assert_non_null(tau_hat);
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(plan->seed, run), plan->population, &h),
                     ENGINE_OK);
    for (size_t i = 0;; i++) {
        if (row)
            row[i] = population_averages(&h, spins, ln_z);
        if (i == plan->steps)
            break;
        ln_z += resampling_tau_hat(&h, plan->dbeta, plan->population, tau_hat);
        const engine_step step = annealing_step(e, plan, run, i + 1, tau_hat);
        assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
        ln_z += log((double)h.population / (double)plan->population);
    }
    histogram_destroy(&h);
    free(tau_hat);
}

/* What is compared with exact results. */
typedef enum { ENERGY, SPECIFIC_HEAT, BETA_F, ABS_M, M2, M4, QUANTITIES } quantity;

static const char *const quantity_name[QUANTITIES] = {"e", "C", "betaF/N", "|m|", "m2", "m4"};

/* Averages of runs weighted by their estimates of Z (eqs. 6, 7), which has no bias of order 1/R since
 * the product of R_k / R is in it:
 * runs first, first + stride, ..., but for `left_out`. */
static inline void average_runs(const run_averages *first, size_t stride, size_t runs,
                                size_t left_out, double beta, double spins,
                                double out[QUANTITIES]) {
    double top = -INFINITY, weights = 0, used = 0;
    run_averages mean = {0};
    for (size_t m = 0; m < runs; m++)
        top = fmax(top, first[m * stride].ln_z);
    for (size_t m = 0; m < runs; m++) {
        const run_averages *const a = &first[m * stride];
        const double w = m == left_out ? 0 : exp(a->ln_z - top);
        used += m != left_out;
        weights += w;
        mean.e += w * a->e;
        mean.e2 += w * a->e2;
        mean.abs_m += w * a->abs_m;
        mean.m2 += w * a->m2;
        mean.m4 += w * a->m4;
    }
    out[ENERGY] = mean.e / weights;
    out[SPECIFIC_HEAT] = beta * beta * spins * (mean.e2 / weights - out[ENERGY] * out[ENERGY]);
    out[BETA_F] = -(top + log(weights / used)) / spins;
    out[ABS_M] = mean.abs_m / weights;
    out[M2] = mean.m2 / weights;
    out[M4] = mean.m4 / weights;
}

/* The jackknife over runs: value[] without its bias of order 1/runs, error[] from the spread of the
 * runs alone, whatever correlates the replicas of a run. */
static inline void jackknife_runs(const run_averages *first, size_t stride, size_t runs,
                                  double beta, double spins, double value[QUANTITIES],
                                  double error[QUANTITIES]) {
    double all[QUANTITIES], without[QUANTITIES], sum[QUANTITIES] = {0}, squares[QUANTITIES] = {0};
    average_runs(first, stride, runs, runs, beta, spins, all);
    for (size_t m = 0; m < runs; m++) {
        average_runs(first, stride, runs, m, beta, spins, without);
        for (size_t q = 0; q < QUANTITIES; q++) {
            const double off = without[q] - all[q];
            sum[q] += off;
            squares[q] += off * off;
        }
    }
    const double m = (double)runs;
    for (size_t q = 0; q < QUANTITIES; q++) {
        value[q] = all[q] - (m - 1) / m * sum[q];
        error[q] = sqrt((m - 1) / m * (squares[q] - sum[q] * sum[q] / m));
    }
}

#endif
