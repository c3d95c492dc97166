/* The claims, each turned into z-scores. */
#include "claims.h"

#include "validate/lib/statistics.h"

#include <stdlib.h>

#define LARGEST_SET  8    /* temperatures that chi-square takes together */
#define WEIGHTS_UNIT 1e-8 /* of the differences between the program's averages and these */

const char *const quantity_name[QUANTITIES] = {"e", "C", "betaF/N", "S/N", "|m|", "m2", "m4"};

const char *const check_name[CHECKS] = {
    "value",      "chi-square", "1 sigma",  "2 sigma", "scatter",   "R mean",    "R variance",
    "histograms", "weights",    "bias a/R", "no bias", "same rows", "trusted 1", "trusted 2"};

double quantity_value(const observables *row, quantity q, double spins) {
    switch (q) {
    case ENERGY:
        return row->e;
    case SPECIFIC_HEAT:
        return row->c;
    case BETA_F:
        return row->beta_f / spins;
    case ENTROPY:
        return row->beta * row->e - row->beta_f / spins;
    case ABS_M:
        return row->abs_m;
    case M2:
        return row->m2;
    default:
        return row->m4;
    }
}

double quantity_error(const observables *row, quantity q, double spins) {
    switch (q) {
    case ENERGY:
        return row->error_e;
    case SPECIFIC_HEAT:
        return row->error_c;
    case BETA_F:
        return row->error_beta_f / spins;
    case ENTROPY:
        return row->error_s;
    case ABS_M:
        return row->error_abs_m;
    case M2:
        return row->error_m2;
    default:
        return row->error_m4;
    }
}

void findings_add(findings *found, finding f) {
    if (found->count < MAX_FINDINGS)
        found->list[found->count++] = f;
}

/* A deviation in units of its error; where there is no error there must be no deviation. */
static double z_of(double off, double error, double scale) {
    if (error <= 1e-13 * fabs(scale))
        return fabs(off) <= 1e-12 * fabs(scale) ? 0 : INFINITY;
    return off / error;
}

static void take_largest(finding *f, double z, double beta, double observed, double expected) {
    f->comparisons++;
    if (f->comparisons == 1 || !(fabs(z) <= fabs(f->z))) {
        f->z = z;
        f->beta = beta;
        f->observed = observed;
        f->expected = expected;
    }
}

/* --- Averages over runs (eqs. 6, 7) --- */

/* -ln of a run's estimate of Z: beta F, and what the sizes of its populations add (weighted.h). */
static double minus_ln_z(const observables *row) {
    return row->beta_f - row->ln_growth;
}

/* Sums over runs of a weight w = Z / largest Z and of it times the means. */
typedef struct {
    double runs, w, e, e2, abs_m, m2, m4;
} weighted_sums;

static void add_run(weighted_sums *sum, const observables *row, double least, double sign) {
    const double w = sign * exp(least - minus_ln_z(row));
    sum->runs += sign;
    sum->w += w;
    sum->e += w * row->e;
    sum->e2 += w * row->e2;
    sum->abs_m += w * row->abs_m;
    sum->m2 += w * row->m2;
    sum->m4 += w * row->m4;
}

static void averages(const weighted_sums *sum, double least, double beta, double spins,
                     double value[QUANTITIES]) {
    const double e = sum->e / sum->w, beta_f = least - log(sum->w / sum->runs);
    const observables row = {.beta = beta,
                             .e = e,
                             .c = beta * beta * spins * (sum->e2 / sum->w - e * e),
                             .abs_m = sum->abs_m / sum->w,
                             .m2 = sum->m2 / sum->w,
                             .m4 = sum->m4 / sum->w,
                             .beta_f = beta_f};
    for (quantity q = 0; q < QUANTITIES; q++)
        value[q] = quantity_value(&row, q, spins);
}

/* The jackknife at one temperature: pseudo[run][QUANTITIES] = M x - (M - 1) x without the run, whose
 * mean is the average freed of its bias of order 1/M, and whose scatter is that of the average
 * times the square root of M. all[] is the average itself. */
static void jackknife(const ensemble *s, size_t i, double (*pseudo)[QUANTITIES],
                      double all[QUANTITIES]) {
    const double runs = (double)s->rows.runs, spins = (double)s->model.sites;
    const double beta = ensemble_row(s, 0, i)->beta;
    double least = INFINITY;
    weighted_sums sum = {0};
    for (size_t run = 0; run < s->rows.runs; run++)
        least = fmin(least, minus_ln_z(ensemble_row(s, run, i)));
    for (size_t run = 0; run < s->rows.runs; run++)
        add_run(&sum, ensemble_row(s, run, i), least, 1);
    averages(&sum, least, beta, spins, all);
    for (size_t run = 0; run < s->rows.runs; run++) {
        weighted_sums rest = sum;
        double without[QUANTITIES];
        add_run(&rest, ensemble_row(s, run, i), least, -1);
        averages(&rest, least, beta, spins, without);
        for (quantity q = 0; q < QUANTITIES; q++)
            pseudo[run][q] = runs * all[q] - (runs - 1) * without[q];
    }
}

