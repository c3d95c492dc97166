/* Claims about launch batches (cuda/engine/launch_batch.h): engines of a GPU whose steps and overlaps are launched together give, number for
 * number and spin for spin, what a CPU engine gives alone. So it is with other couplings and other keys, populations of
 * other sizes, other temperatures and numbers of sweeps, with one that dies out and begins anew, one that goes alone for a
 * step, one that joins late and one that leaves early; whoever waits first, and whether they were sent off before. What
 * needs a GPU is skipped without one. */
#include "engine/async.h"
#include "engine/capacity.h"
#include "validate/identity/difference.h"
#include "validate/lib/annealer.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/some_models.h"

#include <inttypes.h>
#include <string.h>

#define MEMBERS    5
#define STEPS      7
#define JOINS_AT   3 /* before this step the last one is alone, */
#define LEAVES_AT  6 /* and before this one the first one goes */
#define DIES_AT    4 /* in this step one dies out, */
#define SELECTS_AT 5 /* in this one another is told its parents */

static const struct {
    const model_kind *kind;
    lattice_size size;
    uint64_t population;
    resampling_rule rule;
    bond_cut cut;
} cases[] = {
    {&glass3d_kind, {{6}}, 1000, RESAMPLE_NEAREST, ALL_BONDS},
    {&glass3d_kind, {{4}}, 3000, RESAMPLE_SYSTEMATIC, ALL_BONDS},
    {&glass3d_kind, {{10}}, 200, RESAMPLE_STRATIFIED, ALL_BONDS},
    {&glass2d_kind, {{64}}, 100, RESAMPLE_NEAREST, ALL_BONDS},
    {&glass2d_kind, {{16}}, 300, RESAMPLE_POISSON, ALL_BONDS},
    {&square_kind, {{32}}, 500, RESAMPLE_NEAREST, ALL_BONDS},
    {&cubic_kind, {{6}}, 500, RESAMPLE_POISSON, ALL_BONDS},
    {&glass3d_kind, {{6}}, 700, RESAMPLE_MULTINOMIAL, ALL_BONDS},
    {&square_kind, {{16}}, 400, RESAMPLE_RESIDUAL, ALL_BONDS},
    {&glass3d_kind, {{6}}, 800, RESAMPLE_NEAREST, {"open", 0.1}},
    {&glass2d_kind, {{32}}, 300, RESAMPLE_NEAREST, {"antiperiodic,open", 0}},
};

/* What an engine does, and reports. */
typedef struct {
    engine *worker;
    histogram report;
    overlap_sums pairs;
    engine_step step; /* that was begun */
    uint64_t *tau_hat;
    uint32_t *parents;
} walker;

/* A member, on the GPU with the others, and on the CPU alone. */
typedef struct {
    uint32_t number;
    uint64_t population;
    couplings sample;
    engine_config config;
    walker batched, alone;
} member;

static walker walker_of(engine *worker, uint64_t capacity) {
    walker w = {.worker = worker};
    assert_non_null(worker);
    assert_int_equal(histogram_create(&w.report, &worker->model), 0);
    if (worker->model.disordered)
        assert_int_equal(overlap_sums_create(&w.pairs, &worker->model), 0);
    w.tau_hat = calloc(worker->model.levels.count, sizeof *w.tau_hat);
    w.parents = calloc(capacity, sizeof *w.parents);
    assert_true(w.tau_hat && w.parents);
    return w;
}

static void walker_end(walker *w) {
    w->worker->verbs->destroy(w->worker);
    histogram_destroy(&w->report);
    if (w->pairs.differ)
        overlap_sums_destroy(&w->pairs);
    free(w->tau_hat);
    free(w->parents);
}

static stream_key key_of(const member *m, uint32_t step) {
    return stream_run_key(m->number, step > DIES_AT ? 1 : 0);
}

