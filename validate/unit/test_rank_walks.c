/* Claims about walks of flat histograms on ranks (ranks/walk.c), on 1, 2, 3, 5 and 7 ranks, more than some windows are:
 *  - visits, extreme levels, levels and spins are those of one engine that has all walkers: of all models that have walks; with one window
 *    and with several, which shares divide anywhere; of whole walks and pieces of them; and after exchanges between windows;
 *  - likewise where the engines of all ranks are on GPUs, or those of every other one;
 *  - a comparison finds a visit that is lost, an extreme level that is not that of a walker, walkers with the numbers of others, and an
 *    exchange that is left out;
 *  - a rank that fails in a walk is named.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "validate/lib/rank_twins.h"
#include "validate/lib/under_mpirun.h"

#define MOST_WINDOWS 13
#define MARGIN       3 /* levels of a window beside those of the first walkers */

typedef struct {
    const model_kind *kind;
    lattice_size size;
    state_choice choice;
    uint64_t walkers; /* of each window */
    size_t windows;
} walk_set;

static const walk_set sets[] = {{&square_kind, {{8}}, {0}, 50, 5},
                                {&square_kind, {{8, 6}}, {0}, 1000, 2},
                                {&cubic_kind, {{4}}, {0}, 96, 1},
                                {&cubic_kind, {{4}}, {0}, 7, 1},
                                {&glass2d_kind, {{6}}, {0}, 10, MOST_WINDOWS},
                                {&glass3d_kind, {{4, 6, 4}}, {0}, 33, 3},
                                {&potts2d_kind, {{5}}, {.states = 4}, 70, 3},
                                {&potts3d_kind, {{4}}, {.states = 3}, 64, 1},
                                {&blume_capel2d_kind, {{6}}, {.field = 1, .unit = 2}, 45, 4},
                                {&baxter_wu_kind, {{6}}, {0}, 40, 2}};

/* The same walkers in one engine, and on all ranks. */
typedef struct {
    couplings sample;
    engine *worker[2];
    histogram report[2];
    uint8_t *spins[2];
    uint32_t *families[2], *levels[2], *least[2], *most[2], *parent, *threshold;
    uint64_t *visits[2];
    walk_window window[2][MOST_WINDOWS];
    uint64_t group, replicas;
    size_t windows, rows, bytes;
    uint32_t walks; /* so far */
} walk_twins;

static walk_twins create_walkers(const walk_set *s, int plan) {
    char reason[300];
    walk_twins t = {
        .group = s->walkers, .windows = s->windows, .replicas = s->walkers * s->windows};
    engine_config config = {.coding = CODING_SSC,
                            .model = some_model(s->kind, s->size, 3, &t.sample),
                            .capacity = t.replicas,
                            .group = s->windows > 1 ? s->walkers : 0,
                            .word = 32,
                            .walkers = true};
    if (s->kind->choose != NULL)
        s->kind->choose(&config.model, &s->choice);
    t.bytes = model_packed_bytes(&config.model);
    t.worker[0] = engine_cpu_create(&config);
    t.worker[1] = ranks_engine(&config, t.replicas, plan, &maker, reason, sizeof reason);
    if (t.worker[1] == NULL && plan >= ON_GPUS) {
        print_message("SKIP %s\n", reason);
        t.worker[0]->verbs->destroy(t.worker[0]);
        couplings_destroy(&t.sample);
        skip();
    }
    assert_true(t.worker[0] != NULL && t.worker[1] != NULL && t.worker[1]->verbs->walk != NULL);
    t.parent = calloc(t.replicas, sizeof *t.parent);
    assert_non_null(t.parent);
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(histogram_create(&t.report[n], &t.worker[n]->model), 0);
        t.spins[n] = calloc(t.replicas, t.bytes);
        t.families[n] = calloc(t.replicas, sizeof **t.families);
        t.levels[n] = calloc(t.replicas, sizeof **t.levels);
        t.least[n] = calloc(t.replicas, sizeof **t.least);
        t.most[n] = calloc(t.replicas, sizeof **t.most);
        assert_true(t.spins[n] && t.families[n] && t.levels[n] && t.least[n] && t.most[n]);
    }
    return t;
}

