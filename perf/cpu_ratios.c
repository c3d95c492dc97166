/* How fast the CPU engines are, as ratios measured in one run. The unit is the time of one scalar
 * Philox4x32-10 call of Random123 (four numbers) in a plain loop on one core, so that the figures
 * of different machines can be compared. Each figure is the median of several rounds, in which unit
 * and engine take turns; times are CPU times of one thread. */
#include "base/message.h"
#include "base/usage.h"
#include "cpu/msc_engine.h"
#include "engine/disorder.h"
#include "engine/engine.h"
#include "resample/resampling.h"
#include "rounds.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* What is measured of an engine. */
typedef struct {
    const char *name;
    const model_kind *model;
    uint32_t size; /* L */
    spin_coding coding;
    uint32_t word;
    rng_mode rng;
    uint64_t population;
    uint32_t sweeps; /* theta */
    uint32_t steps;  /* temperatures per round */
} subject;

/* Its model; of a glass sample 0 of a disorder, whose couplings are bonds. Returns 0, or -1 without memory. */
static int make_model(const subject *s, spin_model *model, couplings *bonds) {
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_edges((lattice_size){{s->size}}, s->model->dimension, edge);
    *model = s->model->create(edge);
    if (!model->disordered)
        return 0;
    if (!couplings_create(bonds, model->dimension, model->edge))
        return -1;
    disorder_draw(bonds, (disorder){.seed = 1, .ferromagnetic = 0.5});
    *model = model_of_sample(*model, bonds);
    return 0;
}

/* An annealing in steps of 0.005. */
typedef struct {
    const subject *of;
    engine *e;
    histogram report;
    uint64_t *tau_hat;
    uint32_t temperature; /* steps made */
} annealing_run;

/* Makes the steps of a round. Returns the flips that were attempted; negative: a step failed. */
static double make_steps(annealing_run *a) {
    const subject *const s = a->of;
    double flips = 0;
    for (uint32_t n = 0; n < s->steps; n++) {
        const double beta = 0.005 * ++a->temperature;
        const engine_step step = {.parts = WHOLE_STEP,
                                  .key = stream_run_key(1, 0),
                                  .temperature = a->temperature,
                                  .sweeps = s->sweeps,
                                  .founders = s->population,
                                  .tau_hat = a->tau_hat,
                                  .rule = flip_rule_at(&metropolis_update, &a->e->model, beta)};
        resampling_tau_hat(&a->report, 0.005, s->population, a->tau_hat);
        if (a->e->verbs->step(a->e, &step, &a->report) != ENGINE_OK)
            return -1;
        flips += (double)a->report.population * (double)a->e->model.sites * s->sweeps;
    }
    return flips;
}

/* Makes all rounds, and prints their medians. Returns 0, or -1. */
static int time_rounds(annealing_run *a) {
    const subject *const s = a->of;
    const double *const seconds = a->e->seconds;
    double ns[ROUNDS], units[ROUNDS], share[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double unit = philox_unit_ns(), swept = seconds[STAGE_SWEEP],
                     others = seconds[STAGE_RESAMPLE] + seconds[STAGE_MEASURE],
                     start = cpu_seconds(), flips = make_steps(a);
        if (flips < 0)
            return -1;
        ns[round] = (cpu_seconds() - start) / flips * 1e9;
        units[round] = ns[round] / unit;
        const double sweeping = seconds[STAGE_SWEEP] - swept,
                     beside = seconds[STAGE_RESAMPLE] + seconds[STAGE_MEASURE] - others;
        share[round] = 100 * beside / (sweeping + beside);
    }
    printf("%-23s %4u %6u %9.4f %9.5f %9.1f %9.1f\n", s->name, s->size, s->sweeps, median(ns),
           median(units), 1 / median(units), median(share));
    return 0;
}

