/* Claims about multi-histogram analysis (eq. 9):
 *  - from the expected histograms of the L = 4 Ising model, all of whose 2^16 states are counted
 *    here, it gives the exact e, C, beta F, |m|, m2 and m4 between the temperatures, whatever
 *    beta F the annealing found; that of the first temperature it keeps;
 *  - where hundreds of steps of the plain iteration leave beta F far away, although it moves by
 * less than the limit, the solver is at the solution to 1e-10;
 *  - from sampled histograms it agrees with the exact values, and better than any single one;
 *  - histograms without overlap are refused, also where the equations have a solution, and the place is
 *    named; one temperature is enough, a cleared analysis is new;
 *  - the grid ends with exactly beta_end;
 *  - energies without levels: bins five times as narrow change e and C of a Gaussian glass by less than errors, bins of J do not
 *    (negative control).
 * The statistical test has a fixed seed and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disorder.h"
#include "estimate/reweighting.h"
#include "validate/lib/annealer.h"
#include "validate/lib/paramagnet.h"
#include "validate/lib/statistics.h"

#define TOLERANCE 1e-10

/* ---- The L = 4 Ising model ------------------------------------------------------------------ */

enum { EDGE = 4, SITES = EDGE * EDGE };

/* States of level n and |M|. */
static uint32_t states[SITES + 1][SITES + 1];

static int count_states(void **state) {
    (void)state;
    for (uint32_t s = 0; s < 1u << SITES; s++) {
        int up = 0, broken = 0;
        for (int i = 0; i < SITES; i++) {
            const int right = i / EDGE * EDGE + (i + 1) % EDGE, below = (i + EDGE) % SITES;
            up += (int)(s >> i & 1);
            broken += (int)(((s >> i ^ s >> right) & 1) + ((s >> i ^ s >> below) & 1));
        }
        states[broken / 2][abs(2 * up - SITES)]++;
    }
    return 0;
}

/* Exact averages, as a row. */
static observables exact_row(double beta) {
    long double z = 0, e = 0, e2 = 0, abs_m = 0, m2 = 0, m4 = 0;
    for (size_t n = 0; n <= SITES; n++)
        for (int m = 0; m <= SITES; m++) {
            const long double energy =
                (long double)level_energy(square_model(EDGE).levels, n) / SITES;
            const long double part = (long double)m / SITES;
            const long double weight =
                states[n][m] *
                expl(-beta * (long double)level_energy(square_model(EDGE).levels, n));
            z += weight;
            e += weight * energy;
            e2 += weight * energy * energy;
            abs_m += weight * part;
            m2 += weight * part * part;
            m4 += weight * part * part * part * part;
        }
    e /= z;
    e2 /= z;
    return (observables){.beta = beta,
                         .e = (double)e,
                         .e2 = (double)e2,
                         .c = (double)(beta * beta * SITES * (e2 - e * e)),
                         .abs_m = (double)(abs_m / z),
                         .m2 = (double)(m2 / z),
                         .m4 = (double)(m4 / z),
                         .beta_f = (double)-logl(z)};
}

/* Adds the expected histogram of some 1e13 replicas at beta, as if beta F had been found to be off
 * by `error`. */
static void add_exact(reweighting *r, double beta, double error) {
    histogram h;
    const double beta_f = exact_row(beta).beta_f;
    const spin_model model = square_model(EDGE);
    assert_int_equal(histogram_create(&h, &model), 0);
    for (size_t n = 0; n <= SITES; n++)
        for (uint64_t m = 0; m <= SITES; m++) {
            const double weight =
                exp(beta_f - beta * (double)level_energy(square_model(EDGE).levels, n));
            const uint64_t count = (uint64_t)(1e13 * states[n][m] * weight + 0.5);
            h.population += count;
            h.level[n].replicas += count;
            h.level[n].abs_m += count * m;
            h.level[n].m2 += count * m * m;
            h.level[n].q_low += count * (m * m * m * m / 16);
        }
    h.end = SITES + 1;
    assert_int_equal(reweighting_add(r, &h, beta, beta_f + error), 0);
    histogram_destroy(&h);
}

/* Temperatures 0, 0.005, ..., 1, the beta F of all but the first off by up to 0.3. Every level sees
 * them all: more than the band of the Hessian that is factorised. */
static void add_all(reweighting *r) {
    for (int i = 0; i <= 200; i++)
        add_exact(r, i / 200.0, 0.3 * sin(i));
}

