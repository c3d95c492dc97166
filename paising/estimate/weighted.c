/* Averages over runs weighted by their estimates of Z (eqs. 6, 7). ln Z is of the order of the
 * number of spins, far beyond the range of exp: weights are relative to the heaviest run. */
#include "weighted.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums over some of the runs at one temperature, relative to the run with the largest weight. */
typedef struct {
    const observables *heaviest;
    double runs;
    double weight;   /* sum of w = Z of the run / Z of the heaviest run, at least 1 */
    double e;        /* sum of w (e - e of the heaviest run) */
    double e_square; /* sum of w (e - e of the heaviest run)^2 */
    double c, e2, e3, e4, abs_m, m2, m4; /* sums of w times these */
} weighted_sums;

/* The averages with errors. The columns of the table (columns.h) follow. */
enum { MEAN_E, MEAN_C, MEAN_ABS_M, MEAN_M2, MEAN_M4, MEAN_BETA_F, MEAN_S, MEAN_COLUMNS };

typedef struct {
    double mean[MEAN_COLUMNS + COLUMNS_MOST];
} weighted_means;

/* The number of averages with errors. */
static size_t means_count(void) {
    return MEAN_COLUMNS + moment_columns_count;
}

void weighted_start(weighted_average *w) {
    memset(w, 0, sizeof *w);
}

void weighted_end(weighted_average *w) {
    free(w->row);
    weighted_start(w);
}

int weighted_add(weighted_average *w, const observables rows[], size_t reached,
                 size_t temperatures) {
    const size_t used = w->runs * temperatures;
    if (used + temperatures > w->room) {
        const size_t room = 2 * used + temperatures;
        observables *const row = realloc(w->row, room * sizeof *row);
        if (!row)
            return -1;
        w->row = row;
        w->room = room;
    }
    if (reached > 0)
        memcpy(w->row + used, rows, reached * sizeof *rows);
    for (size_t i = reached; i < temperatures; i++)
        w->row[used + i] = (observables){.beta_f = INFINITY};
    w->temperatures = temperatures;
    w->runs++;
    return 0;
}

static const observables *run_row(const weighted_average *w, size_t run, size_t i) {
    return &w->row[run * w->temperatures + i];
}

/* Whether the run had a population at this temperature. */
static bool alive(const observables *row) {
    return row->beta_f < INFINITY;
}

size_t weighted_reached(const weighted_average *w, size_t run) {
    size_t i = 0;
    while (i < w->temperatures && alive(run_row(w, run, i)))
        i++;
    return i;
}

size_t weighted_rows(const weighted_average *w) {
    size_t rows = 0;
    for (size_t run = 0; run < w->runs; run++) {
        const size_t reached = weighted_reached(w, run);
        rows = reached > rows ? reached : rows;
    }
    return rows;
}

/* -ln of the run's estimate of Z. */
static double cost(const observables *row) {
    return row->beta_f - row->ln_growth;
}

double weighted_variance(const weighted_average *w, size_t i) {
    double runs = 0, mean = 0, squares = 0;
    for (size_t run = 0; run < w->runs; run++) {
        const observables *const row = run_row(w, run, i);
        if (!alive(row))
            continue;
        const double off = cost(row) - mean;
        mean += off / ++runs;
        squares += off * (cost(row) - mean);
    }
    return runs > 1 ? squares / (runs - 1) : 0;
}

size_t weighted_trusting(const weighted_average *w, size_t i) {
    size_t trusting = 0;
    for (size_t run = 0; run < w->runs; run++)
        trusting += run_row(w, run, i)->trusted;
    return trusting;
}

#define NO_RUN SIZE_MAX

/* The run with the largest weight at temperature number i, run `without` excepted; NULL if none is
 * alive. */
static const observables *heaviest_run(const weighted_average *w, size_t i, size_t without) {
    const observables *heaviest = NULL;
    for (size_t run = 0; run < w->runs; run++) {
        const observables *const row = run_row(w, run, i);
        if (run != without && alive(row) && (!heaviest || cost(row) < cost(heaviest)))
            heaviest = row;
    }
    return heaviest;
}

