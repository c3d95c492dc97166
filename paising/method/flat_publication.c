/* From the histograms of a flat-histogram method to its files. */
#include "base/clock.h"
#include "base/ieee_math.h"
#include "estimate/density.h"
#include "estimate/transition.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/run_json.h"
#include "files/series_results.h"
#include "flat.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A barrier that is no more than so many errors high is none. */
#define LEAST_BARRIER 5

/* The order parameter is unknown where energies at which it was measured have a smaller probability. */
#define LEAST_MEASURED 0.999

/* The densities of states: of all measurements, and of those without each group. */
typedef struct {
    density_window *window; /* [windows] */
    size_t levels;
    size_t groups;
    uint64_t *visits;     /* [rows] in all groups */
    uint64_t *of_level;   /* [levels] of all windows */
    double *total;        /* [levels] room of density_of_states */
    double *ln_g;         /* [1 + groups][levels]: of all, then without each */
    double *ln_g_weights; /* [levels] 1 / W alone */
    reweighting *order;   /* [1 + groups] with ln g of what was measured; NULL: disordered */
    double effective;     /* attempts */
} densities;

static void destroy(densities *d) {
    for (size_t n = 0; d->order != NULL && n <= d->groups; n++)
        reweighting_destroy(&d->order[n]);
    free(d->order);
    free(d->window);
    free(d->visits);
    free(d->of_level);
    free(d->total);
    free(d->ln_g);
    free(d->ln_g_weights);
}

/* ln of the number of states of the lattice; 0 of those in a part of its energies, whose number is not known. */
static double ln_of_all_states(const flat *f) {
    const spin_model *const m = &f->steps.engine->model;
    return flat_has_all(f) ? (double)m->sites * ieee_log(model_states(m)) : 0;
}

/* The density of the groups but one. Returns false as density_of_states. */
static bool make_density(const flat *f, densities *d, size_t without, double *ln_g) {
    for (size_t row = 0; row < f->rows; row++) {
        d->visits[row] = 0;
        for (size_t g = 0; g < d->groups; g++)
            d->visits[row] += g != without ? f->counts[g * f->rows + row] : 0;
    }
    return density_of_states(d->window, f->windows, d->visits, ln_of_all_states(f), d->levels,
                             d->total, ln_g);
}

/* Adds up the sums of the order parameter of the groups but one, and sets ln g of its levels. */
static void make_order(const flat *f, const densities *d, size_t without, const double ln_g[],
                       reweighting *sum) {
    for (size_t n = 0; n < d->levels; n++) {
        reweighting_level *const to = &sum->level[n];
        for (size_t g = 0; g < d->groups; g++) {
            const reweighting_level *const from = &f->order[g].level[n];
            if (g == without)
                continue;
            to->replicas += from->replicas;
            to->abs_m += from->abs_m;
            to->m2 += from->m2;
            to->m4 += from->m4;
        }
        if (!(to->replicas > 0))
            continue;
        sum->ln_omega[n] = fixed_of(ln_g[n]);
        sum->first = sum->end == 0 ? n : sum->first;
        sum->end = n + 1;
    }
}

/* The order parameter with each density. Returns false without memory. */
static bool make_orders(const flat *f, densities *d) {
    d->order = calloc(1 + d->groups, sizeof *d->order);
    for (size_t n = 0; n <= d->groups; n++)
        if (d->order == NULL || reweighting_create(&d->order[n], f->steps.engine->model.levels))
            return false;
    make_order(f, d, d->groups, d->ln_g, &d->order[0]);
    for (size_t g = 0; g < d->groups; g++)
        make_order(f, d, g, d->ln_g + (1 + g) * d->levels, &d->order[1 + g]);
    return true;
}

/* Groups that have all of their measurements. */
static size_t whole_groups(const flat *f) {
    const uint64_t all = f->given->measurements, done = f->produced - f->given->thermalisation;
    const uint64_t groups = all < FLAT_GROUPS ? all : FLAT_GROUPS;
    return done == all ? groups : (size_t)(done * groups / all);
}