/* Measures a subject, MSC by a set of kernels. Returns 0, or -1. */
static int measure(const subject *s, const msc_kernels *kernels) {
    couplings bonds = {.sites = 0};
    spin_model model;
    if (make_model(s, &model, &bonds))
        return -1;
    const engine_config config = {.coding = s->coding,
                                  .model = model,
                                  .word = s->word,
                                  .rng = s->rng,
                                  .capacity = 2 * s->population};
    annealing_run a = {.of = s, .e = engine_cpu_create(&config)};
    a.tau_hat = a.e ? calloc(a.e->model.levels.count, sizeof *a.tau_hat) : NULL;
    if (!a.tau_hat || histogram_create(&a.report, &a.e->model))
        return -1;
    if (s->coding == CODING_MSC)
        ((msc_engine *)a.e)->kernels = kernels;
    a.e->verbs->randomise(a.e, stream_run_key(1, 0), s->population, &a.report);
    if (time_rounds(&a))
        return -1;
    a.e->verbs->destroy(a.e);
    histogram_destroy(&a.report);
    couplings_destroy(&bonds);
    free(a.tau_hat);
    return 0;
}

static const char usage[] =
    "usage: cpu_ratios [base|v3|v4]\n"
    "Measures how fast the CPU engines are on one core, in units of a call of Philox4x32-10:\n"
    "MSC by the kernels for SSE2 (on x86), AVX2 or AVX-512, or by the widest that run here.\n";

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    const msc_kernels *const kernels = argc > 1 ? msc_kernels_named(argv[1]) : msc_kernels_best();
    if (argc > 2 || !kernels)
        return complain(STATUS_REFUSED, "'%s': no kernels of this name run here", argv[argc - 1]);
    const model_kind *const square = &square_kind;
    const subject subjects[] = {
        {"ssc", square, 64, CODING_SSC, 32, RNG_INDEPENDENT, 200, 10, 4},
        {"msc/independent/p=32", square, 64, CODING_MSC, 32, RNG_INDEPENDENT, 4000, 10, 20},
        {"msc/independent/p=64", square, 64, CODING_MSC, 64, RNG_INDEPENDENT, 4000, 10, 20},
        {"msc/independent/p=32", square, 64, CODING_MSC, 32, RNG_INDEPENDENT, 4000, 100, 4},
        {"msc/independent/p=32", square, 64, CODING_MSC, 32, RNG_INDEPENDENT, 4000, 1, 20},
        {"msc/lcg/p=32", square, 64, CODING_MSC, 32, RNG_LCG, 400, 10, 4},
        {"msc/shared/p=32", square, 64, CODING_MSC, 32, RNG_SHARED, 4000, 10, 4},
        {"msc/philox/p=32", square, 64, CODING_MSC, 32, RNG_PHILOX, 400, 10, 4},
        {"ssc/glass3d", &glass3d_kind, 10, CODING_SSC, 32, RNG_INDEPENDENT, 800, 10, 4},
        {"msc/independent/glass3d", &glass3d_kind, 10, CODING_MSC, 32, RNG_INDEPENDENT, 16000, 10,
         20},
        {"msc/independent/glass2d", &glass2d_kind, 32, CODING_MSC, 32, RNG_INDEPENDENT, 16000, 10,
         20},
        {"msc/independent/cubic", &cubic_kind, 16, CODING_MSC, 32, RNG_INDEPENDENT, 4000, 10, 20},
    };
    omp_set_num_threads(1);
    printf("# One core; unit: one Philox4x32-10 call, %.2f ns here; MSC by the kernels %s\n",
           philox_unit_ns(), kernels->name);
    printf("# engine                   L  theta   ns/flip unit/flip flip/unit  not-sweep-%%\n");
    for (size_t n = 0; n < sizeof subjects / sizeof *subjects; n++)
        if (measure(&subjects[n], kernels))
            return complain(STATUS_FAILED, "%s failed", subjects[n].name);
    return (int)close_stdout();
}
