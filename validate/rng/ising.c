/* The Ising test of random numbers: energy and specific heat of the L = 1024 lattice at beta = 0.4, by
 * the program's engines at a fixed temperature without resampling, and by a scalar checkerboard
 * simulation with generators of known faults, against the exact values (M. Weigel, J. Comput. Phys.
 * 231, 3064 (2012)). */
#include "base/message.h"
#include "base/usage.h"
#include "engine/engine.h"
#include "ising_controls.h"
#include "reference/exact.h"
#include "validate/lib/statistics.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array)   (sizeof(array) / sizeof(array)[0])
#define SIZE           1024
#define BETA           0.4
#define SITES          ((double)SIZE * SIZE)
#define EQUILIBRATION  200 /* sweeps from random spins; the energy forgets within some ten */
#define BINS           20  /* in time, of 30 sweeps at least: ten autocorrelation times */
#define FEWEST_SWEEPS  (30 * BINS)
#define SWEEPS_BETWEEN 10 /* measurements */

typedef struct {
    const char *name;
    enum { PASSES, FAILS, EITHER } expected;
    uint32_t sweeps;      /* of a quick test */
    engine_config config; /* of an engine, but for the model; a control has no capacity ... */
    control_generator generator; /* ... but these */
    int skipped;
} subject;

/* Arguments: name, sweeps, coding, p (the replicas, too), mode. */
#define ENGINE(name, sweeps, the_coding, p, mode)                                                  \
    { name, PASSES, sweeps, {.coding = the_coding, .capacity = p, .word = p, .rng = mode}, 0, 0 }
#define CONTROL(name, expected, sweeps, generator, skipped)                                        \
    { name, expected, sweeps, {.capacity = 0}, generator, skipped }

/* Those that take long first. */
static const subject subjects[] = {
    ENGINE("philox", 600, CODING_MSC, 32, RNG_PHILOX),
    ENGINE("lcg", 600, CODING_MSC, 32, RNG_LCG),
    ENGINE("shared", 1500, CODING_MSC, 32, RNG_SHARED),
    CONTROL("lcg32-skipped", FAILS, 20000, CONTROL_LCG32, 1),
    ENGINE("ssc", 4000, CODING_SSC, 1, RNG_INDEPENDENT),
    ENGINE("independent", 4000, CODING_MSC, 32, RNG_INDEPENDENT),
    CONTROL("xorwow", EITHER, 2000, CONTROL_XORWOW, 0),
    CONTROL("lcg64-skipped", EITHER, 3000, CONTROL_LCG64, 1),
    CONTROL("lcg64-random", EITHER, 3000, CONTROL_LCG64, 0),
    CONTROL("lcg32-random", EITHER, 4000, CONTROL_LCG32, 0),
};

static const char usage[] =
    "usage: rng_ising GENERATOR FACTOR   measures in FACTOR times the sweeps of a quick test\n"
    "       rng_ising --list             the generators, and whether they pass, fail, or do "
    "either\n"
    "Prints one line: generator, sweeps, replicas; of e and of C: value, error, exact value, "
    "deviation\n"
    "in errors, and z, the normal deviate as improbable as that.\n";

/* --- Simulations --- */

typedef struct {
    const subject *of;
    uint32_t replicas;
    engine_step step;
    engine *worker;
    uint64_t *tau_hat; /* one of each */
    histogram report;
    control_lattice *control;
    double energy[POPULATION_BLOCKS]; /* of each replica, per site */
} subject_run;

static int run_create(subject_run *s, const subject *of) {
    *s = (subject_run){.of = of, .replicas = 1, .step.key = stream_run_key(4, 0)};
    engine_config config = of->config;
    config.model = square_model(SIZE);
    s->step.parts = WHOLE_STEP;
    s->step.rule = flip_rule_at(&metropolis_update, &config.model, BETA);
    if (of->config.capacity == 0) {
        s->control = control_create(SIZE, of->generator, of->skipped, s->step.key);
        return s->control ? 0 : -1;
    }
    s->replicas = (uint32_t)of->config.capacity;
    s->worker = engine_cpu_create(&config);
    if (!s->worker || histogram_create(&s->report, &s->worker->model))
        return -1;
    s->tau_hat = malloc(s->worker->model.levels.count * sizeof *s->tau_hat);
    if (!s->tau_hat)
        return -1;
    for (size_t n = 0; n < s->worker->model.levels.count; n++)
        s->tau_hat[n] = UINT64_C(1) << 32;
    s->step.tau_hat = s->tau_hat;
    s->step.founders = s->replicas;
    return s->worker->verbs->randomise(s->worker, s->step.key, s->replicas, &s->report) == ENGINE_OK
               ? 0
               : -1;
}

static void run_destroy(subject_run *s) {
    if (s->control)
        control_destroy(s->control);
    if (s->worker)
        s->worker->verbs->destroy(s->worker);
    histogram_destroy(&s->report);
    free(s->tau_hat);
}

