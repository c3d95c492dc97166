/* Coverage conditional on the flag, in settings of which some are too poor to be trusted everywhere. */
#include "trusted.h"

#include "estimate/trust.h"
#include "expected.h"
#include "report.h"
#include "validate/lib/statistics.h"

#include <stdlib.h>

typedef struct {
    spin_coding coding;
    uint32_t size;
    uint64_t population;
    uint32_t sweeps;
    double dbeta, beta_end;
    uint32_t group; /* runs that are averaged together; 1: single runs */
    uint32_t rows;  /* single runs or averages, in the quick profile */
} setting;

/* First those in which R / rho_t alone misleads; the last reaches temperatures without excitations. */
static const setting settings[] = {
    {CODING_MSC, 16, 4000, 2, 0.04, 0.44, 1, 600}, {CODING_MSC, 32, 3000, 3, 0.01, 0.45, 1, 200},
    {CODING_MSC, 16, 200, 2, 0.04, 0.4, 40, 200},  {CODING_MSC, 16, 4000, 2, 0.02, 0.6, 1, 300},
    {CODING_MSC, 16, 1000, 20, 0.02, 0.6, 1, 200}, {CODING_SSC, 8, 2000, 5, 0.02, 1.6, 1, 200},
};

#define SETTINGS    (sizeof settings / sizeof *settings)
#define FULL_FACTOR 5

static const quantity covered[] = {ENERGY, SPECIFIC_HEAT, BETA_F, ENTROPY};

#define COVERED (sizeof covered / sizeof *covered)

/* Who says which rows are trusted. */
typedef enum { BY_FLAG, BY_FAMILIES, JUDGES } judge_kind;

/* At one temperature. */
typedef struct {
    double rows;
    sample inside[COVERED][2], nominal[2]; /* of one and two sigma */
} coverage;

typedef struct {
    size_t temperatures;
    double *beta;
    coverage *of[JUDGES]; /* [temperatures] */
} coverages;

/* The row that number n of a setting has at temperature i: a run's, or an average over a group. */
static observables row_of(const ensemble *s, const setting *in, size_t n, size_t i) {
    weighted_average group = s->rows;
    group.row += n * in->group * group.temperatures;
    group.runs = in->group;
    return weighted_row(&group, i, (uint64_t)in->size * in->size);
}

static void add_row(coverage *c, const setting *in, const observables *row,
                    const expectation *expected) {
    const double spins = (double)in->size * in->size;
    c->rows++;
    for (int sigmas = 1; sigmas <= 2; sigmas++) {
        sample_add(&c->nominal[sigmas - 1], student_within(sigmas, row->blocks - 1));
        for (size_t n = 0; n < COVERED; n++) {
            const quantity q = covered[n];
            const double off = fabs(quantity_value(row, q, spins) - expected->value[q]);
            sample_add(&c->inside[n][sigmas - 1],
                       off <= sigmas * quantity_error(row, q, spins) ? 1 : 0);
        }
    }
}

/* Adds all rows of one run or average: row[] is room for them. */
static void add_rows(coverages *c, const ensemble *s, const setting *in, size_t n,
                     const expectation *expected, observables *row) {
    for (size_t i = 0; i < c->temperatures; i++)
        row[i] = row_of(s, in, n, i);
    trust_judge(row, c->temperatures);
    for (size_t i = 1; i < c->temperatures; i++)
        if (row[i].trusted)
            add_row(&c->of[BY_FLAG][i], in, &row[i], &expected[i]);
}

/* The same with the flag as it once was. */
static void add_rows_by_families(coverages *c, const ensemble *s, const setting *in, size_t n,
                                 const expectation *expected) {
    for (size_t i = 1; i < c->temperatures; i++) {
        const observables row = row_of(s, in, n, i);
        if (row.trusted)
            add_row(&c->of[BY_FAMILIES][i], in, &row, &expected[i]);
    }
}

static void forget_kinship(ensemble *s) {
    for (size_t n = 0; n < s->rows.runs * s->rows.temperatures; n++)
        observables_ignore_kinship(&s->rows.row[n]);
}

static exit_status count(coverages *c, ensemble *s, const setting *in) {
    const size_t rows = s->rows.runs / in->group, temperatures = s->rows.temperatures;
    expectation *const expected = expect_exact(s, &s->rows);
    observables *const row = calloc(temperatures, sizeof *row);
    c->temperatures = temperatures;
    c->beta = calloc(temperatures, sizeof *c->beta);
    for (size_t by = 0; by < JUDGES; by++)
        c->of[by] = calloc(temperatures, sizeof *c->of[by]);
    const bool room = expected && row && c->beta && c->of[BY_FLAG] && c->of[BY_FAMILIES];
    if (room) {
        for (size_t i = 0; i < temperatures; i++)
            c->beta[i] = ensemble_row(s, 0, i)->beta;
        for (size_t n = 0; n < rows; n++)
            add_rows(c, s, in, n, expected, row);
        forget_kinship(s);
        for (size_t n = 0; n < rows; n++)
            add_rows_by_families(c, s, in, n, expected);
    }
    free(row);
    free(expected);
    return room ? STATUS_OK : complain(STATUS_FAILED, "not enough memory for the trusted rows");
}

