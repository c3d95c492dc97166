/* Claims about what compares engines (identity/): a fault planted in one of two engines is found, at
 * its temperature, in its quantity and its replica; every number of a report, every spin and every
 * family counts; the random grid is repeatable, keeps to the rules for parameters and reaches every
 * model, coding, p, mode and way to end; so do the sets of options of the whole program. One thread of the CPU
 * against two, so that no GPU is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/message.h"
#include "command/options.h"
#include "settings/parameters.h"
#include "settings/rules.h"
#include "validate/identity/controls.h"
#include "validate/identity/grid.h"
#include "validate/identity/option_sets.h"

static const identity_device one_thread = {false, 1}, two_threads = {false, 2};

static void planted_faults_are_found_where_they_are(void **state) {
    (void)state;
    const identity_device devices[2] = {one_thread, two_threads};
    size_t missed = 0;
    for (size_t n = 0; n < identity_controls(); n++) {
        char text[RESULT_TEXT_SIZE];
        const identity_finding f = identity_control(n, devices);
        print_message("%s: %s: %s\n", f.name, f.found ? "found" : "MISSED",
                      identity_result_text(text, &f.result));
        missed += !f.found;
    }
    assert_true(identity_controls() > 50);
    assert_int_equal(missed, 0);
}

/* --- comparing --- */

#define LEVELS 5

static void fill(histogram *h, level_sums level[LEVELS]) {
    *h = (histogram){.population = 7,
                     .families = 6,
                     .family_squares = 9,
                     .levels = {-8, 4, LEVELS, 1},
                     .first = 1,
                     .end = 4,
                     .level = level};
    memset(level, 0, LEVELS * sizeof *level);
    for (size_t n = h->first; n < h->end; n++)
        level[n] = (level_sums){n, 2 * n, 3 * n, 4 * n, 5 * n};
}

/* Raises each number of `sums` in turn by one; the difference must be found there. */
static void raise_each(histogram *a, histogram *b, void *sums, size_t first, size_t end,
                       size_t parts, identity_quantity quantity) {
    uint64_t *const numbers = sums;
    for (size_t n = first * parts; n < end * parts; n++) {
        numbers[n]++;
        const identity_difference d = identity_compare_reports(a, b, true);
        numbers[n]--;
        assert_int_equal(d.quantity, quantity);
        assert_int_equal(d.index, n / parts);
        assert_int_equal(d.part, n % parts);
        assert_int_equal(d.value[0], numbers[n]);
        assert_int_equal(d.value[1], numbers[n] + 1);
    }
}

static void every_number_of_a_report_counts(void **state) {
    (void)state;
    static level_sums level[2][LEVELS];
    static histogram a, b;
    fill(&a, level[0]);
    fill(&b, level[1]);
    assert_int_equal(identity_compare_reports(&a, &b, true).quantity, QUANTITY_NONE);
    raise_each(&a, &b, &b.population, 0, 1, 1, QUANTITY_POPULATION);
    raise_each(&a, &b, &b.families, 0, 1, 1, QUANTITY_FAMILIES);
    raise_each(&a, &b, &b.family_squares, 0, 1, 1, QUANTITY_FAMILY_SQUARES);
    raise_each(&a, &b, b.level, a.first, a.end, 5, QUANTITY_LEVEL);
    raise_each(&a, &b, b.block, 0, POPULATION_BLOCKS, 7, QUANTITY_BLOCK);
    raise_each(&a, &b, b.founder, 0, POPULATION_BLOCKS, 2, QUANTITY_FOUNDER);
    raise_each(&a, &b, b.parent, 0, POPULATION_BLOCKS, 2, QUANTITY_PARENT);
    b.parent[3].tau_hat++;
    assert_int_equal(identity_compare_reports(&a, &b, false).quantity, QUANTITY_NONE);
    b.parent[3].tau_hat--;
    b.end++;
    assert_int_equal(identity_compare_reports(&a, &b, true).quantity, QUANTITY_END_LEVEL);
    b.end--;
    b.first--;
    assert_int_equal(identity_compare_reports(&a, &b, true).quantity, QUANTITY_FIRST_LEVEL);
}

