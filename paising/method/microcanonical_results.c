/* The files of microcanonical annealing (microcanonical.h): averages and their jackknife errors over the runs, numbers of states, ceilings. */
#include "microcanonical.h"

#include "base/clock.h"
#include "estimate/blocking.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/run_json.h"
#include "files/series_results.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors are those of a jackknife over the runs; nan of one run. */
static double error_of(const double without[], size_t runs) {
    return runs > 1 ? jackknife_error(without, runs) : NAN;
}

enum { E_OF, C_OF, ABS_M_OF, M2_OF, M4_OF, BETA_F_OF, S_OF, ROW_VALUES };

/* The averages over all runs but one, [runs], and over all runs, behind them. */
typedef struct {
    reweighting *of;
    size_t runs;
    double *without; /* [ROW_VALUES][runs] */
} averages;

static void end_averages(averages *x) {
    for (size_t m = 0; x->of != NULL && m <= x->runs; m++)
        reweighting_destroy(&x->of[m]);
    free(x->of);
    free(x->without);
}

/* Of run[a->runs]: those of the annealer, or with sums of an observable of the spins. */
static bool average(averages *x, const ceiling_annealer *a, const ceiling_run run[]) {
    x->runs = a->runs;
    x->of = calloc(a->runs + 1, sizeof *x->of);
    x->without = calloc(ROW_VALUES * a->runs, sizeof *x->without);
    for (size_t m = 0; m <= a->runs; m++)
        if (x->of == NULL || x->without == NULL ||
            reweighting_create(&x->of[m], a->steps.engine->model.levels))
            return false;
    ceilings_averages(x->of, run, a->runs);
    return true;
}

#define COLUMNS_OF_ROWS    (1 + 2 * ROW_VALUES)
#define COLUMNS_OF_ENTROPY 7

/* Columns of a file behind `own` of them: those of the observables of spins, whose texts are kept in text[]. Returns how many in all. */
static size_t add_columns(const ceiling_annealer *a, bool errors, size_t own, file_column column[],
                          spin_column text[SPIN_COLUMNS_MOST]) {
    const size_t more = microcanonical_spins_columns(a, errors, text);
    for (size_t n = 0; n < more; n++)
        column[own + n] = (file_column){text[n].name, text[n].meaning};
    return own + more;
}

/* Puts the means of these at level n, over the replicas of all runs that were found there. */
static void put_spins(const ceiling_annealer *a, size_t n, double x[]) {
    const double spins = (double)a->steps.engine->model.sites, spins2 = spins * spins;
    for (size_t k = 0; k < a->spins.reader.count; k++) {
        reweighting_level sum = {0};
        ceiling_run of;
        for (uint64_t m = 0; m < a->runs; m++) {
            microcanonical_spins_of_run(a, m, k, &of);
            sum.replicas += of.found.level[n].replicas;
            sum.abs_m += of.found.level[n].abs_m;
            sum.m2 += of.found.level[n].m2;
            sum.m4 += of.found.level[n].m4;
        }
        x[SPIN_MOMENTS * k] = sum.abs_m / sum.replicas / spins;
        x[SPIN_MOMENTS * k + 1] = sum.m2 / sum.replicas / spins2;
        x[SPIN_MOMENTS * k + 2] = sum.m4 / sum.replicas / (spins2 * spins2);
    }
}

