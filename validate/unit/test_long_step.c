/* Claims about long steps of a GPU (cuda/engine/long_step.h): made in pieces, a step gives the report, the spins and the families
 * that it gives as a whole; given up behind its first piece, it leaves spins and families as they were, and made again it
 * gives the same. So it is in both codings, with lattices in shared and in device memory, of other spins and without levels.
 * The first step of an engine is expected to be long, whatever it is. What needs a GPU is skipped without one. */
#include "engine/capacity.h"
#include "validate/identity/difference.h"
#include "validate/lib/annealer.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/some_models.h"

#define DBETA 0.1

/* Flips that a first step is expected to take long for. */
#define MANY_FLIPS 6e9

static const struct {
    const model_kind *kind;
    lattice_size size;
    spin_coding coding;
    rng_mode rng;
    uint64_t population; /* more than twice what a GPU sweeps at a time */
} cases[] = {
    {&glass3d_kind, {{8}}, CODING_MSC, RNG_INDEPENDENT, 600000},
    {&square_kind, {{32}}, CODING_MSC, RNG_INDEPENDENT, 1200000},
    {&square_kind, {{32}}, CODING_MSC, RNG_SHARED, 1200000},
    {&square_kind, {{1024}}, CODING_MSC, RNG_INDEPENDENT, 9000},
    {&square_kind, {{16}}, CODING_SSC, RNG_INDEPENDENT, 2400000},
    {&glass3d_kind, {{8}}, CODING_SSC, RNG_INDEPENDENT, 1200000},
    {&potts2d_kind, {{16}}, CODING_SSC, RNG_INDEPENDENT, 600000},
};

/* An engine, and what it reports. */
typedef struct {
    engine *e;
    histogram report;
    uint64_t *tau_hat;
    uint64_t *hash; /* of the replicas that `see` has read */
    uint32_t *family;
    uint64_t capacity;
} worker;

static worker worker_of(size_t n, const spin_model *model) {
    const engine_config config = {.coding = cases[n].coding,
                                  .model = *model,
                                  .capacity = population_capacity(cases[n].population, 32),
                                  .word = 32,
                                  .rng = cases[n].rng};
    worker w = {.e = gpu_engine(&config), .capacity = config.capacity};
    assert_true(w.e->heeds_stop);
    assert_int_equal(histogram_create(&w.report, model), 0);
    w.tau_hat = calloc(model->levels.count, sizeof *w.tau_hat);
    w.hash = calloc(w.capacity, sizeof *w.hash);
    w.family = calloc(w.capacity, sizeof *w.family);
    assert_true(w.tau_hat && w.hash && w.family);
    assert_int_equal(
        w.e->verbs->randomise(w.e, stream_run_key(n, 0), cases[n].population, &w.report),
        ENGINE_OK);
    return w;
}

static void worker_end(worker *w) {
    w->e->verbs->destroy(w->e);
    histogram_destroy(&w->report);
    free(w->tau_hat);
    free(w->hash);
    free(w->family);
}

/* The step to the first temperature, with parents by the report of beta = 0. */
static engine_status step(worker *w, size_t n, const int *stop) {
    const double flips = (double)w->e->model.sites * (double)cases[n].population;
    const annealing_plan plan = {.seed = n,
                                 .population = cases[n].population,
                                 .sweeps = 1 + (uint32_t)(MANY_FLIPS / flips),
                                 .dbeta = DBETA,
                                 .threshold_factor = 1};
    resampling_tau_hat(&w->report, DBETA, plan.population, w->tau_hat);
    engine_step s = annealing_step(w->e, &plan, 0, 1, w->tau_hat);
    s.stop = stop;
    return w->e->verbs->step(w->e, &s, &w->report);
}

/* Reads hashes and families of so many replicas. */
static void see(worker *w, uint64_t count) {
    assert_int_equal(w->e->verbs->read_hashes(w->e, 0, count, w->hash, w->family), ENGINE_OK);
}

static void assert_same(worker *a, worker *b) {
    const uint64_t count = a->report.population;
    const identity_difference d = identity_compare_reports(&a->report, &b->report, true);
    char text[DIFFERENCE_TEXT_SIZE];
    if (d.quantity != QUANTITY_NONE)
        fail_msg("%s", identity_difference_text(text, &d));
    see(a, count);
    see(b, count);
    assert_memory_equal(a->hash, b->hash, count * sizeof *a->hash);
    assert_memory_equal(a->family, b->family, count * sizeof *a->family);
}

/* A step as a whole, in pieces, and given up before. */
static void holds(size_t n, const spin_model *model) {
    const int never = 0, at_once = 1;
    worker whole = worker_of(n, model), cut = worker_of(n, model), stopped = worker_of(n, model);
    see(&whole, cases[n].population);
    assert_int_equal(step(&stopped, n, &at_once), ENGINE_STOPPED);
    see(&stopped, cases[n].population);
    assert_memory_equal(whole.hash, stopped.hash, cases[n].population * sizeof *whole.hash);
    assert_memory_equal(whole.family, stopped.family, cases[n].population * sizeof *whole.family);
    assert_int_equal(step(&whole, n, NULL), ENGINE_OK);
    assert_int_equal(step(&cut, n, &never), ENGINE_OK);
    assert_int_equal(step(&stopped, n, &never), ENGINE_OK);
    assert_same(&whole, &cut);
    assert_same(&whole, &stopped);
    worker_end(&whole);
    worker_end(&cut);
    worker_end(&stopped);
}

static void pieces_make_the_step(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        couplings sample;
        spin_model model = some_model(cases[n].kind, cases[n].size, n, &sample);
        if (cases[n].kind->choose)
            cases[n].kind->choose(&model, &(state_choice){.states = 3, .unit = 1});
        holds(n, &model);
        couplings_destroy(&sample);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_make_the_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
