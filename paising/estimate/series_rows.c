/* Rows of a series (series_rows.h). */
#include "series_rows.h"

#include "blocking.h"

#include <math.h>
#include <stdlib.h>

static double energy(const moments *m) {
    return m->e;
}

static double specific_heat(const moments *m) {
    return m->beta * m->beta * m->spins * (m->e2 - m->e * m->e);
}

static double magnetisation(const moments *m) {
    return m->abs_m;
}

static double second_moment(const moments *m) {
    return m->m2;
}

static double fourth_moment(const moments *m) {
    return m->m4;
}

static const moment_column own_columns[SERIES_OWN_COLUMNS] = {
    [SERIES_E] = {"e", "energy per spin", "J", energy, false},
    [SERIES_C] = {"C", "specific heat per spin", "k_B", specific_heat, false},
    [SERIES_ABS_M] = {"|m|", "magnetisation per spin, mean of its absolute value", NULL,
                      magnetisation, true},
    [SERIES_M2] = {"m2", "mean of its square", NULL, second_moment, true},
    [SERIES_M4] = {"m4", "mean of its fourth power", NULL, fourth_moment, true},
};

static double structure_factor(const moments *m) {
    return m->s_k;
}

static double correlation_length(const moments *m) {
    return structure_length(m->spins * m->m2, m->s_k, m->edge);
}

static const moment_column wave_columns[SERIES_WAVE_COLUMNS] = {
    {"S_k", "structure factor at k = 2 pi / L, mean of |sum of s exp(i k x)|^2 / N", NULL,
     structure_factor, true},
    {"xi", "correlation length by S_k and N m2 (docs/theory.md); nan where S_k is larger", NULL,
     correlation_length, true},
};

size_t series_columns(bool waves) {
    return SERIES_OWN_COLUMNS + moment_columns_count + (waves ? SERIES_WAVE_COLUMNS : 0);
}

const moment_column *series_column(size_t n) {
    const size_t others = n - SERIES_OWN_COLUMNS;
    return n < SERIES_OWN_COLUMNS          ? &own_columns[n]
           : others < moment_columns_count ? &moment_columns[others]
                                           : &wave_columns[others - moment_columns_count];
}

/* The means over n measurements: of their sums, less what is left out. */
static moments mean_of(const measurement *sum, const measurement *less, double n, double beta,
                       const spin_model *model) {
    return (moments){.beta = beta,
                     .spins = (double)model->sites,
                     .edge = structure_edge(model),
                     .s_k = (sum->s_k - less->s_k) / n,
                     .e = (sum->e - less->e) / n,
                     .e2 = (sum->e2 - less->e2) / n,
                     .e3 = (sum->e3 - less->e3) / n,
                     .e4 = (sum->e4 - less->e4) / n,
                     .abs_m = (sum->abs_m - less->abs_m) / n,
                     .m2 = (sum->m2 - less->m2) / n,
                     .m4 = (sum->m4 - less->m4) / n};
}

static void add(measurement *sum, const measurement *x) {
    sum->e += x->e;
    sum->e2 += x->e2;
    sum->e3 += x->e3;
    sum->e4 += x->e4;
    sum->abs_m += x->abs_m;
    sum->m2 += x->m2;
    sum->m4 += x->m4;
    sum->s_k += x->s_k;
}

static measurement sum_of(const measurement_series *s, size_t k) {
    measurement sum = {0};
    for (size_t t = 0; t < s->count; t++)
        add(&sum, &s->of[t * s->temperatures + k]);
    return sum;
}

bool series_is_long(const autocorrelation *a, size_t n) {
    const double time = fmax(0.5, a->tau + 2 * a->error_tau);
    return !isnan(a->tau) && (double)n >= SERIES_LEAST_TIMES * time;
}

/* Whether the energy changes between measurements from .. to - 1: it does not where all replicas are stuck. */
static bool moves(const measurement_series *s, size_t k, size_t from, size_t to) {
    size_t t = from;
    while (t < to && s->of[t * s->temperatures + k].e == s->of[from * s->temperatures + k].e)
        t++;
    return t < to;
}

/* What the rows of a series have in common with their pseudo-values. */
typedef struct {
    const measurement_series *s;
    size_t k;
    double beta;
    const spin_model *model;
    measurement sum;
} row_source;

/* Fills value[measurements] with the pseudo-values of column c, whose value is `all`. */
static void list_pseudo_values(const row_source *from, size_t c, double all, double value[]) {
    const measurement_series *const s = from->s;
    const double times = (double)s->count;
    for (size_t t = 0; t < s->count; t++) {
        const moments rest = mean_of(&from->sum, &s->of[t * s->temperatures + from->k], times - 1,
                                     from->beta, from->model);
        value[t] = times * all - (times - 1) * series_column(c)->value(&rest);
    }
}

static bool times_are_known(const series_row *row, size_t n, const spin_model *model) {
    return series_is_long(&row->e, n) && (model->disordered || series_is_long(&row->abs_m, n));
}

bool series_row_of(series_row *row, const measurement_series *s, size_t k, double beta,
                   const spin_model *model) {
    const size_t n = s->count;
    double *const pseudo = calloc(n, sizeof *pseudo);
    if (pseudo == NULL)
        return false;
    const measurement nothing = {0};
    const row_source from = {s, k, beta, model, sum_of(s, k)};
    const moments all = mean_of(&from.sum, &nothing, (double)n, beta, model);
    for (size_t c = 0; c < series_columns(true); c++) {
        row->value[c] = series_column(c)->value(&all);
        list_pseudo_values(&from, c, row->value[c], pseudo);
        const bool has_time = c == SERIES_E || c == SERIES_ABS_M; /* by the window of its own */
        const autocorrelation a = autocorrelation_within(pseudo, n, has_time ? 0 : row->e.window);
        row->error[c] = a.error_mean;
        if (c == SERIES_E)
            row->e = a;
        if (c == SERIES_ABS_M)
            row->abs_m = a;
    }
    free(pseudo);
    row->trusted = times_are_known(row, n, model) && moves(s, k, 0, n / 2) && moves(s, k, n / 2, n);
    return true;
}

