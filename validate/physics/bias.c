/* The bias of single and of weighted runs: measured at several R, and fitted by a/R. */
#include "bias.h"

#include "expected.h"
#include "report.h"
#include "validate/lib/statistics.h"

#include <inttypes.h>
#include <stdlib.h>

#define SIZE     16
#define REPLICAS (1u << 18) /* runs times R */
#define GROUP    32         /* runs that are averaged together */

static const uint64_t populations[] = {128, 256, 512, 1024};

#define POPULATIONS (sizeof populations / sizeof *populations)

static const quantity biased[] = {ENERGY, SPECIFIC_HEAT, BETA_F};

#define BIASED (sizeof biased / sizeof *biased)

/* Deviations from the exact solution: of single runs, and of averages over groups of them. */
typedef struct {
    sample run[QUANTITIES], group[QUANTITIES];
} deviations;

static void add_runs(deviations *d, const ensemble *s, const expectation *expected, size_t i) {
    for (size_t run = 0; run < s->rows.runs; run++)
        for (quantity q = 0; q < QUANTITIES; q++)
            sample_add(&d->run[q], quantity_value(ensemble_row(s, run, i), q, SIZE * SIZE) -
                                       expected[i].value[q]);
}

static void add_groups(deviations *d, const ensemble *s, const expectation *expected, size_t i) {
    for (size_t first = 0; first + GROUP <= s->rows.runs; first += GROUP) {
        weighted_average group = s->rows;
        group.row += first * group.temperatures;
        group.runs = GROUP;
        const observables row = weighted_row(&group, i, SIZE * SIZE);
        for (quantity q = 0; q < QUANTITIES; q++)
            sample_add(&d->group[q], quantity_value(&row, q, SIZE * SIZE) - expected[i].value[q]);
    }
}

static double error_of(const sample *s) {
    return sqrt(sample_variance(s) / s->n);
}

/* bias.dat: for each quantity the bias of single runs and its error. */
static void print_biases(FILE *out, uint64_t population, double beta, const deviations *d) {
    fprintf(out, "%" PRIu64 " %.6g", population, beta);
    for (size_t n = 0; n < BIASED; n++)
        fprintf(out, " %.8g %.8g", d->run[biased[n]].mean, error_of(&d->run[biased[n]]));
    fprintf(out, "\n");
}

/* weighted.dat: for each quantity bias, its error and standard deviation of plain averages over a
 * group, then of weighted ones. The plain average of a group has the bias of a single run. */
static void print_groups(FILE *out, double beta, const deviations *d) {
    fprintf(out, "%.6g", beta);
    for (size_t n = 0; n < BIASED; n++) {
        const sample *const run = &d->run[biased[n]], *const group = &d->group[biased[n]];
        fprintf(out, " %.8g %.8g %.8g %.8g %.8g %.8g", run->mean, error_of(run),
                sqrt(sample_variance(run) / GROUP), group->mean, error_of(group),
                sqrt(sample_variance(group)));
    }
    fprintf(out, "\n");
}

/* Chi-square of R times the bias against one value for all R. */
static finding fit(const deviations *const d[POPULATIONS], quantity q, double beta) {
    double weights = 0, mean = 0, chi_square = 0;
    for (size_t n = 0; n < POPULATIONS; n++) {
        const double r = (double)populations[n], error = r * error_of(&d[n]->run[q]);
        weights += 1 / (error * error);
        mean += r * d[n]->run[q].mean / (error * error);
    }
    mean /= weights;
    for (size_t n = 0; n < POPULATIONS; n++) {
        const double r = (double)populations[n];
        const double z = (r * d[n]->run[q].mean - mean) / (r * error_of(&d[n]->run[q]));
        chi_square += z * z;
    }
    return (finding){.check = CHECK_BIAS,
                     .of = q,
                     .comparisons = 1,
                     .z = z_of_chi_square(chi_square, POPULATIONS - 1),
                     .beta = beta,
                     .observed = chi_square,
                     .expected = POPULATIONS - 1};
}

