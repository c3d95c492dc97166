/* The spread of the specific heat over independent runs, by jackknife over the runs. */
#include "spread.h"

#include <math.h>
#include <stdlib.h>

int spread_create(spread_sample *sample, size_t runs, size_t temperatures) {
    *sample = (spread_sample){.runs = runs, .temperatures = temperatures};
    sample->beta = calloc(temperatures, sizeof *sample->beta);
    sample->c = calloc(temperatures * runs, sizeof *sample->c);
    return sample->beta && sample->c ? 0 : -1;
}

void spread_destroy(spread_sample *sample) {
    free(sample->beta);
    free(sample->c);
    *sample = (spread_sample){0};
}

/* --- one temperature --- */

/* Mean and sum of the squared deviations of the runs at one temperature. */
typedef struct {
    const double *c; /* [runs] */
    double runs, mean, squares;
} moments;

static moments moments_at(const spread_sample *sample, size_t t) {
    moments m = {.c = sample->c + t * sample->runs, .runs = (double)sample->runs};
    for (size_t r = 0; r < sample->runs; r++)
        m.mean += m.c[r];
    m.mean /= m.runs;
    for (size_t r = 0; r < sample->runs; r++)
        m.squares += (m.c[r] - m.mean) * (m.c[r] - m.mean);
    return m;
}

static double variance(const moments *m) {
    return m->squares / (m->runs - 1);
}

/* The moments without run r. */
static moments without(const moments *m, size_t r) {
    const double deviation = m->c[r] - m->mean;
    return (moments){.runs = m->runs - 1,
                     .mean = m->mean - deviation / (m->runs - 1),
                     .squares = m->squares - deviation * deviation * m->runs / (m->runs - 1)};
}

/* --- jackknife --- */

/* The estimates made without one of the runs, as deviations from that with all of them. */
typedef struct {
    double all, runs, sum, squares;
} jackknife;

static void jackknife_add(jackknife *j, double estimate) {
    const double deviation = estimate - j->all;
    j->runs++;
    j->sum += deviation;
    j->squares += deviation * deviation;
}

static measured jackknife_result(const jackknife *j) {
    const double scatter = j->squares - j->sum * j->sum / j->runs;
    return (measured){j->all, sqrt(scatter * (j->runs - 1) / j->runs)};
}

/* --- results --- */

double spread_mean(const spread_sample *sample, size_t t) {
    return moments_at(sample, t).mean;
}

measured spread_relative(const spread_sample *sample, size_t t) {
    const moments m = moments_at(sample, t);
    jackknife j = {.all = sqrt(variance(&m)) / m.mean};
    for (size_t r = 0; r < sample->runs; r++) {
        const moments other = without(&m, r);
        jackknife_add(&j, sqrt(variance(&other)) / other.mean);
    }
    return jackknife_result(&j);
}

/* Mean of ln sigma^2 over the temperatures first .. end-1, without run r (r = runs: with all). */
static double mean_ln_variance(const spread_sample *sample, size_t first, size_t end, size_t r) {
    double sum = 0;
    for (size_t t = first; t < end; t++) {
        moments m = moments_at(sample, t);
        if (r < sample->runs)
            m = without(&m, r);
        sum += log(variance(&m));
    }
    return sum / (double)(end - first);
}

/* The same with its error. */
static measured ln_variance(const spread_sample *sample, size_t first, size_t end) {
    jackknife j = {.all = mean_ln_variance(sample, first, end, sample->runs)};
    for (size_t r = 0; r < sample->runs; r++)
        jackknife_add(&j, mean_ln_variance(sample, first, end, r));
    return jackknife_result(&j);
}

measured spread_ln_variance(const spread_sample *sample, size_t t) {
    return ln_variance(sample, t, t + 1);
}

measured spread_window(const spread_sample *sample, double first, double last) {
    size_t t = 0;
    while (t < sample->temperatures && sample->beta[t] < first)
        t++;
    size_t end = t;
    while (end < sample->temperatures && sample->beta[end] <= last)
        end++;
    return ln_variance(sample, t, end);
}

measured spread_ratio(measured a, measured b) {
    const double ratio = exp(a.value - b.value);
    return (measured){ratio, ratio * hypot(a.error, b.error)};
}
