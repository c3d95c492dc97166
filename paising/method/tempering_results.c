/* What parallel tempering records beside the series, and the files that it writes. */
#include "base/ieee_math.h"
#include "estimate/energy_counts.h"
#include "estimate/logarithmic_bins.h"
#include "files/overlap_results.h"
#include "files/result_header.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/series_results.h"
#include "settings/plans.h"
#include "tempering.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- measurements --- */

static void record_overlaps(series *s) {
    tempering *const t = s->state;
    for (size_t k = 0; k < s->temperatures; k++)
        overlap_series_set(&t->overlaps, k, &s->steps.group_overlaps[k], &s->model);
    overlap_series_next(&t->overlaps);
}

/* Notes the lowest energy of the replicas at temperature k. */
static void record_lowest(tempering *t, size_t k, const histogram *h) {
    size_t n = h->first;
    while (n < h->end && histogram_level(h, n)->replicas == 0)
        n++;
    if (n < h->end && histogram_energy(h, n) < t->lowest[k])
        t->lowest[k] = histogram_energy(h, n);
}

bool tempering_record(series *s) {
    tempering *const t = s->state;
    const size_t block = time_block_of(s->record.count - 1, s->record.room);
    for (size_t k = 0; k < s->temperatures; k++) {
        const histogram *const h = &s->steps.group[k];
        uint64_t *const count = block_counts_at(&t->energies, block, k);
        if (h->energy != NULL)
            block_counts_count(&t->energies, block, k, t->bins, h);
        for (size_t n = h->first; n < h->end && h->energy == NULL; n++)
            count[n] += histogram_level(h, n)->replicas;
        record_lowest(t, k, h);
    }
    if (tempering_has_overlaps(s))
        record_overlaps(s);
    return !chain_means_take((uint32_t)s->record.count, s->given->measurements) ||
           tempering_record_chains(s);
}

static exit_status no_memory(const char *of) {
    return complain(STATUS_FAILED, "not enough memory for the %s", of);
}

/* --- exchanges --- */

/* The exchanges of a pair of temperatures: how many were tried, and which share was accepted each time. */
typedef struct {
    size_t attempts;
    autocorrelation share;
} exchanges;

/* Fills *x with those of pair k. Returns false without memory. */
static bool exchanges_of(const series *s, size_t k, exchanges *x) {
    const tempering *const t = s->state;
    double *const share = calloc(s->record.count, sizeof *share);
    *x = (exchanges){0};
    for (size_t n = 0; n < s->record.count && share != NULL; n++)
        if ((n + s->given->thermalisation) % 2 == k % 2)
            share[x->attempts++] =
                t->accepted[n * (s->temperatures - 1) + k] / (double)s->given->population;
    x->share = autocorrelation_of(share, x->attempts);
    free(share);
    return share != NULL;
}

static exit_status write_exchanges(const series *s, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"beta_next", "that of the neighbour"},
        {"acceptance", "share of the exchanges between the two that were accepted"},
        {"err_acceptance", "its error"},
        {"attempts", "exchanges tried, of R chains each time"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const tempering *const t = s->state;
    char remark[200];
    snprintf(remark, sizeof remark,
             "%" PRIu64 " round trips from the lowest beta to the highest and back, of %" PRIu64
             " replicas in %zu steps of %" PRIu32 " sweeps",
             t->round_trips, t->replicas, s->record.count, s->given->sweeps);
    exchanges *const of = calloc(s->temperatures, sizeof *of);
    bool good = of != NULL;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < s->temperatures - 1; k++)
        good = of != NULL && exchanges_of(s, k, &of[k]) && good;
    if (!good) {
        free(of);
        return no_memory("exchanges");
    }
    FILE *const file = series_results_begin(folder, EXCHANGES_FILE, s->given,
                                            &s->steps.engine->model, remark, column, COLUMNS);
    for (size_t k = 0; k + 1 < s->temperatures && file != NULL; k++) {
        const double x[COLUMNS] = {s->beta[k], s->beta[k + 1], of[k].share.mean,
                                   of[k].share.error_mean,
                                   (double)of[k].attempts * (double)s->given->population};
        results_print_row(file, s->given->precision, x, COLUMNS);
    }
    free(of);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- free energy --- */

