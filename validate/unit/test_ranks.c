/* Claims about engines made of engines (ranks/), on 1, 2, 3, 4 and 7 ranks, more than some populations have words:
 *  - over 60 sets of parameters all reports, levels, spins, families and overlaps are those of one engine that
 *    holds the whole population, after a load too; and where steps are so large that parents come from any
 *    rank, where one level has all children, and where the population dies out or outgrows its memory;
 *  - likewise where the engines of all ranks are on GPUs, or those of every other one;
 *  - a comparison finds a replica that is lost on its way to another rank, one that is doubled, and a wrong family;
 *  - a rank that has no memory for its engine, or whose engine fails, is named, and the others end with it.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "engine/capacity.h"
#include "engine/share.h"
#include "ranks/ranks.h"
#include "validate/lib/annealer.h"
#include "validate/lib/some_models.h"

#include <stdio.h>
#include <string.h>
#ifdef PAISING_CUDA
#include "cuda/engine.h"
#endif

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SEED         16

/* --- engines of ranks, some with a fault --- */

/* What the maker of engines is asked for in place of a device. */
enum { SOUND, LOSES_ONE, DOUBLES_ONE, WRONG_FAMILY, NO_MEMORY, FAILS, ON_GPUS, MIXED };

static const struct share_verbs *true_verbs;

/* The first parent that comes is lost: in its place stands one whose spins are all down. */
static engine_status lose_one(engine *e, uint64_t first, uint64_t count, const uint8_t *spins) {
    uint8_t *const down = calloc(1, model_packed_bytes(&e->model));
    const engine_status status = true_verbs->put(e, first, count, spins);
    assert_non_null(down);
    true_verbs->put(e, first, 1, down);
    free(down);
    return status;
}

/* The last child from elsewhere is the twin of the first. */
static void make_twins(const foster_parent *from, uint64_t count) {
    foster_parent *const list = (foster_parent *)(uintptr_t)from;
    if (count > 1)
        list[count - 1] = list[0];
}

static engine_status double_one(engine *e, const share_adoption *children) {
    make_twins(children->below, children->below_count);
    make_twins(children->above, children->above_count);
    return true_verbs->adopt(e, children);
}

static engine_status mistake_family(engine *e, const uint32_t *places, uint64_t count,
                                    uint8_t *spins, uint32_t *families) {
    const engine_status status = true_verbs->take(e, places, count, spins, families);
    families[0] ^= 1;
    return status;
}

static engine_status fail_to_put(engine *e, uint64_t first, uint64_t count, const uint8_t *spins) {
    (void)first, (void)count, (void)spins;
    snprintf(e->error, sizeof e->error, "planted");
    return ENGINE_FAILED;
}

/* On the GPU of this rank, if there are any. */
static engine *make_on_gpu(const engine_config *config, char *reason, size_t size) {
#ifdef PAISING_CUDA
    engine_config own = *config;
    cuda_device device;
    const int count = cuda_device_count(reason, size);
    if (count == 0)
        return NULL;
    own.device_number = (int)ranks_world().place % count;
    return cuda_device_open(own.device_number, &device, reason, size)
               ? NULL
               : engine_cuda_create(&own, reason, size);
#else
    (void)config;
    snprintf(reason, size, "built without CUDA");
    return NULL;
#endif
}

/* The maker of every rank. Failures are the last rank's. */
static engine *make_planned(const engine_config *config, int plan, char *reason, size_t size) {
    static struct share_verbs faulty;
    const rank_world world = ranks_world();
    if (plan == NO_MEMORY && world.rank + 1 == world.count) {
        snprintf(reason, size, "planted: no memory");
        return NULL;
    }
    if (plan == ON_GPUS || (plan == MIXED && world.rank % 2 == 0))
        return make_on_gpu(config, reason, size);
    engine *const e = engine_cpu_create(config);
    if (e == NULL || (plan == FAILS && world.rank + 1 < world.count))
        return e;
    true_verbs = e->share;
    faulty = *e->share;
    faulty.put = plan == LOSES_ONE ? lose_one : plan == FAILS ? fail_to_put : faulty.put;
    faulty.adopt = plan == DOUBLES_ONE ? double_one : faulty.adopt;
    faulty.take = plan == WRONG_FAMILY ? mistake_family : faulty.take;
    e->share = &faulty;
    return e;
}

