/* Claims about groups of replicas and given parents on ranks (ranks/groups.c, ranks/given.c), on 1, 2, 3, 5 and 7 ranks, more than
 * some populations are:
 *  - reports of groups, levels, spins and families are those of one engine that has all populations: after sweeps at temperatures
 *    of their own, with rules that change, between steps of the whole population, and of one group, which ranks divide;
 *  - likewise with parents of exchanges between neighbouring populations, in any order, and between any, where some have several
 *    children on several ranks; and after replicas were written in part;
 *  - likewise where the engines of all ranks are on GPUs, or those of every other one;
 *  - groups that ranks divide, and parents that ranks cannot exchange, are refused, and the reason is said; the engine goes on;
 *  - a comparison finds an exchange that is left out, replicas with the numbers of others, and rules of an earlier step;
 *  - a rank that fails in an exchange is named.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "validate/lib/rank_twins.h"
#include "validate/lib/under_mpirun.h"

#define TEMPERATURES 5

typedef struct {
    spin_coding coding;
    uint32_t word;
    rng_mode rng;
    size_t model;
    uint64_t group; /* R */
} group_set;

/* Populations at TEMPERATURES temperatures in one engine, and on all ranks. */
typedef struct {
    engine *worker[2];
    histogram report[2][TEMPERATURES];
    uint8_t *spins[2];
    uint32_t *families[2], *levels[2], *parent;
    uint64_t group, replicas;
    size_t bytes;
    uint32_t steps; /* so far */
} group_twins;

static group_twins create_groups(const group_set *s, int plan) {
    char reason[300];
    const engine_config config = {.coding = s->coding,
                                  .model = models[s->model].model,
                                  .capacity = TEMPERATURES * s->group,
                                  .group = s->group,
                                  .word = s->word,
                                  .rng = s->rng};
    group_twins t = {.group = s->group,
                     .replicas = TEMPERATURES * s->group,
                     .bytes = model_packed_bytes(&config.model)};
    t.worker[0] = engine_cpu_create(&config);
    t.worker[1] = ranks_engine(&config, s->group, plan, &maker, reason, sizeof reason);
    if (t.worker[1] == NULL && plan >= ON_GPUS) {
        print_message("SKIP %s\n", reason);
        t.worker[0]->verbs->destroy(t.worker[0]);
        skip();
    }
    assert_true(t.worker[0] != NULL && t.worker[1] != NULL);
    t.parent = calloc(t.replicas, sizeof *t.parent);
    assert_non_null(t.parent);
    for (size_t n = 0; n < 2; n++) {
        for (size_t k = 0; k < TEMPERATURES; k++)
            assert_int_equal(histogram_create(&t.report[n][k], &t.worker[n]->model), 0);
        t.spins[n] = calloc(t.replicas, t.bytes);
        t.families[n] = calloc(t.replicas, sizeof **t.families);
        t.levels[n] = calloc(t.replicas, sizeof **t.levels);
        assert_true(t.spins[n] && t.families[n] && t.levels[n]);
    }
    return t;
}

static void destroy_groups(group_twins *t) {
    for (size_t n = 0; n < 2; n++) {
        t->worker[n]->verbs->destroy(t->worker[n]);
        for (size_t k = 0; k < TEMPERATURES; k++)
            histogram_destroy(&t->report[n][k]);
        free(t->spins[n]);
        free(t->families[n]);
        free(t->levels[n]);
    }
    free(t->parent);
}

/* Whether energies without levels differ, read in two parts, of which the second begins anywhere. */
static bool energies_differ(const group_twins *t) {
    const uint64_t part = t->replicas / 3;
    int64_t *const energies = calloc(2 * t->replicas, sizeof *energies);
    assert_non_null(energies);
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        int64_t *const to = energies + n * t->replicas;
        claim_ok(e, e->verbs->read_energies(e, 0, part, to));
        claim_ok(e, e->verbs->read_energies(e, part, t->replicas - part, to + part));
    }
    const bool differ = memcmp(energies, energies + t->replicas, t->replicas * sizeof *energies);
    free(energies);
    return differ;
}

