/* Claim: the CUDA engines give the bits of the CPU engines. Two engines of one coding, one on each
 * device, are taken through the same steps; after each the complete reports (level sums, blocks,
 * parents, families) must be equal, and at the end every spin and every family. The grid covers both
 * codings, every p, every random-number mode, every kernel (lattices of fixed size, in shared memory,
 * in device memory), words that are not full, and strong selection, where one parent has nearly all
 * children; all of it with the stages of a step fused, apart, and (SSC) resampled on the host.
 * Without CUDA or without a GPU the tests are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"
#include "parameters.h"
#include "resampling.h"

#include <math.h>

#ifdef PAISING_CUDA
#include "engine_cuda.h"

/* A case of the grid. */
typedef struct {
    spin_coding coding;
    uint32_t size, word;
    rng_mode rng;
    uint64_t population;
    uint32_t sweeps;
    double dbeta;
    uint32_t steps;
} identity_case;

/* An engine and what it reported last. */
typedef struct {
    engine *engine;
    histogram report;
} subject;

static subject subject_of(engine *e) {
    subject s = {.engine = e};
    assert_non_null(e);
    assert_int_equal(histogram_create(&s.report, e->levels), 0);
    return s;
}

static void subject_destroy(subject *s) {
    s->engine->destroy(s->engine);
    histogram_destroy(&s->report);
}

/* Whether two reports are equal; prints the first thing that differs. */
static int same_report(const histogram *cpu, const histogram *gpu, uint32_t temperature) {
    const char *what = NULL;
    if (cpu->population != gpu->population)
        what = "population";
    else if (cpu->families != gpu->families || cpu->family_squares != gpu->family_squares)
        what = "families";
    else if (cpu->first != gpu->first || cpu->end != gpu->end)
        what = "occupied levels";
    else if (memcmp(cpu->level + cpu->first, gpu->level + cpu->first,
                    (cpu->end - cpu->first) * sizeof *cpu->level))
        what = "level sums";
    else if (memcmp(cpu->block, gpu->block, sizeof cpu->block))
        what = "blocks";
    else if (memcmp(cpu->parent, gpu->parent, sizeof cpu->parent))
        what = "parents";
    if (what)
        print_error("temperature %u: %s differ\n", temperature, what);
    return what == NULL;
}

/* Whether two populations are equal, replica by replica. */
static int same_population(const subject *cpu, const subject *gpu, uint32_t size) {
    const uint64_t replicas = cpu->report.population;
    const size_t bytes = ((size_t)size * size + 7) / 8;
    uint8_t *const spins[2] = {malloc(replicas * bytes), malloc(replicas * bytes)};
    uint32_t *const families[2] = {malloc(replicas * 4), malloc(replicas * 4)};
    assert_true(spins[0] && spins[1] && families[0] && families[1]);
    engine *const engines[2] = {cpu->engine, gpu->engine};
    for (int n = 0; n < 2; n++)
        assert_int_equal(engines[n]->save(engines[n], 0, replicas, spins[n], families[n]),
                         ENGINE_OK);
    uint64_t k = 0;
    while (k < replicas && families[0][k] == families[1][k] &&
           !memcmp(spins[0] + k * bytes, spins[1] + k * bytes, bytes))
        k++;
    if (k < replicas)
        print_error("replica %llu differs\n", (unsigned long long)k);
    for (int n = 0; n < 2; n++) {
        free(spins[n]);
        free(families[n]);
    }
    return k == replicas;
}

/* The step to temperature i of a case. */
static engine_step step_of(const identity_case *c, const engine *e, uint32_t i,
                           const uint64_t *copies) {
    engine_step step = {.key = stream_run_key(c->population, 0),
                        .temperature = i,
                        .sweeps = c->sweeps,
                        .founders = c->population,
                        .copies = copies};
    for (size_t n = 0; n < e->thresholds; n++)
        step.threshold[n] =
            (uint32_t)fmin(ldexp(exp(-c->dbeta * i * e->energy_gap[n]), 32), UINT32_MAX);
    bernoulli_make(&step.bernoulli, step.threshold);
    return step;
}

static engine *cuda_engine(const engine_config *config) {
    char reason[300];
    engine *const e = engine_cuda_create(config, reason, sizeof reason);
    if (!e)
        print_error("%s\n", reason);
    return e;
}

