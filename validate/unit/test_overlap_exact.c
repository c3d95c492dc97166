/* Claims about the order parameter of a glass:
 *  - |q|, q2, q4, q_l, |q(k)|^2, what follows from them, P(q) and P(q_l) of an annealed population are those of two
 *    independent replicas, exactly, from all states of a 4 x 4 lattice squared; of another temperature they are not;
 *  - errors, as far as z-scores with them say, and where pairs of two states are rare, or none is seen, those of
 *    counting, of a run and of averages;
 *  - S_f and rho_s are those of the families, and xi/L that of the directions of the longest edge;
 *  - averages over runs have the weights of eqs. (6, 7), and jackknife errors;
 *  - too few families are warned of.
 * Statistical tests have fixed seeds and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disorder.h"
#include "engine/engine.h"
#include "estimate/equilibration.h"
#include "estimate/overlap_record.h"
#include "resample/resampling.h"
#include "validate/lib/all_states.h"
#include "validate/lib/statistics.h"

/* --- annealed --- */

#define POPULATION 40000
#define STEPS      12
#define DBETA      0.1
#define COMPARED   3 /* temperatures, every fourth */

typedef struct {
    overlap_row row[COMPARED];
    overlap_bin bin[COMPARED][2 * (ALL_SITES + 1)];
} annealed_overlaps;

static const uint32_t edges[] = {ALL_EDGE, ALL_EDGE, 1};

static spin_model model_of_glass(couplings *glass) {
    const spin_model model = glass2d_kind.create(edges);
    assert_true(couplings_create(glass, 2, edges));
    disorder_draw(glass, (disorder){.seed = 17, .ferromagnetic = 0.5});
    return model_of_sample(model, glass);
}

static void anneal(const spin_model *model, annealed_overlaps *out) {
    const engine_config config = {.model = *model, .capacity = 2 * POPULATION};
    engine *const e = engine_cpu_create(&config);
    histogram h;
    overlap_sums sums;
    uint64_t *const tau_hat = calloc(model->levels.count, sizeof *tau_hat);
    assert_true(e && tau_hat && !histogram_create(&h, model) && !overlap_sums_create(&sums, model));
    const stream_key key = stream_run_key(2, 0);
    assert_int_equal(e->verbs->randomise(e, key, POPULATION, &h), ENGINE_OK);
    for (uint32_t i = 1; i <= STEPS; i++) {
        resampling_tau_hat(&h, DBETA, POPULATION, tau_hat);
        const engine_step step = {.parts = WHOLE_STEP,
                                  .key = key,
                                  .temperature = i,
                                  .sweeps = 10,
                                  .founders = POPULATION,
                                  .tau_hat = tau_hat,
                                  .rule = flip_rule_at(&metropolis_update, model, DBETA * i)};
        assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
        if (i % (STEPS / COMPARED) > 0)
            continue;
        const size_t at = i / (STEPS / COMPARED) - 1;
        assert_int_equal(e->verbs->overlaps(e, &sums), ENGINE_OK);
        out->row[at] = overlap_compute(&sums, &h, model, NULL);
        assert_true(overlap_bin_count(sums.scale) == 2 * (ALL_SITES + 1));
        overlap_fill_bins(&sums, out->bin[at]);
    }
    free(tau_hat);
    histogram_destroy(&h);
    overlap_sums_destroy(&sums);
    e->verbs->destroy(e);
}

#define OF_BITS (OVERLAP_VALUES - 4) /* values that Ising spins have */