/* The largest deviation of a row from the exact one. */
static double deviation(const reweighting *r, double beta) {
    const observables row = reweighting_at(r, SITES, beta), exact = exact_row(beta);
    const double off[] = {row.e - exact.e,          row.e2 - exact.e2, row.c - exact.c,
                          row.abs_m - exact.abs_m,  row.m2 - exact.m2, row.m4 - exact.m4,
                          row.beta_f - exact.beta_f};
    double largest = 0;
    assert_true(row.beta == beta);
    for (size_t n = 0; n < sizeof off / sizeof *off; n++)
        largest = fabs(off[n]) <= largest ? largest : fabs(off[n]);
    return largest;
}

static void test_exact_histograms(void **state) {
    (void)state;
    reweighting r;
    histogram_gap gap;
    assert_int_equal(reweighting_create(&r, square_model(EDGE).levels), 0);
    add_all(&r);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    for (double beta = 0; beta < 1.05; beta += 0.0137)
        assert_true(deviation(&r, beta) < TOLERANCE);
    assert_true(fabs(reweighting_at(&r, SITES, 0).beta_f + SITES * log(2)) < 1e-14 * SITES);

    /* Negative control: one population said to be larger than it is. */
    r.temperature[90].population *= 1.1;
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    assert_false(deviation(&r, 0.45) < TOLERANCE);

    /* Once more, after another analysis. */
    reweighting_clear(&r);
    add_all(&r);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    assert_true(deviation(&r, 0.45) < TOLERANCE);
    reweighting_destroy(&r);
}

static void test_one_temperature(void **state) {
    (void)state;
    reweighting r;
    histogram_gap gap;
    assert_int_equal(reweighting_create(&r, square_model(EDGE).levels), 0);
    add_exact(&r, 0.4, 0);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    assert_true(deviation(&r, 0.4) < TOLERANCE);
    assert_true(deviation(&r, 0.45) < 1e-6);
    reweighting_destroy(&r);
}

static void test_grid(void **state) {
    (void)state;
    const beta_grid grid = {0.1, 1, 0.07};
    reweighting r;
    histogram_gap gap;
    observables *rows;
    size_t count;
    assert_int_equal(reweighting_create(&r, square_model(EDGE).levels), 0);
    add_all(&r);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    assert_int_equal(reweighting_rows(&r, SITES, &grid, &rows, &count), 0);
    assert_int_equal(count, 14);
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].beta == (i < 13 ? 0.1 + (double)i * 0.07 : 1));
        assert_true(rows[i].beta_f == reweighting_at(&r, SITES, rows[i].beta).beta_f);
    }
    free(rows);
    reweighting_destroy(&r);
}

/* ---- Convergence ---------------------------------------------------------------------------- */

/* Many overlapping temperatures of free spins, as they were sampled. */
#define SPINS        300
#define TEMPERATURES 60
#define REPLICAS     500
#define BETA(i)      (0.015 * (double)(i))

static void add_samples(reweighting *r, uint64_t seed, double beta_f_error) {
    paramagnet p = paramagnet_create(SPINS, REPLICAS, seed);
    for (int i = 0; i < TEMPERATURES; i++) {
        paramagnet_start(&p, BETA(i));
        assert_int_equal(reweighting_add(r, &p.report, BETA(i),
                                         paramagnet_beta_f(SPINS, BETA(i)) + beta_f_error * sin(i)),
                         0);
    }
    paramagnet_destroy(&p);
}

/* Iterates eq. (9) as it stands from the beta F of the annealing, until nothing moves by `limit`,
 * with f_0 kept. Returns the largest distance to the solver's beta F. */
static double iterate_plainly(const reweighting *r, double limit, int *iterations) {
    long double f[TEMPERATURES], moved = INFINITY;
    for (size_t i = 0; i < TEMPERATURES; i++)
        f[i] = r->temperature[i].beta_f;
    for (*iterations = 0; moved >= limit && *iterations < 1000000; ++*iterations) {
        long double share[TEMPERATURES] = {0}, first = 0;
        for (size_t n = r->first; n < r->end; n++) {
            const long double energy = (long double)level_energy(r->levels, n);
            long double part[TEMPERATURES], sum = 0;
            for (size_t i = 0; i < TEMPERATURES; i++)
                sum += part[i] = expl(f[i] - f[30] - (BETA(i) - BETA(30)) * energy);
            for (size_t i = 0; i < TEMPERATURES; i++)
                share[i] += r->level[n].replicas * part[i] / sum / REPLICAS;
        }
        moved = 0;
        first = -logl(share[0]);
        for (size_t i = 0; i < TEMPERATURES; i++) {
            const long double step = -logl(share[i]) - first;
            moved = fmaxl(moved, fabsl(step));
            f[i] += step;
        }
    }
    long double distance = 0;
    for (size_t i = 0; i < TEMPERATURES; i++)
        distance = fmaxl(distance, fabsl(f[i] - r->temperature[i].beta_f -
                                         (long double)r->temperature[i].correction));
    return (double)distance;
}