/* All deviations of one population size: *d is an array over the temperatures. */
static exit_status measure(const parameters *base, size_t n, unsigned factor, deviations **d,
                           double **beta, size_t *temperatures) {
    ensemble s;
    parameters p = *base;
    p.coding = CODING_MSC;
    p.size = (lattice_size){{SIZE}};
    p.word = 32;
    p.rng = RNG_INDEPENDENT;
    p.population = populations[n];
    p.sweeps = 2;
    p.dbeta = 0.02;
    p.beta_end = 0.6;
    p.runs = (uint32_t)(factor * REPLICAS / populations[n]);
    p.seed = base->seed + 100 + n;
    exit_status status = ensemble_make(&s, &p, FAULT_NONE);
    expectation *const expected = status ? NULL : expect_exact(&s, &s.rows);
    *temperatures = s.rows.temperatures;
    *d = calloc(*temperatures, sizeof **d);
    *beta = calloc(*temperatures, sizeof **beta);
    if (!status && (!expected || !*d || !*beta))
        status = complain(STATUS_FAILED, "not enough memory for the bias");
    for (size_t i = 0; !status && i < *temperatures; i++) {
        (*beta)[i] = ensemble_row(&s, 0, i)->beta;
        add_runs(&(*d)[i], &s, expected, i);
        if (n == 0)
            add_groups(&(*d)[i], &s, expected, i);
    }
    free(expected);
    ensemble_destroy(&s);
    return status;
}

/* Fills the findings at three temperatures: the critical one, and a step on either side. */
static void judge(deviations *const d[POPULATIONS], const double *beta, size_t temperatures,
                  findings *found, double *seen) {
    *seen = 0;
    for (size_t n = 0; n < BIASED; n++) {
        const quantity q = biased[n];
        finding no_bias = {.check = CHECK_NO_BIAS, .of = q};
        for (size_t i = 1; i < temperatures; i++) {
            const double z = sample_z(&d[0][i].group[q], 0);
            no_bias.comparisons++;
            *seen = fmax(*seen, fabs(sample_z(&d[0][i].run[q], 0)));
            if (i == 1 || fabs(z) > fabs(no_bias.z)) {
                no_bias.z = z;
                no_bias.beta = beta[i];
                no_bias.observed = d[0][i].group[q].mean;
            }
            if (i % 5 == 0 && i >= temperatures / 2) {
                const deviations *at[POPULATIONS];
                for (size_t m = 0; m < POPULATIONS; m++)
                    at[m] = &d[m][i];
                findings_add(found, fit(at, q, beta[i]));
            }
        }
        findings_add(found, no_bias);
    }
}

exit_status bias_check(const char *folder, const parameters *base, int full, findings *found,
                       double *seen) {
    deviations *d[POPULATIONS] = {NULL};
    double *beta[POPULATIONS] = {NULL};
    size_t temperatures = 0;
    exit_status status = STATUS_OK;
    for (size_t n = 0; n < POPULATIONS && !status; n++)
        status = measure(base, n, full ? 4 : 1, &d[n], &beta[n], &temperatures);
    safe_file file;
    if (!status && !(status = report_open(&file, folder, "bias"))) {
        fprintf(file.stream, "# L = 16, theta = 2: bias of single runs and its error\n"
                             "# R beta bias_e error bias_C error bias_betaF/N error\n");
        for (size_t n = 0; n < POPULATIONS; n++)
            for (size_t i = 0; i < temperatures; i++)
                print_biases(file.stream, populations[n], beta[n][i], &d[n][i]);
        status = report_close(&file);
    }
    if (!status && !(status = report_open(&file, folder, "weighted"))) {
        fprintf(file.stream,
                "# L = 16, theta = 2, R = %" PRIu64 ": averages over %d runs, for e, C and "
                "betaF/N in turn\n# beta plain_bias error deviation weighted_bias error "
                "deviation ...\n",
                populations[0], GROUP);
        for (size_t i = 0; i < temperatures; i++)
            print_groups(file.stream, beta[0][i], &d[0][i]);
        status = report_close(&file);
    }
    if (!status)
        judge(d, beta[0], temperatures, found, seen);
    for (size_t n = 0; n < POPULATIONS; n++) {
        free(d[n]);
        free(beta[n]);
    }
    return status;
}