/* The contribution of a run to the sums. A run that has died out contributes only to the number of
 * runs. */
static weighted_sums contribution(const observables *row, const observables *heaviest) {
    if (!alive(row))
        return (weighted_sums){.heaviest = heaviest, .runs = 1};
    const double weight = ieee_exp(cost(heaviest) - cost(row)), e = row->e - heaviest->e;
    return (weighted_sums){.heaviest = heaviest,
                           .runs = 1,
                           .weight = weight,
                           .e = weight * e,
                           .e_square = weight * e * e,
                           .c = weight * row->c,
                           .e2 = weight * row->e2,
                           .e3 = weight * row->e3,
                           .e4 = weight * row->e4,
                           .abs_m = weight * row->abs_m,
                           .m2 = weight * row->m2,
                           .m4 = weight * row->m4};
}

void weighted_weights(const weighted_average *w, size_t i, double weight[]) {
    const observables *const heaviest = heaviest_run(w, i, NO_RUN);
    for (size_t run = 0; run < w->runs; run++)
        weight[run] = contribution(run_row(w, run, i), heaviest).weight;
}

/* Adds (sign = 1) or removes (sign = -1) a contribution. */
static void accumulate(weighted_sums *sum, weighted_sums part, double sign) {
    sum->runs += sign * part.runs;
    sum->weight += sign * part.weight;
    sum->e += sign * part.e;
    sum->e_square += sign * part.e_square;
    sum->c += sign * part.c;
    sum->e2 += sign * part.e2;
    sum->e3 += sign * part.e3;
    sum->e4 += sign * part.e4;
    sum->abs_m += sign * part.abs_m;
    sum->m2 += sign * part.m2;
    sum->m4 += sign * part.m4;
}

static weighted_sums sum_runs(const weighted_average *w, size_t i, size_t without) {
    weighted_sums sum = {.heaviest = heaviest_run(w, i, without)};
    for (size_t run = 0; run < w->runs; run++)
        if (run != without)
            accumulate(&sum, contribution(run_row(w, run, i), sum.heaviest), 1);
    return sum;
}

/* The means of which the columns of the table are functions. */
static moments moments_of(weighted_sums s, double spins) {
    return (moments){.beta = s.heaviest->beta,
                     .spins = spins,
                     .e = s.heaviest->e + s.e / s.weight,
                     .e2 = s.e2 / s.weight,
                     .e3 = s.e3 / s.weight,
                     .e4 = s.e4 / s.weight,
                     .abs_m = s.abs_m / s.weight,
                     .m2 = s.m2 / s.weight,
                     .m4 = s.m4 / s.weight};
}

/* C = beta^2 N (e2 - e^2) equals the mean C of the runs plus beta^2 N times the variance of their
 * e. This form avoids the cancellation. */
static weighted_means means(weighted_sums s, double spins) {
    const moments m = moments_of(s, spins);
    const double off = s.e / s.weight, between = s.e_square / s.weight - off * off;
    const double beta_f = cost(s.heaviest) - ieee_log(s.weight / s.runs);
    weighted_means out = {{[MEAN_E] = m.e,
                           [MEAN_C] = s.c / s.weight + m.beta * m.beta * spins * between,
                           [MEAN_ABS_M] = m.abs_m,
                           [MEAN_M2] = m.m2,
                           [MEAN_M4] = m.m4,
                           [MEAN_BETA_F] = beta_f,
                           [MEAN_S] = m.beta * m.e - beta_f / spins}};
    for (size_t n = 0; n < moment_columns_count; n++)
        out.mean[MEAN_COLUMNS + n] = moment_columns[n].value(&m);
    return out;
}

/* The means without run number `run`. Subtracting a run from the sums is exact enough if the
 * heaviest run remains. Without the heaviest run the sums are computed anew; they are nan if no
 * other run is alive. */