static const rank_maker maker = {make_planned, NULL};

/* --- pairs of engines --- */

typedef struct {
    spin_coding coding;
    uint32_t word;
    rng_mode rng;
    size_t model;
    uint64_t population;
    double dbeta;
    size_t steps;
} parameter_set;

static made_model models[] = {{.kind = &square_kind, .size = {{16}}},
                              {.kind = &cubic_kind, .size = {{4}}},
                              {.kind = &glass2d_kind, .size = {{16}}},
                              {.kind = &glass3d_kind, .size = {{4, 6, 4}}}};

static int set_up(void **state) {
    (void)state;
    return make_models(models, COUNT(models));
}

static int tear_down(void **state) {
    (void)state;
    return destroy_models(models, COUNT(models));
}

/* The same population in one engine, and on all ranks. */
typedef struct {
    engine *worker[2];
    histogram report[2];
    overlap_sums pairs[2];
    uint8_t *spins[2];
    uint32_t *families[2], *levels[2];
    uint64_t *copies;
    engine_config config;
} twins;

static twins create(const parameter_set *p, int plan) {
    char reason[300];
    twins t = {.config = {.coding = p->coding,
                          .model = models[p->model].model,
                          .capacity = population_capacity(p->population, p->word),
                          .word = p->word,
                          .rng = p->rng}};
    t.worker[0] = engine_cpu_create(&t.config);
    t.worker[1] = ranks_engine(&t.config, p->population, plan, &maker, reason, sizeof reason);
    if (t.worker[1] == NULL && plan >= ON_GPUS) {
        print_message("SKIP %s\n", reason);
        t.worker[0]->destroy(t.worker[0]);
        skip();
    }
    assert_non_null(t.worker[0]);
    assert_non_null(t.worker[1]);
    t.copies = calloc(t.config.model.levels.count, sizeof *t.copies);
    assert_non_null(t.copies);
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(histogram_create(&t.report[n], &t.config.model), 0);
        assert_int_equal(overlap_sums_create(&t.pairs[n], &t.config.model), 0);
        t.spins[n] = calloc(t.config.capacity, model_packed_bytes(&t.config.model));
        t.families[n] = calloc(t.config.capacity, sizeof **t.families);
        t.levels[n] = calloc(t.config.capacity, sizeof **t.levels);
        assert_true(t.spins[n] && t.families[n] && t.levels[n]);
    }
    return t;
}

static void destroy(twins *t) {
    for (size_t n = 0; n < 2; n++) {
        t->worker[n]->destroy(t->worker[n]);
        histogram_destroy(&t->report[n]);
        overlap_sums_destroy(&t->pairs[n]);
        free(t->spins[n]);
        free(t->families[n]);
        free(t->levels[n]);
    }
    free(t->copies);
}

/* What the two reports first differ in; NULL: nothing. Sums over founders and parents are not known of a population
 * that was loaded. */
static const char *reports_differ(const twins *t, bool loaded) {
    const histogram *const a = &t->report[0], *const b = &t->report[1];
    if (a->population != b->population)
        return "population";
    if (a->families != b->families || a->family_squares != b->family_squares)
        return "families";
    if (a->first != b->first || a->end != b->end ||
        memcmp(a->level + a->first, b->level + a->first, (a->end - a->first) * sizeof *a->level))
        return "level sums";
    if (memcmp(a->block, b->block, sizeof a->block))
        return "block sums";
    if (!loaded && memcmp(a->founder, b->founder, sizeof a->founder))
        return "founder sums";
    return !loaded && memcmp(a->parent, b->parent, sizeof a->parent) ? "parent sums" : NULL;
}

/* The same of the replicas; read in two parts, of which the second begins anywhere. */
static const char *replicas_differ(twins *t) {
    const uint64_t all = t->report[0].population, part = all / 3;
    const size_t bytes = model_packed_bytes(&t->config.model);
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        assert_int_equal(e->save(e, 0, part, t->spins[n], t->families[n]), ENGINE_OK);
        assert_int_equal(
            e->save(e, part, all - part, t->spins[n] + part * bytes, t->families[n] + part),
            ENGINE_OK);
        assert_int_equal(e->read_levels(e, 0, all, t->levels[n]), ENGINE_OK);
    }
    if (memcmp(t->families[0], t->families[1], all * sizeof **t->families))
        return "families of replicas";
    if (memcmp(t->levels[0], t->levels[1], all * sizeof **t->levels))
        return "levels of replicas";
    return memcmp(t->spins[0], t->spins[1], all * bytes) ? "spins" : NULL;
}

