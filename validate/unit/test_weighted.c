/* Claims about averages over runs, weighted by their free energies (eqs. 6, 7):
 *  - they are the sums that can be done by hand, also for beta F of the order of 1e5, where Z is
 * far beyond the range of doubles;
 *  - over many small runs of free spins, which are biased one by one, they are right: e, C and
 *    beta F within their jackknife errors, which plain averages of C and of beta F miss by far;
 *  - over many thousand runs of 3 and 8 replicas, whose sizes fluctuate most, they are right, too,
 *    where exp(-beta F) alone as the weight is off; a run that died out counts with Z = 0;
 *  - errors are jackknife errors over the runs, also where one run has all the weight;
 *  - one run is left as it is; families, r_eff and R / rho_t add; the flag asks for families that
 *    have weight.
 * Fixed seeds, and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/weighted.h"
#include "validate/lib/paramagnet.h"
#include "validate/lib/statistics.h"

#define N 10000 /* spins of the runs done by hand */

static void assert_close(double computed, double expected, double tolerance) {
    if (!(fabs(computed - expected) <= tolerance * fabs(expected)))
        fail_msg("expected %.17g, computed %.17g", expected, computed);
}

/* A run at beta = 0.5 with energy variance 0.9 N. */
static observables hand_made(double e, double beta_f, double ln_q) {
    const double variance = 0.9 / N;
    return (observables){.beta = 0.5,
                         .e = e,
                         .e2 = e * e + variance,
                         .c = 0.25 * N * variance,
                         .abs_m = -e / 2,
                         .m2 = e * e / 3,
                         .m4 = e * e / 7,
                         .beta_f = beta_f,
                         .ln_q = ln_q,
                         .population = 1000,
                         .error_e = 0.1,
                         .error_c = 0.2,
                         .error_abs_m = 0.3,
                         .error_beta_f = 0.4,
                         .families = 500,
                         .rho_t = 4,
                         .r_eff = 600,
                         .relatives = {.ratio = 1, .length = 10},
                         .effective_families = 250,
                         .excited = 1000,
                         .gap = 8,
                         .trusted = true};
}

/* The weighted average of rows that are a run each. */
static observables average(const observables *rows, size_t runs, uint64_t spins) {
    weighted_average w;
    weighted_start(&w);
    for (size_t run = 0; run < runs; run++)
        assert_int_equal(weighted_add(&w, &rows[run], 1, 1), 0);
    const observables row = weighted_row(&w, 0, spins);
    weighted_end(&w);
    return row;
}

/* Two runs, the second with three times the Z of the first. */
static void test_by_hand(void **state) {
    (void)state;
    const double first = -123456.0;
    observables run[2] = {hand_made(-1.5, first, 7), hand_made(-1.7, first - log(3), 7 + log(2))};
    run[0].overlap = 0.5;
    run[1].overlap = 0.25;
    run[1].population = 1100;
    run[1].rho_t = 11;
    const observables row = average(run, 2, N);
    const observables turned[2] = {run[1], run[0]};
    assert_true(row.overlap == 0.25 && average(turned, 2, N).overlap == 0.25);
    assert_close(row.e, -1.65, 1e-12);
    assert_close(row.e2, 0.25 * run[0].e2 + 0.75 * run[1].e2, 1e-12);
    assert_close(row.c, 0.25 * N * (row.e2 - row.e * row.e), 1e-9);
    assert_close(row.abs_m, 0.825, 1e-12);
    assert_close(row.m2, 0.25 * run[0].m2 + 0.75 * run[1].m2, 1e-12);
    assert_close(row.m4, 0.25 * run[0].m4 + 0.75 * run[1].m4, 1e-12);
    assert_close(row.beta_f - first, -log(2), 1e-10);
    /* Z before was Z / Q: 1 and 3/2 of the first, their mean 5/4 against 2 now. */
    assert_close(row.ln_q, 7 + log(2 / 1.25), 1e-12);
    assert_true(row.population == 1050 && row.families == 1000 && row.r_eff == 1200);
    assert_close(2 * row.population / row.rho_t, 1000 / 4.0 + 1100 / 11.0, 1e-12);
    /* Without either run the other is left: an error of half the difference. */
    assert_close(row.error_e, 0.1, 1e-12);
    assert_close(row.error_abs_m, 0.05, 1e-12);
    assert_close(row.error_beta_f, log(3) / 2, 1e-10);
    assert_true(row.error_c < 1e-12);
    /* Negative controls: what is averaged otherwise is something else. */
    assert_true(fabs(row.c - (run[0].c + run[1].c) / 2) > 10);
    assert_true(fabs(row.beta_f - (run[0].beta_f + run[1].beta_f) / 2) > 0.1);
}