static exit_status write_entropy(result_folder *folder, const ceiling_annealer *a,
                                 const averages *x) {
    file_column column[COLUMNS_OF_ENTROPY + SPIN_COLUMNS_MOST] = {
        {"e", "energy per spin, in J"},
        {"lng", "ln of the number of states of this energy, of its mean over the runs, the entropy "
                "in k_B; "
                "on average too small by half of its variance, err_lng^2 / 2"},
        {"err_lng", "error of lng: jackknife over the runs"},
        {"replicas", "found at this energy, at all ceilings of all runs"},
        {"|m|", "order parameter, mean of its absolute value over these replicas"},
        {"m2", "mean of its square"},
        {"m4", "mean of its fourth power"}};
    const spin_model *const model = &a->steps.engine->model;
    const double spins = (double)model->sites, spins2 = spins * spins;
    const reweighting *const all = &x->of[x->runs];
    spin_column text[SPIN_COLUMNS_MOST];
    const size_t columns = add_columns(a, false, COLUMNS_OF_ENTROPY, column, text);
    FILE *const file =
        series_results_begin(folder, ENTROPY_FILE, a->given, model, "", column, columns);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t n = all->first; n < all->end; n++) {
        bool everywhere = true;
        const reweighting_level *const of = &all->level[n];
        if (!(of->replicas > 0))
            continue;
        for (size_t m = 0; m < x->runs && x->runs > 1; m++) {
            everywhere = everywhere && x->of[m].level[n].replicas > 0;
            x->without[m] = fixed_value(x->of[m].ln_omega[n]);
        }
        const double e = (double)level_energy(model->levels, n) / level_unit(model->levels) /
                         (double)model->sites;
        double row[COLUMNS_OF_ENTROPY + SPIN_COLUMNS_MOST] = {
            e,
            fixed_value(all->ln_omega[n]),
            everywhere ? error_of(x->without, x->runs) : NAN,
            of->replicas,
            of->abs_m / of->replicas / spins,
            of->m2 / of->replicas / spins2,
            of->m4 / of->replicas / (spins2 * spins2)};
        put_spins(a, n, row + COLUMNS_OF_ENTROPY);
        results_print_row(file, a->given->precision, row, columns);
    }
    return STATUS_OK;
}

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

static beta_grid grid_of(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->dbeta};
}

/* Inverse temperature k of `rows`. */
static double beta_of(const beta_grid *grid, size_t k, size_t rows) {
    return k + 1 == rows ? grid->end : grid->start + (double)k * grid->step;
}

size_t microcanonical_scatter(const ceiling_annealer *a, size_t *scattered, double *largest) {
    const beta_grid grid = grid_of(a->given);
    const size_t rows = beta_grid_size(&grid);
    *scattered = 0;
    *largest = NAN;
    for (size_t k = 0; k < rows; k++) {
        const double variance = ceilings_variance(a->run, a->runs, a->steps.engine->model.sites,
                                                  beta_of(&grid, k, rows));
        *largest = fmax(*largest, variance);
        *scattered += variance > CEILINGS_MOST_VARIANCE;
    }
    return rows;
}

/* Puts values first .. first + count - 1 of values_at, each with its error. */
static void put_values(const averages *x, uint64_t spins, double beta, size_t first, size_t count,
                       double row[]) {
    double value[ROW_VALUES], other[ROW_VALUES];
    values_at(&x->of[x->runs], spins, beta, value);
    for (size_t m = 0; m < x->runs && x->runs > 1; m++) {
        values_at(&x->of[m], spins, beta, other);
        for (size_t v = 0; v < ROW_VALUES; v++)
            x->without[v * x->runs + m] = other[v];
    }
    for (size_t v = 0; v < count; v++) {
        row[2 * v] = value[first + v];
        row[2 * v + 1] = error_of(x->without + (first + v) * x->runs, x->runs);
    }
}

static exit_status write_rows(result_folder *folder, const ceiling_annealer *a, const averages *x,
                              const averages of_spins[]) {
    file_column column[COLUMNS_OF_ROWS + SPIN_COLUMNS_MOST] = {
        {"beta", "inverse temperature, in 1/J"},
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
    const beta_grid grid = grid_of(a->given);
    const size_t rows = beta_grid_size(&grid);
    spin_column text[SPIN_COLUMNS_MOST];
    const size_t columns = add_columns(a, true, COLUMNS_OF_ROWS, column, text);
    FILE *const file =
        series_results_begin(folder, CEILING_ROWS_FILE, a->given, model, "", column, columns);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t k = 0; k < rows; k++) {
        const double beta = beta_of(&grid, k, rows);
        double row[COLUMNS_OF_ROWS + SPIN_COLUMNS_MOST] = {beta};
        put_values(x, model->sites, beta, 0, ROW_VALUES, row + 1);
        for (size_t n = 0; n < a->spins.reader.count; n++)
            put_values(&of_spins[n], model->sites, beta, ABS_M_OF, SPIN_MOMENTS,
                       row + COLUMNS_OF_ROWS + 2 * SPIN_MOMENTS * n);
        results_print_row(file, a->given->precision, row, columns);
    }
    return STATUS_OK;
}