static const char *overlaps_differ(twins *t) {
    const overlap_sums *const a = &t->pairs[0], *const b = &t->pairs[1];
    if (!t->config.model.disordered)
        return NULL;
    for (size_t n = 0; n < 2; n++)
        assert_int_equal(t->worker[n]->overlaps(t->worker[n], &t->pairs[n]), ENGINE_OK);
    const size_t differ = OVERLAP_PARTS * a->scale.differ_bins * sizeof *a->differ,
                 walls = OVERLAP_PARTS * a->scale.wall_bins * sizeof *a->walls;
    if (a->pairs != b->pairs || a->relatives != b->relatives)
        return "pairs";
    if (a->family_logs != b->family_logs)
        return "logarithms of families";
    return memcmp(a->block, b->block, sizeof a->block) || memcmp(a->differ, b->differ, differ) ||
                   memcmp(a->walls, b->walls, walls)
               ? "overlaps"
               : NULL;
}

/* All of it. */
static const char *differ(twins *t, bool loaded) {
    const char *what = replicas_differ(t);
    what = what != NULL ? what : reports_differ(t, loaded);
    return what != NULL ? what : overlaps_differ(t);
}

static void claim_same(twins *t, bool loaded) {
    const char *const what = differ(t, loaded);
    if (what != NULL)
        fail_msg("%s: not the same", what);
}

static void begin(twins *t, uint64_t population) {
    for (size_t n = 0; n < 2; n++)
        assert_int_equal(t->worker[n]->randomise(t->worker[n], stream_run_key(SEED, 0), population,
                                                 &t->report[n]),
                         ENGINE_OK);
}

/* Both make a step by t->copies; returns what came of it in each. */
static void advance(twins *t, uint64_t founders, size_t index, double beta,
                    engine_status status[2]) {
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(SEED, 0),
                              .temperature = (uint32_t)index,
                              .sweeps = 2,
                              .founders = founders,
                              .copies = t->copies,
                              .rule = flip_rule_at(&t->config.model, beta)};
    for (size_t n = 0; n < 2; n++)
        status[n] = engine_advance(t->worker[n], &step, &t->report[n]);
}

/* Anneals as long as the twins agree and the population lives; returns in what they differ, and *temperature where.
 * Replicas are compared at every other temperature, since what is wrong with one stays. */
static const char *anneal_twins(twins *t, const parameter_set *p, size_t *temperature) {
    engine_status status[2] = {ENGINE_OK, ENGINE_OK};
    begin(t, p->population);
    for (size_t index = 0; status[0] == ENGINE_OK; index++) {
        *temperature = index;
        const bool whole = index % 2 == 0 || index == p->steps;
        const char *const what = whole ? differ(t, false) : reports_differ(t, false);
        if (what != NULL || index == p->steps)
            return what;
        resampling_copies(&t->report[0], p->dbeta, p->population, t->copies);
        advance(t, p->population, index + 1, p->dbeta * (double)(index + 1), status);
        if (status[0] != status[1])
            return "status";
    }
    return NULL;
}

/* --- claims --- */

/* 12 kinds of engine, and for each a population of many words, of few, of less than a word a rank, and of steps after
 * which a few parents have all children. Many ranks on few cores make a third of them, other ones on 4 than on 7. */