static void randomise(member *m, uint32_t step) {
    walker *const both[] = {&m->batched, &m->alone};
    for (int n = 0; n < 2; n++)
        assert_int_equal(both[n]->worker->verbs->randomise(both[n]->worker, key_of(m, step),
                                                           m->population, &both[n]->report),
                         ENGINE_OK);
}

static void member_begin(member *m, uint32_t number, size_t of) {
    const uint64_t population[MEMBERS] = {cases[of].population, 37, cases[of].population / 2, 3,
                                          cases[of].population - 1};
    *m = (member){.number = number, .population = population[number]};
    m->config = (engine_config){
        .coding = CODING_MSC,
        .model = some_cut_model(cases[of].kind, cases[of].size, number, cases[of].cut, &m->sample),
        .capacity = population_capacity(cases[of].population, 32),
        .resampling = cases[of].rule,
        .word = 32,
        .rng = RNG_INDEPENDENT};
    m->batched = walker_of(gpu_engine(&m->config), m->config.capacity);
    m->alone = walker_of(engine_cpu_create(&m->config), m->config.capacity);
}

static void member_end(member *m) {
    if (m->batched.worker)
        walker_end(&m->batched);
    walker_end(&m->alone);
    couplings_destroy(&m->sample);
}

/* Asks for overlaps, where there are any, and starts a step. */
static void start(const member *m, walker *w, uint32_t index, resampling_rule rule) {
    const annealing_plan plan = {.population = m->population,
                                 .sweeps = m->number == 3 ? 5 : 2,
                                 .dbeta = m->number == 1 ? 0.07 : 0.1,
                                 .threshold_factor = 1};
    engine_step step = annealing_step(w->worker, &plan, 0, index, w->tau_hat);
    step.key = key_of(m, index);
    resampling_tau_hat(&w->report, plan.dbeta, m->population, w->tau_hat);
    if (index == DIES_AT && m->number == 2)
        memset(w->tau_hat, 0, w->worker->model.levels.count * sizeof *w->tau_hat);
    step.line = resampling_line(&w->report, rule, w->tau_hat, step.founders);
    if (index == DIES_AT && m->number == 2)
        step.line = (parent_line){0};
    if (index == SELECTS_AT && m->number == 1) {
        step.tau_hat = NULL;
        step.parents = w->parents;
        step.children = w->report.population;
        for (uint64_t k = 0; k < step.children; k++)
            w->parents[k] = (uint32_t)((step.children - 1 - k) / 2 * 2);
    }
    const struct engine_verbs *const verbs = w->worker->verbs;
    if (w->worker->model.disordered)
        assert_int_equal(verbs->async != NULL ? verbs->async->submit_overlaps(w->worker, &w->pairs)
                                              : verbs->overlaps(w->worker, &w->pairs),
                         ENGINE_OK);
    w->step = step;
    if (verbs->async != NULL)
        assert_int_equal(verbs->async->submit(w->worker, &step), ENGINE_OK);
}

/* Ends it, with its whole report. */
static engine_status wait_for(walker *w) {
    const struct engine_verbs *const verbs = w->worker->verbs;
    if (verbs->async == NULL)
        return verbs->step(w->worker, &w->step, &w->report);
    const engine_status status = verbs->async->wait(w->worker, &w->report);
    return status == ENGINE_OK ? verbs->async->wait_all(w->worker, &w->report) : status;
}

/* --- comparison --- */

static bool same_reports(const histogram *a, const histogram *b) {
    return identity_compare_reports(a, b, true).quantity == QUANTITY_NONE;
}

/* Fails where numbers of the overlaps differ. */
static void compare_numbers(const member *m, uint32_t step, const char *what, const void *batched,
                            const void *alone, size_t bytes) {
    const uint32_t *const a = batched, *const b = alone;
    for (size_t n = 0; n < bytes / sizeof *a; n++)
        if (a[n] != b[n])
            fail_msg("%s, %s: overlaps of member %" PRIu32 " before step %" PRIu32
                     ": %s, number %zu: %" PRIu32 " against %" PRIu32,
                     m->config.model.name, resampling_name(m->config.resampling), m->number, step,
                     what, n, a[n], b[n]);
}