static exit_status create(const flat *f, densities *d) {
    *d = (densities){.levels = f->steps.engine->model.levels.count, .groups = whole_groups(f)};
    d->window = calloc(f->windows, sizeof *d->window);
    d->visits = calloc(f->rows, sizeof *d->visits);
    d->of_level = calloc(d->levels, sizeof *d->of_level);
    d->total = calloc(d->levels, sizeof *d->total);
    d->ln_g = calloc((1 + d->groups) * d->levels, sizeof *d->ln_g);
    d->ln_g_weights = calloc(d->levels, sizeof *d->ln_g_weights);
    if (!d->window || !d->visits || !d->of_level || !d->total || !d->ln_g || !d->ln_g_weights)
        return complain(STATUS_FAILED, "not enough memory for the density of states");
    for (size_t k = 0; k < f->windows; k++)
        d->window[k] =
            (density_window){f->window[k].lowest, f->window[k].levels, f->window[k].ln_w};
    bool joined = true;
    for (size_t g = 0; g < d->groups && d->groups > 1 && joined; g++) /* one has no error */
        joined = make_density(f, d, g, d->ln_g + (1 + g) * d->levels);
    joined = joined && make_density(f, d, d->groups, d->ln_g);
    if (!joined)
        return complain(STATUS_FAILED,
                        "neighbouring windows have no energy in common that was visited: there is "
                        "no density of states");
    if (f->order != NULL && !make_orders(f, d))
        return complain(STATUS_FAILED, "not enough memory for the order parameter");
    size_t row = 0;
    for (size_t k = 0; k < f->windows; k++)
        for (uint32_t n = 0; n < f->window[k].levels; n++, row++)
            d->of_level[f->window[k].lowest + n] += d->visits[row];
    d->effective = density_effective_attempts(f->counts, d->groups, f->rows, d->window, f->windows);
    for (row = 0; row < f->rows; row++)
        d->visits[row] = f->seen[row];
    density_of_states(d->window, f->windows, d->visits, ln_of_all_states(f), d->levels, d->total,
                      d->ln_g_weights);
    return STATUS_OK;
}

