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
    resampling_rule rule;
    double claimed; /* coverage is claimed where this part of the rows is trusted, and more */
} setting;

/* First those in which R / rho_t alone misleads; the sixth reaches temperatures without excitations. In the last one
 * many temperatures have few rows that are trusted, which chance has chosen. */
static const setting settings[] = {
    {CODING_MSC, 16, 4000, 2, 0.04, 0.44, 1, 600, RESAMPLE_NEAREST, 0},
    {CODING_MSC, 32, 3000, 3, 0.01, 0.45, 1, 200, RESAMPLE_NEAREST, 0},
    {CODING_MSC, 16, 200, 2, 0.04, 0.4, 40, 200, RESAMPLE_NEAREST, 0},
    {CODING_MSC, 16, 4000, 2, 0.02, 0.6, 1, 300, RESAMPLE_NEAREST, 0},
    {CODING_MSC, 16, 1000, 20, 0.02, 0.6, 1, 200, RESAMPLE_NEAREST, 0},
    {CODING_SSC, 8, 2000, 5, 0.02, 1.6, 1, 200, RESAMPLE_NEAREST, 0},
    {CODING_MSC, 16, 2000, 5, 0.02, 0.8, 1, 600, RESAMPLE_SYSTEMATIC, 0.5},
};

#define SETTINGS    (sizeof settings / sizeof *settings)
#define FULL_FACTOR 5

static const quantity covered[] = {ENERGY, SPECIFIC_HEAT, BETA_F, ENTROPY};

#define COVERED      (sizeof covered / sizeof *covered)
#define BETA_F_PLACE 2 /* there */

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

/* Parts of the runs that trust a row: from each of these to the next. */
static const double part_limits[] = {0.01, 0.15, 0.5, 1};

#define PARTS (sizeof part_limits / sizeof *part_limits - 1)

/* Trusted rows of single runs at temperatures where such a part of the runs trusts them, by how much less of them than
 * Student's t says are within one sigma. The rows of a run are not independent; its sums are. */
typedef struct {
    double rows, rows_squares; /* of the runs */
    double missing[COVERED], missing_squares[COVERED], missing_rows[COVERED];
} part_sums;

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

static bool is_inside(const setting *in, const observables *row, const expectation *expected,
                      quantity q) {
    const double spins = (double)in->size * in->size;
    return fabs(quantity_value(row, q, spins) - expected->value[q]) <=
           quantity_error(row, q, spins);
}

/* Adds the trusted rows of a run, row[], at the temperatures of one part. */
static void add_to_part(part_sums *sums, size_t part, const coverages *c, const setting *in,
                        double runs, const observables row[], const expectation expected[]) {
    double rows = 0, missing[COVERED] = {0};
    for (size_t i = 1; i < c->temperatures; i++) {
        const double trusting = c->of[BY_FLAG][i].rows / runs;
        const bool last = part + 1 == PARTS;
        if (!row[i].trusted || trusting < part_limits[part] ||
            (!last && trusting >= part_limits[part + 1]))
            continue;
        rows++;
        for (size_t n = 0; n < COVERED; n++)
            missing[n] += student_within(1, row[i].blocks - 1) -
                          is_inside(in, &row[i], &expected[i], covered[n]);
    }
    sums->rows += rows;
    sums->rows_squares += rows * rows;
    for (size_t n = 0; n < COVERED; n++) {
        sums->missing[n] += missing[n];
        sums->missing_squares[n] += missing[n] * missing[n];
        sums->missing_rows[n] += missing[n] * rows;
    }
}

/* Adds all single runs to the parts, once it is known how many of them trust each row. */
static void add_parts(part_sums parts[PARTS], const coverages *c, const ensemble *s,
                      const setting *in, const expectation *expected, observables *row) {
    for (size_t run = 0; run < s->rows.runs && in->group == 1; run++) {
        for (size_t i = 0; i < c->temperatures; i++)
            row[i] = row_of(s, in, run, i);
        trust_judge(row, c->temperatures);
        for (size_t part = 0; part < PARTS; part++)
            add_to_part(&parts[part], part, c, in, (double)s->rows.runs, row, expected);
    }
}

static estimated shortfall_of(const part_sums *p, size_t n) {
    const double mean = p->missing[n] / p->rows;
    const double squares =
        p->missing_squares[n] - 2 * mean * p->missing_rows[n] + mean * mean * p->rows_squares;
    return (estimated){mean, sqrt(fmax(0, squares)) / p->rows};
}