static exit_status write_ceilings(result_folder *folder, const ceiling_annealer *a) {
    static const file_column column[] = {
        {"run", "number of the run, from 0"},
        {"e", "the ceiling: the highest energy per spin that is allowed, in J"},
        {"lnOmega", "ln of the number of states up to the ceiling"},
        {"lnOmega_heating",
         "the same while the ceiling rises (--heating), nan where that was not asked"},
        {"R", "population size"},
        {"families", "replicas at the first ceiling that still have descendants"},
        {"rho_t", "mean family size, R times the sum of the squared family fractions"}};
    const spin_model *const model = &a->steps.engine->model;
    FILE *const file = series_results_begin(folder, CEILINGS_FILE, a->given, model, "", column, 7);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t m = 0; m < a->runs; m++)
        for (size_t k = 0; k < a->run[m].count; k++) {
            const ceiling *const c = &a->run[m].of[k];
            const double e = (double)level_energy(model->levels, c->most) /
                             level_unit(model->levels) / (double)model->sites;
            const double row[] = {(double)m,   e,           c->ln_states, c->ln_heating,
                                  c->replicas, c->families, c->rho_t};
            results_print_row(file, a->given->precision, row, 7);
        }
    return STATUS_OK;
}

/* The lowest energy that was found. */
static double lowest_of(const ceiling_annealer *a) {
    const energy_levels levels = a->steps.engine->model.levels;
    size_t lowest = levels.count;
    for (size_t m = 0; m < a->runs; m++)
        lowest = a->run[m].found.first < lowest ? a->run[m].found.first : lowest;
    return (double)level_energy(levels, lowest) / level_unit(levels);
}

static exit_status write_report(result_folder *folder, const ceiling_annealer *a) {
    const engine *const e = a->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .origin = model_origin(&e->model),
                         .lowest = lowest_of(a),
                         .ranks = ranks_world().count,
                         .temperatures = a->taken,
                         .spin_flips = (double)a->taken * a->given->sweeps *
                                       (double)a->given->population * (double)e->model.sites,
                         .parts = (uint32_t)a->parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .total_seconds = a->before + clock_seconds() - a->start};
    memcpy(report.seconds, e->seconds, sizeof report.seconds);
    return run_json_write(folder, a->given, &report);
}

/* Those of each observable of the spins, of[a->spins.reader.count]. */
static bool average_spins(averages of[], const ceiling_annealer *a) {
    ceiling_run *const run = calloc(a->runs, sizeof *run);
    bool good = run != NULL;
    for (size_t k = 0; k < a->spins.reader.count && good; k++) {
        for (uint64_t m = 0; m < a->runs; m++)
            microcanonical_spins_of_run(a, m, k, &run[m]);
        good = average(&of[k], a, run);
    }
    free(run);
    return good;
}

exit_status microcanonical_write(result_folder *folder, void *state) {
    const ceiling_annealer *const a = state;
    averages x = {.of = NULL}, of_spins[SPIN_OBSERVABLES_MOST] = {{.of = NULL}};
    exit_status status = average(&x, a, a->run) && average_spins(of_spins, a)
                             ? STATUS_OK
                             : complain(STATUS_FAILED, "not enough memory for the averages");
    if (!status)
        status = write_rows(folder, a, &x, of_spins);
    if (!status)
        status = write_entropy(folder, a, &x);
    end_averages(&x);
    for (size_t k = 0; k < SPIN_OBSERVABLES_MOST; k++)
        end_averages(&of_spins[k]);
    if (!status)
        status = write_ceilings(folder, a);
    return status ? status : write_report(folder, a);
}
