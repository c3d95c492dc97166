/* Rows of a series (series_rows.h). */
#include "series_rows.h"

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

size_t series_columns(void) {
    return SERIES_OWN_COLUMNS + moment_columns_count;
}

const moment_column *series_column(size_t n) {
    return n < SERIES_OWN_COLUMNS ? &own_columns[n] : &moment_columns[n - SERIES_OWN_COLUMNS];
}

/* The means over n measurements: of their sums, less one of them that is left out. */
static moments mean_of(const measurement *sum, const measurement *less, double n, double beta,
                       double spins) {
    return (moments){.beta = beta,
                     .spins = spins,
                     .e = (sum->e - less->e) / n,
                     .e2 = (sum->e2 - less->e2) / n,
                     .e3 = (sum->e3 - less->e3) / n,
                     .e4 = (sum->e4 - less->e4) / n,
                     .abs_m = (sum->abs_m - less->abs_m) / n,
                     .m2 = (sum->m2 - less->m2) / n,
                     .m4 = (sum->m4 - less->m4) / n};
}

static measurement sum_of(const measurement_series *s, size_t k) {
    measurement sum = {0};
    for (size_t t = 0; t < s->count; t++) {
        const measurement *const x = &s->of[t * s->temperatures + k];
        sum.e += x->e;
        sum.e2 += x->e2;
        sum.e3 += x->e3;
        sum.e4 += x->e4;
        sum.abs_m += x->abs_m;
        sum.m2 += x->m2;
        sum.m4 += x->m4;
    }
    return sum;
}

/* Whether n measurements are enough for a time, which may be longer than it was found. */
static bool are_many(const autocorrelation *a, size_t n) {
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

bool series_row_of(series_row *row, const measurement_series *s, size_t k, double beta,
                   uint64_t spins, bool disordered) {
    const size_t n = s->count;
    const double times = (double)n, sites = (double)spins;
    double *const pseudo = calloc(n, sizeof *pseudo);
    if (pseudo == NULL)
        return false;
    const measurement sum = sum_of(s, k), nothing = {0};
    const moments all = mean_of(&sum, &nothing, times, beta, sites);
    for (size_t c = 0; c < series_columns(); c++) {
        const moment_column *const column = series_column(c);
        row->value[c] = column->value(&all);
        for (size_t t = 0; t < n; t++) {
            const moments rest =
                mean_of(&sum, &s->of[t * s->temperatures + k], times - 1, beta, sites);
            pseudo[t] = times * row->value[c] - (times - 1) * column->value(&rest);
        }
        const autocorrelation a = autocorrelation_of(pseudo, n);
        row->error[c] = a.error_mean;
        if (c == SERIES_E)
            row->e = a;
        if (c == SERIES_ABS_M)
            row->abs_m = a;
    }
    free(pseudo);
    row->trusted = are_many(&row->e, n) && (disordered || are_many(&row->abs_m, n)) &&
                   moves(s, k, 0, n / 2) && moves(s, k, n / 2, n);
    return true;
}