static void every_spin_and_every_family_counts(void **state) {
    (void)state;
    enum { REPLICAS = 3, BYTES = 4, FIRST = 40 };
    uint8_t spins[2][REPLICAS * BYTES] = {{0}};
    uint32_t families[2][REPLICAS] = {{0}};
    const identity_replicas a = {spins[0], families[0]}, b = {spins[1], families[1]};
    for (uint32_t i = 0; i < 8 * REPLICAS * BYTES; i++) {
        spins[1][i / 8] ^= (uint8_t)(1u << i % 8);
        const identity_difference d = identity_compare_replicas(a, b, FIRST, REPLICAS, BYTES);
        spins[1][i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(d.quantity, QUANTITY_SPIN);
        assert_int_equal(d.index, FIRST + i / (8 * BYTES));
        assert_int_equal(d.part, i % (8 * BYTES));
    }
    for (uint32_t k = 0; k < REPLICAS; k++) {
        families[1][k]++;
        const identity_difference d = identity_compare_replicas(a, b, FIRST, REPLICAS, BYTES);
        families[1][k]--;
        assert_int_equal(d.quantity, QUANTITY_FAMILY);
        assert_int_equal(d.index, FIRST + k);
    }
    assert_int_equal(identity_compare_replicas(a, b, FIRST, REPLICAS, BYTES).quantity,
                     QUANTITY_NONE);
}

/* --- the grid --- */

#define GRID_SEED 1

static uint32_t number_of(const model_kind *kind) {
    uint32_t n = 0;
    while (model_kinds[n] != kind)
        n++;
    return n;
}

static void the_grid_keeps_to_the_rules(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 20000; n++) {
        const identity_case c = identity_grid_case(GRID_SEED, n);
        const parameters p = {.stripes = 1,
                              .model = number_of(c.model),
                              .size = c.size,
                              .disorder = c.disorder,
                              .ferromagnetic = IDENTITY_FERROMAGNETIC,
                              .population = c.founders < c.target ? c.target : c.founders,
                              .sweeps = 1,
                              .dbeta = 1,
                              .runs = 1,
                              .samples = 1,
                              .measurements = 1,
                              .precision = 11,
                              .coding = c.coding,
                              .word = c.word,
                              .rng = c.rng};
        char message[300];
        if (parameters_validate(&p, message, sizeof message))
            fail_msg("case %u: %s", n, message);
        assert_true(c.founders >= 1 && c.founders <= c.capacity && c.target >= 1 && c.piece >= 1);
        assert_true(c.steps >= 1 && c.handover < c.steps);
        const size_t last = c.model->dimension - 1;
        const bool rise = c.fixed_thresholds && c.update->downhill != DOWNHILL_OF_ITS_OWN;
        for (size_t gap = 0; gap < last && rise; gap++)
            assert_true(c.threshold[gap] <= c.threshold[gap + 1]);
    }
}

static void a_seed_gives_the_same_case_twice_and_another_others(void **state) {
    (void)state;
    char text[3][CASE_TEXT_SIZE];
    size_t other = 0;
    for (uint32_t n = 0; n < 100; n++) {
        const identity_case once = identity_grid_case(GRID_SEED, n),
                            twice = identity_grid_case(GRID_SEED, n),
                            another = identity_grid_case(GRID_SEED + 1, n);
        assert_string_equal(identity_case_text(text[0], &once),
                            identity_case_text(text[1], &twice));
        assert_memory_equal(&once.key, &twice.key, sizeof once.key);
        other += strcmp(text[0], identity_case_text(text[2], &another)) != 0;
    }
    assert_int_equal(other, 100);
}

/* Among the first 1000 cases, small ones being run to see how they end. */
static void the_grid_reaches_everything(void **state) {
    (void)state;
    const identity_pair pair = {{one_thread, two_threads}, NULL};
    size_t ssc = 0, modes[RNG_LCG + 1][4] = {{0}}, ends[ENGINE_FAILED + 1] = {0};
    size_t loads[2] = {0}, again[2] = {0}, unswept = 0, fixed = 0, large = 0, edged = 0;
    size_t models[MODEL_KINDS][SPIN_CODINGS] = {{0}};
    size_t flips[DOWNHILL_OF_ITS_OWN + 1][SPIN_CODINGS] = {{0}};
    for (uint32_t n = 0; n < 1000; n++) {
        const identity_case c = identity_grid_case(GRID_SEED, n);
        ssc += c.coding == CODING_SSC;
        if (c.coding == CODING_MSC)
            modes[c.rng][c.word / 16 - c.word / 64]++;
        if (c.receiver >= 0)
            loads[c.receiver]++;
        if (c.kept >= 0)
            again[c.kept]++;
        unswept += c.sweeps == 0;
        fixed += c.fixed_thresholds;
        flips[c.update->downhill][c.coding]++;
        large += c.size.edge[0] > 1000;
        edged += c.size.edge[1] > 0;
        models[number_of(c.model)][c.coding]++;
        if (c.founders + c.target < 100 && c.size.edge[0] <= 16 && c.size.edge[1] <= 16) {
            const identity_result r = identity_run(&c, &pair);
            assert_int_equal(r.verdict, IDENTITY_SAME);
            ends[r.status]++;
        }
    }
    for (rng_mode rng = 0; rng <= RNG_LCG; rng++)
        for (size_t word = 0; word < 4; word++)
            assert_true(modes[rng][word] > 10);
    assert_true(ssc > 200 && unswept > 20 && fixed > 50 && large > 10 && edged > 200);
    for (size_t n = 0; n < MODEL_potts2d; n++)
        assert_true(models[n][CODING_SSC] > 30 && models[n][CODING_MSC] > 60);
    for (size_t n = 0; n <= DOWNHILL_OF_ITS_OWN; n++)
        assert_true(flips[n][CODING_SSC] > 20 &&
                    (n == DOWNHILL_OF_ITS_OWN) == (flips[n][CODING_MSC] < 20));
    assert_true(loads[0] > 100 && loads[1] > 100 && again[0] > 50 && again[1] > 50);
    assert_true(ends[ENGINE_OK] > 0 && ends[ENGINE_EXTINCT] > 0 && ends[ENGINE_OUTGROWN] > 0);
}

