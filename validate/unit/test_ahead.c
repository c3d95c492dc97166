/* Claims about steps that a GPU has queued ahead, because they were expected (engine/engine.h):
 *  - whatever was expected, and whenever the step begins, reports are those of the CPU: a step that comes as it was expected, at
 *    once or after the device has lost its patience; one that was expected with another rule, or number of sweeps, or not at all;
 *    one before which replicas were copied out; and likewise of a share, whose children are counted, assigned and made, with
 *    the step known when they are assigned or only later;
 *  - a report may be completed when the device has made the next step, by which its families are others (engine.complete);
 *  - a population that was expected to go on may begin anew, or be destroyed.
 * What needs a GPU is skipped without one; where other engines of the process are at work nothing is queued ahead, so there is
 * one on the GPU at a time. */
#include "engine/async.h"
#include "engine/capacity.h"
#include "engine/partition.h"
#include "validate/identity/difference.h"
#include "validate/lib/annealer.h"
#include "validate/lib/gpu_engine.h"

#include <string.h>
#include <time.h>

#define STEPS 48

/* Half of the steps are expected as they come: the others in these ways, in turn. */
typedef enum { RIGHT, LATE, OTHER_RULE, OTHER_SWEEPS, UNEXPECTED, INTERRUPTED, WAYS } way;

static way way_of(size_t index) {
    return index % 2 ? RIGHT : (way)(index / 2 % WAYS);
}

/* An engine, and what it reports; as a share of the whole, or not. */
typedef struct {
    engine *worker;
    histogram report;
    uint64_t population;
    uint64_t *tau_hat;
    bool shares;
} annealed;

static annealed annealed_by(engine *worker, uint64_t population, bool shares) {
    annealed a = {.worker = worker, .population = population, .shares = shares};
    assert_non_null(worker);
    assert_int_equal(histogram_create(&a.report, &worker->model), 0);
    a.tau_hat = calloc(worker->model.levels.count, sizeof *a.tau_hat);
    assert_non_null(a.tau_hat);
    return a;
}

static void end(annealed *a) {
    a->worker->verbs->destroy(a->worker);
    histogram_destroy(&a->report);
    free(a->tau_hat);
}

static void begin(annealed *a) {
    if (a->shares)
        a->worker->verbs->partition->hold(a->worker, 0, a->population);
    assert_int_equal(
        a->worker->verbs->randomise(a->worker, stream_run_key(11, 0), a->population, &a->report),
        ENGINE_OK);
}

static engine_step step_to(const annealed *a, size_t index) {
    const annealing_plan plan = {
        .seed = 11, .population = a->population, .sweeps = 1, .dbeta = 0.02, .threshold_factor = 1};
    return annealing_step(a->worker, &plan, 0, index, NULL);
}

/* Says what step is to come, in its way. */
static void expect(annealed *a, size_t index) {
    engine_step step = step_to(a, index);
    if (way_of(index) == OTHER_RULE)
        step.rule = step_to(a, index + 5).rule;
    if (way_of(index) == OTHER_SWEEPS)
        step.sweeps++;
    if (way_of(index) != UNEXPECTED)
        a->worker->verbs->async->hint(a->worker, &step);
}

/* What comes between, in the same way. */
static void dawdle(annealed *a, size_t index) {
    const struct timespec nap = {.tv_nsec = 3000000};
    uint32_t levels[1];
    if (way_of(index) == LATE)
        nanosleep(&nap, NULL);
    if (way_of(index) == INTERRUPTED)
        assert_int_equal(a->worker->verbs->read_levels(a->worker, 0, 1, levels), ENGINE_OK);
}

/* Has the children of all parents here, who are the whole, made by the step; which is known when they are assigned, or later. */
static void assign(annealed *a, engine_step *step, bool known) {
    uint64_t children = 0;
    assert_int_equal(a->worker->verbs->partition->count_offspring(a->worker, step, &children),
                     ENGINE_OK);
    const child_assignment all = {.population = children, .own = children};
    step->tau_hat = NULL;
    assert_int_equal(a->worker->verbs->partition->assign(a->worker, &all, known ? step : NULL),
                     ENGINE_OK);
}