static exit_status write_free_energy(const series *s, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"betaF/N", "beta times the free energy per spin, by Bennett's acceptance ratio"},
        {"err_betaF/N", "its error"},
        {"betaF_TI/N", "the same by integration of <E> over beta"},
        {"err_betaF_TI/N", "its error, but for that of the integration"},
        {"S/N", "entropy per spin, in k_B, beta e less the first of these"},
        {"err_S/N", "its error"},
        {"E_min", "the lowest energy that was measured, of the lattice, in J"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const tempering *const t = s->state;
    const double spins = (double)s->model.sites;
    const bool known = s->beta[0] == 0;
    const double first = known ? ieee_log(model_states(&s->steps.engine->model)) : 0;
    chain_free_energy *const row = calloc(s->temperatures, sizeof *row);
    if (row == NULL || energy_counts_free_energies(&t->energies, t->bins, s->beta, row)) {
        free(row);
        return no_memory("free energies");
    }
    const char *const remark =
        !known
            ? "ln Z of the first temperature is not known: betaF/N and S/N are less those there; "
              "with -b 0 they are whole"
        : model_states(&s->steps.engine->model) == 2
            ? "Z at beta = 0 is 2^N"
            : "Z at beta = 0 is the number of states of a spin to the power of N";
    FILE *const file = series_results_begin(folder, FREE_ENERGIES_FILE, s->given,
                                            &s->steps.engine->model, remark, column, COLUMNS);
    for (size_t k = 0; k < s->temperatures && file != NULL; k++) {
        const double x[COLUMNS] = {s->beta[k],
                                   row[k].bennett / spins - first,
                                   row[k].error_bennett / spins,
                                   row[k].integral / spins - first,
                                   row[k].error_integral / spins,
                                   row[k].entropy / spins + first,
                                   row[k].error_entropy / spins,
                                   (double)t->lowest[k] / level_unit(s->model.levels)};
        results_print_row(file, s->given->precision, x, COLUMNS);
    }
    free(row);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- overlaps --- */

/* The columns, those behind TAU + 1 of vectors alone; and the values of those but beta and tau, each with its error. */
static const file_column overlap_rows_columns[] = {
    {"beta", "inverse temperature, in 1/J"},
    {"|q|", "absolute overlap of two chains"},
    {"err_|q|", "its error"},
    {"q2", "mean of its square"},
    {"err_q2", "its error"},
    {"q4", "mean of its fourth power"},
    {"err_q4", "its error"},
    {"q_l", "link overlap"},
    {"err_q_l", "its error"},
    {"|q(k)|^2", "at the smallest wave vector"},
    {"err_|q(k)|^2", "its error"},
    {"Binder", "Binder parameter, (3 - q4 / q2^2) / 2"},
    {"err_Binder", "its error"},
    {"chi_SG", "N q2"},
    {"err_chi_SG", "its error"},
    {"xi/L", "second-moment correlation length over the edge"},
    {"err_xi/L", "its error"},
    {"tau_q2", "integrated autocorrelation time of q2, in sweeps"},
    {"err_tau_q2", "its error"},
    {"q_s", "mean of (s . s')^2 over the bonds"},
    {"err_q_s", "its error"},
    {"q_k2", "mean square of the overlap of chiralities"},
    {"err_q_k2", "its error"},
    {"q_k4", "mean of its fourth power"},
    {"err_q_k4", "its error"},
    {"Binder_k", "its Binder parameter, (3 - q_k4 / q_k2^2) / 2"},
    {"err_Binder_k", "its error"},
};
static const overlap_value overlap_rows_values[] = {
    OVERLAP_ABS_Q, OVERLAP_Q2,      OVERLAP_Q4,      OVERLAP_LINK,
    OVERLAP_WAVE,  OVERLAP_BINDER,  OVERLAP_CHI,     OVERLAP_XI,
    OVERLAP_SELF,  OVERLAP_CHIRAL2, OVERLAP_CHIRAL4, OVERLAP_CHIRAL_BINDER};
enum {
    OVERLAP_ROWS_COLUMNS = sizeof overlap_rows_columns / sizeof *overlap_rows_columns,
    BINDER = 11,
    TAU = 17
}; /* of columns */

static exit_status write_overlaps(const series *s, result_folder *folder) {
    const bool vectors = !overlap_is_of_bits(&s->model);
    const size_t columns = vectors ? OVERLAP_ROWS_COLUMNS : TAU + 2;
    file_column column[OVERLAP_ROWS_COLUMNS];
    const tempering *const t = s->state;
    char remark[100];
    snprintf(remark, sizeof remark, "%" PRIu64 " pairs of chains at each temperature",
             t->overlaps.pairs);
    memcpy(column, overlap_rows_columns, sizeof column);
    if (vectors)
        column[BINDER].meaning = "Binder parameter, (n^2 + 2 - n^2 q4 / q2^2) / 2 of n components";
    overlap_series_row *const row = calloc(s->temperatures, sizeof *row);
    size_t window = 0;
    bool good = row != NULL && overlap_series_window(&t->overlaps, &window);
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < s->temperatures; k++)
        good = good && overlap_series_row_of(&row[k], &t->overlaps, k, window, &s->model);
    if (!good) {
        free(row);
        return no_memory("overlaps");
    }
    FILE *const file = series_results_begin(folder, OVERLAP_ROWS_FILE, s->given,
                                            &s->steps.engine->model, remark, column, columns);
    for (size_t k = 0; k < s->temperatures && file != NULL; k++) {
        double x[OVERLAP_ROWS_COLUMNS] = {s->beta[k]};
        for (size_t v = 0; 1 + 2 * v < columns - 2; v++) {
            double *const at = x + 1 + 2 * v + (1 + 2 * v < TAU ? 0 : 2);
            at[0] = row[k].value[overlap_rows_values[v]];
            at[1] = row[k].error[overlap_rows_values[v]];
        }
        x[TAU] = row[k].q2.tau * s->given->sweeps;
        x[TAU + 1] = row[k].q2.error_tau * s->given->sweeps;
        results_print_row(file, s->given->precision, x, columns);
    }
    free(row);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

static exit_status write_histograms(const series *s, result_folder *folder) {
    const tempering *const t = s->state;
    char blocks[60];
    FILE *const file = results_begin(folder, OVERLAP_HISTOGRAMS_FILE, &s->steps.engine->model);
    overlap_share *const share = calloc(t->overlaps.pairs_in.bins, sizeof *share);
    exit_status status = file == NULL    ? STATUS_FAILED
                         : share == NULL ? no_memory("overlaps")
                                         : STATUS_OK;
    snprintf(blocks, sizeof blocks, "from %d blocks of measurements", TIME_BLOCKS);
    if (!status) {
        result_header_print_parameters(file, s->given);
        results_print_overlap_columns(file, &s->model, "of all pairs", blocks);
    }
    for (size_t k = 0; k < s->temperatures && !status; k++) {
        overlap_series_shares(&t->overlaps, k, share);
        status = results_print_overlap_row(file, s->given, &s->model, k, s->beta[k],
                                           (double)t->overlaps.pairs * (double)t->overlaps.count,
                                           "", share);
    }
    free(share);
    return status;
}

/* --- equilibration --- */

/* What is averaged in logarithmic bins. */
typedef enum { BINNED_E, BINNED_Q2, BINNED_LINK, BINNED } binned;

static void list_values(const series *s, size_t k, binned of, double value[]) {
    const tempering *const t = s->state;
    const size_t means[BINNED] = {[BINNED_Q2] = OVERLAP_Q2, [BINNED_LINK] = OVERLAP_LINK};
    for (size_t n = 0; n < s->record.count; n++)
        value[n] = of == BINNED_E
                       ? s->record.of[n * s->temperatures + k].e
                       : t->overlaps.mean[(n * s->temperatures + k) * OVERLAP_MEANS + means[of]];
}

/* The bins of a temperature. */
typedef struct {
    logarithmic_bin bin[BINNED][LOGARITHMIC_BINS_MOST];
    size_t bins;
    bool agree;
} binned_values;

/* Fills *b with the bins of `kinds` values at temperature k. Returns false without memory. */
static bool bin_values(const series *s, size_t k, size_t kinds, binned_values *b) {
    double *const value = malloc(s->record.count * sizeof *value);
    b->agree = true;
    for (binned of = 0; of < kinds && value != NULL; of++) {
        list_values(s, k, of, value);
        b->bins = logarithmic_bins_of(value, s->record.count, b->bin[of]);
        b->agree = b->agree && logarithmic_bins_agree(b->bin[of], b->bins);
    }
    free(value);
    return value != NULL;
}

static double spread_at(const series *s, size_t k);

/* Whether a row is to be trusted, as far as its own temperature shows, and the window of q2 at all of them. */
static bool is_sure(const series *s, size_t k, size_t window, const series_row *row) {
    const tempering *const t = s->state;
    const bool overlaps = tempering_has_overlaps(s);
    const double sigma = spread_at(s, k), error = row->error[SERIES_E] * (double)s->model.sites;
    binned_values bins;
    double *const q2 = overlaps ? malloc(s->record.count * sizeof *q2) : NULL;
    bool sure = chain_means_agree(&t->chains, k, sigma * sigma, error) &&
                (q2 != NULL || !overlaps) && bin_values(s, k, overlaps ? BINNED : 1, &bins) &&
                bins.agree;
    if (sure && overlaps) {
        list_values(s, k, BINNED_Q2, q2);
        const autocorrelation a = autocorrelation_of(q2, s->record.count),
                              b = autocorrelation_within(q2, s->record.count, window);
        sure = window > 0 && series_is_long(&a, s->record.count) &&
               series_is_long(&b, s->record.count);
    }
    free(q2);
    return sure;
}

bool tempering_judge(const series *s, size_t run, series_row row[]) {
    (void)run; /* there is one */
    bool warmer = true;
    size_t window = 0;
    if (tempering_has_overlaps(s) &&
        !overlap_series_window(&((const tempering *)s->state)->overlaps, &window))
        return false;
    if (!s->model.disordered && !series_rows_widen(row, &s->record, s->beta, &s->model))
        return false;
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < s->temperatures; k++)
        row[k].trusted = row[k].trusted && is_sure(s, k, window, &row[k]);
    for (size_t k = 0; k < s->temperatures && s->model.disordered; k++)
        row[k].trusted = warmer = warmer && row[k].trusted;
    return true;
}