static void test_convergence(void **state) {
    (void)state;
    reweighting r;
    histogram_gap gap;
    int rough, fine;
    assert_int_equal(reweighting_create(&r, (energy_levels){-SPINS, 2, SPINS + 1, 1, false}), 0);
    add_samples(&r, 5, 0.05);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    assert_true(r.temperature[0].correction == 0);
    const double too_early = iterate_plainly(&r, 1e-10, &rough);
    const double at_last = iterate_plainly(&r, 1e-14, &fine);
    print_message("  plain iteration: distance %.2g after %d, %.2g after %d\n", too_early, rough,
                  at_last, fine);
    assert_true(at_last < TOLERANCE);
    assert_true(too_early > 10 * TOLERANCE); /* the negative control */

    /* From a start 5 away, the solution is the same. */
    double solution[TEMPERATURES];
    for (size_t i = 0; i < TEMPERATURES; i++) {
        solution[i] = r.temperature[i].beta_f + r.temperature[i].correction;
        r.temperature[i].beta_f += i > 0 ? 5 * cos(0.3 * (double)i) : 0;
    }
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    for (size_t i = 0; i < TEMPERATURES; i++)
        assert_true(fabs(r.temperature[i].beta_f + r.temperature[i].correction - solution[i]) <
                    TOLERANCE);
    reweighting_destroy(&r);
}

/* Two temperatures whose levels are far apart, with beta F that leave each its own, and with beta F
 * that leave both to the first. */
static void test_no_overlap(void **state) {
    (void)state;
    const double second_beta_f[] = {-98200, -100000};
    reweighting r;
    histogram_gap gap;
    histogram h;
    const spin_model model = {.levels = {-100000, 2, 100001, 1}, .order_unit = 2};
    assert_int_equal(reweighting_create(&r, model.levels), 0);
    assert_int_equal(histogram_create(&h, &model), 0);
    for (int n = 0; n < 2; n++) {
        reweighting_clear(&r);
        for (int i = 0; i < 2; i++) {
            histogram_clear(&h);
            h.population = 100;
            for (uint64_t k = 0; k < 100; k++)
                histogram_add(&h, k, (i ? 1000 : 50000) + k, 0);
            assert_int_equal(reweighting_add(&r, &h, i, i ? second_beta_f[n] + 100 : 0), 0);
        }
        assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_NO_OVERLAP);
        assert_true(gap.from == 0 && gap.to == 1);
    }
    histogram_destroy(&h);
    reweighting_destroy(&r);
}

/* Samples of free spins at temperatures two of which are far apart: there is a solution, which knows nothing
 * of the difference of beta F between the two sides. The negative control has temperatures in between. */