/* Compares with the exact values at temperatures that are off by so much. */
static z_series compare(double off) {
    static annealed_overlaps found;
    couplings glass;
    const spin_model model = model_of_glass(&glass);
    z_series z = z_begin("overlaps", COMPARED * (OF_BITS + 2 * (ALL_SITES + 1)));
    anneal(&model, &found);
    for (size_t at = 0; at < COMPARED; at++) {
        const double beta = DBETA * (STEPS / COMPARED) * (double)(at + 1) + off;
        const exact_overlaps exact = all_overlaps(&glass, beta, &model);
        const overlap_row *const row = &found.row[at];
        for (size_t n = 0; n < OVERLAP_VALUES; n++)
            if (overlap_has((overlap_value)n, &model))
                z_add(
                    &z,
                    z_of_student((row->value[n] - exact.value[n]) / row->error[n], row->blocks - 1),
                    "value %zu at beta = %g: %g(%g), exact %g", n, beta, row->value[n],
                    row->error[n], exact.value[n]);
        for (size_t n = 0; n < 2 * (ALL_SITES + 1); n++) {
            const overlap_bin bin = found.bin[at][n];
            const double share = (double)bin.count / row->pairs,
                         p = n <= ALL_SITES ? exact.differ[n] : exact.walls[n - ALL_SITES - 1];
            const double counts = p * row->pairs; /* errors of few counts are of no use */
            z_add(&z,
                  counts < 50 ? (bin.count > 50 + 6 * sqrt(50) ? INFINITY : 0)
                              : z_of_student((share - p) / (double)bin.error, OVERLAP_PARTS - 1),
                  "bin %zu at beta = %g: %g, exact %g", n, beta, share, p);
        }
    }
    couplings_destroy(&glass);
    return z;
}

static void overlaps_are_those_of_independent_replicas(void **state) {
    (void)state;
    const z_series z = compare(0);
    assert_true(z_passed(&z));
}

static void another_temperature_is_seen(void **state) {
    (void)state;
    const z_series z = compare(0.05);
    assert_true(z_detected(&z));
}

/* --- what follows --- */

/* A population of families of these sizes, the rest of it of one member. */
static void families_have_an_entropy(void **state) {
    (void)state;
    const uint64_t sizes[] = {1000, 37, 37, 5, 2, 1, 1};
    const spin_model model = glass2d_kind.create(edges);
    histogram h;
    overlap_sums s;
    assert_int_equal(histogram_create(&h, &model), 0);
    assert_int_equal(overlap_sums_create(&s, &model), 0);
    double entropy = 0;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        h.population += sizes[n];
    overlap_sums_begin(&s, h.population);
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        const double f = (double)sizes[n] / (double)h.population;
        entropy -= f * log(f);
        s.family_logs += sizes[n] * family_log(sizes[n]);
    }
    h.level[3].replicas = h.population;
    h.first = 2;
    h.end = 6;
    const overlap_row row = overlap_compute(&s, &h, &model, NULL);
    assert_true(fabs(row.family_entropy - entropy) < 1e-6);
    assert_true(fabs(row.rho_s - (double)h.population * exp(-entropy)) < 1e-6 * row.rho_s);
    assert_true(row.lowest == (double)level_energy(model.levels, 3));
    assert_true(isnan(row.value[OVERLAP_Q2]) && isnan(row.error[OVERLAP_Q2]));
    histogram_destroy(&h);
    overlap_sums_destroy(&s);
}

static void the_longest_edge_has_the_smallest_wave(void **state) {
    (void)state;
    const spin_model model = glass3d_kind.create((const uint32_t[]){4, 8, 8});
    histogram h;
    overlap_sums s;
    assert_int_equal(histogram_create(&h, &model), 0);
    assert_int_equal(overlap_sums_create(&s, &model), 0);
    h.population = 64;
    h.end = 1;
    overlap_sums_begin(&s, 64);
    const overlap_pair pair = {
        .differ = 28, .walls = 12, .cosine = {999, 30, 0}, .sine = {999, 40, 20}};
    for (uint64_t k = 0; k < s.pairs; k++)
        overlap_sums_add(&s, k, &pair);
    const overlap_row row = overlap_compute(&s, &h, &model, NULL);
    const double q = 1 - 2 * 28 / 256.0, wave = 4 * (2500 + 400) / 2.0 / (256.0 * 256) / 0x1p28;
    assert_true(fabs(row.value[OVERLAP_Q2] / (q * q) - 1) < 1e-12);
    assert_true(fabs(row.value[OVERLAP_LINK] - (1 - 2 * 12 / 768.0)) < 1e-12);
    assert_true(fabs(row.value[OVERLAP_WAVE] / wave - 1) < 1e-12);
    assert_true(fabs(row.value[OVERLAP_XI] /
                         (sqrt(q * q / wave - 1) / (2 * 8 * sin(3.14159265358979323846 / 8))) -
                     1) < 1e-12);
    assert_true(fabs(row.value[OVERLAP_BINDER] - 1) < 1e-12);
    histogram_destroy(&h);
    overlap_sums_destroy(&s);
}

