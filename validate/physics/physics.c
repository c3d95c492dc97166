/* build/validate: holds the engines against exact results (the claims of claims.h), and shows that
 * planted faults are found.
 *
 * Prints a table of findings that gnuplot can read, and a verdict. Every z-score is held against
 * one limit, which all of them together exceed by chance with the probability FALSE_ALARM at most.
 * Status 1: a claim fails, or a fault is not found; 2: a bad command line. */
#include "base/message.h"
#include "base/usage.h"
#include "bias.h"
#include "cases.h"
#include "command/options.h"
#include "expected.h"
#include "report.h"
#include "trusted.h"
#include "validate/lib/statistics.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* More comparisons than a validation makes; the limit follows from it. */
#define PLANNED_COMPARISONS 20000

/* A case of which others borrow what they are expected. */
typedef struct {
    parameters given;
    size_t temperatures;
    double *beta; /* [temperatures] */
    estimate *moments;
} lender;

#define MAX_LENDERS 8

typedef struct {
    profile effort;
    const char *folder;
    parameters base;
    double limit;
    size_t comparisons;
    size_t made;      /* cases and controls */
    size_t failed;    /* claims, or faults that were not found */
    const char *only; /* the one case wanted; NULL: all */
    lender lenders[MAX_LENDERS];
    size_t pinned;
} validation;

/* What happened to the checks of a case. */
typedef struct {
    unsigned made;    /* bits of the checks that compared something */
    unsigned flagged; /* bits of those that exceed the limit */
    finding worst;
} outcome;

static outcome judge(validation *v, const validation_case *c, const findings *found) {
    outcome o = {0};
    for (size_t n = 0; n < found->count; n++) {
        const finding *const f = &found->list[n];
        v->comparisons += f->comparisons;
        if (f->comparisons > 0)
            o.made |= 1u << f->check;
        if (!(fabs(f->z) <= v->limit))
            o.flagged |= 1u << f->check;
        if (n == 0 || !(fabs(f->z) <= fabs(o.worst.z)))
            o.worst = *f;
        report_finding(c->name, f, v->limit);
    }
    fflush(stdout);
    return o;
}

static bool same_lattice(const parameters *a, const parameters *b) {
    return a->model == b->model && !memcmp(&a->size, &b->size, sizeof a->size) &&
           a->sample == b->sample;
}

/* What |m|, m2 and m4 of MSC are expected where they are not known exactly: what SSC gave. */
static void borrow_moments(const validation *v, const ensemble *s, expectation *expected) {
    for (const lender *from = v->lenders; from < v->lenders + v->pinned; from++)
        for (size_t i = 0; s->given.coding == CODING_MSC && i < s->rows.temperatures; i++)
            if (same_lattice(&from->given, &s->given) && i < from->temperatures &&
                fabs(ensemble_row(s, 0, i)->beta - from->beta[i]) < 1e-9)
                for (quantity q = ABS_M; q < QUANTITIES; q++) {
                    expected[i].value[q] = from->moments[i].value[q];
                    expected[i].error[q] = from->moments[i].error[q];
                }
}

/* Returns 0, or -1 without memory. */
static int keep_moments(validation *v, const ensemble *s, const estimate *estimates) {
    if (v->pinned == MAX_LENDERS)
        return -1;
    lender *const to = &v->lenders[v->pinned++];
    *to = (lender){.given = s->given, .temperatures = s->rows.temperatures};
    to->beta = calloc(to->temperatures, sizeof *to->beta);
    to->moments = calloc(to->temperatures, sizeof *to->moments);
    if (!to->beta || !to->moments)
        return -1;
    for (size_t i = 0; i < to->temperatures; i++) {
        to->beta[i] = ensemble_row(s, 0, i)->beta;
        to->moments[i] = estimates[i];
    }
    return 0;
}

/* The error of e that a run would give itself if its replicas were independent. */
static void forget_blocks(ensemble *s) {
    for (size_t n = 0; n < s->rows.runs * s->rows.temperatures; n++) {
        observables *const row = &s->rows.row[n];
        row->error_e = sqrt((row->e2 - row->e * row->e) / row->population);
    }
}

/* Whether two rows are the same, bit for bit: doubles, and behind them the flag. */
static int same_row(const observables *a, const observables *b) {
    return !memcmp(a, b, offsetof(observables, trusted)) && a->trusted == b->trusted;
}

/* Holds the rows of an ensemble against those of the same simulation without a wrapper. */
static exit_status check_same_rows(const ensemble *s, findings *found) {
    ensemble plain;
    finding f = {.check = CHECK_SAME_ROWS, .of = QUANTITIES, .comparisons = 1, .beta = NAN};
    const exit_status status = ensemble_make(&plain, &s->given, FAULT_NONE);
    for (size_t n = 0; !status && n < s->rows.runs * s->rows.temperatures; n++)
        f.observed += !same_row(&s->rows.row[n], &plain.rows.row[n]);
    f.z = f.observed > 0 ? INFINITY : 0;
    findings_add(found, f);
    ensemble_destroy(&plain);
    return status;
}