static void destroy_walkers(walk_twins *t) {
    for (size_t n = 0; n < 2; n++) {
        t->worker[n]->verbs->destroy(t->worker[n]);
        histogram_destroy(&t->report[n]);
        void *const array[] = {t->spins[n], t->families[n], t->levels[n],
                               t->least[n], t->most[n],     t->visits[n]};
        for (size_t k = 0; k < COUNT(array); k++)
            free(array[k]);
    }
    couplings_destroy(&t->sample);
    free(t->parent);
    free(t->threshold);
}

/* Windows of the levels that the first walkers have, and some beside them; with thresholds that depend on window, level and change. */
static void make_windows(walk_twins *t) {
    const spin_model *const m = &t->worker[0]->model;
    const histogram *const h = &t->report[0];
    const uint32_t changes = walk_changes(m),
                   lowest = h->first > MARGIN ? (uint32_t)h->first - MARGIN : 0,
                   end = h->end + MARGIN < m->levels.count ? (uint32_t)h->end + MARGIN
                                                           : m->levels.count,
                   levels = end - lowest;
    t->rows = t->windows * levels;
    t->threshold = calloc(t->rows * changes, sizeof *t->threshold);
    assert_non_null(t->threshold);
    for (size_t row = 0; row < t->rows; row++)
        for (uint32_t c = 0; c < changes; c++) {
            const int64_t to = (int64_t)(row % levels) + walk_levels_up(m, c);
            if (to >= 0 && to < (int64_t)levels)
                t->threshold[row * changes + c] =
                    WALK_CERTAIN / (uint32_t)(1 + (7 * row + 3 * c) % 5);
        }
    for (size_t n = 0; n < 2; n++) {
        t->visits[n] = malloc(t->rows * sizeof **t->visits);
        assert_non_null(t->visits[n]);
        memset(t->visits[n], 0xaa, t->rows * sizeof **t->visits); /* what is not written shows */
        for (size_t k = 0; k < t->windows; k++)
            t->window[n][k] = (walk_window){.first = k * t->group,
                                            .count = t->group,
                                            .lowest = lowest,
                                            .levels = levels,
                                            .threshold = t->threshold + k * levels * changes,
                                            .visits = t->visits[n] + k * levels};
    }
}

/* What the walkers first differ in; NULL: nothing. */
static const char *walkers_differ(walk_twins *t) {
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        claim_ok(e, e->verbs->read_levels(e, 0, t->replicas, t->levels[n]));
        claim_ok(e, e->verbs->read(e, 0, t->replicas, t->spins[n], t->families[n]));
    }
    if (memcmp(t->levels[0], t->levels[1], t->replicas * sizeof **t->levels))
        return "levels";
    if (memcmp(t->families[0], t->families[1], t->replicas * sizeof **t->families))
        return "families";
    return memcmp(t->spins[0], t->spins[1], t->replicas * t->bytes) ? "spins" : NULL;
}

static engine_walk walk_of(walk_twins *t, size_t n, uint32_t begin, uint32_t attempts) {
    return (engine_walk){.key = stream_run_key(SEED, 0),
                         .number = t->walks,
                         .begin = begin,
                         .attempts = attempts,
                         .window = t->window[n],
                         .windows = t->windows,
                         .least = t->least[n],
                         .most = t->most[n]};
}

/* Both make some attempts of the walk at hand. */
static const char *make_piece(walk_twins *t, uint32_t begin, uint32_t attempts) {
    for (size_t n = 0; n < 2; n++) {
        const engine_walk walk = walk_of(t, n, begin, attempts);
        claim_ok(t->worker[n], t->worker[n]->verbs->walk(t->worker[n], &walk));
    }
    if (memcmp(t->visits[0], t->visits[1], t->rows * sizeof **t->visits))
        return "visits";
    if (memcmp(t->least[0], t->least[1], t->replicas * sizeof **t->least) ||
        memcmp(t->most[0], t->most[1], t->replicas * sizeof **t->most))
        return "extreme levels";
    return walkers_differ(t);
}