static void claim_all_is_as_of_one_engine(int plan) {
    static const parameter_set kinds[] = {{CODING_SSC, 32, RNG_INDEPENDENT, 0, 0, 0, 0},
                                          {CODING_SSC, 32, RNG_INDEPENDENT, 1, 0, 0, 0},
                                          {CODING_SSC, 32, RNG_INDEPENDENT, 2, 0, 0, 0},
                                          {CODING_SSC, 32, RNG_INDEPENDENT, 3, 0, 0, 0},
                                          {CODING_MSC, 32, RNG_INDEPENDENT, 0, 0, 0, 0},
                                          {CODING_MSC, 64, RNG_INDEPENDENT, 1, 0, 0, 0},
                                          {CODING_MSC, 8, RNG_INDEPENDENT, 2, 0, 0, 0},
                                          {CODING_MSC, 32, RNG_INDEPENDENT, 3, 0, 0, 0},
                                          {CODING_MSC, 16, RNG_PHILOX, 0, 0, 0, 0},
                                          {CODING_MSC, 64, RNG_PHILOX, 2, 0, 0, 0},
                                          {CODING_MSC, 8, RNG_SHARED, 0, 0, 0, 0},
                                          {CODING_MSC, 64, RNG_SHARED, 2, 0, 0, 0}};
    static const struct {
        uint64_t population;
        double dbeta;
        size_t steps;
    } sizes[] = {{1000, 0.1, 4}, {321, 0.2, 5}, {192, 0.3, 5}, {40, 0.2, 5}, {700, 2, 3}};
    const uint32_t ranks = ranks_world().count, part = ranks > 3 ? 3 : 1;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            if ((k + s + ranks) % part > 0)
                continue;
            parameter_set p = kinds[k];
            size_t temperature;
            p.population = sizes[s].population;
            p.dbeta = sizes[s].dbeta;
            p.steps = sizes[s].steps;
            twins t = create(&p, plan);
            const char *const what = anneal_twins(&t, &p, &temperature);
            if (what != NULL)
                fail_msg("kind %zu, R = %zu, step %zu: %s not the same", k, (size_t)p.population,
                         temperature, what);
            destroy(&t);
        }
}

static void test_all_is_as_of_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(SOUND);
}

static void test_gpus_are_as_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(ON_GPUS);
}

static void test_gpus_beside_cpus_are_as_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(MIXED);
}

static const parameter_set usual[] = {{CODING_SSC, 32, RNG_INDEPENDENT, 0, 1000, 0.3, 4},
                                      {CODING_MSC, 32, RNG_INDEPENDENT, 3, 1000, 0.3, 4}};

/* Of the levels of the replicas at hand, the first one that is occupied from `from` on has all children. */
static void favour(twins *t, size_t from, uint64_t population) {
    const histogram *const h = &t->report[0];
    size_t n = from;
    while (h->level[n].replicas == 0)
        n++;
    memset(t->copies, 0, h->levels.count * sizeof *t->copies);
    t->copies[n] = (population << 32) / h->level[n].replicas;
}

static void claim_one_level_has_all_children(int plan) {
    for (size_t k = 0; k < COUNT(usual); k++) {
        const parameter_set *const p = &usual[k];
        engine_status status[2];
        twins t = create(p, plan);
        begin(&t, p->population);
        for (size_t index = 1; index < 6; index++) {
            const histogram *const h = &t.report[0];
            favour(&t, index % 2 ? h->first : h->first + (h->end - h->first) / 3, p->population);
            advance(&t, p->population, index, 0.1, status);
            assert_int_equal(status[0], ENGINE_OK);
            assert_int_equal(status[1], ENGINE_OK);
            claim_same(&t, false);
        }
        destroy(&t);
    }
}

static void test_one_level_has_all_children(void **state) {
    (void)state;
    claim_one_level_has_all_children(SOUND);
}

static void test_one_level_has_all_children_on_gpus(void **state) {
    (void)state;
    claim_one_level_has_all_children(ON_GPUS);
}

static void test_populations_die_out_and_outgrow(void **state) {
    (void)state;
    for (uint64_t each = 0; each < 4; each += 3) {
        const engine_status expected = each == 0 ? ENGINE_EXTINCT : ENGINE_OUTGROWN;
        engine_status status[2];
        twins t = create(&usual[1], SOUND);
        for (size_t run = 0; run < 2; run++) { /* another one can begin after it */
            begin(&t, usual[1].population);
            claim_same(&t, false);
            for (size_t n = 0; n < t.config.model.levels.count; n++)
                t.copies[n] = each << 32;
            advance(&t, usual[1].population, 1, 0.1, status);
            assert_int_equal(status[0], expected);
            assert_int_equal(status[1], expected);
        }
        destroy(&t);
    }
}

/* What one engine saved the other loads, in pieces. */
static void test_loads(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(usual); k++) {
        const parameter_set *const p = &usual[k];
        twins t = create(p, SOUND), u = create(p, SOUND);
        size_t temperature;
        assert_null(anneal_twins(&t, p, &temperature));
        const uint64_t all = t.report[0].population, piece = 100;
        for (size_t n = 0; n < 2; n++) {
            engine *const e = u.worker[n];
            for (uint64_t first = 0; first < all; first += piece)
                assert_int_equal(e->load(e, first, all - first < piece ? all - first : piece, all,
                                         t.spins[1 - n] + first * model_packed_bytes(&e->model),
                                         t.families[1 - n] + first),
                                 ENGINE_OK);
            assert_int_equal(engine_measure(e, &u.report[n]), ENGINE_OK);
        }
        claim_same(&u, true);
        assert_int_equal(u.report[0].family_squares, t.report[0].family_squares);
        destroy(&t);
        destroy(&u);
    }
}