static exit_status write_equilibration(const series *s, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"bin", "0: the second half of the measurements; 1: the half before; and so on"},
        {"first", "its first measurement, from 1"},
        {"last", "its last"},
        {"agree",
         "1 if bins 0, 1 and 2 agree at this beta within 5 errors of their differences, in e "
         "and of glasses in q2 and q_l"},
        {"e", "energy per spin, in J"},
        {"err_e", "its error"},
        {"q2", "mean square of the overlap"},
        {"err_q2", "its error"},
        {"q_l", "link overlap"},
        {"err_q_l", "its error"},
    };
    const size_t kinds = tempering_has_overlaps(s) ? BINNED : 1, columns = 5 + 2 * kinds;
    binned_values *const of = calloc(s->temperatures, sizeof *of);
    bool good = of != NULL;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < s->temperatures; k++)
        good = of != NULL && bin_values(s, k, kinds, &of[k]) && good;
    if (!good) {
        free(of);
        return no_memory("logarithmic bins");
    }
    FILE *const file = series_results_begin(
        folder, EQUILIBRATION_FILE, s->given, &s->steps.engine->model,
        "a series begins in equilibrium where the last three bins agree", column, columns);
    for (size_t k = 0; k < s->temperatures && file != NULL; k++)
        for (size_t b = 0; b < of[k].bins; b++) {
            const logarithmic_bin *const at = &of[k].bin[0][b];
            double x[5 + 2 * BINNED] = {s->beta[k], (double)b, (double)at->first + 1,
                                        (double)(at->first + at->count), of[k].agree};
            for (binned v = 0; v < kinds; v++) {
                x[5 + 2 * v] = of[k].bin[v][b].mean;
                x[6 + 2 * v] = of[k].bin[v][b].error;
            }
            results_print_row(file, s->given->precision, x, columns);
        }
    free(of);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- temperatures for a further run --- */