static weighted_means means_without(const weighted_average *w, size_t i, size_t run,
                                    weighted_sums all, double spins) {
    const observables *const row = run_row(w, run, i);
    if (row == all.heaviest) {
        const weighted_sums rest = sum_runs(w, i, run);
        if (rest.heaviest)
            return means(rest, spins);
        weighted_means unknown;
        for (size_t n = 0; n < means_count(); n++)
            unknown.mean[n] = NAN;
        return unknown;
    }
    accumulate(&all, contribution(row, all.heaviest), -1);
    return means(all, spins);
}

/* Jackknife errors over the runs; nan if only one run is alive. */
static weighted_means errors(const weighted_average *w, size_t i, weighted_sums all, double spins) {
    const weighted_means center = means(all, spins);
    const double runs = (double)w->runs;
    double sum[MEAN_COLUMNS + COLUMNS_MOST] = {0}, squares[MEAN_COLUMNS + COLUMNS_MOST] = {0};
    for (size_t run = 0; run < w->runs; run++) {
        const weighted_means without = means_without(w, i, run, all, spins);
        for (size_t n = 0; n < means_count(); n++) {
            const double d = without.mean[n] - center.mean[n];
            sum[n] += d;
            squares[n] += d * d;
        }
    }
    weighted_means error;
    for (size_t n = 0; n < means_count(); n++) {
        const double spread = squares[n] - sum[n] * sum[n] / runs;
        error.mean[n] = sqrt((spread < 0 ? 0 : spread) * (runs - 1) / runs);
    }
    return error;
}

/* Fills ln Q, which has no error. */
static void set_step(observables *out, const weighted_average *w, size_t i, weighted_sums all) {
    double before = 0; /* sum of the weights at the temperature before */
    for (size_t run = 0; run < w->runs; run++) {
        const observables *const row = run_row(w, run, i);
        const double weight = contribution(row, all.heaviest).weight;
        before += weight * ieee_exp(all.heaviest->ln_q - row->ln_q);
    }
    out->ln_q = all.heaviest->ln_q - ieee_log(before / all.weight);
}

/* Fills the two lowest energies that any run has found, and the number of replicas of all runs
 * above the lowest. All replicas of a run that has not found the lowest energy count. */
static void set_lowest(observables *out, const weighted_average *w, size_t i) {
    double lowest = INFINITY, next = INFINITY, excited = 0;
    for (size_t run = 0; run < w->runs; run++)
        if (alive(run_row(w, run, i)))
            lowest = fmin(lowest, run_row(w, run, i)->lowest);
    for (size_t run = 0; run < w->runs; run++) {
        const observables *const row = run_row(w, run, i);
        const bool found = row->lowest == lowest;
        if (!alive(row))
            continue;
        next = fmin(next, row->lowest + (found ? row->gap : 0));
        excited += found ? row->excited : row->population;
    }
    out->lowest = lowest;
    out->gap = next - lowest;
    out->excited = excited;
}

/* Fills what adds over the runs, and `trusted`. Returns the part of the replicas that runs of equal
 * weight would need. */
static double set_families(observables *out, const weighted_average *w, size_t i,
                           weighted_sums all) {
    double population = 0, independent = 0, squares = 0, shares = 0, noise = 0;
    out->families = out->r_eff = 0;
    out->relatives = (relatives_correlation){0};
    out->overlap = 1;
    for (size_t run = 0; run < w->runs; run++) {
        const observables *const row = run_row(w, run, i);
        if (!alive(row))
            continue;
        const double weight = contribution(row, all.heaviest).weight / all.weight;
        population += row->population;
        independent += row->population / row->rho_t;
        squares += weight * weight * row->rho_t / row->population;
        shares += weight * weight / row->population;
        out->families += row->families;
        out->relatives.ratio += weight * row->relatives.ratio;
        out->relatives.length += weight * row->relatives.length;
        noise += weight * weight * row->relatives.noise * row->relatives.noise;
        out->r_eff += row->r_eff;
        out->overlap = fmin(out->overlap, row->overlap);
    }
    out->population = population / (double)w->runs;
    out->rho_t = population / independent;
    out->relatives.noise = sqrt(noise);
    out->effective_families =
        relatives_effective_families(out->relatives, population, population * squares);
    out->trusted = out->effective_families >= TRUSTED_FAMILIES;
    return 1 / (shares * population);
}