/* Makes the runs of a case and checks them. */
static exit_status run_case(validation *v, const validation_case *c, outcome *o) {
    ensemble s;
    findings found;
    expectation *expected = NULL, *grid = NULL;
    estimate *estimates = NULL;
    fprintf(stderr, "validate: %s\n", c->name);
    v->made++;
    exit_status status = ensemble_make(&s, &c->given, c->fault);
    if (!status) {
        expected = expect_exact(&s, &s.rows);
        grid = s.reweighted.row ? expect_exact(&s, &s.reweighted) : NULL;
        estimates = calloc(s.rows.temperatures, sizeof *estimates);
        if (c->errors_without_blocks)
            forget_blocks(&s);
        if (expected)
            borrow_moments(v, &s, expected);
        if (!expected || (s.reweighted.row && !grid) || !estimates ||
            claims_check(&s, expected, grid, c->independent, estimates, &found) ||
            (c->lends && keep_moments(v, &s, estimates)))
            status = complain(STATUS_FAILED, "not enough memory for %s", c->name);
    }
    if (!status && c->fault == FAULT_OWN_SWEEP)
        status = check_same_rows(&s, &found);
    if (!status) {
        *o = judge(v, c, &found);
        status = report_case(v->folder, c->name, &s, expected, estimates);
    }
    free(expected);
    free(grid);
    free(estimates);
    ensemble_destroy(&s);
    return status;
}

static int wanted(const validation *v, const validation_case *c) {
    return v->only ? strcmp(v->only, c->name) == 0 : !c->left_out;
}

/* Likewise of what simulates by itself, which the short profile leaves out. */
static int wanted_alone(const validation *v, const char *name) {
    return v->only ? strcmp(v->only, name) == 0 : v->effort != PROFILE_SHORT;
}

/* The checks that must have made comparisons: a claim without any would always hold. */
static unsigned needed(const validation_case *c) {
    unsigned checks = 1u << CHECK_VALUE | 1u << CHECK_CHI_SQUARE | 1u << CHECK_R_MEAN |
                      1u << CHECK_R_VARIANCE | 1u << CHECK_WEIGHTS;
    if (c->independent)
        checks |= 1u << CHECK_ONE_SIGMA | 1u << CHECK_TWO_SIGMA;
    if (c->given.reweight)
        checks |= 1u << CHECK_HISTOGRAMS;
    return checks;
}

static exit_status run_cases(validation *v) {
    validation_case c;
    for (size_t n = 0; case_get(n, v->effort, &v->base, &c) == 0; n++) {
        outcome o;
        if (!wanted(v, &c))
            continue;
        const exit_status status = run_case(v, &c, &o);
        if (status)
            return status;
        const unsigned missing = needed(&c) & ~o.made;
        if (missing)
            printf("# %s: checks that made no comparison: %#x\n", c.name, missing);
        v->failed += o.flagged || missing;
    }
    return STATUS_OK;
}

/* Negative controls: each fault must be shown by one of the checks that are meant for it, and the
 * sweep without a fault by none. */
static exit_status run_controls(validation *v) {
    validation_case c;
    printf("#\n# negative controls\n");
    for (size_t n = 0; control_get(n, v->effort, &v->base, &c) == 0; n++) {
        outcome o;
        if (!wanted(v, &c))
            continue;
        const exit_status status = run_case(v, &c, &o);
        if (status)
            return status;
        const int right = c.wrong ? (o.flagged & c.shown_by) != 0 : o.flagged == 0;
        v->failed += !right;
        report_control(&c, o.flagged, &o.worst, right);
    }
    return STATUS_OK;
}

static exit_status run_bias(validation *v) {
    findings found = {.count = 0};
    if (!wanted_alone(v, "bias"))
        return STATUS_OK;
    fprintf(stderr, "validate: bias\n");
    double seen;
    const exit_status status =
        bias_check(v->folder, &v->base, v->effort == PROFILE_FULL, &found, &seen);
    if (!status) {
        const validation_case c = {.name = "bias"};
        v->failed += judge(v, &c, &found).flagged != 0 || seen <= v->limit;
        printf("# bias: that of single runs is %sseen: z = %.1f\n", seen <= v->limit ? "NOT " : "",
               seen);
    }
    return status;
}