static exit_status write_density(const flat *f, const densities *d, result_folder *folder) {
    const file_column column[] = {
        {"E", "energy, in J"},
        {"ln_g", flat_has_all(f)
                     ? "logarithm of the number of states, from histogram over weight"
                     : "logarithm of the share of its states among those of these energies, from "
                       "histogram over weight"},
        {"err_ln_g", "its error: jackknife over groups of measurements"},
        {"ln_g_weights", "the same from the weights alone"},
        {"visits", "attempts behind which a walker had this energy"},
        {"|m|", "order parameter, mean of its absolute value at this energy"},
        {"m2", "mean of its square"},
        {"m4", "mean of its fourth power"},
        {"measurements", "walkers of which it was measured"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const spin_model *const m = &f->steps.engine->model;
    const size_t columns = d->order != NULL ? COLUMNS : COLUMNS - 4;
    const double spins = (double)m->sites, spins2 = spins * spins;
    char remark[400];
    double attempts = 0;
    for (size_t n = 0; n < d->levels; n++)
        attempts += (double)d->of_level[n];
    snprintf(remark, sizeof remark,
             "%" PRIu64 " round trips from the lowest energy to the highest and back, of %" PRIu64
             " walkers in %.17g attempts, which are worth %.3g independent ones%s",
             f->round_trips, f->replicas, attempts, d->effective,
             flat_has_all(f)
                 ? ""
                 : "; ln_g is known but for a constant: the states of these energies add up to 1");
    FILE *const file =
        series_results_begin(folder, DENSITY_FILE, f->given, m, remark, column, columns);
    double without[FLAT_GROUPS];
    for (size_t n = 0; n < d->levels && file != NULL; n++) {
        if (isnan(d->ln_g[n]))
            continue;
        for (size_t g = 0; g < d->groups; g++)
            without[g] = d->ln_g[(1 + g) * d->levels + n];
        double x[COLUMNS] = {(double)level_energy(m->levels, n) / level_unit(m->levels), d->ln_g[n],
                             density_error(without, d->groups), d->ln_g_weights[n],
                             (double)d->of_level[n]};
        if (d->order != NULL) {
            const reweighting_level *const sum = &d->order[0].level[n];
            x[5] = sum->abs_m / sum->replicas / spins;
            x[6] = sum->m2 / sum->replicas / spins2;
            x[7] = sum->m4 / sum->replicas / (spins2 * spins2);
            x[8] = sum->replicas;
        }
        results_print_row(file, f->given->precision, x, columns);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* The columns of the order parameter are those of a series from |m| on. */
static size_t columns_of_order(void) {
    return series_columns(false) - SERIES_ABS_M;
}

/* These at beta, NAN where too little was measured, from density number n, whose beta times free energy per spin is beta_f. Returns the
 * probability of the energies at which the order parameter was measured. */
static double put_order(const flat *f, const densities *d, size_t n, double beta, double beta_f,
                        double value[SERIES_COLUMNS_MOST]) {
    const uint64_t spins = f->steps.engine->model.sites;
    const observables row = reweighting_at(&d->order[n], spins, beta);
    const double measured = ieee_exp((double)spins * beta_f - row.beta_f);
    const moments means = observables_moments(&row, spins);
    for (size_t k = 0; k < columns_of_order(); k++)
        value[k] =
            measured >= LEAST_MEASURED ? series_column(SERIES_ABS_M + k)->value(&means) : NAN;
    return measured;
}

/* The probability of the lowest energy that was visited. Of a range it is the larger one of both ends, but for an end that is the
 * lowest or the highest energy of the model. Of glasses and graphs the lowest one is not known. */
static double edge_of(const flat *f, const density_averages *a) {
    const bool lowest =
        flat_has_all(f) || !f->from_lowest || !walk_reaches_bottom(&f->steps.engine->model);
    return fmax(lowest ? a->edge : 0, f->to_highest ? 0 : a->top);
}

/* A row of averages at beta, with their errors. */
static void put_row(const flat *f, const densities *d, double beta, double x[]) {
    const spin_model *const m = &f->steps.engine->model;
    double without[4][FLAT_GROUPS], order[SERIES_COLUMNS_MOST],
        order_without[FLAT_GROUPS][SERIES_COLUMNS_MOST];
    for (size_t g = 0; g < d->groups; g++) {
        const density_averages a =
            density_at(d->ln_g + (1 + g) * d->levels, m->levels, m->sites, beta);
        without[0][g] = a.e;
        without[1][g] = a.c;
        without[2][g] = a.beta_f;
        without[3][g] = a.s;
        if (d->order != NULL)
            put_order(f, d, 1 + g, beta, a.beta_f, order_without[g]);
    }
    const density_averages a = density_at(d->ln_g, m->levels, m->sites, beta);
    const double value[4] = {a.e, a.c, flat_has_all(f) ? a.beta_f : NAN,
                             flat_has_all(f) ? a.s : NAN};
    x[0] = beta;
    for (size_t n = 0; n < 4; n++) {
        x[1 + 2 * n] = value[n];
        x[2 + 2 * n] = isnan(value[n]) ? NAN : density_error(without[n], d->groups);
    }
    x[9] = x[2] > 0 ? a.variance / (x[2] * x[2]) : NAN;
    x[10] = edge_of(f, &a);
    if (d->order == NULL)
        return;
    x[11] = put_order(f, d, 0, beta, a.beta_f, order);
    for (size_t n = 0; n < columns_of_order(); n++) {
        for (size_t g = 0; g < d->groups; g++)
            without[0][g] = order_without[g][n];
        x[12 + 2 * n] = order[n];
        x[13 + 2 * n] = density_error(without[0], d->groups);
    }
}

static exit_status write_rows(const flat *f, const densities *d, result_folder *folder) {
    const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"e", "energy per spin, in J"},
        {"err_e", "error of e"},
        {"C", "specific heat per spin, in k_B"},
        {"err_C", "error of C"},
        {"betaF/N", "beta times the free energy per spin"},
        {"err_betaF/N", "error of betaF/N"},
        {"S/N", "entropy per spin, in k_B"},
        {"err_S/N", "error of S/N"},
        {"N_eff",
         "independent states of the Boltzmann distribution that would give e the same error"},
        {"edge", flat_has_all(f)
                     ? "probability of the lowest energy that was visited"
                     : "the larger probability of the lowest and the highest energy that were "
                       "visited, but for an end of the energies of the model"},
    };
    column_list list = {.count = 0};
    for (size_t n = 0; n < sizeof column / sizeof *column; n++)
        column_list_add(&list, column[n].name, column[n].meaning);
    if (d->order != NULL)
        column_list_add(&list, "measured",
                        "probability of the energies at which |m| was measured; below 0.999 what "
                        "follows is nan");
    for (size_t n = 0; n < columns_of_order() && d->order != NULL; n++)
        column_list_add_pair(&list, series_column(SERIES_ABS_M + n));
    schedule_plan plan;
    beta_schedule betas;
    if (parameters_schedule(f->given, &plan) || schedule_create(&betas, &plan) != SCHEDULE_NEXT)
        return complain(STATUS_FAILED, "not enough memory for the temperatures");
    FILE *const file = series_results_begin(folder, AVERAGES_FILE, f->given,
                                            &f->steps.engine->model, "", list.column, list.count);
    for (size_t k = betas.first_row; k < betas.count && file != NULL; k++) {
        double x[COLUMN_LIST_MOST];
        put_row(f, d, betas.beta[k], x);
        results_print_row(file, f->given->precision, x, list.count);
    }
    schedule_destroy(&betas);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

enum { TRANSITION_VALUES = 8 };

/* What a density says of a transition: NAN if there is none. */
static void put_transition(const flat *f, const double ln_g[], double value[TRANSITION_VALUES]) {
    const spin_model *const m = &f->steps.engine->model;
    const double spins = (double)m->sites;
    uint64_t longest = 1;
    for (uint32_t d = 0; d < m->dimension; d++)
        longest = m->edge[d] > longest ? m->edge[d] : longest;
    transition t;
    for (size_t n = 0; n < TRANSITION_VALUES; n++)
        value[n] = NAN;
    if (!transition_find(ln_g, m->levels, &t))
        return;
    const double tension = /* a graph has no cross-section */
        m->dimension > 0 ? t.barrier / (2 * spins / (double)longest) : NAN;
    const double found[TRANSITION_VALUES] = {t.beta_height, t.barrier,        tension,
                                             t.low / spins, t.valley / spins, t.high / spins,
                                             t.beta_weight, t.heat / spins};
    memcpy(value, found, sizeof found);
}

static exit_status write_transition(const flat *f, const densities *d, result_folder *folder) {
    static const file_column column[2 * TRANSITION_VALUES] = {
        {"beta_height", "beta at which two peaks of the probability of e are equally high, in 1/J"},
        {"err_beta_height", "its error"},
        {"barrier", "ln of their height over that of the lowest point between them"},
        {"err_barrier", "its error"},
        {"sigma",
         "interface tension times beta: the barrier over twice the smallest cross-section"},
        {"err_sigma", "its error"},
        {"e_low", "energy per spin of the lower peak, in J"},
        {"err_e_low", "its error"},
        {"e_valley", "of the lowest point between the peaks"},
        {"err_e_valley", "its error"},
        {"e_high", "of the higher peak"},
        {"err_e_high", "its error"},
        {"beta_weight", "beta at which e is above e_valley with probability 1/2"},
        {"err_beta_weight", "its error"},
        {"latent_heat", "mean e above e_valley less the mean of the others, at beta_weight"},
        {"err_latent_heat", "its error"},
    };
    double value[TRANSITION_VALUES], without[FLAT_GROUPS][TRANSITION_VALUES],
        x[2 * TRANSITION_VALUES];
    put_transition(f, d->ln_g, value);
    for (size_t g = 0; g < d->groups; g++)
        put_transition(f, d->ln_g + (1 + g) * d->levels, without[g]);
    for (size_t n = 0; n < TRANSITION_VALUES; n++) {
        double of_groups[FLAT_GROUPS];
        for (size_t g = 0; g < d->groups; g++)
            of_groups[g] = without[g][n];
        x[2 * n] = value[n];
        x[2 * n + 1] = density_error(of_groups, d->groups);
    }
    const bool certain = x[2] > LEAST_BARRIER * x[3];
    for (size_t n = 0; n < 2 * TRANSITION_VALUES && !certain; n++)
        x[n] = NAN;
    FILE *const file = series_results_begin(
        folder, TRANSITION_FILE, f->given, &f->steps.engine->model,
        certain ? "" : "no transition of first order: no barrier is five errors high", column,
        2 * TRANSITION_VALUES);
    if (file == NULL)
        return STATUS_FAILED;
    results_print_row(file, f->given->precision, x, 2 * TRANSITION_VALUES);
    return STATUS_OK;
}

static exit_status write_diary(const flat *f, result_folder *folder) {
    static const file_column column[] = {
        {"window", "number of the window of energies, from 0"},
        {"iteration", "number of the iteration there, from 1"},
        {"steps", "steps of theta sweeps so far"},
        {"levels", "energies that were seen so far"},
        {"lowest", "number of the lowest of them, from 0"},
        {"divergence", "of the histogram from a flat one: sum of h ln(h K)"},
        {"flatness", "smallest count of an energy over the mean"},
        {"ln_f", "of Wang-Landau in this iteration; 0 of multicanonical weights"},
        {"ready", "1 if the weights of the window do not change any more"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    char remark[200] = "";
    uint64_t accepted = 0, exchanges = 0;
    for (size_t k = 0; k + 1 < f->windows; k++) {
        accepted += f->window[k].accepted;
        exchanges += f->window[k].exchanges;
    }
    if (f->windows > 1)
        snprintf(remark, sizeof remark,
                 "%" PRIu64 " of %" PRIu64 " exchanges between windows were accepted", accepted,
                 exchanges);
    FILE *const file = series_results_begin(folder, ITERATIONS_FILE, f->given,
                                            &f->steps.engine->model, remark, column, COLUMNS);
    for (size_t n = 0; n < f->noted && file != NULL; n++) {
        const flat_iteration *const i = &f->diary[n];
        const double x[COLUMNS] = {i->window,     i->iteration, i->steps, i->levels, i->lowest,
                                   i->divergence, i->flatness,  i->ln_f,  i->ready};
        results_print_row(file, f->given->precision, x, COLUMNS);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

static exit_status write_exchanges(const flat *f, result_folder *folder) {
    static const file_column column[] = {
        {"window", "number of the lower of two neighbouring windows of energies, from 0"},
        {"lowest", "lowest energy that the two have in common, in J"},
        {"highest", "highest one"},
        {"exchanges", "exchanges of a walker of one with a walker of the other that were tried, "
                      "with fixed weights"},
        {"accepted", "of these"},
        {"acceptance", "their part"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const spin_model *const m = &f->steps.engine->model;
    FILE *const file =
        series_results_begin(folder, WINDOW_EXCHANGES_FILE, f->given, m, "", column, COLUMNS);
    for (size_t k = 0; k + 1 < f->windows && file != NULL; k++) {
        const flat_window *const w = &f->window[k];
        const uint32_t lowest = w[1].lowest, highest = w->lowest + w->levels - 1;
        const double x[COLUMNS] = {(double)k,
                                   (double)level_energy(m->levels, lowest) / level_unit(m->levels),
                                   (double)level_energy(m->levels, highest) / level_unit(m->levels),
                                   (double)w->exchanges,
                                   (double)w->accepted,
                                   (double)w->accepted / (double)w->exchanges};
        results_print_row(file, f->given->precision, x, COLUMNS);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

static exit_status write_report(const flat *f, result_folder *folder) {
    const engine *const e = f->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .origin = model_origin(&e->model),
                         .lowest = NAN,
                         .ranks = 1,
                         .temperatures = parameters_populations(f->given),
                         .spin_flips = (double)f->taken * f->given->sweeps * (double)f->replicas *
                                       (double)e->model.sites,
                         .parts = f->parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .checkpoint_seconds = f->checkpoints.seconds,
                         .total_seconds = f->earlier + clock_seconds() - f->start};
    memcpy(report.seconds, e->seconds, sizeof report.seconds);
    return run_json_write(folder, f->given, &report);
}

/* What the files are made of. */
typedef struct {
    const flat *of;
    const densities *d;
} flat_results;

static exit_status write_results(result_folder *folder, void *state) {
    const flat_results *const r = state;
    const spin_model *const model = &r->of->steps.engine->model;
    exit_status status = write_density(r->of, r->d, folder);
    if (!status)
        status = write_rows(r->of, r->d, folder);
    if (!status)
        status = write_diary(r->of, folder);
    if (!status)
        status = write_transition(r->of, r->d, folder);
    if (!status && r->of->windows > 1)
        status = write_exchanges(r->of, folder);
    if (!status)
        status = flat_record_write(r->of, folder);
    if (!status && model->sample != NULL)
        status = results_write_couplings(folder, r->of->given, model);
    return status ? status : write_report(r->of, folder);
}

exit_status flat_publish(flat *f, result_folder *folder) {
    densities d;
    if (whole_groups(f) == 0)
        return STATUS_OK;
    if (f->failure[0] != '\0')
        snprintf(folder->note, sizeof folder->note, "failed: %s: what comes after that is missing",
                 f->failure);
    else if (f->interrupted)
        snprintf(folder->note, sizeof folder->note,
                 "interrupted after measurement %" PRIu32 " of %" PRIu32
                 ": what comes after that is missing",
                 f->produced - f->given->thermalisation, f->given->measurements);
    exit_status status = create(f, &d);
    if (!status)
        status = result_folder_put(folder, write_results, &(flat_results){f, &d},
                                   folder->note[0] != '\0');
    destroy(&d);
    return status;
}