/* Makes the errors of a row again, within this window or more. Returns false without memory. */
static bool widen(series_row *row, const measurement_series *s, size_t k, double beta,
                  const spin_model *model, size_t window) {
    const size_t n = s->count;
    double *const pseudo = calloc(n, sizeof *pseudo);
    if (pseudo == NULL)
        return false;
    const row_source from = {s, k, beta, model, sum_of(s, k)};
    for (size_t c = 0; c < series_columns(true); c++) {
        if (!series_column(c)->of_order)
            continue;
        list_pseudo_values(&from, c, row->value[c], pseudo);
        const autocorrelation a = autocorrelation_within(pseudo, n, window);
        if (!(a.error_mean > row->error[c]))
            continue;
        row->error[c] = a.error_mean;
        if (c == SERIES_ABS_M)
            row->abs_m = a;
    }
    free(pseudo);
    row->trusted = row->trusted && times_are_known(row, n, model);
    return true;
}

/* The window of |m| of all temperatures together. Returns false without memory. */
static bool window_of_all(const measurement_series *s, size_t *window) {
    double *const together = calloc(s->count, sizeof *together);
    if (together == NULL)
        return false;
    for (size_t t = 0; t < s->count; t++)
        for (size_t k = 0; k < s->temperatures; k++)
            together[t] += s->of[t * s->temperatures + k].abs_m;
    *window = autocorrelation_of(together, s->count).window;
    free(together);
    return true;
}

bool series_rows_widen(series_row row[], const measurement_series *s, const double beta[],
                       const spin_model *model) {
    size_t all = 0, longest = 0;
    bool good = window_of_all(s, &all);
    for (size_t k = 0; k < s->temperatures; k++)
        longest = row[k].abs_m.window > longest ? row[k].abs_m.window : longest;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < s->temperatures; k++) {
        good = widen(&row[k], s, k, beta[k], model, longest) && good;
        if (all > longest)
            good = widen(&row[k], s, k, beta[k], model, all) && good;
        row[k].trusted = row[k].trusted && all > 0;
    }
    return good;
}

/* --- runs --- */

/* The mean of a run's times, which value[runs] are, and its error. */
static autocorrelation mean_time(const double value[], size_t runs) {
    const double n = (double)runs;
    double sum = 0, squares = 0;
    for (size_t r = 0; r < runs; r++)
        sum += value[r];
    for (size_t r = 0; r < runs; r++)
        squares += (value[r] - sum / n) * (value[r] - sum / n);
    return (autocorrelation){.tau = sum / n, .error_tau = sqrt(squares / (n * (n - 1)))};
}

/* The times of the runs: of e and |m|. room[runs] */
static bool set_times(series_row *row, const measurement_series *s, size_t runs, size_t k,
                      double room[]) {
    const size_t temperatures = s->temperatures / runs;
    double *const series = calloc(s->count, sizeof *series);
    for (int of_m = 0; of_m < 2 && series != NULL; of_m++) {
        for (size_t r = 0; r < runs; r++) {
            for (size_t t = 0; t < s->count; t++) {
                const measurement *const x = &s->of[t * s->temperatures + r * temperatures + k];
                series[t] = of_m ? x->abs_m : x->e;
            }
            room[r] = autocorrelation_of(series, s->count).tau;
        }
        *(of_m ? &row->abs_m : &row->e) = mean_time(room, runs);
    }
    free(series);
    return series != NULL;
}

/* The errors of the values of a row, from the means without each run: sum[runs], without[runs]. */
static void set_errors(series_row *row, const measurement *all, const measurement sum[],
                       size_t runs, double each, double beta, const spin_model *model,
                       double without[]) {
    for (size_t c = 0; c < series_columns(true); c++) {
        for (size_t r = 0; r < runs; r++) {
            const moments rest = mean_of(all, &sum[r], (double)(runs - 1) * each, beta, model);
            without[r] = series_column(c)->value(&rest);
        }
        row->error[c] = jackknife_error(without, runs);
    }
}

bool series_row_of_runs(series_row *row, const measurement_series *s, size_t runs, size_t k,
                        double beta, const spin_model *model) {
    const size_t temperatures = s->temperatures / runs, n = s->count;
    measurement *const sum = calloc(runs, sizeof *sum), all = {0}, nothing = {0};
    double *const room = calloc(runs, sizeof *room);
    bool good = sum != NULL && room != NULL && set_times(row, s, runs, k, room);
    if (good) {
        bool still = false;
        for (size_t r = 0; r < runs; r++) {
            const size_t at = r * temperatures + k;
            sum[r] = sum_of(s, at);
            add(&all, &sum[r]);
            still = still || !moves(s, at, 0, n / 2) || !moves(s, at, n / 2, n);
        }
        const moments means = mean_of(&all, &nothing, (double)(runs * n), beta, model);
        for (size_t c = 0; c < series_columns(true); c++)
            row->value[c] = series_column(c)->value(&means);
        set_errors(row, &all, sum, runs, (double)n, beta, model, room);
        row->trusted = runs >= SERIES_LEAST_RUNS && !still && series_is_long(&row->e, runs * n) &&
                       (model->disordered || series_is_long(&row->abs_m, runs * n));
    }
    free(sum);
    free(room);
    return good;
}
