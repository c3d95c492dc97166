/* The table of the simulations that validation makes, those of its negative controls, and what is
 * expected of them. */
#include "cases.h"

#include "reference/exact.h"
#include "reference/transfer_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A line of a table of simulations. */
typedef struct {
    spin_coding coding;
    uint32_t size, word;
    rng_mode rng;
    uint64_t population;
    uint32_t sweeps;
    double dbeta, beta_end, overlap;
    uint32_t runs;
    const char *remark;
} case_line;

#define RUNS 64

static const uint32_t words[] = {8, 16, 32, 64};

#define WORDS (sizeof words / sizeof *words)

/* Every mode with every word size; R such that there are 64 words of 64 replicas. */
static const case_line modes[] = {
    {CODING_MSC, 16, 0, RNG_INDEPENDENT, 8192, 10, 0.02, 0.64, 0, RUNS, ""},
    {CODING_MSC, 16, 0, RNG_PHILOX, 1024, 5, 0.02, 0.64, 0, RUNS, ""},
    {CODING_MSC, 16, 0, RNG_SHARED, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
    {CODING_MSC, 16, 0, RNG_SHARED_REORDER, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
    {CODING_MSC, 16, 0, RNG_LCG, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
};

#define MODES (sizeof modes / sizeof *modes)

/* Every kernel: lattices of the sizes that have their own on GPUs (16, 32, 64, 128), and others. */
static const case_line others[] = {
    {CODING_SSC, 8, 32, RNG_INDEPENDENT, 2000, 5, 0.02, 0.8, 0, RUNS, ""},
    {CODING_SSC, 12, 32, RNG_INDEPENDENT, 1000, 5, 0.02, 0.64, 0, RUNS, ""},
    {CODING_SSC, 16, 32, RNG_INDEPENDENT, 1000, 5, 0.02, 0.64, 0, RUNS, ""},
    {CODING_SSC, 32, 32, RNG_INDEPENDENT, 500, 5, 0.0125, 0.6, 0, RUNS, ""},
    {CODING_MSC, 32, 32, RNG_INDEPENDENT, 4096, 10, 0.0125, 0.6, 0, RUNS, ""},
    {CODING_MSC, 48, 32, RNG_INDEPENDENT, 1024, 10, 0.0125, 0.6, 0, RUNS, ""},
    {CODING_MSC, 64, 32, RNG_INDEPENDENT, 1024, 10, 0.01, 0.6, 0, RUNS, ""},
    {CODING_MSC, 128, 32, RNG_INDEPENDENT, 2048, 5, 0.0025, 0.16, 0, RUNS, ""},
    {CODING_MSC, 48, 64, RNG_LCG, 1024, 5, 0.0125, 0.6, 0, RUNS, ""},
    {CODING_MSC, 32, 32, RNG_LCG, 2048, 5, 0.0125, 0.6, 0, RUNS, ""},
    {CODING_MSC, 16, 32, RNG_INDEPENDENT, 8192, 1, 0.01, 0.6, 0, 4 * RUNS, "-few-sweeps"},
    {CODING_MSC, 16, 32, RNG_INDEPENDENT, 8192, 5, 0.02, 1, 0, RUNS, "-cold"},
    {CODING_MSC, 16, 32, RNG_INDEPENDENT, 4096, 5, 0, 0.64, 0.85, RUNS, "-adaptive"},
};

#define OTHERS (sizeof others / sizeof *others)

static parameters parameters_of(const case_line *line, const parameters *base) {
    parameters p = *base;
    p.coding = line->coding;
    p.size = (lattice_size){{line->size}};
    p.word = line->word;
    p.rng = line->rng;
    p.population = line->population;
    p.sweeps = line->sweeps;
    p.beta_start = 0;
    p.beta_end = line->beta_end;
    p.dbeta = line->dbeta;
    p.overlap = line->overlap;
    p.runs = line->runs;
    return p;
}

static void set_name(validation_case *c, const char *remark) {
    const parameters *const p = &c->given;
    if (p->coding == CODING_SSC)
        snprintf(c->name, sizeof c->name, "ssc-L%u%s", p->size.edge[0], remark);
    else
        snprintf(c->name, sizeof c->name, "%s-p%u-L%u%s", rng_name(p->rng), p->word,
                 p->size.edge[0], remark);
}

int case_get(size_t n, profile effort, const parameters *base, validation_case *out) {
    if (n >= OTHERS + MODES * WORDS)
        return -1;
    case_line line = n < OTHERS ? others[n] : modes[(n - OTHERS) / WORDS];
    if (n >= OTHERS)
        line.word = words[(n - OTHERS) % WORDS];
    *out = (validation_case){.given = parameters_of(&line, base)};
    out->given.seed = base->seed + n;
    out->given.reweight = line.size <= 16 && line.overlap <= 0;
    out->given.reweight_step = 0.035; /* not a multiple of the steps */
    out->independent = !parameters_replicas_correlated(&out->given);
    if (effort == PROFILE_FULL) {
        out->given.population *= 4;
        out->given.runs *= 4;
    }
    set_name(out, line.remark);
    return 0;
}

/* --- Negative controls --- */

#define BIT(check) (1u << (check))
#define VALUES     (BIT(CHECK_VALUE) | BIT(CHECK_CHI_SQUARE))
#define COVERAGE   (BIT(CHECK_ONE_SIGMA) | BIT(CHECK_TWO_SIGMA))

/* The sweeps of faults.c are slow: small lattices. */
#define SLOW                                                                                       \
    { CODING_SSC, 8, 32, RNG_INDEPENDENT, 250, 10, 0.02, 0.6, 0, RUNS, "" }
#define FAST                                                                                       \
    { CODING_MSC, 16, 32, RNG_INDEPENDENT, 8192, 10, 0.02, 0.6, 0, RUNS, "" }

static const struct {
    const char *name, *wrong;
    fault_kind fault;
    case_line line;
    unsigned shown_by;
    int errors_without_blocks;
} controls[] = {
    {"own-sweep", NULL, FAULT_OWN_SWEEP, SLOW, 0, 0},
    {"threshold", "acceptance thresholds larger by 0.1%", FAULT_THRESHOLD, FAST, VALUES, 0},
    {"bond", "one of the 2 N bonds missing", FAULT_BOND, SLOW, VALUES, 0},
    {"colours", "both colours updated at once", FAULT_COLOURS, SLOW, VALUES, 0},
    {"lcg32", "one LCG32 sequence dealt out to the threads", FAULT_LCG32, SLOW, VALUES, 0},
    {"shared",
     "one random number for p = 32 replicas",
     FAULT_NONE,
     {CODING_MSC, 16, 32, RNG_SHARED, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
     BIT(CHECK_SCATTER),
     0},
    {"tau", "resampling with tau instead of tau-hat", FAULT_TAU, FAST, BIT(CHECK_R_MEAN), 0},
    {"no-blocks",
     "error of e without blocking, as of independent replicas",
     FAULT_NONE,
     {CODING_MSC, 16, 32, RNG_INDEPENDENT, 8192, 1, 0.02, 0.6, 0, 4 * RUNS, ""},
     COVERAGE,
     1},
};

int control_get(size_t n, const parameters *base, validation_case *out) {
    if (n >= sizeof controls / sizeof *controls)
        return -1;
    *out = (validation_case){.given = parameters_of(&controls[n].line, base),
                             .fault = controls[n].fault,
                             .independent = 1,
                             .wrong = controls[n].wrong,
                             .shown_by = controls[n].shown_by,
                             .errors_without_blocks = controls[n].errors_without_blocks};
    out->given.seed = base->seed + 1000 + n;
    if (controls[n].line.size == 8)
        out->given.device = DEVICE_CPU;
    snprintf(out->name, sizeof out->name, "%s", controls[n].name);
    return 0;
}

/* --- Expected values --- */

expectation *expect_exact(const weighted_average *rows, uint32_t size) {
    const double spins = (double)size * size;
    const int counted = size <= STATE_COUNTS_MAX_SIZE;
    expectation *const expected = calloc(rows->temperatures, sizeof *expected);
    state_counts counts = {0};
    if (!expected || (counted && state_counts_create(&counts, size))) {
        free(expected);
        return NULL;
    }
    for (size_t i = 0; i < rows->temperatures; i++) {
        const double beta = rows->row[i].beta;
        const exact_result x = exact_thermodynamics(size, beta);
        double *const value = expected[i].value;
        value[ENERGY] = x.e;
        value[SPECIFIC_HEAT] = x.c;
        value[BETA_F] = x.beta_f;
        value[ENTROPY] = x.s;
        value[ABS_M] = value[M2] = value[M4] = NAN;
        if (!counted)
            continue;
        const exact_moments m = state_counts_moments(&counts, beta);
        value[ABS_M] = m.abs_m;
        value[M2] = m.m2;
        value[M4] = m.m4;
        /* Two exact methods: they had better agree. */
        if (fabs(m.e - x.e) > 1e-9 || fabs(m.ln_z / spins + x.beta_f) > 1e-9)
            value[ENERGY] = value[BETA_F] = INFINITY;
    }
    state_counts_destroy(&counts);
    return expected;
}