/* The step between temperatures k and k + 1 in units in which those of the next run are to be equal. */
typedef double step_length(const series *s, size_t k);

static double spread_at(const series *s, size_t k) {
    double e = 0, e2 = 0;
    for (size_t n = 0; n < s->record.count; n++) {
        e += s->record.of[n * s->temperatures + k].e;
        e2 += s->record.of[n * s->temperatures + k].e2;
    }
    e /= (double)s->record.count;
    return (double)s->model.sites * sqrt(fmax(0, e2 / (double)s->record.count - e * e));
}

/* In widths of the energy distribution: where these are Gaussian, exchanges are accepted with erfc(length / 2). */
static double length_by_energy(const series *s, size_t k) {
    return (s->beta[k + 1] - s->beta[k]) * (spread_at(s, k) + spread_at(s, k + 1)) / 2;
}

/* The part of the walkers at a temperature that were last at the lowest beta. */
static double flow_at(const series *s, size_t k) {
    const tempering *const t = s->state;
    const double all = (double)t->up[k] + (double)t->down[k];
    return all > 0 ? (double)t->up[k] / all : 0.5;
}

/* By the flow of walkers: density sqrt(f' / dbeta) (Katzgraber, Trebst, Huse, Troyer, J. Stat. Mech. P03018, 2006), whose integral
 * over a step is the square root of how much f falls there. A fall that noise hides counts as a tenth of the mean fall. */