static void test_gap_in_the_middle(void **state) {
    (void)state;
    const double beta[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    reweighting r;
    histogram_gap gap;
    paramagnet p = paramagnet_create(SPINS, 100, 7);
    assert_int_equal(reweighting_create(&r, (energy_levels){-SPINS, 2, SPINS + 1, 1, false}), 0);
    for (int whole = 0; whole < 2; whole++) {
        reweighting_clear(&r);
        for (int i = 0; i < 9; i++) {
            if (!whole && i > 2 && i < 7)
                continue;
            paramagnet_start(&p, beta[i]);
            assert_int_equal(
                reweighting_add(&r, &p.report, beta[i], paramagnet_beta_f(SPINS, beta[i])), 0);
        }
        assert_int_equal(reweighting_solve(&r, &gap),
                         whole ? REWEIGHTING_OK : REWEIGHTING_NO_OVERLAP);
        assert_true(gap.from == (whole ? 0 : 0.2) && gap.to == (whole ? 0 : 0.7));
    }
    paramagnet_destroy(&p);
    reweighting_destroy(&r);
}

/* ---- Sampled histograms --------------------------------------------------------------------- */

static void test_samples(void **state) {
    (void)state;
    sample e = {0}, c = {0}, f = {0}, direct_e = {0};
    const double beta = BETA(30.5), beta_f = paramagnet_beta_f(SPINS, beta);
    reweighting r;
    histogram_gap gap;
    assert_int_equal(reweighting_create(&r, (energy_levels){-SPINS, 2, SPINS + 1, 1, false}), 0);
    paramagnet p = paramagnet_create(SPINS, REPLICAS, 6);
    for (uint64_t seed = 0; seed < 40; seed++) {
        reweighting_clear(&r);
        add_samples(&r, 1000 + seed, 0);
        assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
        const observables row = reweighting_at(&r, SPINS, beta);
        sample_add(&e, row.e);
        sample_add(&c, row.c);
        sample_add(&f, row.beta_f);
        paramagnet_start(&p, beta);
        const free_energy_path none = {.beta_f = 0};
        sample_add(&direct_e, observables_compute(&p.report, SPINS, beta, &none, NULL).e);
    }
    z_series z = z_begin("reweighted samples", 3), control = z_begin("another temperature", 3);
    z_add(&z, sample_z(&e, paramagnet_e(beta)), "e");
    z_add(&z, sample_z(&c, paramagnet_c(beta)), "C");
    z_add(&z, sample_z(&f, beta_f), "beta F");
    z_add(&control, sample_z(&e, paramagnet_e(BETA(30))), "e");
    z_add(&control, sample_z(&c, paramagnet_c(BETA(30))), "C");
    z_add(&control, sample_z(&f, paramagnet_beta_f(SPINS, BETA(30))), "beta F");
    assert_true(z_passed(&z));
    assert_true(z_detected(&control));
    assert_true(sample_variance(&e) < 0.5 * sample_variance(&direct_e));
    paramagnet_destroy(&p);
    reweighting_destroy(&r);
}

/* --- bins of the multi-histogram analysis --- */

/* e and C at inverse temperature beta, of populations in bins that are so many times as wide as those of the program. */
static observables binned(const couplings *c, double wider, double beta) {
    const engine_config config = {.coding = CODING_SSC,
                                  .model = model_of_sample(glass2d_kind.create(c->edge), c),
                                  .capacity = 8000};
    engine *const e = engine_cpu_create(&config);
    const annealing_plan plan = {9, 4000, 3, 20, 0.1, 1, 0};
    histogram h;
    reweighting r;
    histogram_gap gap;
    energy_levels bins = reweighting_levels(&e->model);
    const int64_t bound = -bins.lowest;
    bins.spacing = (int64_t)((double)bins.spacing * wider);
    bins.lowest = -(bound / bins.spacing + 1) * bins.spacing;
    bins.count = (uint32_t)(2 * (bound / bins.spacing + 1) + 1);
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    assert_int_equal(histogram_create(&h, &e->model) | reweighting_create(&r, bins), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(9, 0), 4000, &h), ENGINE_OK);
    double beta_f = -16 * log(2);
    for (uint32_t n = 1; n <= 20; n++) {
        assert_int_equal(reweighting_add(&r, &h, 0.1 * (n - 1), beta_f), 0);
        beta_f -= resampling_tau_hat(&h, 0.1, 4000, tau_hat);
        const engine_step s = annealing_step(e, &plan, 0, n, tau_hat);
        assert_int_equal(e->verbs->step(e, &s, &h), ENGINE_OK);
    }
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    const observables row = reweighting_at(&r, 16, beta);
    e->verbs->destroy(e);
    histogram_destroy(&h);
    reweighting_destroy(&r);
    free(tau_hat);
    return row;
}

static void bins_of_energies_do_not_matter(void **state) {
    (void)state;
    couplings c;
    assert_true(couplings_create(&c, 2, (const uint32_t[]){4, 4, 1}));
    assert_true(disorder_draw_gaussian(&c, (disorder){.seed = 1}, 0, 1));
    const observables a = binned(&c, 1, 1.55), finer = binned(&c, 0.2, 1.55),
                      wide = binned(&c, 5000, 1.55);
    assert_true(fabs(a.e - finer.e) < 1e-5 && fabs(a.c - finer.c) < 5e-5);
    assert_true(fabs(wide.c - finer.c) > 1e-3); /* negative control: bins of J */
    couplings_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_histograms),  cmocka_unit_test(bins_of_energies_do_not_matter),
        cmocka_unit_test(test_one_temperature),   cmocka_unit_test(test_grid),
        cmocka_unit_test(test_convergence),       cmocka_unit_test(test_no_overlap),
        cmocka_unit_test(test_gap_in_the_middle), cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, count_states, NULL);
}