static void set_errors(observables *out, const double error[]) {
    out->error_e = error[MEAN_E];
    out->error_c = error[MEAN_C];
    out->error_abs_m = error[MEAN_ABS_M];
    out->error_m2 = error[MEAN_M2];
    out->error_m4 = error[MEAN_M4];
    out->error_beta_f = error[MEAN_BETA_F];
    out->error_s = error[MEAN_S];
    memcpy(out->error_of, error + MEAN_COLUMNS, moment_columns_count * sizeof *error);
}

observables weighted_mean(const weighted_average *w, size_t i, uint64_t spins) {
    if (w->runs == 1)
        return *run_row(w, 0, i);
    const weighted_sums all = sum_runs(w, i, NO_RUN);
    const weighted_means mean = means(all, (double)spins);
    observables out = {.beta = all.heaviest->beta,
                       .e = mean.mean[MEAN_E],
                       .e2 = all.e2 / all.weight,
                       .e3 = all.e3 / all.weight,
                       .e4 = all.e4 / all.weight,
                       .c = mean.mean[MEAN_C],
                       .abs_m = mean.mean[MEAN_ABS_M],
                       .m2 = mean.mean[MEAN_M2],
                       .m4 = mean.mean[MEAN_M4],
                       .beta_f = mean.mean[MEAN_BETA_F],
                       .blocks = (double)w->runs};
    set_errors(&out, errors(w, i, all, (double)spins).mean);
    set_step(&out, w, i, all);
    return out;
}

observables weighted_row(const weighted_average *w, size_t i, uint64_t spins) {
    observables out = weighted_mean(w, i, spins);
    if (w->runs == 1)
        return out;
    set_lowest(&out, w, i);
    const double share = set_families(&out, w, i, sum_runs(w, i, NO_RUN));
    observables_count(&out, spins, out.population * (double)w->runs, share);
    return out;
}

/* The means of a single run. */
static weighted_means means_of_run(const observables *row, double spins) {
    return means(contribution(row, row), spins);
}

void weighted_set_scatter(weighted_average *w, uint64_t spins) {
    const double runs = (double)w->runs;
    for (size_t i = 0; i < w->temperatures && w->runs > 1; i++) {
        const weighted_means first = means_of_run(run_row(w, 0, i), (double)spins);
        double sum[MEAN_COLUMNS + COLUMNS_MOST] = {0}, squares[MEAN_COLUMNS + COLUMNS_MOST] = {0};
        weighted_means error;
        for (size_t run = 1; run < w->runs; run++) {
            const weighted_means other = means_of_run(run_row(w, run, i), (double)spins);
            for (size_t n = 0; n < means_count(); n++) {
                const double off = other.mean[n] - first.mean[n];
                sum[n] += off;
                squares[n] += off * off;
            }
        }
        for (size_t n = 0; n < means_count(); n++)
            error.mean[n] = sqrt(fmax(0, squares[n] - sum[n] * sum[n] / runs) / (runs - 1));
        for (size_t run = 0; run < w->runs; run++) {
            observables *const row = &w->row[run * w->temperatures + i];
            set_errors(row, error.mean);
            row->blocks = runs;
        }
    }
}

bool weighted_transfer(section_file *f, weighted_average *w, size_t runs, size_t temperatures) {
    if (!section_known(f, runs) || !section_known(f, runs > 0 ? temperatures : 0))
        return false;
    if (f->mode != SECTION_READ)
        return observables_transfer(f, w->row, runs * w->temperatures);
    if (runs == 0)
        return true;
    observables *const rows = section_allocate(f, temperatures, sizeof *rows);
    bool good = rows != NULL;
    for (size_t run = 0; run < runs && good; run++)
        good = observables_transfer(f, rows, temperatures) &&
               (!weighted_add(w, rows, temperatures, temperatures) || section_no_memory(f));
    free(rows);
    return good;
}