static estimate estimate_of(const double (*pseudo)[QUANTITIES], size_t runs) {
    estimate result;
    for (quantity q = 0; q < QUANTITIES; q++) {
        sample values = {0};
        for (size_t run = 0; run < runs; run++)
            sample_add(&values, pseudo[run][q]);
        result.value[q] = values.mean;
        result.error[q] = sqrt(sample_variance(&values) / values.n);
    }
    return result;
}

/* The program's own average must be that of this file. */
static void check_weights(const observables *row, double spins, const double all[QUANTITIES],
                          const estimate *mine, finding *f) {
    for (quantity q = 0; q < QUANTITIES; q++) {
        const double value = quantity_value(row, q, spins), error = quantity_error(row, q, spins);
        take_largest(f, (value - all[q]) / WEIGHTS_UNIT, row->beta, value, all[q]);
        take_largest(f, (error - mine->error[q]) / WEIGHTS_UNIT, row->beta, error, mine->error[q]);
    }
    f->comparisons = 1; /* not a matter of chance */
}

/* --- Values --- */

static void check_value(const expectation *expected, const estimate *e, quantity q, double beta,
                        double runs, finding *f) {
    if (!isfinite(expected->value[q]))
        return;
    const double off = e->value[q] - expected->value[q];
    const double t = z_of(off, hypot(e->error[q], expected->error[q]), expected->value[q]);
    take_largest(f, isfinite(t) ? z_of_student(t, runs - 1) : t, beta, e->value[q],
                 expected->value[q]);
}

/* Hotelling's T^2 of k variables whose mean deviations are off[], from their covariance: solves
 * covariance x = off by Cholesky's decomposition, in place. nan if it is not positive. */
static double hotelling(double covariance[LARGEST_SET][LARGEST_SET], const double *off, size_t k) {
    double y[LARGEST_SET], sum_of_squares = 0;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = covariance[i][j];
            for (size_t n = 0; n < j; n++)
                sum -= covariance[i][n] * covariance[j][n];
            covariance[i][j] = i == j ? sqrt(sum) : sum / covariance[j][j];
        }
        y[i] = off[i];
        for (size_t n = 0; n < i; n++)
            y[i] -= covariance[i][n] * y[n];
        y[i] /= covariance[i][i];
        sum_of_squares += y[i] * y[i];
    }
    return sum_of_squares;
}

/* pseudo[temperature][run][quantity] at the chosen temperatures where values are expected. Those that have errors
 * themselves are left to check_value. */
