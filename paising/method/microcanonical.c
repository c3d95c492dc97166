/* Microcanonical annealing (estimate/ceilings.h; N. Rose, J. Machta, Phys. Rev. E 100, 063304, 2019): a population below an energy
 * ceiling, which falls until all replicas have the lowest energy, or have left what counts at the last temperature. A step culls
 * the replicas above the next ceiling, resamples the others to R, and makes theta sweeps, in which any change is made that stays
 * below the ceiling. M runs one after the other have means and jackknife errors. */
#include "base/clock.h"
#include "base/ieee_math.h"
#include "base/signals.h"
#include "engine/stepper.h"
#include "estimate/blocking.h"
#include "estimate/ceilings.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/run_json.h"
#include "files/series_results.h"
#include "method.h"
#include "progress.h"
#include "ranks/ranks.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run ends where ln(Omega_k) - beta_end E_k is so far below its largest value. */
#define NEGLIGIBLE 50

/* Of the next ceiling 1 / ENOUGH_OF of the replicas must be found, in MOST_LOOKS looks. */
#define ENOUGH_OF  20
#define MOST_LOOKS 1000

typedef struct {
    const parameters *given;
    stepper steps;
    uint64_t *tau_hat; /* [levels] */
    ceiling_run *run;  /* [runs] */
    size_t runs;       /* complete */
    uint64_t taken;    /* steps of all runs */
    size_t stuck;      /* runs that ended because no replica found its way below a ceiling */
    double start;
    int interrupted;
    char failure[300];
} annealer;

/* --- runs --- */

static bool engine_did(annealer *a, engine_status status) {
    if (status != ENGINE_OK)
        snprintf(a->failure, sizeof a->failure, "run %zu: %s failed: %.200s", a->runs,
                 a->steps.engine->name,
                 status == ENGINE_OUTGROWN ? "the population outgrew its memory"
                                           : a->steps.engine->error);
    return status == ENGINE_OK;
}

static stream_key key_of(const annealer *a) {
    return stream_sample_run_key(a->given->seed, 0, (uint32_t)a->runs);
}

/* Makes a step below a ceiling: with tau-hat the replicas above it are culled before, and the others resampled. */
static bool make_step(annealer *a, size_t most, uint32_t step, const uint64_t *tau_hat) {
    const energy_levels levels = a->steps.engine->model.levels;
    const engine_step next = {.parts = tau_hat != NULL ? WHOLE_STEP : PART_SWEEP | PART_MEASURE,
                              .key = key_of(a),
                              .temperature = step,
                              .sweeps = a->given->sweeps,
                              .founders = a->given->population,
                              .tau_hat = tau_hat,
                              .rule = {.states = state_rule_below(level_energy(levels, most))}};
    if (!engine_did(a, stepper_submit(&a->steps, &next)))
        return false;
    stepper_flush(&a->steps);
    a->taken++;
    return engine_did(a, stepper_wait(&a->steps)) && engine_did(a, stepper_wait_all(&a->steps));
}

/* Counts the population at hand below a ceiling. */
static bool count(annealer *a, size_t most, double ln_states) {
    if (ceilings_add(&a->run[a->runs], &a->steps.report, most, ln_states))
        return true;
    snprintf(a->failure, sizeof a->failure, "not enough memory for the ceilings");
    return false;
}

/* Finds the part of the replicas that is below the next ceiling. Where it is small, the population is swept and counted again until
 * enough were there: a single look that finds one would overestimate the part. Returns its ln; 0 if none were found. */
static double ln_part_below(annealer *a, size_t most, size_t next, double ln_states,
                            uint32_t *step) {
    const uint64_t enough = a->given->population / ENOUGH_OF + 1;
    const histogram *const h = &a->steps.report;
    uint64_t left = ceilings_left(h, next), all = h->population;
    for (uint32_t looks = 0; left < enough || ceilings_left(h, next) == 0; looks++) {
        a->interrupted = signals_pending();
        if (looks == MOST_LOOKS || a->interrupted != 0 || !make_step(a, most, ++*step, NULL) ||
            !count(a, most, ln_states))
            return 0;
        left += ceilings_left(h, next);
        all += h->population;
    }
    return ieee_log((double)left / (double)all);
}