/* The same of a histogram, of which the batched one has what is in its span. */
static void compare_bins(const member *m, uint32_t step, const char *what, const uint32_t *batched,
                         overlap_span span, const uint32_t *alone, uint32_t bins) {
    for (uint32_t part = 0; part < OVERLAP_PARTS; part++, batched += bins, alone += bins)
        for (uint32_t n = 0; n < bins; n++) {
            const uint32_t count = n >= span.first && n < span.end ? batched[n] : 0;
            compare_numbers(m, step, what, &count, &alone[n], sizeof count);
        }
}

static void compare_overlaps(member *m, uint32_t step) {
    const overlap_sums *const a = &m->batched.pairs, *const b = &m->alone.pairs;
    engine *const batched = m->batched.worker;
    if (!batched->model.disordered)
        return;
    assert_int_equal(batched->verbs->async->wait_overlaps(batched), ENGINE_OK);
    compare_numbers(m, step, "pairs", &a->pairs, &b->pairs, sizeof a->pairs);
    compare_numbers(m, step, "relatives", &a->relatives, &b->relatives, sizeof a->relatives);
    compare_numbers(m, step, "families", &a->family_logs, &b->family_logs, sizeof a->family_logs);
    compare_numbers(m, step, "blocks", a->block, b->block, sizeof a->block);
    compare_bins(m, step, "P(q)", a->differ, a->differ_span, b->differ, b->scale.differ_bins);
    compare_bins(m, step, "P(q_l)", a->walls, a->wall_span, b->walls, b->scale.wall_bins);
}

/* Ends the step of both. Returns how. */
static engine_status finish(member *m, uint32_t step) {
    const engine_status status = wait_for(&m->alone);
    assert_int_equal(wait_for(&m->batched), status);
    if (step == DIES_AT && m->number == 2)
        assert_int_equal(status, ENGINE_EXTINCT);
    return status;
}

static void compare_reports(const member *m, uint32_t step) {
    if (!same_reports(&m->batched.report, &m->alone.report))
        fail_msg("%s, %s: report of member %" PRIu32 " after step %" PRIu32, m->config.model.name,
                 resampling_name(m->config.resampling), m->number, step);
}

static void compare_populations(const member *m) {
    const uint64_t count = m->alone.report.population;
    const size_t bytes = count * model_packed_bytes(&m->config.model);
    const walker *const both[] = {&m->batched, &m->alone};
    uint8_t *const spins = malloc(2 * bytes);
    uint32_t *const families = malloc(2 * count * sizeof *families);
    assert_true(spins && families);
    for (size_t n = 0; n < 2; n++)
        assert_int_equal(both[n]->worker->verbs->read(both[n]->worker, 0, count, spins + n * bytes,
                                                      families + n * count),
                         ENGINE_OK);
    assert_memory_equal(spins, spins + bytes, bytes);
    assert_memory_equal(families, families + count, count * sizeof *families);
    free(spins);
    free(families);
}

/* --- the claims --- */

/* A step of all that are there; one that has died out begins anew. */
static void advance(member m[MEMBERS], uint32_t first, uint32_t step, resampling_rule rule) {
    for (uint32_t n = first; n < MEMBERS; n++) {
        start(&m[n], &m[n].batched, step, rule);
        start(&m[n], &m[n].alone, step, rule);
    }
    if (step % 2)
        m[first].batched.worker->verbs->async->flush(m[first].batched.worker);
    for (uint32_t n = MEMBERS; n-- > first;) {
        if (step % 3)
            compare_overlaps(&m[n], step);
        const engine_status status = finish(&m[n], step);
        if (step % 3 == 0) /* they may be waited for later, too */
            compare_overlaps(&m[n], step);
        if (status == ENGINE_EXTINCT)
            randomise(&m[n], step + 1);
        compare_reports(&m[n], step);
    }
}