static void check_chi_square(double (*const *pseudo)[QUANTITIES], const expectation *expected,
                             const size_t *all, size_t count, size_t runs, quantity q,
                             findings *found) {
    double off[LARGEST_SET], covariance[LARGEST_SET][LARGEST_SET] = {{0}};
    size_t chosen[LARGEST_SET], k = 0;
    const double m = (double)runs;
    for (size_t i = 0; i < count; i++)
        if (isfinite(expected[all[i]].value[q]) && expected[all[i]].error[q] == 0)
            chosen[k++] = all[i];
    if (k == 0)
        return;
    for (size_t i = 0; i < k; i++) {
        off[i] = 0;
        for (size_t run = 0; run < runs; run++)
            off[i] += (pseudo[chosen[i]][run][q] - expected[chosen[i]].value[q]) / m;
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            for (size_t run = 0; run < runs; run++)
                covariance[i][j] +=
                    (pseudo[chosen[i]][run][q] - expected[chosen[i]].value[q] - off[i]) *
                    (pseudo[chosen[j]][run][q] - expected[chosen[j]].value[q] - off[j]) /
                    (m * (m - 1));
    const double t2 = hotelling(covariance, off, k), d1 = (double)k, d2 = m - d1;
    const double f = t2 * d2 / (d1 * (m - 1));
    findings_add(found, (finding){.check = CHECK_CHI_SQUARE,
                                  .of = q,
                                  .comparisons = 1,
                                  .z = z_of_f(f, d1, d2),
                                  .beta = NAN,
                                  .observed = t2,
                                  .expected = d1 * (m - 1) / (d2 - 2)});
}

/* Chooses temperatures evenly among those where the average is trusted, beta = 0 excepted. Returns
 * their number. */
static size_t choose(const ensemble *s, size_t chosen[LARGEST_SET]) {
    const uint64_t spins = s->model.sites;
    size_t last = 0;
    while (last + 1 < s->rows.temperatures && weighted_row(&s->rows, last + 1, spins).trusted)
        last++;
    size_t k = last < LARGEST_SET ? last : LARGEST_SET;
    while (k > 0 && s->rows.runs < 4 * k)
        k--;
    for (size_t n = 0; n < k; n++)
        chosen[n] = (n + 1) * last / k;
    return k;
}

/* --- One-run errors --- */

double student_within(double x, double degrees) {
    return erf(z_of_student(x, degrees) / sqrt(2));
}

static void check_coverage(const ensemble *s, const expectation *expected, quantity q,
                           double sigmas, check_kind check, findings *found) {
    const double spins = (double)s->model.sites;
    sample excess = {0}, inside = {0}, probability = {0};
    for (size_t run = 0; run < s->rows.runs; run++) {
        sample of_run = {0};
        for (size_t i = 1; i < s->rows.temperatures; i++) {
            const observables *const row = ensemble_row(s, run, i);
            const double error = quantity_error(row, q, spins);
            if (!row->trusted || !isfinite(expected[i].value[q]) || expected[i].error[q] > 0)
                continue;
            const double off = fabs(quantity_value(row, q, spins) - expected[i].value[q]);
            const double p = student_within(sigmas, row->blocks - 1);
            const double hit = off < sigmas * error;
            sample_add(&of_run, hit - p);
            sample_add(&inside, hit);
            sample_add(&probability, p);
        }
        if (of_run.n > 0)
            sample_add(&excess, of_run.mean);
    }
    if (excess.n >= 16)
        findings_add(found, (finding){.check = check,
                                      .of = q,
                                      .comparisons = 1,
                                      .z = sample_z(&excess, 0),
                                      .beta = NAN,
                                      .observed = inside.mean,
                                      .expected = probability.mean});
}

/* The scatter is looked at where siblings are few, the weights exp(-dbeta E) of a step being nearly
 * equal, and forget their common parent within a few sweeps. */
#define INDEPENDENT_BETA    0.2
#define INDEPENDENT_SWEEPS  5
#define INDEPENDENT_WEIGHTS 0.4 /* variance of dbeta E */
#define INDEPENDENT_MEMORY  0.1

/* The correlation of a bond with itself after sweeps of Metropolis near beta = 0, where a bond changes if one of its two spins stays. A
 * quarter and a sixteenth of all spins have three and four satisfied bonds of four, and stay with 1 - exp(-4 beta) and 1 - exp(-8 beta). */
static double bond_memory(double beta, double sweeps) {
    const double stays = (1 - exp(-4 * beta)) / 4 + (1 - exp(-8 * beta)) / 16;
    return pow(1 - 4 * stays * (1 - stays), sweeps);
}

static void check_scatter(const ensemble *s, const expectation *expected, findings *found) {
    const double spins = (double)s->model.sites;
    sample of_runs = {0};
    if (s->given.sweeps < INDEPENDENT_SWEEPS)
        return;
    for (size_t run = 0; run < s->rows.runs; run++) {
        sample of_run = {0};
        for (size_t i = 1; i < s->rows.temperatures; i++) {
            const observables *const row = ensemble_row(s, run, i);
            const double off = row->e - expected[i].value[ENERGY],
                         variance = row->e2 - row->e * row->e,
                         step = spins * (row->beta - ensemble_row(s, run, i - 1)->beta);
            if (isfinite(off) && row->beta <= INDEPENDENT_BETA &&
                bond_memory(row->beta, s->given.sweeps) < INDEPENDENT_MEMORY &&
                step * step * variance < INDEPENDENT_WEIGHTS)
                sample_add(&of_run, row->population * off * off / variance);
        }
        if (of_run.n > 0)
            sample_add(&of_runs, of_run.mean);
    }
    if (of_runs.n < 16)
        return;
    findings_add(found, (finding){.check = CHECK_SCATTER,
                                  .of = ENERGY,
                                  .comparisons = 1,
                                  .z = sample_z(&of_runs, 1),
                                  .beta = NAN,
                                  .observed = of_runs.mean,
                                  .expected = 1});
}

/* --- Resampling --- */

static void check_resampling(const ensemble *s, findings *found) {
    double off = 0, squares = 0, variance = 0, variance_of_squares = 0;
    for (size_t run = 0; run < s->rows.runs; run++)
        for (size_t i = 1; i < s->rows.temperatures; i++) {
            const resampling_draw *const d = ensemble_draw(s, run, i);
            const double x = d->population - d->mean;
            off += x;
            squares += x * x;
            variance += d->variance;
            variance_of_squares += d->cumulant4 + 2 * d->variance * d->variance;
        }
    findings_add(found, (finding){.check = CHECK_R_MEAN,
                                  .of = QUANTITIES,
                                  .comparisons = 1,
                                  .z = off / sqrt(variance),
                                  .beta = NAN,
                                  .observed = off,
                                  .expected = 0});
    findings_add(found, (finding){.check = CHECK_R_VARIANCE,
                                  .of = QUANTITIES,
                                  .comparisons = 1,
                                  .z = (squares - variance) / sqrt(variance_of_squares),
                                  .beta = NAN,
                                  .observed = squares / variance,
                                  .expected = 1});
}

/* --- Multi-histogram analysis --- */

static void check_histograms(const ensemble *s, const expectation *grid, quantity q,
                             findings *found) {
    const double spins = (double)s->model.sites;
    finding f = {.check = CHECK_HISTOGRAMS, .of = q};
    if (s->model.disordered && q >= ABS_M)
        return; /* overlaps are no part of it */
    for (size_t i = 1; i < s->reweighted.temperatures; i++) {
        if (!isfinite(grid[i].value[q]))
            continue;
        sample values = {0};
        for (size_t run = 0; run < s->reweighted.runs; run++)
            sample_add(
                &values,
                quantity_value(&s->reweighted.row[run * s->reweighted.temperatures + i], q, spins));
        take_largest(&f, sample_z(&values, grid[i].value[q]), s->reweighted.row[i].beta,
                     values.mean, grid[i].value[q]);
    }
    if (f.comparisons > 0)
        findings_add(found, f);
}

/* --- All of them --- */

/* The largest deviations of the averages, and the table of pseudo-values. */
static void check_values(const ensemble *s, const expectation *expected,
                         double (*const *pseudo)[QUANTITIES], estimate *estimates,
                         findings *found) {
    const uint64_t spins = s->model.sites;
    finding value[QUANTITIES] = {{0}}, weights = {.check = CHECK_WEIGHTS, .of = QUANTITIES};
    for (size_t i = 0; i < s->rows.temperatures; i++) {
        double all[QUANTITIES];
        const observables row = weighted_row(&s->rows, i, spins);
        jackknife(s, i, pseudo[i], all);
        estimates[i] = estimate_of((const double(*)[QUANTITIES])pseudo[i], s->rows.runs);
        check_weights(&row, (double)spins, all, &estimates[i], &weights);
        for (quantity q = 0; q < QUANTITIES && row.trusted; q++)
            check_value(&expected[i], &estimates[i], q, ensemble_row(s, 0, i)->beta,
                        (double)s->rows.runs, &value[q]);
    }
    for (quantity q = 0; q < QUANTITIES; q++) {
        value[q].check = CHECK_VALUE;
        value[q].of = q;
        if (value[q].comparisons > 0)
            findings_add(found, value[q]);
    }
    findings_add(found, weights);
}

int claims_check(const ensemble *s, const expectation expected[], const expectation grid[],
                 int independent, estimate estimates[], findings *found) {
    const size_t temperatures = s->rows.temperatures, runs = s->rows.runs;
    size_t chosen[LARGEST_SET];
    double(*const values)[QUANTITIES] = calloc(temperatures * runs, sizeof *values);
    double(**const pseudo)[QUANTITIES] = calloc(temperatures, sizeof *pseudo);
    if (!values || !pseudo) {
        free(values);
        free(pseudo);
        return -1;
    }
    for (size_t i = 0; i < temperatures; i++)
        pseudo[i] = values + i * runs;
    found->count = 0;
    check_values(s, expected, pseudo, estimates, found);
    const size_t k = choose(s, chosen);
    for (quantity q = 0; q < QUANTITIES; q++) {
        if (k > 0)
            check_chi_square(pseudo, expected, chosen, k, runs, q, found);
        if (independent) {
            check_coverage(s, expected, q, 1, CHECK_ONE_SIGMA, found);
            check_coverage(s, expected, q, 2, CHECK_TWO_SIGMA, found);
        }
        if (s->reweighted.row)
            check_histograms(s, grid, q, found);
    }
    if (independent)
        check_scatter(s, expected, found);
    check_resampling(s, found);
    free(values);
    free(pseudo);
    return 0;
}