/* The row of 1024 pairs, of which `rare` differ in this way, all others by nothing. */
static overlap_row row_of_pairs(const spin_model *model, uint64_t rare, overlap_pair other,
                                const overlap_row *before) {
    histogram h;
    overlap_sums s;
    assert_int_equal(histogram_create(&h, model), 0);
    assert_int_equal(overlap_sums_create(&s, model), 0);
    h.population = 2048;
    h.family_squares = h.population;
    h.end = 1;
    overlap_sums_begin(&s, h.population);
    const overlap_pair same = {.differ = 0};
    for (uint64_t k = 0; k < s.pairs; k++)
        overlap_sums_add(&s, k, k < rare ? &other : &same);
    assert_int_equal(s.pairs, 1024);
    const overlap_row row = overlap_compute(&s, &h, model, before);
    histogram_destroy(&h);
    overlap_sums_destroy(&s);
    return row;
}

/* The same where they differ by a site. */
static overlap_row row_of_rare_pairs(const spin_model *model, uint64_t rare,
                                     const overlap_row *before) {
    return row_of_pairs(
        model, rare, (overlap_pair){.differ = 1, .walls = 4, .cosine = {1 << 14, 1 << 14}}, before);
}

static void assert_counted(const overlap_row *row, const double one[OVERLAP_MEANS], double pairs) {
    for (size_t n = 0; n < OVERLAP_SELF; n++)
        assert_true(fabs(row->error[n] / (1.545 * one[n] / pairs) - 1) < 1e-9);
    assert_true(fabs(row->error[OVERLAP_CHI] / (ALL_SITES * row->error[OVERLAP_Q2]) - 1) < 1e-9);
    const double binder = fabs(one[OVERLAP_Q4] - 2 * one[OVERLAP_Q2]) / 2;
    assert_true(fabs(row->error[OVERLAP_BINDER] - 1.545 * binder / pairs) < 1e-12);
}

static void rare_pairs_are_counted(void **state) {
    (void)state;
    const spin_model model = glass2d_kind.create(edges);
    const double q = 7 / 8.0, wave = 4.0 / (ALL_SITES * ALL_SITES),
                 one[OVERLAP_MEANS] = {1 - q, 1 - q * q, 1 - pow(q, 4), 2 * 4 / 32.0, wave},
                 all[OVERLAP_MEANS] = {1, 1, 1, 1, 1};
    const overlap_row some = row_of_rare_pairs(&model, 12, NULL),
                      none = row_of_rare_pairs(&model, 0, NULL),
                      known = row_of_rare_pairs(&model, 0, &some),
                      few = row_of_rare_pairs(&model, 9, &none),
                      many = row_of_rare_pairs(&model, 120, &none);
    for (size_t n = 0; n < OVERLAP_SELF; n++) /* the others are those of vectors */
        assert_true(fabs(some.one[n] / one[n] - 1) < 1e-9 && few.one[n] == 1 && none.one[n] == 1);
    assert_counted(&none, all, 1024);
    assert_counted(&known, one, 1024);
    /* 128 blocks of 8 pairs: of 9 rare ones 8 and 1 in a block, of 120 in 15 blocks 8. Many are not counted. */
    const double of_9 = (1 + 1 / 64.0 - 81 / 64.0 / 128) / (127 * 128),
                 of_120 = (15 - 225 / 128.0) / (127 * 128), counted = 1.545 / 1024;
    assert_true(few.blocks == 128);
    assert_true(fabs(few.error[OVERLAP_ABS_Q] / hypot(sqrt(of_9) / 8, counted) - 1) < 1e-9);
    assert_true(fabs(many.error[OVERLAP_ABS_Q] / (sqrt(of_120) / 8) - 1) < 1e-9);
}