/* Controls, on more than one rank. */
static void test_faults_are_found(void **state) {
    (void)state;
    if (ranks_world().count == 1)
        return;
    for (int plan = LOSES_ONE; plan <= WRONG_FAMILY; plan++)
        for (size_t k = 0; k < COUNT(usual); k++) {
            twins t = create(&usual[k], plan);
            size_t temperature;
            if (anneal_twins(&t, &usual[k], &temperature) == NULL)
                fail_msg("fault %d of kind %zu is not found", plan, k);
            destroy(&t);
        }
}

/* The last rank. */
static void claim_named(const char *text, const char *what) {
    char expected[100];
    snprintf(expected, sizeof expected, "rank %u: %s", (unsigned)ranks_world().count - 1, what);
    assert_string_equal(text, expected);
}

static void test_ranks_that_fail_are_named(void **state) {
    (void)state;
    char reason[300];
    const parameter_set *const p = &usual[0];
    twins t = create(p, ranks_world().count > 1 ? FAILS : SOUND);
    assert_null(ranks_engine(&t.config, p->population, NO_MEMORY, &maker, reason, sizeof reason));
    claim_named(reason, "planted: no memory");
    if (ranks_world().count > 1) {
        engine_status status[2] = {ENGINE_OK, ENGINE_OK};
        begin(&t, p->population);
        for (size_t index = 1; index <= 4 && status[1] == ENGINE_OK; index++) {
            resampling_copies(&t.report[0], p->dbeta, p->population, t.copies);
            advance(&t, p->population, index, p->dbeta * (double)index, status);
        }
        assert_int_equal(status[1], ENGINE_FAILED);
        claim_named(t.worker[1]->error, "planted");
    }
    destroy(&t);
}

/* --- under mpirun --- */

static const char *program;

static void run_on(int ranks) {
    char command[1000];
    if (system("mpirun --version >/dev/null 2>&1") != 0) {
        print_message("SKIP %d ranks: mpirun is missing; please type: ci/setup.sh mpi\n", ranks);
        skip();
    }
    snprintf(command, sizeof command,
             "OMP_NUM_THREADS=1 timeout -s KILL 120 mpirun --allow-run-as-root --oversubscribe "
             "-n %d '%s'",
             ranks, program);
    assert_int_equal(system(command), 0);
}

static void test_on_1(void **state) {
    (void)state;
    run_on(1);
}

static void test_on_2(void **state) {
    (void)state;
    run_on(2);
}

static void test_on_3(void **state) {
    (void)state;
    run_on(3);
}

static void test_on_4(void **state) {
    (void)state;
    run_on(4);
}

static void test_on_7(void **state) {
    (void)state;
    run_on(7);
}

/* The program as one of the ranks. */
static int test_as_rank(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_is_as_of_one_engine),
                                       cmocka_unit_test(test_one_level_has_all_children),
                                       cmocka_unit_test(test_gpus_are_as_one_engine),
                                       cmocka_unit_test(test_gpus_beside_cpus_are_as_one_engine),
                                       cmocka_unit_test(test_one_level_has_all_children_on_gpus),
                                       cmocka_unit_test(test_populations_die_out_and_outgrow),
                                       cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_faults_are_found),
                                       cmocka_unit_test(test_ranks_that_fail_are_named)};
    int failed = 0;
    if (ranks_begin() != STATUS_OK)
        return 1;
    if (ranks_world().rank > 0)
        ranks_serve(&maker);
    else
        failed = cmocka_run_group_tests(tests, set_up, tear_down);
    ranks_end();
    return failed;
}

int main(int argc, char **argv) {
    (void)argc;
    program = argv[0];
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return test_as_rank();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_1), cmocka_unit_test(test_on_2),
                                       cmocka_unit_test(test_on_3), cmocka_unit_test(test_on_4),
                                       cmocka_unit_test(test_on_7)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