/* Makes the next run. Returns false where it failed, or was interrupted. */
static bool make_run(annealer *a, progress_line *progress) {
    const spin_model *const model = &a->steps.engine->model;
    const double per_level =
        a->given->beta_end * (double)model->levels.spacing / level_unit(model->levels);
    double ln_states = (double)model->sites * ieee_log(model_states(model)), largest = -INFINITY;
    size_t most = model->levels.count - 1;
    uint32_t step = 0;
    bool good = engine_did(a, stepper_randomise(&a->steps, key_of(a), a->given->population)) &&
                count(a, most, ln_states);
    while (good && a->interrupted == 0) {
        const double weight = ln_states - per_level * (double)most;
        const size_t next = ceilings_next(&a->steps.report, a->given->cull);
        largest = fmax(largest, weight);
        const double part = next == SIZE_MAX || weight < largest - NEGLIGIBLE
                                ? 0
                                : ln_part_below(a, most, next, ln_states, &step);
        if (!(part < 0)) {
            a->stuck += next != SIZE_MAX && !(weight < largest - NEGLIGIBLE);
            break;
        }
        ln_states += part;
        most = next;
        ceilings_tau_hat(&a->steps.report, most, a->given->population, a->tau_hat);
        good = make_step(a, most, ++step, a->tau_hat) && count(a, most, ln_states);
        progress_of_steps(progress, (uint32_t)a->runs, a->given->runs);
        a->interrupted = signals_pending();
    }
    if (a->failure[0] != '\0' || a->interrupted != 0)
        return false;
    ceilings_count_states(&a->run[a->runs]);
    a->runs++;
    return true;
}

/* --- files --- */

/* Errors are those of a jackknife over the runs; nan of one run. */
static double error_of(const double without[], size_t runs) {
    return runs > 1 ? jackknife_error(without, runs) : NAN;
}

/* The averages over all runs but one, [runs], and over all runs, behind them. */
typedef struct {
    reweighting *of;
    size_t runs;
    double *without; /* [runs] */
} averages;

static void end_averages(averages *x) {
    for (size_t m = 0; x->of != NULL && m <= x->runs; m++)
        reweighting_destroy(&x->of[m]);
    free(x->of);
    free(x->without);
}

static bool average(averages *x, const annealer *a) {
    x->runs = a->runs;
    x->of = calloc(a->runs + 1, sizeof *x->of);
    x->without = calloc(a->runs, sizeof *x->without);
    for (size_t m = 0; m <= a->runs; m++) {
        if (x->of == NULL || x->without == NULL ||
            reweighting_create(&x->of[m], a->steps.engine->model.levels))
            return false;
        if (m == a->runs || a->runs > 1)
            ceilings_average(&x->of[m], a->run, a->runs, m);
    }
    return true;
}

static exit_status write_entropy(result_folder *folder, const annealer *a, const averages *x) {
    static const file_column column[] = {
        {"e", "energy per spin, in J"},
        {"lng", "ln of the number of states of this energy, the entropy in k_B"},
        {"err_lng", "error of lng"},
        {"replicas", "found at this energy, at all ceilings of all runs"}};
    const spin_model *const model = &a->steps.engine->model;
    const reweighting *const all = &x->of[x->runs];
    FILE *const file = series_results_begin(folder, ENTROPY_FILE, a->given, model, "", column, 4);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t n = all->first; n < all->end; n++) {
        bool everywhere = true;
        if (!(all->level[n].replicas > 0))
            continue;
        for (size_t m = 0; m < x->runs && x->runs > 1; m++) {
            everywhere = everywhere && x->of[m].level[n].replicas > 0;
            x->without[m] = fixed_value(x->of[m].ln_omega[n]);
        }
        const double e = (double)level_energy(model->levels, n) / level_unit(model->levels) /
                         (double)model->sites;
        const double row[] = {e, fixed_value(all->ln_omega[n]),
                              everywhere ? error_of(x->without, x->runs) : NAN,
                              all->level[n].replicas};
        results_print_row(file, a->given->precision, row, 4);
    }
    return STATUS_OK;
}

