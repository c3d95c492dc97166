/* Short annealings of every engine against exact results: SSC on small lattices for e, C, betaF,
 * |m|, m2 and m4; SSC and MSC at L = 16, in every mode and word size, for e, C and betaF, and MSC
 * against SSC for |m|, m2 and m4. Errors come from the spread of independent runs, since shared
 * random numbers correlate the replicas of one. And that correlation itself: replicas of one word
 * are uncorrelated but in the two modes that share numbers. */
#include "engine/capacity.h"
#include "reference/exact.h"
#include "reference/transfer_matrix.h"
#include "validate/lib/annealer.h"
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#include <omp.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MAX_STEPS    25
#define TEMPERATURES 5 /* at which is compared, the last after all steps */

/* --- Tables of results --- */

typedef struct {
    double runs; /* 0: exact */
    double value[TEMPERATURES][QUANTITIES];
    double error[TEMPERATURES][QUANTITIES];
} results;

static double compared_beta(const annealing_plan *plan, size_t n) {
    return plan->dbeta * (double)(plan->steps / TEMPERATURES * (n + 1));
}

/* What an engine gives in `runs` runs, errors from their spread. */
static results measure(engine_config config, const annealing_plan *plan, size_t runs) {
    run_averages(*const row)[MAX_STEPS + 1] = malloc(runs * sizeof *row);
    const double spins = (double)config.model.sites;
    results r = {.runs = (double)runs};
    assert_true(row && plan->steps <= MAX_STEPS && plan->steps % TEMPERATURES == 0);
    config.capacity = population_capacity(plan->population, 64) + plan->population / 2;
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    for (uint32_t run = 0; run < runs; run++)
        anneal(e, plan, run, row[run]);
    e->verbs->destroy(e);
    for (size_t n = 0; n < TEMPERATURES; n++)
        jackknife_runs(&row[0][plan->steps / TEMPERATURES * (n + 1)], MAX_STEPS + 1, runs,
                       compared_beta(plan, n), spins, r.value[n], r.error[n]);
    free(row);
    return r;
}

/* Exact values; the moments are zero without counts of the states. */
static results exact(uint32_t size, const annealing_plan *plan, const state_counts *counts) {
    results r = {.runs = 0};
    for (size_t n = 0; n < TEMPERATURES; n++) {
        const exact_result kaufman = exact_thermodynamics(size, compared_beta(plan, n));
        const exact_moments m =
            counts ? state_counts_moments(counts, compared_beta(plan, n)) : (exact_moments){0};
        double *const value = r.value[n];
        value[ENERGY] = kaufman.e;
        value[SPECIFIC_HEAT] = kaufman.c;
        value[BETA_F] = kaufman.beta_f;
        value[ABS_M] = m.abs_m;
        value[M2] = m.m2;
        value[M4] = m.m4;
    }
    return r;
}

/* Adds the z-scores of the quantities first .. end-1 at all temperatures. */
static void compare(z_series *z, engine_config config, const annealing_plan *plan,
                    const results *measured, const results *expected, quantity first,
                    quantity end) {
    for (size_t n = 0; n < TEMPERATURES; n++)
        for (quantity q = first; q < end; q++) {
            const double off = measured->value[n][q] - expected->value[n][q];
            const double error = hypot(measured->error[n][q], expected->error[n][q]);
            z_add(z, z_of_student(off / error, measured->runs - 1),
                  "%s, L = %u, p = %u, %s, beta = %.2f, %s = %.6f, expected %.6f",
                  coding_name(config.coding), config.model.edge[0], config.word,
                  rng_name(config.rng), compared_beta(plan, n), quantity_name[q],
                  measured->value[n][q], expected->value[n][q]);
        }
}

/* --- Small lattices, all quantities exact --- */