/* Sweeps, and measures. An engine does it as a step at a new temperature index, of one copy each. */
static int run_advance(subject_run *s, uint32_t sweeps) {
    if (s->control) {
        for (uint32_t n = 0; n < sweeps; n++)
            control_sweep(s->control, s->step.rule.threshold);
        s->energy[0] = (double)control_energy(s->control) / SITES;
        return 0;
    }
    s->step.temperature++;
    s->step.sweeps = sweeps;
    if (s->worker->verbs->step(s->worker, &s->step, &s->report) != ENGINE_OK)
        return -1;
    for (uint32_t k = 0; k < s->replicas; k++)
        s->energy[k] = (double)s->report.block[population_block(k, s->replicas)].energy / SITES;
    return 0;
}

/* --- Measurement --- */

/* Sums of a bin over its time and its replicas, of e from the exact value on. */
typedef struct {
    double n, e, e2;
} bin_sums;

/* C without one bin, or of all with bin_sums 0; its estimate of <e> is that of the same data. */
static double specific_heat(bin_sums all, bin_sums without) {
    const double n = all.n - without.n, e = (all.e - without.e) / n;
    return BETA * BETA * SITES * ((all.e2 - without.e2) / n - e * e);
}

static void print_deviation(double value, double error, double exact) {
    const double sigma = (value - exact) / error;
    printf(" %.8f %.8f %.8f %.2f %.2f", value, error, exact, sigma, z_of_student(sigma, BINS - 1));
}

/* Errors from the scatter of the bins (e) and by the jackknife over them (C). */
static void report(const subject_run *s, const bin_sums bins[BINS], uint32_t sweeps) {
    const exact_result exact = exact_thermodynamics(SIZE, BETA);
    bin_sums all = {0};
    for (int b = 0; b < BINS; b++) {
        all.n += bins[b].n;
        all.e += bins[b].e;
        all.e2 += bins[b].e2;
    }
    sample e = {0}, c = {0};
    for (int b = 0; b < BINS; b++) {
        sample_add(&e, bins[b].e / bins[b].n);
        sample_add(&c, BINS * specific_heat(all, (bin_sums){0}) -
                           (BINS - 1) * specific_heat(all, bins[b]));
    }
    printf("%s %u %u", s->of->name, sweeps, s->replicas);
    print_deviation(exact.e + e.mean, sqrt(sample_variance(&e) / BINS), exact.e);
    print_deviation(c.mean, sqrt(sample_variance(&c) / BINS), exact.c);
    printf("\n");
}

static exit_status measure(const subject *of, uint32_t sweeps) {
    const double exact_e = exact_thermodynamics(SIZE, BETA).e;
    static subject_run s;
    bin_sums bins[BINS] = {{0}};
    int failed = run_create(&s, of) || run_advance(&s, EQUILIBRATION);
    for (uint32_t n = 0; !failed && n < sweeps / SWEEPS_BETWEEN; n++) {
        failed = run_advance(&s, SWEEPS_BETWEEN);
        bin_sums *const bin = &bins[(uint64_t)n * BINS / (sweeps / SWEEPS_BETWEEN)];
        for (uint32_t k = 0; k < s.replicas; k++) {
            const double e = s.energy[k] - exact_e;
            bin->n++;
            bin->e += e;
            bin->e2 += e * e;
        }
    }
    if (!failed)
        report(&s, bins, sweeps);
    run_destroy(&s);
    return failed ? complain(STATUS_FAILED, "%s: not enough memory", of->name) : STATUS_OK;
}

/* --- The command line --- */

static void list(void) {
    static const char *const expected[] = {"pass", "fail", "either"};
    for (size_t n = 0; n < COUNT(subjects); n++)
        printf("%s %s\n", subjects[n].name, expected[subjects[n].expected]);
}

static exit_status command(const char *name, const char *factor_text) {
    size_t n = 0;
    while (n < COUNT(subjects) && strcmp(name, subjects[n].name) != 0)
        n++;
    if (n == COUNT(subjects))
        return complain(STATUS_REFUSED, "generator '%s': not one of --list", name);
    char *end;
    const double factor = strtod(factor_text, &end);
    if (*end != '\0' || !(factor > 0 && factor <= 100000))
        return complain(STATUS_REFUSED, "factor '%s': above 0, up to 100000", factor_text);
    return measure(&subjects[n], (uint32_t)fmax(FEWEST_SWEEPS, factor * subjects[n].sweeps));
}

int main(int argc, char **argv) {
    exit_status status = STATUS_OK;
    usage_show_if_asked(argc, argv, usage);
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        list();
    else if (argc == 3)
        status = command(argv[1], argv[2]);
    else
        return complain(STATUS_REFUSED, "allowed: GENERATOR FACTOR, --list or --help");
    return (int)(status == STATUS_OK ? close_stdout() : status);
}