/* Takes both engines through a case. Returns whether all is equal. */
static int identical(const identity_case *c, stage_mode stages) {
    const engine_config config = {.coding = c->coding,
                                  .size = c->size,
                                  .capacity = population_capacity(c->population, c->word),
                                  .word = c->word,
                                  .rng = c->rng,
                                  .stages = stages};
    subject cpu = subject_of(engine_cpu_create(&config)), gpu = subject_of(cuda_engine(&config));
    uint64_t *const copies = calloc(cpu.engine->levels.count, sizeof *copies);
    const stream_key key = stream_run_key(c->population, 0);
    assert_non_null(copies);
    assert_int_equal(cpu.engine->randomise(cpu.engine, key, c->population, &cpu.report), 0);
    assert_int_equal(gpu.engine->randomise(gpu.engine, key, c->population, &gpu.report), 0);

    int equal = same_report(&cpu.report, &gpu.report, 0);
    for (uint32_t i = 1; i <= c->steps && equal; i++) {
        resampling_copies(&cpu.report, c->dbeta, c->population, copies);
        const engine_step step = step_of(c, cpu.engine, i, copies);
        const engine_status on_cpu = engine_advance(cpu.engine, &step, &cpu.report);
        const engine_status on_gpu = engine_advance(gpu.engine, &step, &gpu.report);
        assert_int_equal(on_cpu, on_gpu);
        if (on_cpu != ENGINE_OK)
            break;
        equal = same_report(&cpu.report, &gpu.report, i);
        if (equal && i == c->steps)
            equal = same_population(&cpu, &gpu, c->size);
    }
    if (!equal)
        print_error("%s L=%u p=%u %s R=%llu theta=%u dbeta=%g stages=%s\n", coding_name(c->coding),
                    c->size, c->word, rng_name(c->rng), (unsigned long long)c->population,
                    c->sweeps, c->dbeta, stages_name(stages));
    free(copies);
    subject_destroy(&cpu);
    subject_destroy(&gpu);
    return equal;
}

/* Skips the test where there is no GPU. */
static void need_gpu(void) {
    char reason[300];
    cuda_device device;
    if (cuda_device_count(reason, sizeof reason) == 0) {
        print_message("SKIP: %s\n", reason);
        skip();
    }
    assert_int_equal(cuda_device_open(0, &device, reason, sizeof reason), 0);
}

static void all_identical(const identity_case *cases, size_t count) {
    size_t different = 0;
    need_gpu();
    for (size_t n = 0; n < count; n++) {
        const stage_mode last = cases[n].coding == CODING_SSC ? STAGES_HYBRID : STAGES_APART;
        for (stage_mode stages = STAGES_FUSED; stages <= last; stages++)
            different += !identical(&cases[n], stages);
    }
    assert_int_equal(different, 0);
}

static void every_word_and_mode(void **state) {
    identity_case cases[4 * 5 * 2];
    size_t count = 0;
    (void)state;
    for (uint32_t word = 8; word <= 64; word *= 2)
        for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++) {
            cases[count++] = (identity_case){CODING_MSC, 16, word, rng, 211, 2, 0.05, 6};
            cases[count++] = (identity_case){CODING_MSC, 48, word, rng, 97, 1, 0.03, 4};
        }
    all_identical(cases, count);
}

static void every_msc_kernel(void **state) {
    static const uint32_t sizes[] = {16, 32, 48, 64, 80, 112, 128, 144, 224, 240, 256, 272};
    identity_case cases[2 * sizeof sizes / sizeof *sizes];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        cases[count++] = (identity_case){CODING_MSC, sizes[n], 32, RNG_INDEPENDENT, 75, 2, 0.01, 3};
        cases[count++] = (identity_case){CODING_MSC, sizes[n], 16, RNG_LCG, 40, 1, 0.01, 2};
    }
    all_identical(cases, count);
}

static void every_ssc_kernel(void **state) {
    static const uint32_t sizes[] = {4, 6, 8, 10, 14, 16, 22, 24, 32, 40, 64, 100, 128, 256, 330};
    identity_case cases[sizeof sizes / sizeof *sizes];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        cases[count++] = (identity_case){
            CODING_SSC, sizes[n], 32, RNG_INDEPENDENT, sizes[n] < 64 ? 300 : 20, 2, 0.02, 4};
    all_identical(cases, count);
}

static void strong_selection(void **state) {
    static const identity_case cases[] = {
        {CODING_MSC, 64, 32, RNG_INDEPENDENT, 2000, 1, 0.1, 8},
        {CODING_MSC, 64, 8, RNG_LCG, 500, 1, 0.1, 8},
        {CODING_MSC, 128, 32, RNG_INDEPENDENT, 300, 1, 0.1, 5},
        {CODING_SSC, 64, 32, RNG_INDEPENDENT, 500, 1, 0.1, 8},
    };
    (void)state;
    all_identical(cases, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_and_mode),
        cmocka_unit_test(every_msc_kernel),
        cmocka_unit_test(every_ssc_kernel),
        cmocka_unit_test(strong_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_cuda(void **state) {
    (void)state;
    print_message("SKIP: built without CUDA\n");
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