/* What the first `groups` reports, and the replicas, first differ in; NULL: nothing. */
static const char *groups_differ(group_twins *t, size_t groups) {
    for (size_t k = 0; k < groups; k++) {
        const histogram *const a = &t->report[0][k], *const b = &t->report[1][k];
        if (a->population != b->population || a->families != b->families ||
            a->family_squares != b->family_squares)
            return "population";
        if (levels_differ(a, b))
            return "level sums";
        if (blocks_differ(a, b))
            return "block sums";
        if (memcmp(a->founder, b->founder, sizeof a->founder) ||
            memcmp(a->parent, b->parent, sizeof a->parent))
            return "founders and parents";
    }
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        claim_ok(e, e->verbs->read(e, 0, t->replicas, t->spins[n], t->families[n]));
        claim_ok(e, e->verbs->read_levels(e, 0, t->replicas, t->levels[n]));
    }
    if (t->worker[0]->model.levels.fine && energies_differ(t))
        return "energies of replicas";
    if (memcmp(t->families[0], t->families[1], t->replicas * sizeof **t->families))
        return "families of replicas";
    if (memcmp(t->levels[0], t->levels[1], t->replicas * sizeof **t->levels))
        return "levels of replicas";
    return memcmp(t->spins[0], t->spins[1], t->replicas * t->bytes) ? "spins" : NULL;
}

static const char *begin_groups(group_twins *t) {
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->randomise(t->worker[n], stream_run_key(SEED, 0),
                                                              t->replicas, t->report[n]));
    return groups_differ(t, 1);
}

/* Both make the parts of a step in groups, of which there are TEMPERATURES, 1, or 0: none; at temperatures from beta on. */
static const char *step_groups(group_twins *t, step_parts parts, size_t groups, double beta) {
    engine_group group[TEMPERATURES];
    engine_step step = {.parts = parts,
                        .key = stream_run_key(SEED, 0),
                        .temperature = ++t->steps,
                        .sweeps = 2,
                        .founders = t->replicas,
                        .parents = parts & PART_SELECT ? t->parent : NULL,
                        .children = t->replicas,
                        .rule = flip_rule_at(&metropolis_update, &t->worker[0]->model, beta),
                        .group = groups > 0 ? group : NULL,
                        .groups = groups};
    for (size_t k = 0; k < groups; k++)
        group[k] = (engine_group){
            .first = k * t->group,
            .rule = flip_rule_at(&metropolis_update, &t->worker[0]->model, beta + 0.1 * (double)k)};
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->step(t->worker[n], &step, t->report[n]));
    return parts & PART_MEASURE ? groups_differ(t, groups > 0 ? groups : 1) : NULL;
}

/* A number below `end`, of a test. */
static uint32_t some_number(uint64_t end) {
    static uint64_t state = 46;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((state >> 33) % end);
}

static void keep_parents(group_twins *t) {
    for (uint64_t k = 0; k < t->replicas; k++)
        t->parent[k] = (uint32_t)k;
}

#define EACH_ITS_OWN 2

/* About half of the chains exchange the populations of pairs, from an even or odd one on; or even chains from an even one, odd
 * chains from an odd one, so that a population has exchanges with both neighbours. */
static void exchange_some(group_twins *t, size_t parity) {
    keep_parents(t);
    for (uint64_t r = 0; r < t->group; r++)
        for (size_t k = parity == EACH_ITS_OWN ? r % 2 : parity; k + 1 < TEMPERATURES; k += 2)
            if (some_number(2) == 0) {
                t->parent[k * t->group + r] = (uint32_t)((k + 1) * t->group + r);
                t->parent[(k + 1) * t->group + r] = (uint32_t)(k * t->group + r);
            }
}

/* All children of a pair have parents anywhere in the other population. */
static void exchange_in_any_order(group_twins *t, size_t parity) {
    keep_parents(t);
    for (size_t k = parity; k + 1 < TEMPERATURES; k += 2)
        for (uint64_t r = 0; r < t->group; r++) {
            t->parent[k * t->group + r] = (uint32_t)((k + 1) * t->group + some_number(t->group));
            t->parent[(k + 1) * t->group + r] = (uint32_t)(k * t->group + some_number(t->group));
        }
}

/* Some replicas, of any populations, change places; some have the children of others, too, which have none then. */
static void exchange_anywhere(group_twins *t) {
    keep_parents(t);
    uint8_t *const used = calloc(t->replicas, sizeof *used);
    assert_non_null(used);
    for (uint64_t n = 0; n < t->replicas / 2; n++) {
        const uint32_t i = some_number(t->replicas), j = some_number(t->replicas);
        const bool swaps = n % 2 == 0;
        if (used[i] || t->parent[j] != j || (swaps && used[j]) || i == j)
            continue;
        t->parent[i] = j;
        if (swaps)
            t->parent[j] = i;
        used[i] = used[j] = 1;
    }
    free(used);
}

