/* Rows of a series (series_rows.h). */
#include "series_rows.h"

#include <math.h>
#include <stdlib.h>

const series_column series_columns[SERIES_OBSERVABLES] = {
    [SERIES_E] = {"e", "energy per spin, in J"},
    [SERIES_C] = {"C", "specific heat per spin, in k_B"},
    [SERIES_ABS_M] = {"|m|", "magnetisation per spin, mean of its absolute value"},
    [SERIES_M2] = {"m2", "mean of its square"},
    [SERIES_M4] = {"m4", "mean of its fourth power"},
    [SERIES_CHI] = {"chi", "susceptibility per spin, beta N (m2 - |m|^2), in 1/J"},
    [SERIES_U4] = {"U4", "Binder parameter 1 - m4 / (3 m2^2)"},
};

size_t series_observables(bool disordered) {
    return disordered ? SERIES_ABS_M : SERIES_OBSERVABLES;
}

static double value_of(series_observable which, const moments *m, double beta, double n) {
    switch (which) {
    case SERIES_E:
        return m->e;
    case SERIES_C:
        return beta * beta * n * (m->e2 - m->e * m->e);
    case SERIES_ABS_M:
        return m->abs_m;
    case SERIES_M2:
        return m->m2;
    case SERIES_M4:
        return m->m4;
    case SERIES_CHI:
        return beta * n * (m->m2 - m->abs_m * m->abs_m);
    case SERIES_U4:
        return 1 - m->m4 / (3 * m->m2 * m->m2);
    case SERIES_OBSERVABLES:
        break;
    }
    return NAN;
}

/* The means over time, with all measurements or with one of them left out. */
static moments mean_of(const moments *sum, const moments *less, double n) {
    return (moments){.e = (sum->e - less->e) / n,
                     .e2 = (sum->e2 - less->e2) / n,
                     .abs_m = (sum->abs_m - less->abs_m) / n,
                     .m2 = (sum->m2 - less->m2) / n,
                     .m4 = (sum->m4 - less->m4) / n};
}

static moments sum_of(const moment_series *s, size_t k) {
    moments sum = {0};
    for (size_t t = 0; t < s->count; t++) {
        const moments *const x = &s->of[t * s->temperatures + k];
        sum.e += x->e;
        sum.e2 += x->e2;
        sum.abs_m += x->abs_m;
        sum.m2 += x->m2;
        sum.m4 += x->m4;
    }
    return sum;
}

bool series_row_of(series_row *row, const moment_series *s, size_t k, double beta, uint64_t spins) {
    const size_t n = s->count;
    const double times = (double)n;
    double *const pseudo = calloc(n, sizeof *pseudo);
    if (pseudo == NULL)
        return false;
    const moments sum = sum_of(s, k), nothing = {0}, all = mean_of(&sum, &nothing, times);
    for (series_observable which = 0; which < SERIES_OBSERVABLES; which++) {
        row->value[which] = value_of(which, &all, beta, (double)spins);
        for (size_t t = 0; t < n; t++) {
            const moments rest = mean_of(&sum, &s->of[t * s->temperatures + k], times - 1);
            pseudo[t] = times * row->value[which] -
                        (times - 1) * value_of(which, &rest, beta, (double)spins);
        }
        const autocorrelation a = autocorrelation_of(pseudo, n);
        row->error[which] = a.error_mean;
        if (which == SERIES_E)
            row->e = a;
        if (which == SERIES_ABS_M)
            row->abs_m = a;
    }
    free(pseudo);
    row->trusted = times >= SERIES_LEAST_TIMES * fmax(row->e.tau, row->abs_m.tau) &&
                   !isnan(row->e.tau) && !isnan(row->abs_m.tau);
    return true;
}