static exit_status measure(const parameters *base, size_t n, unsigned factor, coverages *c) {
    const setting *const in = &settings[n];
    ensemble s;
    parameters p = *base;
    p.coding = in->coding;
    p.size = (lattice_size){{in->size}};
    p.word = 32;
    p.rng = RNG_INDEPENDENT;
    p.population = in->population;
    p.sweeps = in->sweeps;
    p.dbeta = in->dbeta;
    p.beta_end = in->beta_end;
    p.runs = factor * in->rows * in->group;
    p.seed = base->seed + 200 + n;
    exit_status status = ensemble_make(&s, &p, FAULT_NONE);
    if (!status)
        status = count(c, &s, in);
    ensemble_destroy(&s);
    return status;
}

/* --- Findings --- */

/* The z-score of a shortfall beyond the tolerance, by the binomial deviation of so many rows. */
static double shortfall(const coverage *c, size_t n, int sigmas) {
    const double p = c->nominal[sigmas - 1].mean, inside = c->inside[n][sigmas - 1].mean;
    return fmax(0, (p - TRUSTED_TOLERANCE - inside) / sqrt(p * (1 - p) / c->rows));
}

static finding find_worst(const coverages *c, judge_kind by, size_t n, int sigmas) {
    finding f = {.check = sigmas == 1 ? CHECK_TRUSTED_ONE : CHECK_TRUSTED_TWO, .of = covered[n]};
    for (size_t i = 1; i < c->temperatures; i++) {
        const coverage *const at = &c->of[by][i];
        if (at->rows < TRUSTED_ENOUGH)
            continue;
        const double z = shortfall(at, n, sigmas);
        if (f.comparisons++ == 0 || z > f.z) {
            f.z = z;
            f.beta = c->beta[i];
            f.observed = at->inside[n][sigmas - 1].mean;
            f.expected = at->nominal[sigmas - 1].mean;
        }
    }
    return f;
}

static void judge(const coverages *c, findings *found, double *seen) {
    for (size_t n = 0; n < COVERED; n++)
        for (int sigmas = 1; sigmas <= 2; sigmas++) {
            findings_add(found, find_worst(c, BY_FLAG, n, sigmas));
            *seen = fmax(*seen, find_worst(c, BY_FAMILIES, n, sigmas).z);
        }
}

/* --- The table --- */

static void print_coverage(FILE *out, const coverage *c, double rows) {
    fprintf(out, " %.4f", c->rows / rows);
    for (size_t n = 0; n < COVERED; n++)
        for (int k = 0; k < 2; k++)
            fprintf(out, " %.4f", c->rows < TRUSTED_ENOUGH ? NAN : c->inside[n][k].mean);
    for (int k = 0; k < 2; k++)
        fprintf(out, " %.4f", c->rows < TRUSTED_ENOUGH ? NAN : c->nominal[k].mean);
}

static void print_setting(FILE *out, const setting *in, const coverages *c, unsigned factor) {
    fprintf(out, "# L = %u, R = %llu, theta = %u, steps of %g, ", in->size,
            (unsigned long long)in->population, in->sweeps, in->dbeta);
    if (in->group > 1)
        fprintf(out, "averages over %u runs\n", in->group);
    else
        fprintf(out, "single runs\n");
    for (size_t i = 1; i < c->temperatures; i++) {
        fprintf(out, "%.6g", c->beta[i]);
        for (size_t by = 0; by < JUDGES; by++)
            print_coverage(out, &c->of[by][i], factor * in->rows);
        fprintf(out, "\n");
    }
    fprintf(out, "\n\n");
}

exit_status trusted_check(const char *folder, const parameters *base, int full, findings *found,
                          double *seen) {
    const unsigned factor = full ? FULL_FACTOR : 1;
    safe_file file;
    exit_status status = report_open(&file, folder, "trusted");
    if (status)
        return status;
    fprintf(
        file.stream,
        "# Coverage of the rows that are trusted: of e within 1 and 2 sigma, of C, of betaF, of S, "
        "and what\n"
        "# Student's t says of both; nan: of fewer than %d rows. A block of lines is a setting.\n"
        "# beta, part that is trusted, coverage (8), expected (2); then these eleven of the rows "
        "with\n"
        "# R/rho_t of 100 and more\n",
        TRUSTED_ENOUGH);
    *seen = 0;
    for (size_t n = 0; n < SETTINGS && !status; n++) {
        coverages c = {0};
        status = measure(base, n, factor, &c);
        if (!status) {
            print_setting(file.stream, &settings[n], &c, factor);
            judge(&c, found, seen);
        }
        for (size_t by = 0; by < JUDGES; by++)
            free(c.of[by]);
        free(c.beta);
    }
    if (status) {
        safe_file_abort(&file);
        return status;
    }
    return report_close(&file);
}