/* Both write some replicas of others over those in the middle; all others stay. */
static const char *write_part(group_twins *t) {
    const uint64_t first = t->replicas / 2 - 3, count = 7;
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->write(t->worker[n], first, count, t->replicas,
                                                          t->spins[0], t->families[0]));
    uint8_t *const expected = malloc(t->replicas * t->bytes);
    assert_non_null(expected);
    memcpy(expected, t->spins[0], t->replicas * t->bytes);
    memmove(expected + first * t->bytes, t->spins[0], count * t->bytes);
    const char *const what = step_groups(t, PART_MEASURE, TEMPERATURES, 0.1);
    const bool stay = memcmp(expected, t->spins[0], t->replicas * t->bytes) == 0;
    free(expected);
    return stay ? what : "replicas that were not written";
}

#define LAST_EXCHANGE 5 /* of some chains: the step */

/* Makes steps as long as the twins agree; returns in what they differ. */
static const char *make_groups_steps(group_twins *t) {
    const step_parts measured = PART_SWEEP | PART_MEASURE;
    const char *what = begin_groups(t);
    what = what ? what : step_groups(t, measured, TEMPERATURES, 0.1);
    for (size_t n = 0; n < 4 && what == NULL; n++) {
        exchange_some(t, n % 3);
        what = step_groups(t, WHOLE_STEP, TEMPERATURES, n < 2 ? 0.1 : 0.2);
    }
    what = what ? what : step_groups(t, measured, 0, 0.3);
    what = what ? what : step_groups(t, measured, 1, 0.2);
    for (size_t n = 0; n < 2 && what == NULL; n++) {
        exchange_in_any_order(t, n);
        step_groups(t, PART_SELECT | PART_SWEEP, TEMPERATURES, 0.2);
        exchange_in_any_order(t, 1 - n);
        step_groups(t, PART_SELECT, TEMPERATURES, 0.2); /* nobody has read replicas since */
        what = step_groups(t, PART_MEASURE, TEMPERATURES, 0.2);
        what = what ? what : write_part(t);
    }
    keep_parents(t);
    t->parent[t->replicas - 1] = 0; /* of a population to which nothing comes */
    what = what ? what : step_groups(t, WHOLE_STEP, TEMPERATURES, 0.2);
    for (size_t n = 0; n < 2 && what == NULL; n++) {
        exchange_anywhere(t);
        what = step_groups(t, WHOLE_STEP, TEMPERATURES, 0.2);
    }
    return what;
}

static const group_set kinds[] = {{CODING_SSC, 32, RNG_INDEPENDENT, 0, 32},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, 3, 50},
                                  {CODING_MSC, 32, RNG_INDEPENDENT, 0, 96},
                                  {CODING_MSC, 32, RNG_INDEPENDENT, 1, 64},
                                  {CODING_MSC, 64, RNG_PHILOX, 0, 64},
                                  {CODING_MSC, 8, RNG_SHARED, 2, 32},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, GAUSSIAN_MODEL, 64},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, HEISENBERG_MODEL, 32},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, XY_GLASS_MODEL, 96},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, GRAPH_MODEL, 50},
                                  {CODING_SSC, 32, RNG_INDEPENDENT, FINE_GRAPH_MODEL, 64}};

static void claim_groups_are_as_of_one_engine(int plan) {
    for (size_t k = 0; k < COUNT(kinds); k++) {
        if (!plan_has(plan, kinds[k].model))
            continue;
        group_twins t = create_groups(&kinds[k], plan);
        const char *const what = make_groups_steps(&t);
        if (what != NULL)
            fail_msg("kind %zu, step %u: %s not the same", k, (unsigned)t.steps, what);
        destroy_groups(&t);
    }
}

static void test_groups_are_as_of_one_engine(void **state) {
    (void)state;
    claim_groups_are_as_of_one_engine(SOUND);
}

static void test_groups_on_gpus(void **state) {
    (void)state;
    claim_groups_are_as_of_one_engine(ON_GPUS);
}

static void test_groups_on_gpus_beside_cpus(void **state) {
    (void)state;
    claim_groups_are_as_of_one_engine(MIXED);
}

/* The ranks refuse a step, and say why. */
static void claim_refused(group_twins *t, const engine_step *step, const char *why) {
    engine *const e = t->worker[1];
    assert_int_equal(e->verbs->step(e, step, t->report[1]), ENGINE_FAILED);
    if (strstr(e->error, why) == NULL)
        fail_msg("refused because: %s; not because: %s", e->error, why);
}