static void start(annealed *a, size_t index) {
    engine_step step = step_to(a, index);
    resampling_tau_hat(&a->report, 0.02, a->population, a->tau_hat);
    step.tau_hat = a->tau_hat;
    if (a->shares)
        assign(a, &step, index % 5 > 0);
    if (a->worker->verbs->async != NULL)
        assert_int_equal(a->worker->verbs->async->submit(a->worker, &step), ENGINE_OK);
    else
        assert_int_equal(a->worker->verbs->step(a->worker, &step, &a->report), ENGINE_OK);
}

/* Ends a step of a GPU. */
static void wait_for(annealed *a) {
    assert_int_equal(a->worker->verbs->async->wait(a->worker, &a->report), ENGINE_OK);
}

/* Completes the report of step `index`, at times when the next one that has begun is made, and holds it against the other. */
static void compare_reports(annealed *gpu, const annealed *cpu, size_t index) {
    const struct timespec nap = {.tv_nsec = 300000}; /* what is expected still waits then */
    if (index % 3 == 0)
        nanosleep(&nap, NULL);
    assert_int_equal(gpu->worker->verbs->async->wait_all(gpu->worker, &gpu->report), ENGINE_OK);
    const identity_difference d = identity_compare_reports(&cpu->report, &gpu->report, true);
    if (d.quantity != QUANTITY_NONE)
        print_message("%s, step %zu, way %d\n", gpu->worker->name, index, (int)way_of(index));
    assert_int_equal(d.quantity, QUANTITY_NONE);
}

/* Anneals on the CPU, where nothing is expected, and holds each report of the other against that. */
static void compare(annealed gpu, annealed cpu) {
    begin(&gpu);
    begin(&cpu);
    for (size_t index = 1; index <= STEPS; index++) {
        dawdle(&gpu, index);
        start(&gpu, index);
        expect(&gpu, index + 1);
        compare_reports(&gpu, &cpu, index - 1);
        wait_for(&gpu);
        start(&cpu, index);
    }
    compare_reports(&gpu, &cpu, STEPS);
    begin(&gpu); /* what was expected does not come */
    begin(&cpu);
    assert_int_equal(identity_compare_reports(&cpu.report, &gpu.report, true).quantity,
                     QUANTITY_NONE);
    start(&gpu, 1);
    expect(&gpu, 2);
    wait_for(&gpu);
    assert_int_not_equal(identity_compare_reports(&cpu.report, &gpu.report, true).quantity,
                         QUANTITY_NONE); /* negative control */
    end(&gpu);
    end(&cpu);
}

static void compare_models(bool shares) {
    const struct {
        spin_coding coding;
        spin_model model;
        uint64_t population;
    } cases[] = {{CODING_MSC, square_model(16), 5000},
                 {CODING_MSC, square_model(64), 3000},
                 {CODING_MSC, square_model(256), 200},
                 {CODING_SSC, square_model(16), 3000},
                 {CODING_MSC, cubic_kind.create((const uint32_t[]){8, 8, 8}), 1000}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const engine_config config = {.coding = cases[n].coding,
                                      .model = cases[n].model,
                                      .capacity = population_capacity(cases[n].population, 32),
                                      .word = 32,
                                      .resampling = RESAMPLE_NEAREST,
                                      .rng = RNG_INDEPENDENT};
        engine *const gpu = gpu_engine(&config);
        compare(annealed_by(gpu, cases[n].population, shares),
                annealed_by(engine_cpu_create(&config), cases[n].population, shares));
    }
}

static void steps_of_a_population_are_the_same_whatever_is_expected(void **state) {
    (void)state;
    compare_models(false);
}

static void steps_of_a_share_are_the_same_whatever_is_expected(void **state) {
    (void)state;
    compare_models(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_a_population_are_the_same_whatever_is_expected),
        cmocka_unit_test(steps_of_a_share_are_the_same_whatever_is_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