enum { E_OF, C_OF, ABS_M_OF, M2_OF, M4_OF, BETA_F_OF, S_OF, ROW_VALUES };

static void values_at(const reweighting *r, uint64_t spins, double beta, double value[ROW_VALUES]) {
    const observables row = reweighting_at(r, spins, beta);
    value[E_OF] = row.e;
    value[C_OF] = row.c;
    value[ABS_M_OF] = row.abs_m;
    value[M2_OF] = row.m2;
    value[M4_OF] = row.m4;
    value[BETA_F_OF] = row.beta_f / (double)spins;
    value[S_OF] = beta * row.e - value[BETA_F_OF];
}

static exit_status write_rows(result_folder *folder, const annealer *a, const averages *x) {
    static const file_column column[] = {{"beta", "inverse temperature, in 1/J"},
                                         {"e", "energy per spin, in J"},
                                         {"err_e", "error of e"},
                                         {"C", "specific heat per spin, in k_B"},
                                         {"err_C", "error of C"},
                                         {"|m|", "order parameter, mean of its absolute value"},
                                         {"err_|m|", "error of |m|"},
                                         {"m2", "mean of its square"},
                                         {"err_m2", "error of m2"},
                                         {"m4", "mean of its fourth power"},
                                         {"err_m4", "error of m4"},
                                         {"betaF/N", "beta times the free energy per spin"},
                                         {"err_betaF/N", "error of betaF/N"},
                                         {"S/N", "entropy per spin, in k_B"},
                                         {"err_S/N", "error of S/N"}};
    const spin_model *const model = &a->steps.engine->model;
    const beta_grid grid = {a->given->beta_start, a->given->beta_end, a->given->dbeta};
    const size_t columns = sizeof column / sizeof *column, rows = beta_grid_size(&grid);
    FILE *const file =
        series_results_begin(folder, CEILING_ROWS_FILE, a->given, model, "", column, columns);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t k = 0; k < rows; k++) {
        const double beta = k + 1 == rows ? grid.end : grid.start + (double)k * grid.step;
        double row[1 + 2 * ROW_VALUES] = {beta}, value[ROW_VALUES], other[ROW_VALUES];
        values_at(&x->of[x->runs], model->sites, beta, value);
        for (size_t v = 0; v < ROW_VALUES; v++) {
            for (size_t m = 0; m < x->runs && x->runs > 1; m++) {
                values_at(&x->of[m], model->sites, beta, other);
                x->without[m] = other[v];
            }
            row[1 + 2 * v] = value[v];
            row[2 + 2 * v] = error_of(x->without, x->runs);
        }
        results_print_row(file, a->given->precision, row, columns);
    }
    return STATUS_OK;
}

static exit_status write_ceilings(result_folder *folder, const annealer *a) {
    static const file_column column[] = {
        {"run", "number of the run, from 0"},
        {"e", "the ceiling: the highest energy per spin that is allowed, in J"},
        {"lnOmega", "ln of the number of states up to the ceiling"},
        {"R", "population size"},
        {"families", "replicas at the first ceiling that still have descendants"},
        {"rho_t", "mean family size, R times the sum of the squared family fractions"}};
    const spin_model *const model = &a->steps.engine->model;
    FILE *const file = series_results_begin(folder, CEILINGS_FILE, a->given, model, "", column, 6);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t m = 0; m < a->runs; m++)
        for (size_t k = 0; k < a->run[m].count; k++) {
            const ceiling *const c = &a->run[m].of[k];
            const double e = (double)level_energy(model->levels, c->most) /
                             level_unit(model->levels) / (double)model->sites;
            const double row[] = {(double)m, e, c->ln_states, c->replicas, c->families, c->rho_t};
            results_print_row(file, a->given->precision, row, 6);
        }
    return STATUS_OK;
}