/* The jackknife over five runs, each left out in turn. */
static void test_jackknife(void **state) {
    (void)state;
    enum { RUNS = 5 };
    const double beta_f[RUNS] = {-50000.2, -50000.0, -50003.1, -50001.4, -49999.0};
    observables run[RUNS];
    for (size_t m = 0; m < RUNS; m++)
        run[m] = hand_made(-1.5 - 0.01 * (double)m, beta_f[m], 0);
    sample e = {0}, c = {0}, f = {0}, m2 = {0}, m4 = {0}, s = {0};
    for (size_t without = 0; without < RUNS; without++) {
        observables others[RUNS - 1];
        for (size_t m = 0, n = 0; m < RUNS; m++)
            if (m != without)
                others[n++] = run[m];
        const observables row = average(others, RUNS - 1, N);
        sample_add(&e, row.e);
        sample_add(&c, row.c);
        sample_add(&f, row.beta_f);
        sample_add(&m2, row.m2);
        sample_add(&m4, row.m4);
        sample_add(&s, row.beta * row.e - row.beta_f / N);
    }
    const observables row = average(run, RUNS, N);
    assert_close(row.error_e, sqrt(e.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_close(row.error_c, sqrt(c.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_close(row.error_beta_f, sqrt(f.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_close(row.error_m2, sqrt(m2.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_close(row.error_m4, sqrt(m4.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_close(row.error_s, sqrt(s.squares * (RUNS - 1) / RUNS), 1e-9);
    assert_true(row.blocks == RUNS);
    /* Negative control: the terms of the entropy are not independent. */
    assert_true(row.error_s < 0.99 * hypot(row.beta * row.error_e, row.error_beta_f / N) ||
                row.error_s > 1.01 * hypot(row.beta * row.error_e, row.error_beta_f / N));
}

/* Runs whose rows take their errors from the scatter of all, and one that has none to compare with. */
static void test_scatter(void **state) {
    (void)state;
    enum { RUNS = 4 };
    weighted_average w;
    sample of[4] = {{0}};
    weighted_start(&w);
    for (size_t m = 0; m < RUNS; m++) {
        observables rows[2] = {hand_made(-1, -100, 0), hand_made(-1.5, -3e4, 0)};
        rows[1].e -= 0.1 * (double)(m * m);
        rows[1].m4 += 0.01 * (double)m;
        rows[1].beta_f += (double)(m % 2);
        assert_int_equal(weighted_add(&w, rows, 2, 2), 0);
        sample_add(&of[0], rows[1].e);
        sample_add(&of[1], rows[1].m4);
        sample_add(&of[2], rows[1].beta_f);
        sample_add(&of[3], rows[1].beta * rows[1].e - rows[1].beta_f / N);
        if (m > 0)
            continue;
        weighted_set_scatter(&w, N);
        assert_memory_equal(w.row, rows, sizeof rows);
    }
    weighted_set_scatter(&w, N);
    for (size_t m = 0; m < RUNS; m++) {
        const observables *const row = &w.row[2 * m + 1];
        assert_true(row[-1].error_e == 0 && row[-1].blocks == RUNS && row->blocks == RUNS);
        assert_close(row->error_e, sqrt(sample_variance(&of[0])), 1e-12);
        assert_close(row->error_m4, sqrt(sample_variance(&of[1])), 1e-12);
        assert_close(row->error_beta_f, sqrt(sample_variance(&of[2])), 1e-9);
        assert_close(row->error_s, sqrt(sample_variance(&of[3])), 1e-9);
        assert_true(row->error_c == 0 && row->error_m2 == 0);
    }
    weighted_end(&w);
}

static void test_one_run(void **state) {
    (void)state;
    const observables run = hand_made(-1.25, -1e5, 3), row = average(&run, 1, N);
    assert_true(row.e == run.e && row.e2 == run.e2 && row.c == run.c && row.abs_m == run.abs_m);
    assert_true(row.m2 == run.m2 && row.m4 == run.m4 && row.beta_f == run.beta_f);
    assert_true(row.ln_q == 3 && row.rho_t == 4 && row.r_eff == 600 && row.trusted);
    assert_true(row.error_e == 0.1 && row.error_c == 0.2 && row.error_abs_m == 0.3);
    assert_true(row.error_beta_f == 0.4 && row.families == 500 && row.population == 1000);
}

/* At beta = 0 every run knows beta F. */
static void test_infinite_temperature(void **state) {
    (void)state;
    observables run[3];
    for (size_t m = 0; m < 3; m++) {
        run[m] = hand_made(0.01 * (double)m, -N * log(2), 0);
        run[m].beta = run[m].c = 0;
    }
    const observables row = average(run, 3, N);
    assert_true(row.beta_f == -N * log(2) && row.error_beta_f == 0 && row.ln_q == 0);
    assert_true(row.c == 0 && row.error_c == 0);
    assert_close(row.e, 0.01, 1e-12);
}

/* A run that outweighs the others by more than doubles can say. */
static void test_one_heavy_run(void **state) {
    (void)state;
    const observables run[3] = {hand_made(-1.5, -20000, 1), hand_made(-1.8, -22000, 1),
                                hand_made(-1.6, -20000, 1)};
    const observables row = average(run, 3, N);
    assert_close(row.e, -1.8, 1e-15);
    assert_close(row.beta_f, -22000 + log(3), 1e-15);
    /* Without the heavy run e is -1.55 and beta F -20000, else as it is. */
    assert_close(row.error_e, sqrt(2 / 3.0 * 0.25 * 0.25 * 2 / 3.0), 1e-12);
    assert_close(row.error_beta_f, 2000 * 2 / 3.0, 1e-3);
    assert_true(isfinite(row.error_c) && isfinite(row.error_abs_m));
}

/* The flag: enough families over all runs, but not if all the weight is with few of them, or if
 * relatives are alike. */
static void test_flag(void **state) {
    (void)state;
    observables run[4];
    for (size_t m = 0; m < 4; m++) {
        run[m] = hand_made(-1.5, -20000, 1);
        run[m].rho_t = 31; /* 32 families of 1000 replicas a run */
        run[m].trusted = false;
    }
    assert_false(average(run, 3, N).trusted);
    assert_true(average(run, 4, N).trusted);
    for (size_t m = 0; m < 4; m++)
        run[m].relatives = (relatives_correlation){.ratio = 1.2, .noise = 0.1, .length = 100};
    assert_close(average(run, 4, N).effective_families, 4000 / 31.0 / (1 + 3 * (0.2 - 0.1 / 2)),
                 1e-12);
    assert_false(average(run, 4, N).trusted);
    for (size_t m = 0; m < 4; m++)
        run[m].relatives.noise = 0.4; /* of the mean, a half */
    assert_true(average(run, 4, N).trusted);
    run[2].beta_f = -20010;
    assert_false(average(run, 4, N).trusted);
}

/* Three runs of 1000 replicas that have seen no excitation, two in all, or many. */
static void test_counts(void **state) {
    (void)state;
    observables run[3];
    for (size_t m = 0; m < 3; m++) {
        run[m] = hand_made(-2, -20000, 1);
        run[m].excited = 0;
    }
    assert_close(average(run, 3, N).error_e, 1.545 * 8 / (3000.0 * N), 1e-12);
    run[0].excited = 2;
    run[0].e += 0.001;
    const double scatter = 0.001 / 3;
    assert_close(average(run, 3, N).error_e, hypot(scatter, 1.545 * 8 / (3000.0 * N)), 1e-9);
    run[0].excited = 1000;
    assert_close(average(run, 3, N).error_e, scatter, 1e-9);
    /* Of a run that has not found the lowest energy all replicas are excited. */
    run[0].excited = 0;
    run[0].lowest = -4;
    const observables lost = average(run, 3, N);
    assert_true(lost.lowest == -4 && lost.gap == 4 && lost.excited == 2000);
    assert_close(lost.error_e, scatter, 1e-9);
    /* Runs of little weight count little: 1 / sum of squared shares. */
    run[1] = run[2] = run[0];
    run[1].beta_f = run[2].beta_f = run[0].beta_f + log(2);
    assert_close(average(run, 3, N).error_e, 1.545 * 8 / (1000 / 0.375 * N), 1e-9);
    for (size_t m = 0; m < 3; m++) { /* few of 900 replicas, and of the 800 that they are worth */
        run[m].population = 300;
        run[m].excited = 28;
    }
    assert_close(average(run, 3, N).error_e, 1.545 * 8 / (300 / 0.375 * N), 1e-9);
}

/* ---- Many small runs ------------------------------------------------------------------------ */

#define SPINS 32
#define RUNS  4000
#define STEPS 12
#define DBETA 0.05

/* Annealings of 24 replicas of free spins from 0 to 0.6. */
static observables *small_runs(void) {
    observables *const run = calloc(RUNS, sizeof *run);
    paramagnet p = paramagnet_create(SPINS, 24, 23);
    assert_non_null(run);
    for (size_t m = 0; m < RUNS; m++) {
        free_energy_path f;
        paramagnet_start(&p, 0);
        free_energy_start(&f, SPINS, 2);
        for (int i = 0; i < STEPS; i++)
            free_energy_step(&f, &p.report, paramagnet_step(&p, i * DBETA, DBETA, 8), 1);
        run[m] = observables_compute(&p.report, SPINS, STEPS * DBETA, &f, NULL);
    }
    paramagnet_destroy(&p);
    return run;
}

static void test_bias(void **state) {
    (void)state;
    const double beta = STEPS * DBETA, beta_f = paramagnet_beta_f(SPINS, beta);
    observables *const run = small_runs();
    const observables row = average(run, RUNS, SPINS);
    sample plain_e = {0}, plain_c = {0}, plain_f = {0};
    for (size_t m = 0; m < RUNS; m++) {
        sample_add(&plain_e, run[m].e);
        sample_add(&plain_c, run[m].c);
        sample_add(&plain_f, run[m].beta_f);
    }
    z_series weighted = z_begin("weighted averages", 3), plain_of_c = z_begin("plain C", 1);
    z_series plain_of_f = z_begin("plain beta F", 1), plain_of_e = z_begin("plain e", 1);
    z_add(&weighted, (row.e - paramagnet_e(beta)) / row.error_e, "e");
    z_add(&weighted, (row.c - paramagnet_c(beta)) / row.error_c, "C");
    z_add(&weighted, (row.beta_f - beta_f) / row.error_beta_f, "beta F");
    z_add(&plain_of_e, sample_z(&plain_e, paramagnet_e(beta)), "e");
    z_add(&plain_of_c, sample_z(&plain_c, paramagnet_c(beta)), "C");
    z_add(&plain_of_f, sample_z(&plain_f, beta_f), "beta F");
    assert_true(z_passed(&weighted));
    assert_true(z_detected(&plain_of_e));
    assert_true(z_detected(&plain_of_c));
    assert_true(z_detected(&plain_of_f));
    free(run);
}

/* ---- Many tiny runs ------------------------------------------------------------------------- */

#define TINY_SPINS 12
#define TINY_RUNS  60000
#define TINY_STEPS 8
#define TINY_DBETA 0.1

/* Averages over the same runs: with what the sizes of the populations add to the weights, and without. */
typedef struct {
    observables with_sizes, without;
    size_t died; /* runs */
} tiny_averages;

/* Annealings of `target` replicas of free spins from 0 to 0.8. */
static tiny_averages tiny_average(uint64_t target) {
    paramagnet p = paramagnet_create(TINY_SPINS, target, 29);
    weighted_average with_sizes, without;
    weighted_start(&with_sizes);
    weighted_start(&without);
    size_t died = 0;
    for (size_t m = 0; m < TINY_RUNS; m++) {
        free_energy_path f;
        observables row = {.beta = 0};
        int i = 0;
        paramagnet_start(&p, 0);
        free_energy_start(&f, TINY_SPINS, 2);
        for (; i < TINY_STEPS; i++) {
            const double ln_q = paramagnet_step(&p, i * TINY_DBETA, TINY_DBETA, 6);
            if (p.population == 0)
                break;
            free_energy_step(&f, &p.report, ln_q, 1);
        }
        if (i == TINY_STEPS)
            row = observables_compute(&p.report, TINY_SPINS, TINY_STEPS * TINY_DBETA, &f, NULL);
        died += i < TINY_STEPS;
        assert_int_equal(weighted_add(&with_sizes, &row, i == TINY_STEPS, 1), 0);
        row.ln_growth = 0;
        assert_int_equal(weighted_add(&without, &row, i == TINY_STEPS, 1), 0);
    }
    const tiny_averages averages = {weighted_row(&with_sizes, 0, TINY_SPINS),
                                    weighted_row(&without, 0, TINY_SPINS), died};
    weighted_end(&with_sizes);
    weighted_end(&without);
    paramagnet_destroy(&p);
    return averages;
}

static z_series tiny_series(const char *name, observables row) {
    const double beta = TINY_STEPS * TINY_DBETA;
    z_series z = z_begin(name, 3);
    z_add(&z, (row.e - paramagnet_e(beta)) / row.error_e, "e");
    z_add(&z, (row.c - paramagnet_c(beta)) / row.error_c, "C");
    z_add(&z, (row.beta_f - paramagnet_beta_f(TINY_SPINS, beta)) / row.error_beta_f, "beta F");
    return z;
}

static void test_tiny_populations(void **state) {
    (void)state;
    for (uint64_t target = 3; target <= 8; target += 5) {
        const tiny_averages averages = tiny_average(target);
        const z_series right = tiny_series("with R_k / R", averages.with_sizes);
        assert_true(z_passed(&right));
        print_message("  R = %d: %zu runs died out\n", (int)target, averages.died);
        assert_true(target == 8 || averages.died > 100);
        const z_series without = tiny_series("without it", averages.without);
        assert_true(z_detected(&without));
    }
}

/* Runs that end early: Z = 0 from there on, but they are runs. */
static void test_dead_runs(void **state) {
    (void)state;
    const observables first[3] = {hand_made(-1.5, -20, 1), hand_made(-1.6, -20, 1),
                                  hand_made(-1.7, -20, 1)};
    weighted_average w;
    weighted_start(&w);
    assert_int_equal(weighted_add(&w, first, 1, 3), 0);
    assert_int_equal(weighted_add(&w, first, 0, 3), 0);
    assert_int_equal(weighted_add(&w, first, 2, 3), 0);
    assert_true(weighted_reached(&w, 0) == 1 && weighted_reached(&w, 1) == 0);
    assert_true(weighted_reached(&w, 2) == 2 && weighted_rows(&w) == 2);
    observables row = weighted_row(&w, 0, N);
    assert_close(row.e, -1.5, 1e-14);
    assert_close(row.beta_f, -20 - log(2 / 3.0), 1e-14);
    /* Without a living run Z is 1/2, without the dead one 1: a mean of 2/3. */
    assert_true(isfinite(row.error_beta_f) && row.error_beta_f > 0.3);
    assert_true(row.families == 1000 && row.population == 2000 / 3.0);
    assert_close(3 * row.population / row.rho_t, 500, 1e-12);
    row = weighted_row(&w, 1, N); /* one run is left, and nothing to compare it with */
    assert_close(row.e, -1.6, 1e-14);
    assert_close(row.beta_f, -20 + log(3), 1e-14);
    assert_true(isnan(row.error_e) && isnan(row.error_beta_f));
    weighted_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_jackknife),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_infinite_temperature),
        cmocka_unit_test(test_one_heavy_run),
        cmocka_unit_test(test_flag),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_bias),
        cmocka_unit_test(test_dead_runs),
        cmocka_unit_test(test_tiny_populations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