static void forget_relatives(ensemble *s) {
    for (size_t n = 0; n < s->rows.runs * s->rows.temperatures; n++)
        observables_ignore_relatives(&s->rows.row[n]);
}

static exit_status count(coverages *c, part_sums parts[PARTS], ensemble *s, const setting *in) {
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
        add_parts(parts, c, s, in, expected, row);
        forget_relatives(s);
        for (size_t n = 0; n < rows; n++)
            add_rows_by_families(c, s, in, n, expected);
    }
    free(row);
    free(expected);
    return room ? STATUS_OK : complain(STATUS_FAILED, "not enough memory for the trusted rows");
}

static exit_status measure(const parameters *base, size_t n, unsigned factor, coverages *c,
                           part_sums parts[PARTS]) {
    const setting *const in = &settings[n];
    ensemble s;
    parameters p = *base;
    p.coding = in->coding;
    p.size = (lattice_size){{in->size}};
    p.word = 32;
    p.rng = RNG_INDEPENDENT;
    p.population = in->population;
    p.sweeps = in->sweeps;
    p.resampling = in->rule;
    p.dbeta = in->dbeta;
    p.beta_end = in->beta_end;
    p.runs = factor * in->rows * in->group;
    p.seed = base->seed + 200 + n;
    exit_status status = ensemble_make(&s, &p, FAULT_NONE);
    if (!status)
        status = count(c, parts, &s, in);
    ensemble_destroy(&s);
    return status;
}

/* --- Findings --- */

/* The z-score of a shortfall beyond the tolerance, by the binomial deviation of so many rows. */
static double shortfall(const coverage *c, size_t n, int sigmas) {
    const double p = c->nominal[sigmas - 1].mean, inside = c->inside[n][sigmas - 1].mean;
    return fmax(0, (p - TRUSTED_TOLERANCE - inside) / sqrt(p * (1 - p) / c->rows));
}

static finding find_worst(const coverages *c, double claimed_rows, judge_kind by, size_t n,
                          int sigmas) {
    finding f = {.check = sigmas == 1 ? CHECK_TRUSTED_ONE : CHECK_TRUSTED_TWO, .of = covered[n]};
    for (size_t i = 1; i < c->temperatures; i++) {
        const coverage *const at = &c->of[by][i];
        if (at->rows < fmax(TRUSTED_ENOUGH, claimed_rows))
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

static void judge(const coverages *c, double claimed_rows, findings *found, double *seen) {
    for (size_t n = 0; n < COVERED; n++)
        for (int sigmas = 1; sigmas <= 2; sigmas++) {
            findings_add(found, find_worst(c, claimed_rows, BY_FLAG, n, sigmas));
            *seen = fmax(*seen, find_worst(c, claimed_rows, BY_FAMILIES, n, sigmas).z);
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

static void print_parts(FILE *out, const part_sums parts[PARTS]) {
    fprintf(out,
            "# where a part of the single runs trusts a row, all settings together: from this "
            "part on, below this one,\n"
            "# trusted rows, and what e, C, betaF and S have less within 1 sigma than Student's "
            "t says, each with its error\n");
    for (size_t part = 0; part < PARTS; part++) {
        fprintf(out, "%g %g %.0f", part_limits[part], part_limits[part + 1], parts[part].rows);
        for (size_t n = 0; n < COVERED; n++) {
            const estimated s = shortfall_of(&parts[part], n);
            fprintf(out, " %.4f %.4f", s.value, s.error);
        }
        fprintf(out, "\n");
    }
}

exit_status trusted_check(const char *folder, const parameters *base, int full, findings *found,
                          trusted_controls *controls) {
    const unsigned factor = full ? FULL_FACTOR : 1;
    part_sums parts[PARTS] = {0};
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
    controls->seen = 0;
    for (size_t n = 0; n < SETTINGS && !status; n++) {
        coverages c = {0};
        status = measure(base, n, factor, &c, parts);
        if (!status) {
            print_setting(file.stream, &settings[n], &c, factor);
            judge(&c, settings[n].claimed * factor * settings[n].rows, found, &controls->seen);
        }
        for (size_t by = 0; by < JUDGES; by++)
            free(c.of[by]);
        free(c.beta);
    }
    if (status) {
        safe_file_abort(&file);
        return status;
    }
    print_parts(file.stream, parts);
    controls->of_few = shortfall_of(&parts[0], BETA_F_PLACE);
    return report_close(&file);
}