static exit_status run_trusted(validation *v) {
    findings found = {.count = 0};
    if (!wanted_alone(v, "trusted"))
        return STATUS_OK;
    fprintf(stderr, "validate: trusted\n");
    trusted_controls controls;
    const exit_status status =
        trusted_check(v->folder, &v->base, v->effort == PROFILE_FULL, &found, &controls);
    if (!status) {
        const validation_case c = {.name = "trusted"};
        const double seen = controls.seen;
        v->failed += judge(v, &c, &found).flagged != 0 || seen <= v->limit;
        printf("# trusted: by R / rho_t alone, rows would %sbe wrong: z = %.1f\n",
               seen <= v->limit ? "NOT " : "", seen);
        printf(
            "# trusted: where 1 to 15%% of the runs trust a row, 1 sigma of betaF covers %.3f +- "
            "%.3f too little\n",
            controls.of_few.value, controls.of_few.error);
    }
    return status;
}

static void print_verdict(const validation *v) {
    printf("#\n# %zu comparisons, limit %.2f: false-alarm probability below %g\n", v->comparisons,
           v->limit, FALSE_ALARM);
    printf("# cases: %zu\n", v->made);
    if (v->failed > 0 || v->comparisons > PLANNED_COMPARISONS)
        printf("# FAILED: %zu cases\n", v->failed);
    else if (v->only)
        printf("# passed: %s\n", v->only);
    else if (v->effort == PROFILE_SHORT)
        printf(
            "# passed: the claims of the short profile hold, and its planted faults are found\n");
    else
        printf("# passed: all claims hold, every planted fault is found\n");
}

static const char usage[] =
    "usage: validate [--profile short|quick|full] [--device DEVICE] [--output FOLDER] [--case "
    "NAME]\n"
    "Holds the engines against exact results, and shows that planted faults are found. Status 1: "
    "a\n"
    "claim fails, or a fault is not found.\n"
    "\n"
    "  --profile short|quick|full  how many cases and runs [quick]\n"
    "  --device DEVICE       auto, cpu, cuda, cuda:N [auto]\n"
    "  --output FOLDER       where the data of the pictures go [build/validation]\n"
    "  --case NAME           this case alone\n"
    "  --help                this text\n";

static exit_status refuse(const char *message, const char *value) {
    return complain(
        STATUS_REFUSED,
        "%s%s%s; allowed: --profile short|quick|full, --device DEVICE, --output FOLDER, "
        "--case NAME",
        message, value ? " " : "", value ? value : "");
}

static const char *const profile_names[] = {
    [PROFILE_SHORT] = "short", [PROFILE_QUICK] = "quick", [PROFILE_FULL] = "full"};

static exit_status parse(validation *v, int argc, char **argv) {
    static const struct option options[] = {
        {"profile", required_argument, NULL, 'p'}, {"device", required_argument, NULL, 'D'},
        {"output", required_argument, NULL, 'o'},  {"case", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    char device_option[] = "-D", automatic[] = "auto";
    char *device[] = {argv[0], device_option, automatic, NULL};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "+p:D:o:c:h", options, NULL)) != -1;)
        switch (option) {
        case 'p':
            for (v->effort = PROFILE_SHORT; strcmp(optarg, profile_names[v->effort]); v->effort++)
                if (v->effort == PROFILE_FULL)
                    return refuse("--profile", optarg);
            break;
        case 'D':
            device[2] = optarg;
            break;
        case 'o':
            v->folder = optarg;
            break;
        case 'c':
            v->only = optarg;
            break;
        case 'h':
            usage_show(usage);
        default:
            return refuse("unknown option or missing value:", argv[optind - 1]);
        }
    if (optind < argc)
        return refuse("unexpected argument", argv[optind]);
    optind = 1; /* the device is read as the program reads it */
    return parameters_parse(&v->base, 3, device) == STATUS_OK ? STATUS_OK : STATUS_REFUSED;
}

int main(int argc, char **argv) {
    validation v = {.effort = PROFILE_QUICK,
                    .folder = "build/validation",
                    .limit = z_limit(PLANNED_COMPARISONS)};
    exit_status status = parse(&v, argc, argv);
    if (!status)
        status = report_begin(v.folder, &v.base);
    if (!status)
        status = run_cases(&v);
    if (!status)
        status = run_bias(&v);
    if (!status)
        status = run_trusted(&v);
    if (!status)
        status = run_controls(&v);
    for (size_t n = 0; n < v.pinned; n++) {
        free(v.lenders[n].beta);
        free(v.lenders[n].moments);
    }
    v.failed += v.effort == PROFILE_SHORT && !v.only && v.made != SHORT_CASES;
    if (!status && v.comparisons == 0)
        status = complain(STATUS_REFUSED, "--case %s: no such case", v.only);
    if (!status)
        print_verdict(&v);
    const exit_status printed = close_stdout();
    return (int)(status ? status : printed ? printed : v.failed ? STATUS_FAILED : STATUS_OK);
}
