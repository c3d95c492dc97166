/* Claims: an engine reports the time of every stage that it can tell from the others, and of no
 * other; these times and those between the steps fit into the time that passes; and whichever way a
 * step is made, a population that dies out or outgrows its capacity is reported as such, and leaves
 * nothing behind. (That the bits are the same is claimed by test_identity.c; how long the stages
 * take, by perf/.) What needs a GPU is skipped without one. */
#include "base/clock.h"
#include "engine/capacity.h"
#include "validate/lib/annealer.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/some_models.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define POPULATION   500
#define STEPS        10

/* What is simulated: these in SSC, and the first and the last in MSC. */
static made_model models[] = {{.kind = &square_kind, .size = {{64}}},
                              {.kind = &cubic_kind, .size = {{16}}},
                              {.kind = &glass2d_kind, .size = {{10}}},
                              {.kind = &glass3d_kind, .size = {{8, 8, 12}}},
                              {.kind = &glass3d_kind, .size = {{8, 6, 4}}, .cut = {"open", 0.1}}};

static const struct {
    spin_coding coding;
    const made_model *made;
} subjects[] = {{CODING_SSC, &models[0]}, {CODING_MSC, &models[0]}, {CODING_SSC, &models[1]},
                {CODING_SSC, &models[2]}, {CODING_SSC, &models[3]}, {CODING_SSC, &models[4]},
                {CODING_MSC, &models[4]}};

static int set_up(void **state) {
    (void)state;
    return make_models(models, COUNT(models));
}

static int tear_down(void **state) {
    (void)state;
    return destroy_models(models, COUNT(models));
}

static engine_config config_of(size_t subject, stage_mode stages) {
    return (engine_config){.coding = subjects[subject].coding,
                           .model = subjects[subject].made->model,
                           .capacity = population_capacity(POPULATION, 32),
                           .word = 32,
                           .rng = RNG_INDEPENDENT,
                           .stages = stages};
}

static engine *cpu_engine(size_t subject) {
    const engine_config config = config_of(subject, STAGES_FUSED);
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    return e;
}

/* Skips the test without a GPU. */
static engine *gpu_engine_in(size_t subject, stage_mode stages) {
    const engine_config config = config_of(subject, stages);
    return gpu_engine(&config);
}

/* The modes in which a GPU can run a subject end with this one. */
static stage_mode last_mode(size_t subject) {
    return subjects[subject].coding == CODING_SSC ? STAGES_HYBRID : STAGES_APART;
}

/* A short run of theta sweeps: its averages, and the seconds that pass. */
static double run(engine *e, uint32_t sweeps, run_averages row[STEPS + 1]) {
    const annealing_plan plan = {.seed = 3,
                                 .population = POPULATION,
                                 .sweeps = sweeps,
                                 .steps = STEPS,
                                 .dbeta = 0.01,
                                 .threshold_factor = 1};
    const double start = clock_seconds();
    anneal(e, &plan, 0, row);
    return clock_seconds() - start;
}

/* --- which times are known --- */

static void assert_stages_known(const engine *e) {
    assert_true(e->seconds[STAGE_RESAMPLE] > 0);
    assert_true(e->seconds[STAGE_SWEEP] > 0);
    assert_true(e->seconds[STAGE_MEASURE] > 0);
    assert_true(isnan(e->seconds[STAGE_STEP]));
}

static void cpu_engines_tell_their_stages(void **state) {
    (void)state;
    for (size_t subject = 0; subject < COUNT(subjects); subject++) {
        engine *const e = cpu_engine(subject);
        run(e, 1, NULL);
        assert_stages_known(e);
        assert_true(isnan(e->seconds[STAGE_ROUND_TRIP]));
        e->verbs->destroy(e);
    }
}

static void fused_stages_are_one_step(void **state) {
    (void)state;
    for (size_t subject = 0; subject < COUNT(subjects); subject++) {
        engine *const e = gpu_engine_in(subject, STAGES_FUSED);
        const double seconds = run(e, 10, NULL);
        assert_true(e->seconds[STAGE_STEP] > 0 && e->seconds[STAGE_STEP] <= seconds);
        for (engine_stage stage = STAGE_RESAMPLE; stage <= STAGE_MEASURE; stage++)
            assert_true(isnan(e->seconds[stage]));
        assert_true(isnan(e->seconds[STAGE_ROUND_TRIP]));
        e->verbs->destroy(e);
    }
}

/* Events are exact to half a microsecond. */
static void stages_apart_fit_into_the_time_that_passes(void **state) {
    const double resolution = (STEPS + 1) * 4 * 1e-6;
    (void)state;
    for (size_t subject = 0; subject < COUNT(subjects); subject++)
        for (stage_mode stages = STAGES_APART; stages <= last_mode(subject); stages++) {
            engine *const e = gpu_engine_in(subject, stages);
            const double seconds = run(e, 10, NULL);
            assert_stages_known(e);
            assert_true(e->seconds[STAGE_ROUND_TRIP] > 0);
            assert_true(e->seconds[STAGE_RESAMPLE] + e->seconds[STAGE_SWEEP] +
                            e->seconds[STAGE_MEASURE] + e->seconds[STAGE_ROUND_TRIP] <=
                        seconds + resolution);
            e->verbs->destroy(e);
        }
}

/* --- the ends of a population --- */

/* The status of a step that gives every replica `copies` copies. */
static engine_status step_with_copies(engine *e, uint64_t copies) {
    const annealing_plan plan = {.population = POPULATION, .sweeps = 1, .threshold_factor = 1};
    uint64_t *const table = malloc(e->model.levels.count * sizeof *table);
    histogram h;
    assert_non_null(table);
    assert_int_equal(histogram_create(&h, &e->model), 0);
    for (size_t n = 0; n < e->model.levels.count; n++)
        table[n] = copies << 32;
    assert_int_equal(e->verbs->randomise(e, stream_run_key(1, 0), POPULATION, &h), ENGINE_OK);
    const engine_step step = annealing_step(e, &plan, 0, 1, table);
    const engine_status status = e->verbs->step(e, &step, &h);
    histogram_destroy(&h);
    free(table);
    return status;
}

/* A run after both ends must equal the same run of an engine that has seen neither; takes both. */
static void check_ends(engine *ended, engine *fresh) {
    run_averages row[2][STEPS + 1];
    memset(row, 0, sizeof row);
    assert_int_equal(step_with_copies(ended, 0), ENGINE_EXTINCT);
    assert_int_equal(step_with_copies(ended, 3), ENGINE_OUTGROWN);
    run(ended, 1, row[0]);
    run(fresh, 1, row[1]);
    assert_memory_equal(row[0], row[1], sizeof row[0]);
    ended->verbs->destroy(ended);
    fresh->verbs->destroy(fresh);
}

static void ends_are_reported_by_the_cpu(void **state) {
    (void)state;
    for (size_t subject = 0; subject < COUNT(subjects); subject++)
        check_ends(cpu_engine(subject), cpu_engine(subject));
}

static void ends_are_reported_in_every_mode(void **state) {
    (void)state;
    for (size_t subject = 0; subject < COUNT(subjects); subject++)
        for (stage_mode stages = STAGES_FUSED; stages <= last_mode(subject); stages++) {
            engine *const gpu = gpu_engine_in(subject, stages);
            check_ends(gpu, cpu_engine(subject));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_engines_tell_their_stages),
        cmocka_unit_test(fused_stages_are_one_step),
        cmocka_unit_test(stages_apart_fit_into_the_time_that_passes),
        cmocka_unit_test(ends_are_reported_by_the_cpu),
        cmocka_unit_test(ends_are_reported_in_every_mode),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