/* On two ranks or more a boundary is below the last population but one, or the last. */
static void test_what_ranks_cannot_is_refused(void **state) {
    (void)state;
    group_twins t = create_groups(&kinds[0], SOUND);
    engine_group group[2] = {{.first = 0}, {.first = 96}};
    engine_step told = {.parts = PART_SELECT, .parents = t.parent, .children = t.replicas};
    const engine_step divided = {.parts = PART_SWEEP, .group = group, .groups = 2},
                      chosen = {.parts = PART_SELECT, .group = group, .groups = 2};
    uint64_t *const tau_hat = calloc(t.worker[0]->model.levels.count, sizeof *tau_hat);
    const engine_step resampled = {.parts = PART_SELECT, .tau_hat = tau_hat};
    assert_non_null(tau_hat);
    assert_null(begin_groups(&t));
    claim_refused(&t, &chosen, "are not chosen by a rule");
    keep_parents(&t);
    told.children = 1;
    claim_refused(&t, &told, "one child each");
    told.children = t.replicas;
    t.parent[0] = (uint32_t)t.replicas;
    claim_refused(&t, &told, "1 children have no parent");
    if (ranks_world().count > 1) {
        claim_refused(&t, &divided, "is divided among ranks");
        for (uint64_t k = 0; k < t.replicas; k++) /* the first of a population has replaced it */
            t.parent[k] = (uint32_t)(k % 32 == 0 && k > 0 ? k - 32 : k % 32 == 1 ? k - 1 : k);
        claim_refused(&t, &told, "in whose place");
    }
    assert_null(step_groups(&t, PART_SWEEP | PART_MEASURE, TEMPERATURES, 0.1));
    claim_refused(&t, &resampled, "was not measured");
    free(tau_hat);
    destroy_groups(&t);
}

/* One population on ranks has no neighbour. */
static void test_parents_of_one_population_are_refused(void **state) {
    (void)state;
    const parameter_set p = {CODING_SSC, 32, RNG_INDEPENDENT, 0, 100, 0, 0};
    twins t = create(&p, SOUND);
    const uint32_t parents[100] = {0};
    const engine_step told = {.parts = PART_SELECT, .parents = parents, .children = 100};
    engine *const e = t.worker[1];
    begin(&t, 100);
    assert_int_equal(e->verbs->step(e, &told, NULL), ENGINE_FAILED);
    assert_non_null(strstr(e->error, "whole populations"));
    claim_same(&t, false);
    destroy(&t);
}

/* Controls, on more than one rank. */
static void test_faults_of_groups_are_found(void **state) {
    (void)state;
    static const size_t tried[] = {0, 2, 6};
    for (int plan = KEEPS_BOUNDARY; plan <= EARLIER_RULES && ranks_world().count > 1; plan++)
        for (size_t n = 0; n < COUNT(tried); n++) {
            group_twins t = create_groups(&kinds[tried[n]], plan);
            const char *const what = make_groups_steps(&t);
            if (what == NULL || t.steps > LAST_EXCHANGE)
                fail_msg("fault %d of kind %zu is not found", plan, tried[n]);
            destroy_groups(&t);
        }
}

static void test_a_rank_that_fails_to_exchange_is_named(void **state) {
    (void)state;
    if (ranks_world().count == 1)
        return;
    group_twins t = create_groups(&kinds[0], FAILS_TO_WRITE);
    engine *const e = t.worker[1];
    const engine_step step = {
        .parts = PART_SELECT, .parents = t.parent, .children = t.replicas, .founders = t.replicas};
    engine_status status = begin_groups(&t) == NULL ? ENGINE_OK : ENGINE_EXTINCT;
    for (size_t n = 0; n < 2 && status == ENGINE_OK; n++) {
        exchange_some(&t, n);
        status = e->verbs->step(e, &step, NULL);
    }
    assert_int_equal(status, ENGINE_FAILED);
    claim_named(e->error, "planted");
    destroy_groups(&t);
}

/* The program as one of the ranks. */
static int test_as_rank(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_are_as_of_one_engine),
        cmocka_unit_test(test_groups_on_gpus),
        cmocka_unit_test(test_groups_on_gpus_beside_cpus),
        cmocka_unit_test(test_what_ranks_cannot_is_refused),
        cmocka_unit_test(test_parents_of_one_population_are_refused),
        cmocka_unit_test(test_faults_of_groups_are_found),
        cmocka_unit_test(test_a_rank_that_fails_to_exchange_is_named)};
    int failed = 0;
    if (ranks_begin(argc, argv) != STATUS_OK)
        return 1;
    if (ranks_world().rank > 0)
        ranks_run_worker(&maker);
    else
        failed = cmocka_run_group_tests(tests, set_up, tear_down);
    ranks_end();
    return failed;
}

int main(int argc, char **argv) {
    return run_under_mpirun(argc, argv, test_as_rank);
}