static exit_status write_report(result_folder *folder, const annealer *a) {
    const engine *const e = a->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .lowest = NAN,
                         .ranks = ranks_world().count,
                         .temperatures = a->taken,
                         .spin_flips = (double)a->taken * a->given->sweeps *
                                       (double)a->given->population * (double)e->model.sites,
                         .parts = 1,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .total_seconds = clock_seconds() - a->start};
    memcpy(report.seconds, e->seconds, sizeof report.seconds);
    return run_json_write(folder, a->given, &report);
}

static exit_status write_results(result_folder *folder, void *state) {
    const annealer *const a = state;
    averages x = {.of = NULL};
    exit_status status =
        average(&x, a) ? STATUS_OK : complain(STATUS_FAILED, "not enough memory for the averages");
    if (!status)
        status = write_rows(folder, a, &x);
    if (!status)
        status = write_entropy(folder, a, &x);
    end_averages(&x);
    if (!status)
        status = write_ceilings(folder, a);
    return status ? status : write_report(folder, a);
}

/* --- the method --- */

static exit_status publish(annealer *a, result_folder *folder) {
    if (a->runs == 0)
        return STATUS_OK;
    if (a->runs < a->given->runs)
        snprintf(folder->note, sizeof folder->note,
                 "%s after run %zu of %" PRIu32 ": what comes after that is missing",
                 a->failure[0] != '\0' ? "failed" : "interrupted", a->runs, a->given->runs);
    return result_folder_put(folder, write_results, a, folder->note[0] != '\0');
}

static exit_status create(annealer *a, engine *e) {
    a->run = calloc(a->given->runs, sizeof *a->run);
    a->tau_hat = calloc(e->model.levels.count, sizeof *a->tau_hat);
    bool made = a->run != NULL && a->tau_hat != NULL && !stepper_create(&a->steps, e);
    for (size_t m = 0; m < a->given->runs && made; m++)
        made = ceilings_create(&a->run[m], e->model.levels);
    return made ? STATUS_OK
                : complain(STATUS_REFUSED, "-M %" PRIu32 ": not enough memory for the levels",
                           a->given->runs);
}

static void destroy(annealer *a) {
    for (size_t m = 0; a->run != NULL && m < a->given->runs; m++)
        ceilings_destroy(&a->run[m]);
    free(a->run);
    free(a->tau_hat);
    stepper_destroy(&a->steps);
}

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    annealer a = {.given = p, .start = engines->start};
    progress_line progress;
    exit_status status = create(&a, engines->member[0]);
    if (!status) {
        tell("seed %" PRIu64 "\n", p->seed);
        progress_announce(p, engines->place.device);
        progress_begin(&progress, p);
        while (a.runs < p->runs && make_run(&a, &progress)) {
        }
        progress_end(&progress);
        if (a.failure[0] != '\0')
            status = complain(STATUS_FAILED, "%s", a.failure);
        if (a.interrupted != 0)
            warn("%s: ended in run %zu of %" PRIu32, signals_name(a.interrupted), a.runs, p->runs);
        const exit_status published = publish(&a, folder);
        if (!status && !published && a.runs > 0)
            tell("%s\n", result_folder_place(folder));
        if (!status && a.stuck > 0)
            warn("warning: %zu of %zu runs ended at a ceiling below which too few replicas came: "
                 "lower "
                 "energies are missing, and rows at a beta where these matter mean little; more "
                 "replicas (-R) or sweeps (-t) would help",
                 a.stuck, a.runs);
        status = status ? status : published;
    }
    *signal = a.interrupted;
    destroy(&a);
    return status;
}

static memory_share bytes(const parameters *p) {
    const energy_levels levels = parameters_model(p).levels;
    const uint64_t found = levels.count * (sizeof(reweighting_level) + sizeof(fixed));
    return (memory_share){.each = levels.count * (sizeof(level_sums) + sizeof(uint64_t)) +
                                  sizeof(histogram) + (2 * (uint64_t)p->runs + 1) * found};
}

extern const method microcanonical_method;
const method microcanonical_method = {.run = run, .bytes = bytes};