/* Many pairs are of two states, which have the same |q(k)|^2 as pairs of one: it has the error of a count of nothing. */
static void a_mean_without_scatter_is_counted(void **state) {
    (void)state;
    const spin_model model = glass2d_kind.create(edges);
    const overlap_row row =
        row_of_pairs(&model, 500, (overlap_pair){.differ = 8, .walls = 16}, NULL);
    assert_true(row.value[OVERLAP_WAVE] == 0);
    assert_true(fabs(row.error[OVERLAP_WAVE] / (1.545 / 1024) - 1) < 1e-9);
    assert_true(row.error[OVERLAP_Q2] > 0.01); /* the blocks' */
}

/* Two runs without such a pair, one of which has a quarter of the weight. */
static void rare_pairs_are_counted_over_runs(void **state) {
    (void)state;
    const spin_model model = glass2d_kind.create(edges);
    const overlap_row some = row_of_rare_pairs(&model, 12, NULL),
                      none = row_of_rare_pairs(&model, 0, &some);
    weighted_average w;
    overlap_record r;
    weighted_start(&w);
    overlap_record_start(&r, &model);
    for (size_t run = 0; run < 2; run++) {
        const observables row = {.beta_f = run == 0 ? 0 : log(3), .population = 2048};
        overlap_row *const overlaps = calloc(1, sizeof *overlaps);
        overlap_record one = {r.bins, overlaps, calloc(r.bins, sizeof *one.bin), 1, 1};
        assert_true(overlaps && one.bin);
        *overlaps = none;
        assert_int_equal(weighted_add(&w, &row, 1, 1), 0);
        assert_int_equal(overlap_record_append(&r, &one, 1), 0);
        overlap_record_end(&one);
    }
    overlap_row mean;
    assert_int_equal(overlap_record_mean(&r, &w, 0, &model, &mean), 0);
    assert_true(mean.value[OVERLAP_ABS_Q] == 1);
    assert_counted(&mean, some.one, 1024 / (9 / 16.0 + 1 / 16.0));
    weighted_end(&w);
    overlap_record_end(&r);
}

#define RUNS 3