/* Two of three walkers of windows k and k + 1, from an even or odd one on, change places. */
static const char *exchange_windows(walk_twins *t, size_t parity) {
    for (uint64_t k = 0; k < t->replicas; k++)
        t->parent[k] = (uint32_t)k;
    for (size_t k = parity; k + 1 < t->windows; k += 2)
        for (uint64_t r = 0; r < t->group; r++)
            if ((r + k) % 3 > 0) {
                t->parent[k * t->group + r] = (uint32_t)((k + 1) * t->group + r);
                t->parent[(k + 1) * t->group + r] = (uint32_t)(k * t->group + r);
            }
    const engine_step step = {.parts = PART_SELECT | PART_MEASURE,
                              .key = stream_run_key(SEED, 0),
                              .temperature = t->walks + 1,
                              .founders = t->replicas,
                              .parents = t->parent,
                              .children = t->replicas};
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->step(t->worker[n], &step, &t->report[n]));
    return levels_differ(&t->report[0], &t->report[1]) ? "reported levels" : walkers_differ(t);
}

static const char *begin_walkers(walk_twins *t) {
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->randomise(t->worker[n], stream_run_key(SEED, 0),
                                                              t->replicas, &t->report[n]));
    make_windows(t);
    return walkers_differ(t);
}

/* Makes walks as long as the twins agree; returns in what they differ. */
static const char *make_walks(walk_twins *t) {
    const char *what = begin_walkers(t);
    for (t->walks = 1; t->walks < 5 && what == NULL; t->walks++) {
        what = make_piece(t, 0, 40);
        what = what ? what : make_piece(t, 40, 23);
        what = what || t->windows == 1 ? what : exchange_windows(t, t->walks % 2);
    }
    return what;
}

static void claim_walks_are_as_of_one_engine(int plan) {
    for (size_t k = 0; k < COUNT(sets); k++) {
        walk_twins t = create_walkers(&sets[k], plan);
        const char *const what = make_walks(&t);
        if (what != NULL)
            fail_msg("set %zu, walk %u: %s not the same", k, (unsigned)t.walks, what);
        destroy_walkers(&t);
    }
}

static void test_walks_are_as_of_one_engine(void **state) {
    (void)state;
    claim_walks_are_as_of_one_engine(SOUND);
}

static void test_walks_on_gpus(void **state) {
    (void)state;
    claim_walks_are_as_of_one_engine(ON_GPUS);
}

static void test_walks_on_gpus_beside_cpus(void **state) {
    (void)state;
    claim_walks_are_as_of_one_engine(MIXED);
}

/* Controls, on more than one rank, where each has walkers of several windows. */
static void test_faults_of_walks_are_found(void **state) {
    (void)state;
    static const struct {
        int plan;
        const char *what;
    } faults[] = {{LOSES_A_VISIT, "visits"},
                  {MISTAKES_A_LEVEL, "extreme levels"},
                  {WALKS_BY_PLACES, "visits"},
                  {KEEPS_BOUNDARY, "levels"}};
    for (size_t n = 0; n < COUNT(faults) && ranks_world().count > 1; n++) {
        walk_twins t = create_walkers(&sets[0], faults[n].plan);
        const char *const what = make_walks(&t);
        if (what == NULL || strstr(what, faults[n].what) == NULL)
            fail_msg("fault %zu is not found: %s", n, what != NULL ? what : "all the same");
        destroy_walkers(&t);
    }
}

static void test_a_rank_that_fails_to_walk_is_named(void **state) {
    (void)state;
    walk_twins t = create_walkers(&sets[1], FAILS_TO_WALK);
    engine *const e = t.worker[1];
    assert_null(begin_walkers(&t));
    const engine_walk walk = walk_of(&t, 1, 0, 8);
    assert_int_equal(e->verbs->walk(e, &walk), ENGINE_FAILED);
    claim_named(e->error, "planted");
    destroy_walkers(&t);
}

/* The program as one of the ranks. */
static int test_as_rank(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks_are_as_of_one_engine),
                                       cmocka_unit_test(test_walks_on_gpus),
                                       cmocka_unit_test(test_walks_on_gpus_beside_cpus),
                                       cmocka_unit_test(test_faults_of_walks_are_found),
                                       cmocka_unit_test(test_a_rank_that_fails_to_walk_is_named)};
    int failed = 0;
    if (ranks_begin(argc, argv) != STATUS_OK)
        return 1;
    if (ranks_world().rank > 0)
        ranks_run_worker(&maker);
    else
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    ranks_end();
    return failed;
}

int main(int argc, char **argv) {
    return run_under_mpirun(argc, argv, test_as_rank);
}