static void ssc_has_the_exact_moments_of_small_lattices(void **state) {
    (void)state;
    static const uint32_t sizes[] = {4, 6};
    const annealing_plan plan = {.seed = 4,
                                 .population = 1000,
                                 .sweeps = 5,
                                 .steps = 10,
                                 .dbeta = 0.06,
                                 .threshold_factor = 1};
    annealing_plan wrong_plan = plan;
    wrong_plan.threshold_factor = 1.01;
    z_series z = z_begin("ssc, small", COUNT(sizes) * TEMPERATURES * QUANTITIES);
    z_series wrong = z_begin("thresholds 1% off", TEMPERATURES * QUANTITIES);
    for (size_t n = 0; n < COUNT(sizes); n++) {
        state_counts counts;
        const engine_config config = {.coding = CODING_SSC, .model = square_model(sizes[n])};
        assert_int_equal(state_counts_create(&counts, sizes[n]), 0);
        const results expected = exact(sizes[n], &plan, &counts);
        const results measured = measure(config, &plan, 32);
        compare(&z, config, &plan, &measured, &expected, ENERGY, QUANTITIES);
        if (sizes[n] == 6) {
            const results off = measure(config, &wrong_plan, 32);
            compare(&wrong, config, &plan, &off, &expected, ENERGY, QUANTITIES);
        }
        state_counts_destroy(&counts);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* --- L = 16, every mode and word size --- */

/* In the modes that share numbers R grows with p, so that there are as many words. */
static annealing_plan plan_for(rng_mode rng, uint32_t word) {
    const int shared = rng == RNG_SHARED || rng == RNG_SHARED_REORDER;
    return (annealing_plan){.seed = 16,
                            .population = shared ? 32 * word : 256,
                            .sweeps = 2,
                            .steps = 25,
                            .dbeta = 0.02,
                            .threshold_factor = 1};
}

/* e, C and betaF against the exact ones; |m|, m2 and m4, which are not known for this size, of MSC
 * against SSC. */
static void all_engines_have_the_exact_thermodynamics(void **state) {
    (void)state;
    const engine_config ssc = {.coding = CODING_SSC, .model = square_model(16)};
    const annealing_plan ssc_plan = plan_for(RNG_INDEPENDENT, 0);
    const results expected = exact(16, &ssc_plan, NULL), by_ssc = measure(ssc, &ssc_plan, 64);
    z_series z = z_begin("L = 16", TEMPERATURES * (ABS_M + 5 * 4 * QUANTITIES));
    compare(&z, ssc, &ssc_plan, &by_ssc, &expected, ENERGY, ABS_M);
    for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++)
        for (uint32_t word = 8; word <= 64; word *= 2) {
            const engine_config config = {
                .coding = CODING_MSC, .model = square_model(16), .word = word, .rng = rng};
            const annealing_plan plan = plan_for(rng, word);
            const results measured = measure(config, &plan, 32);
            compare(&z, config, &plan, &measured, &expected, ENERGY, ABS_M);
            compare(&z, config, &plan, &measured, &by_ssc, ABS_M, QUANTITIES);
        }
    assert_true(z_passed(&z));
}

/* Negative control: thresholds that are 1% too large. */
static void wrong_thresholds_are_noticed(void **state) {
    (void)state;
    z_series wrong = z_begin("thresholds 1% off", TEMPERATURES * ABS_M);
    const engine_config config = {
        .coding = CODING_MSC, .model = square_model(16), .word = 32, .rng = RNG_INDEPENDENT};
    annealing_plan plan = plan_for(config.rng, config.word);
    plan.population = 1024;
    plan.threshold_factor = 1.01;
    const results expected = exact(16, &plan, NULL), measured = measure(config, &plan, 32);
    compare(&wrong, config, &plan, &measured, &expected, ENERGY, ABS_M);
    assert_true(z_detected(&wrong));
}

/* --- Correlations in a word --- */

static double energy(const replicas *r, uint64_t k) {
    int antiparallel = 0;
    for (uint32_t y = 0; y < r->size; y++)
        for (uint32_t x = y % 2; x < r->size; x += 2) /* every bond has one end there */
            antiparallel += antiparallel_neighbours(r, k, x, y);
    return antiparallel;
}

/* Adds a z-score for the variance of the mean energy of a word, which is 1/p of that of a replica
 * if replicas are uncorrelated. No replica has siblings: random states are swept without
 * resampling. */
static double word_variance(z_series *z, uint32_t word, rng_mode rng) {
    enum { WORDS = 256 };
    const annealing_plan plan = {.seed = 8, .sweeps = 10, .dbeta = 0.25, .threshold_factor = 1};
    const engine_config config = {.coding = CODING_MSC,
                                  .model = square_model(16),
                                  .capacity = WORDS * word,
                                  .word = word,
                                  .rng = rng};
    replicas r = replicas_create(config, WORDS * word);
    sample one = {0}, mean = {0};
    replicas_randomise(&r, stream_run_key(plan.seed, 0), r.count);
    replicas_step(&r, annealing_step(r.worker, &plan, 0, 1, r.tau_hat));
    replicas_save(&r);
    const int reordered = rng == RNG_SHARED_REORDER || rng == RNG_LCG;
    for (uint32_t w = 0; w < WORDS; w++) {
        double sum = 0;
        for (uint32_t lane = 0; lane < word; lane++) {
            const double e = energy(&r, reordered ? w + lane * WORDS : w * word + lane);
            sample_add(&one, e);
            sum += e;
        }
        sample_add(&mean, sum / word);
    }
    replicas_destroy(&r);
    const double ratio = word * sample_variance(&mean) / sample_variance(&one);
    z_add(z, z_of_chi_square((WORDS - 1) * ratio, WORDS - 1), "%s, p = %u, variance ratio %.2f",
          rng_name(rng), word, ratio);
    return ratio;
}

static void only_shared_numbers_correlate_the_replicas_of_a_word(void **state) {
    (void)state;
    z_series z = z_begin("replicas of a word", 3 * 4);
    for (uint32_t word = 8; word <= 64; word *= 2) {
        word_variance(&z, word, RNG_INDEPENDENT);
        word_variance(&z, word, RNG_PHILOX);
        word_variance(&z, word, RNG_LCG);
        for (rng_mode rng = RNG_SHARED; rng <= RNG_SHARED_REORDER; rng++) {
            z_series shared = z_begin("shared numbers", 1); /* negative control */
            assert_true(word_variance(&shared, word, rng) > 2);
            assert_true(z_detected(&shared));
        }
    }
    assert_true(z_passed(&z));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ssc_has_the_exact_moments_of_small_lattices),
        cmocka_unit_test(all_engines_have_the_exact_thermodynamics),
        cmocka_unit_test(wrong_thresholds_are_noticed),
        cmocka_unit_test(only_shared_numbers_correlate_the_replicas_of_a_word),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