static void join_batch(const member *m, const member *other) {
    engine *const e = m->batched.worker;
    e->verbs->async->join_batch(e, other->batched.worker);
}

static void check_case(size_t of) {
    member m[MEMBERS];
    uint32_t first = 0;
    for (uint32_t n = 0; n < MEMBERS; n++) {
        member_begin(&m[n], n, of);
        randomise(&m[n], 0);
        if (n > 0 && n + 1 < MEMBERS)
            join_batch(&m[n], &m[n - 1]);
    }
    for (uint32_t step = 1; step <= STEPS; step++) {
        if (step == JOINS_AT)
            join_batch(&m[MEMBERS - 1], &m[0]);
        if (step == LEAVES_AT) {
            compare_populations(&m[0]);
            walker_end(&m[0].batched);
            m[0].batched.worker = NULL;
            first = 1;
        }
        advance(m, first, step, cases[of].rule);
    }
    for (uint32_t n = first; n < MEMBERS; n++)
        compare_populations(&m[n]);
    assert_false(same_reports(&m[1].batched.report, &m[4].batched.report)); /* negative control */
    for (uint32_t n = 0; n < MEMBERS; n++)
        member_end(&m[n]);
}

static void batched_engines_give_what_each_gives_alone(void **state) {
    (void)state;
    need_gpu();
    for (size_t of = 0; of < sizeof cases / sizeof *cases; of++)
        check_case(of);
}

/* A launch batch has an end: an engine that finds no room in it is launched alone, and the next one with it. */
static void there_may_be_more_than_a_launch_has_room_for(void **state) {
    (void)state;
    enum { MANY = 130 };
    static engine *e[MANY];
    static histogram report[MANY];
    const engine_config config = {.coding = CODING_MSC,
                                  .model = square_model(16),
                                  .capacity = population_capacity(64, 32),
                                  .word = 32};
    need_gpu();
    uint64_t *const tau_hat = malloc(config.model.levels.count * sizeof *tau_hat);
    assert_non_null(tau_hat);
    for (size_t n = 0; n < config.model.levels.count; n++)
        tau_hat[n] = UINT64_C(1) << 32;
    for (size_t n = 0; n < MANY; n++) {
        e[n] = gpu_engine(&config);
        if (n > 0)
            e[n]->verbs->async->join_batch(e[n], e[n - 1]);
        assert_int_equal(histogram_create(&report[n], &config.model), 0);
        assert_int_equal(e[n]->verbs->randomise(e[n], stream_run_key(1, 0), 64, &report[n]),
                         ENGINE_OK);
    }
    const annealing_plan plan = {
        .seed = 1, .population = 64, .sweeps = 3, .dbeta = 0.1, .threshold_factor = 1};
    for (size_t n = 0; n < MANY; n++) {
        const engine_step step = annealing_step(e[n], &plan, 0, 1, tau_hat);
        assert_int_equal(e[n]->verbs->async->submit(e[n], &step), ENGINE_OK);
    }
    for (size_t n = 0; n < MANY; n++) {
        assert_int_equal(e[n]->verbs->async->wait(e[n], &report[n]), ENGINE_OK);
        assert_int_equal(e[n]->verbs->async->wait_all(e[n], &report[n]), ENGINE_OK);
        assert_true(same_reports(&report[n], &report[0]));
    }
    for (size_t n = 0; n < MANY; n++) {
        e[n]->verbs->destroy(e[n]);
        histogram_destroy(&report[n]);
    }
    free(tau_hat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batched_engines_give_what_each_gives_alone),
        cmocka_unit_test(there_may_be_more_than_a_launch_has_room_for),
    };
    return cmocka_run_group_tests_name("launch_batch", tests, NULL, NULL);
}
