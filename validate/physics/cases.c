/* The table of the simulations that validation makes, and those of its negative controls. */
#include "cases.h"

#include "validate/lib/cubic_tables.h"

#include <stdio.h>
#include <string.h>

/* A line of a table of simulations. */
typedef struct {
    const model_kind *model;
    lattice_size size;
    uint32_t sample; /* of a glass */
    spin_coding coding;
    uint32_t word;
    rng_mode rng;
    uint64_t population;
    uint32_t sweeps;
    double dbeta, beta_end, overlap;
    uint32_t runs;
    const char *remark;
} case_line;

#define SSC  CODING_SSC
#define MSC  CODING_MSC
#define RUNS 64
#define MANY (4 * RUNS)

static const uint32_t words[] = {8, 16, 32, 64};

#define WORDS (sizeof words / sizeof *words)

/* Every mode with every word size; R such that there are 64 words of 64 replicas. */
static const case_line modes[] = {
    {&square_kind, {{16}}, 0, MSC, 0, RNG_INDEPENDENT, 8192, 10, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, MSC, 0, RNG_PHILOX, 1024, 5, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, MSC, 0, RNG_SHARED, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, MSC, 0, RNG_SHARED_REORDER, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, MSC, 0, RNG_LCG, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
};

#define MODES (sizeof modes / sizeof *modes)

/* Every kernel: lattices of the sizes that have their own on GPUs (16, 32, 64, 128), and others. */
static const case_line others[] = {
    {&square_kind, {{8}}, 0, SSC, 32, RNG_INDEPENDENT, 2000, 5, 0.02, 0.8, 0, RUNS, ""},
    {&square_kind, {{12}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.02, 0.64, 0, RUNS, ""},
    {&square_kind, {{32}}, 0, SSC, 32, RNG_INDEPENDENT, 500, 5, 0.0125, 0.6, 0, RUNS, ""},
    {&square_kind, {{32}}, 0, MSC, 32, RNG_INDEPENDENT, 4096, 10, 0.0125, 0.6, 0, RUNS, ""},
    {&square_kind, {{48}}, 0, MSC, 32, RNG_INDEPENDENT, 1024, 10, 0.0125, 0.6, 0, RUNS, ""},
    {&square_kind, {{64}}, 0, MSC, 32, RNG_INDEPENDENT, 1024, 10, 0.01, 0.6, 0, RUNS, ""},
    {&square_kind, {{128}}, 0, MSC, 32, RNG_INDEPENDENT, 2048, 5, 0.0025, 0.16, 0, RUNS, ""},
    {&square_kind, {{48}}, 0, MSC, 64, RNG_LCG, 1024, 5, 0.0125, 0.6, 0, RUNS, ""},
    {&square_kind, {{32}}, 0, MSC, 32, RNG_LCG, 2048, 5, 0.0125, 0.6, 0, RUNS, ""},
    {&square_kind, {{16}}, 0, MSC, 32, RNG_INDEPENDENT, 8192, 1, 0.01, 0.6, 0, MANY, "-few-sweeps"},
    {&square_kind, {{16}}, 0, MSC, 32, RNG_INDEPENDENT, 8192, 5, 0.02, 1, 0, RUNS, "-cold"},
    {&square_kind, {{16}}, 0, MSC, 32, RNG_INDEPENDENT, 4096, 5, 0, 0.64, 0.85, RUNS, "-adaptive"},
};

#define OTHERS (sizeof others / sizeof *others)

/* Other models: every one in both codings, where exact values are known of more than e at high temperature. Samples
 * have P = 0.5 and the seed of the tables. An SSC case stands before the MSC cases that it lends moments to. */
static const case_line models[] = {
    {&glass2d_kind, {{4}}, 0, SSC, 32, RNG_INDEPENDENT, 2000, 5, 0.05, 1.5, 0, RUNS, ""},
    {&glass2d_kind, {{8}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 1.5, 0, RUNS, ""},
    {&glass2d_kind, {{8}}, 1, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 1.5, 0, RUNS, ""},
    {&glass2d_kind, {{6, 10}}, 2, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 1.5, 0, RUNS, ""},
    {&glass2d_kind, {{16}}, 0, MSC, 32, RNG_INDEPENDENT, 4096, 10, 0.05, 1.2, 0, RUNS, ""},
    {&glass2d_kind, {{16}}, 1, MSC, 64, RNG_LCG, 1024, 5, 0.05, 1.2, 0, RUNS, ""},
    {&cubic_kind, {{4}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.02, 0.5, 0, RUNS, ""},
    {&cubic_kind, {{4}}, 0, MSC, 32, RNG_INDEPENDENT, 4096, 5, 0.02, 0.5, 0, RUNS, ""},
    {&glass3d_kind, {{4}}, 1, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 1.2, 0, RUNS, ""},
    {&glass3d_kind, {{4}}, 1, MSC, 32, RNG_INDEPENDENT, 4096, 5, 0.05, 1.2, 0, RUNS, ""},
    {&glass3d_kind, {{4}}, 2, MSC, 8, RNG_INDEPENDENT, 4096, 5, 0.05, 1.2, 0, RUNS, ""},
    {&glass3d_kind, {{4}}, 3, MSC, 64, RNG_INDEPENDENT, 4096, 5, 0.05, 1.2, 0, RUNS, ""},
    {&glass3d_kind, {{4, 4, 6}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 0.8, 0, RUNS, ""},
    {&glass3d_kind, {{4, 4, 6}}, 0, MSC, 32, RNG_INDEPENDENT, 4096, 5, 0.05, 0.8, 0, RUNS, ""},
};

#define MODELS (sizeof models / sizeof *models)

static uint32_t number_of(const model_kind *kind) {
    uint32_t n = 0;
    while (model_kinds[n] != kind)
        n++;
    return n;
}

static parameters parameters_of(const case_line *line, const parameters *base) {
    parameters p = *base;
    p.model = number_of(line->model);
    p.size = line->size;
    p.disorder = CUBIC_SEED;
    p.sample = line->sample;
    p.coding = line->coding;
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

/* The name of a mode, the lattice and, of a glass, the sample; the square ferromagnet goes without its own. */
static void set_name(validation_case *c, const char *remark) {
    const parameters *const p = &c->given;
    const model_kind *const kind = parameters_kind(p);
    char model[16] = "", mode[32] = "ssc", size[LATTICE_TEXT_SIZE], sample[16] = "";
    if (p->model > 0)
        snprintf(model, sizeof model, "%s-", kind->name);
    if (p->coding == CODING_MSC)
        snprintf(mode, sizeof mode, "%s-p%u", rng_name(p->rng), p->word);
    if (kind->disordered)
        snprintf(sample, sizeof sample, "-s%u", p->sample);
    snprintf(c->name, sizeof c->name, "%s%s-L%s%s%s", model, mode, lattice_text(size, p->size),
             sample, remark);
}

/* Whether SSC says what |m|, m2 and m4 are expected of the MSC cases of this lattice: where nothing else does. */
static bool lends(const case_line *line) {
    return line->coding == CODING_SSC &&
           (line->model == &square_kind ? line->size.edge[0] == 16 : line->model == &glass3d_kind);
}

/* Whether the multi-histogram analysis can be judged, at all temperatures between those of the steps. */
static bool is_reweighted(const case_line *line) {
    return line->size.edge[0] <= 16 && line->size.edge[2] == 0 && line->overlap <= 0;
}

/* The short profile: a quarter of the runs of these, whose faults show all the same. */
static const char *const in_short[SHORT_CASES] = {"ssc-L8",
                                                  "independent-p32-L16-adaptive",
                                                  "glass2d-ssc-L4-s0",
                                                  "glass3d-independent-p32-L4-s1",
                                                  "own-sweep",
                                                  "own-sweep-glass3d",
                                                  "colours",
                                                  "lane",
                                                  "parity",
                                                  "itself"};

static void shorten(validation_case *c, profile effort) {
    if (effort != PROFILE_SHORT)
        return;
    c->given.runs /= 4;
    c->left_out = true;
    for (size_t n = 0; n < SHORT_CASES; n++)
        if (!strcmp(in_short[n], c->name))
            c->left_out = false;
}

int case_get(size_t n, profile effort, const parameters *base, validation_case *out) {
    case_line line;
    if (n < OTHERS) {
        line = others[n];
    } else if (n < OTHERS + MODES * WORDS) {
        line = modes[(n - OTHERS) / WORDS];
        line.word = words[(n - OTHERS) % WORDS];
    } else if (n < OTHERS + MODES * WORDS + MODELS) {
        line = models[n - OTHERS - MODES * WORDS];
    } else {
        return -1;
    }
    *out = (validation_case){.given = parameters_of(&line, base), .lends = lends(&line)};
    out->given.seed = base->seed + n;
    out->given.reweight = is_reweighted(&line);
    out->given.reweight_step = 0.035; /* not a multiple of the steps */
    out->independent = !parameters_replicas_correlated(&out->given);
    if (effort == PROFILE_FULL) {
        out->given.population *= 4;
        out->given.runs *= 4;
    }
    set_name(out, line.remark);
    shorten(out, effort);
    return 0;
}

/* --- Negative controls --- */

#define BIT(check) (1u << (check))
#define VALUES     (BIT(CHECK_VALUE) | BIT(CHECK_CHI_SQUARE))
#define COVERAGE   (BIT(CHECK_ONE_SIGMA) | BIT(CHECK_TWO_SIGMA))

/* The sweeps of faults.c are slow: small lattices. GLASS has an odd number of couplings -1. */
#define SLOW                                                                                       \
    { &square_kind, {{8}}, 0, SSC, 32, RNG_INDEPENDENT, 250, 10, 0.02, 0.6, 0, RUNS, "" }
#define FAST                                                                                       \
    { &square_kind, {{16}}, 0, MSC, 32, RNG_INDEPENDENT, 8192, 10, 0.02, 0.6, 0, RUNS, "" }

#define GLASS(runs)                                                                                \
    { &glass3d_kind, {{4}}, 1, SSC, 32, RNG_INDEPENDENT, 500, 5, 0.04, 0.6, 0, runs, "" }
#define CUBIC                                                                                      \
    { &cubic_kind, {{4}}, 0, MSC, 32, RNG_INDEPENDENT, 8192, 10, 0.02, 0.3, 0, RUNS, "" }
#define PAIRS                                                                                      \
    { &glass2d_kind, {{4}}, 0, SSC, 32, RNG_INDEPENDENT, 1000, 5, 0.05, 1, 0, RUNS, "" }

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
     {&square_kind, {{16}}, 0, MSC, 32, RNG_SHARED, 4096, 5, 0.02, 0.64, 0, RUNS, ""},
     BIT(CHECK_SCATTER),
     0},
    {"tau", "resampling with tau instead of tau-hat", FAULT_TAU, FAST, BIT(CHECK_R_MEAN), 0},
    {"no-blocks",
     "error of e without blocking, as of independent replicas",
     FAULT_NONE,
     {&square_kind,
      {{16}},
      0,
      CODING_MSC,
      32,
      RNG_INDEPENDENT,
      8192,
      1,
      0.02,
      0.6,
      0,
      4 * RUNS,
      ""},
     COVERAGE,
     1},
    {"own-sweep-glass3d", NULL, FAULT_OWN_SWEEP, GLASS(RUNS), 0, 0},
    {"sign", "one end of a bond takes its J = -1 for +1", FAULT_SIGN, GLASS(RUNS), VALUES, 0},
    {"twice", "one of the 3 N bonds counted twice", FAULT_TWICE, GLASS(2 * RUNS), VALUES, 0},
    {"lane", "one lane of 32 with couplings shifted by a site", FAULT_LANE, GLASS(RUNS), VALUES, 0},
    {"parity", "levels of a sample of the other parity", FAULT_PARITY, GLASS(RUNS), VALUES, 0},
    {"third", "third acceptance threshold larger by 1%", FAULT_THIRD, CUBIC, VALUES, 0},
    {"itself", "overlaps of replicas with themselves", FAULT_ITSELF, PAIRS, VALUES, 0},
};

int control_get(size_t n, profile effort, const parameters *base, validation_case *out) {
    if (n >= sizeof controls / sizeof *controls)
        return -1;
    *out = (validation_case){.given = parameters_of(&controls[n].line, base),
                             .fault = controls[n].fault,
                             .independent = 1,
                             .wrong = controls[n].wrong,
                             .shown_by = controls[n].shown_by,
                             .errors_without_blocks = controls[n].errors_without_blocks};
    out->given.seed = base->seed + 1000 + n;
    if (fault_sweeps(out->fault))
        out->given.device = DEVICE_CPU;
    snprintf(out->name, sizeof out->name, "%s", controls[n].name);
    shorten(out, effort);
    return 0;
}

/* --- Expected values --- */