static double length_by_flow(const series *s, size_t k) {
    const double least = 0.1 / (double)(s->temperatures - 1);
    return sqrt(fmax(least, flow_at(s, k) - flow_at(s, k + 1)));
}

static exit_status write_schedule(const series *s, result_folder *folder, const char *name,
                                  const char *remark, step_length *length) {
    static const file_column column[] = {{"beta", "inverse temperature, in 1/J"},
                                         {"theta", "sweeps"}};
    const size_t T = s->temperatures;
    double *const place = malloc(T * sizeof *place);
    if (place == NULL)
        return no_memory("temperatures");
    place[0] = 0;
    for (size_t k = 1; k < T; k++)
        place[k] = place[k - 1] + length(s, k - 1);
    FILE *const file =
        series_results_begin(folder, name, s->given, &s->steps.engine->model, remark, column, 2);
    size_t at = 0;
    for (size_t k = 0; k < T && file != NULL; k++) {
        const double wanted = place[T - 1] * (double)k / (double)(T - 1);
        while (at + 2 < T && place[at + 1] < wanted)
            at++;
        const double part = (wanted - place[at]) / (place[at + 1] - place[at]);
        const double x[] = {k == 0       ? s->beta[0]
                            : k + 1 == T ? s->beta[T - 1]
                                         : s->beta[at] + part * (s->beta[at + 1] - s->beta[at]),
                            s->given->sweeps};
        results_print_row(file, 17, x, 2);
    }
    free(place);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- clusters --- */

static exit_status write_clusters(const series *s, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"cluster", "mean size of a cluster over N"},
        {"set", "mean over N of the sites where two chains differ, or agree if these are fewer"},
        {"moves", "clusters that were turned over"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const tempering_moves *const m = &((const tempering *)s->state)->moves;
    FILE *const file = series_results_begin(folder, CLUSTERS_FILE, s->given,
                                            &s->steps.engine->model, "", column, COLUMNS);
    for (size_t k = m->first; k < s->temperatures && file != NULL; k++) {
        const double moves = (double)m->sums[k].moves, all = moves * (double)s->model.sites;
        const double x[COLUMNS] = {s->beta[k], (double)m->sums[k].cluster / all,
                                   (double)m->sums[k].set / all, moves};
        results_print_row(file, s->given->precision, x, COLUMNS);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- all --- */

exit_status tempering_write(const series *s, result_folder *folder) {
    exit_status status = write_exchanges(s, folder);
    if (!status)
        status = write_free_energy(s, folder);
    if (!status)
        status = write_equilibration(s, folder);
    if (!status)
        status = write_schedule(s, folder, EQUAL_SCHEDULE_FILE,
                                "temperatures for --betas with equal acceptances, from this run "
                                "as a pilot",
                                length_by_energy);
    if (!status)
        status = write_schedule(s, folder, FLOW_SCHEDULE_FILE,
                                "temperatures for --betas with more round trips, from the flow of "
                                "walkers of this run as a pilot",
                                length_by_flow);
    if (!status && tempering_has_overlaps(s))
        status = write_overlaps(s, folder);
    if (!status && tempering_has_overlaps(s))
        status = write_histograms(s, folder);
    if (!status && ((const tempering *)s->state)->moves.first < s->temperatures)
        status = write_clusters(s, folder);
    if (status || !s->given->reweight)
        return status;
    const beta_grid grid = parameters_grid(s->given);
    return series_write_reweighted(s, &((const tempering *)s->state)->energies, &s->model, &grid,
                                   folder);
}