/* --- the sets of options --- */

/* A set of options, as the program reads it. */
static parameters read_set(uint64_t seed, uint32_t n) {
    char text[OPTION_SET_SIZE], program[] = "paising", *word[64] = {program};
    char *rest = text, *next;
    int words = 1;
    identity_option_set(text, seed, n);
    while ((next = strsep(&rest, " ")) != NULL)
        word[words++] = next;
    parameters p;
    if (parameters_parse(&p, words, word) != STATUS_OK)
        fail_msg("set %u of seed %llu is refused", n, (unsigned long long)seed);
    return p;
}

static void every_round_of_sets_has_every_p_in_every_mode_and_ssc(void **state) {
    (void)state;
    for (uint32_t first = 0; first < 20 * OPTION_SETS_ROUND; first += OPTION_SETS_ROUND) {
        size_t ssc = 0, modes[RNG_LCG + 1][4] = {{0}};
        for (uint32_t n = first; n < first + OPTION_SETS_ROUND; n++) {
            const parameters p = read_set(GRID_SEED, n);
            if (p.coding == CODING_SSC)
                ssc++;
            else
                modes[p.rng][p.word / 16 - p.word / 64]++;
        }
        assert_int_equal(ssc, 4);
        for (rng_mode rng = 0; rng <= RNG_LCG; rng++)
            for (size_t word = 0; word < 4; word++)
                assert_int_equal(modes[rng][word], 1);
    }
}

/* Among the first 2000 sets. */
static void the_sets_reach_everything_and_are_cheap(void **state) {
    (void)state;
    size_t adaptive = 0, late = 0, reweighted = 0, runs[3] = {0}, large = 0;
    size_t models[MODEL_KINDS][SPIN_CODINGS] = {{0}}, sampled = 0, methods[METHODS] = {0};
    for (uint32_t n = 0; n < 2000; n++) {
        const parameters p = read_set(GRID_SEED, n);
        const uint64_t sites = parameters_model(&p).sites;
        assert_true(p.population * sites * p.sweeps * p.samples <= 1000000);
        models[p.model][p.coding]++;
        sampled += p.samples > 1;
        methods[p.method]++;
        adaptive += p.overlap > 0;
        late += p.beta_start > 0;
        reweighted += p.reweight;
        runs[p.runs - 1]++;
        large += p.size.edge[0] > 64;
    }
    assert_true(adaptive > 150 && late > 500 && reweighted > 700 && large > 200);
    for (size_t n = 0; n < MODEL_potts2d; n++)
        assert_true(models[n][CODING_SSC] > 50 && models[n][CODING_MSC] > 50);
    assert_true(sampled > 200);
    for (size_t n = 0; n < METHODS; n++)
        assert_true(methods[n] > 20);
    assert_true(models[MODEL_potts2d][CODING_SSC] > 5 && models[MODEL_baxter_wu][CODING_SSC] > 0);
    assert_true(runs[0] > 500 && runs[1] > 500 && runs[2] > 500);
}

static void a_seed_gives_the_same_set_twice_and_another_others(void **state) {
    (void)state;
    char text[3][OPTION_SET_SIZE];
    for (uint32_t n = 0; n < 100; n++) {
        identity_option_set(text[0], GRID_SEED, n);
        assert_string_equal(text[0], identity_option_set(text[1], GRID_SEED, n));
        assert_string_not_equal(text[0], identity_option_set(text[2], GRID_SEED + 1, n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_found_where_they_are),
        cmocka_unit_test(every_number_of_a_report_counts),
        cmocka_unit_test(every_spin_and_every_family_counts),
        cmocka_unit_test(the_grid_keeps_to_the_rules),
        cmocka_unit_test(a_seed_gives_the_same_case_twice_and_another_others),
        cmocka_unit_test(the_grid_reaches_everything),
        cmocka_unit_test(every_round_of_sets_has_every_p_in_every_mode_and_ssc),
        cmocka_unit_test(the_sets_reach_everything_and_are_cheap),
        cmocka_unit_test(a_seed_gives_the_same_set_twice_and_another_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