/* Runs of weights 1, 2 and 5 at one temperature, and one that has died out. */
static void averages_have_the_weights_of_runs(void **state) {
    (void)state;
    const spin_model model = glass2d_kind.create(edges);
    const double weight[RUNS] = {1, 2, 5}, q2[RUNS] = {0.25, 0.5, 0.3}, q4[RUNS] = {0.1, 0.3, 0.2};
    const double population[RUNS] = {100, 130, 110}, lowest[RUNS] = {-20, -24, -22};
    weighted_average w;
    overlap_record r, none;
    weighted_start(&w);
    overlap_record_start(&r, &model);
    overlap_record_start(&none, &model);
    for (size_t run = 0; run < RUNS; run++) {
        const observables row = {.beta_f = -log(weight[run]), .population = population[run]};
        overlap_row *const overlaps = calloc(1, sizeof *overlaps);
        overlap_record one = {r.bins, overlaps, calloc(r.bins, sizeof *one.bin), 1, 1};
        assert_true(overlaps && one.bin);
        *overlaps = (overlap_row){
            .pairs = 10 + population[run], .family_entropy = 1, .lowest = lowest[run]};
        overlaps->value[OVERLAP_Q2] = q2[run];
        overlaps->value[OVERLAP_Q4] = q4[run];
        overlaps->value[OVERLAP_WAVE] = 0.1;
        assert_int_equal(weighted_add(&w, &row, 1, 1), 0);
        assert_int_equal(overlap_record_append(&r, &one, 1), 0);
        assert_int_equal(one.count, 0);
        overlap_record_end(&one);
    }
    assert_int_equal(weighted_add(&w, NULL, 0, 1), 0);
    assert_int_equal(overlap_record_append(&r, &none, 1), 0);
    overlap_row mean;
    assert_int_equal(overlap_record_mean(&r, &w, 0, &model, &mean), 0);
    assert_true(fabs(mean.value[OVERLAP_Q2] - (0.25 + 1 + 1.5) / 8) < 1e-12);
    const double u4 = (0.1 + 0.6 + 1.0) / 8 / pow((0.25 + 1 + 1.5) / 8, 2);
    assert_true(fabs(mean.value[OVERLAP_BINDER] - (3 - u4) / 2) < 1e-12);
    const double without[RUNS + 1] = {2.5 / 7, 1.75 / 6, 1.25 / 3, 2.75 / 8};
    double center = 0, squares = 0;
    for (size_t n = 0; n <= RUNS; n++)
        center += without[n] / (RUNS + 1);
    for (size_t n = 0; n <= RUNS; n++)
        squares += (without[n] - center) * (without[n] - center);
    assert_true(fabs(mean.error[OVERLAP_Q2] - sqrt(squares * RUNS / (RUNS + 1))) < 1e-12);
    double entropy = 0;
    for (size_t n = 0; n < RUNS; n++)
        entropy += weight[n] / 8 * (1 - log(weight[n] / 8));
    assert_true(fabs(mean.family_entropy - entropy) < 1e-12);
    assert_true(fabs(mean.rho_s - 340 * exp(-entropy)) < 1e-10);
    assert_true(mean.pairs == 370 && mean.lowest == -24 && mean.blocks == RUNS + 1);
    weighted_end(&w);
    overlap_record_end(&r);
}

static void few_families_are_warned_of(void **state) {
    (void)state;
    const observables rows[] = {{.beta = 0.5, .population = 1000, .rho_t = 9.9},
                                {.beta = 1, .population = 1000, .rho_t = 9.9},
                                {.beta = 1.5, .population = 1000, .rho_t = 10.1}};
    overlap_row overlaps[] = {
        {.family_entropy = 4.7}, {.family_entropy = 4.7}, {.family_entropy = 4.7}};
    equilibration e = equilibration_of_rows(rows, overlaps, 3, 1);
    assert_true(e.failed == 1 && e.failed_at == 1.5);
    e = equilibration_of_rows(rows, overlaps, 3, 2);
    assert_int_equal(e.failed, 0);
    overlaps[1].family_entropy = 4.6;
    e = equilibration_of_rows(rows, overlaps, 3, 2);
    assert_true(e.failed == 1 && e.failed_at == 1);
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);
    equilibration_print(file, &e);
    fclose(file);
    assert_non_null(strstr(text, "# warning: "));
    assert_non_null(strstr(text, "at 1 of 3 temperatures, the first beta = 1: S_f = 4.6 "));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_those_of_independent_replicas),
        cmocka_unit_test(another_temperature_is_seen),
        cmocka_unit_test(families_have_an_entropy),
        cmocka_unit_test(the_longest_edge_has_the_smallest_wave),
        cmocka_unit_test(rare_pairs_are_counted),
        cmocka_unit_test(a_mean_without_scatter_is_counted),
        cmocka_unit_test(rare_pairs_are_counted_over_runs),
        cmocka_unit_test(averages_have_the_weights_of_runs),
        cmocka_unit_test(few_families_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
