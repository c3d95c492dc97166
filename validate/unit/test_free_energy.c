/* Claims about beta F along a run (eq. 4) and its error from one run, held against the exact values
 * of free spins in several hundred annealings:
 *  - exp(-beta F) is an estimate of Z without bias;
 *  - the error of one run is that of the spread of the runs, where relatives stay alike for many
 *    temperatures and where they hardly do; neither the sum of the errors of the steps nor rho_t /
 * R, the two obvious estimates, is;
 *  - the error of the entropy, beta e + ln Z / N, is that of its spread, and one that takes its two terms
 *    for independent is not;
 *  - blocks that die out make it large, and where one is left, not a number; where one outweighs all
 *    others, these still count.
 * Fixed seeds, and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/observables.h"
#include "validate/lib/paramagnet.h"
#include "validate/lib/statistics.h"

#define SPINS 16
#define RUNS  400
#define STEPS 60
#define DBETA 0.0125 /* to beta = 0.75 */
#define EVERY 20     /* steps between the temperatures that are looked at */
#define SEEN  (STEPS / EVERY)

/* What the runs say of beta F at one temperature. */
typedef struct {
    sample z;                /* exp(-beta F) relative to the exact Z */
    sample off;              /* beta F - exact */
    sample error2;           /* the square of its error */
    sample of_steps, of_rho; /* the same from what is wrong */
    sample s, s_error2;      /* the entropy, the square of its error, */
    sample s_independent;    /* and that from independent terms */
    sample blocks;           /* how many were chosen */
} free_energy_samples;

/* The variance of ln Q of a step of tau: what would add up, if steps were independent. */
static double step_variance(const histogram *h, double dbeta) {
    double mean = 0, square = 0;
    const double replicas = (double)h->population;
    for (size_t n = h->first; n < h->end; n++) {
        const double tau = exp(-dbeta * (double)level_energy(h->levels, n));
        mean += (double)h->level[n].replicas / replicas * tau;
        square += (double)h->level[n].replicas / replicas * tau * tau;
    }
    return (square / (mean * mean) - 1) / replicas;
}

/* The error of beta F. */
static double error_of(const free_energy_path *f, size_t blocks) {
    double without[POPULATION_BLOCKS];
    free_energy_without(f, blocks, without);
    return jackknife_error(without, blocks);
}

/* RUNS annealings of `target` replicas with `updates` updates at each temperature. */
static void anneal(uint64_t target, uint32_t updates, free_energy_samples seen[SEEN]) {
    paramagnet p = paramagnet_create(SPINS, target, 17);
    free_energy_path f;
    for (int run = 0; run < RUNS; run++) {
        double of_steps = 0;
        paramagnet_start(&p, 0);
        free_energy_start(&f, SPINS, 2);
        assert_true(f.beta_f == -SPINS * log(2) && error_of(&f, 16) == 0);
        for (int i = 1; i <= STEPS; i++) {
            of_steps += step_variance(&p.report, DBETA);
            const double ln_q = paramagnet_step(&p, (i - 1) * DBETA, DBETA, updates);
            free_energy_step(&f, &p.report, ln_q, 1);
            if (i % EVERY)
                continue;
            free_energy_samples *const s = &seen[i / EVERY - 1];
            const double off = f.beta_f - paramagnet_beta_f(SPINS, i * DBETA);
            const double rho_t = mean_family_size(&p.report);
            sample_add(&s->z, exp(-off));
            sample_add(&s->off, off);
            const size_t blocks = blocking_choose(&p.report);
            sample_add(&s->blocks, (double)blocks);
            sample_add(&s->error2, pow(error_of(&f, blocks), 2));
            sample_add(&s->of_steps, of_steps);
            sample_add(&s->of_rho, (rho_t - 1) / (double)p.population);
            const observables row = observables_compute(&p.report, SPINS, i * DBETA, &f, NULL);
            sample_add(&s->s, row.beta * row.e - row.beta_f / SPINS);
            sample_add(&s->s_error2, row.error_s * row.error_s);
            sample_add(&s->s_independent,
                       pow(row.beta * row.error_e, 2) + pow(row.error_beta_f / SPINS, 2));
        }
    }
    paramagnet_destroy(&p);
}

/* The z-score of the runs' spread against the mean square of their errors. */
static double spread_z(const sample *values, const sample *error2) {
    return z_of_chi_square(values->squares / error2->mean, RUNS - 1);
}

/* What the series say of the runs. */
typedef struct {
    z_series right, steps, rho, independent;
} verdict;

static verdict compare(uint64_t target, uint32_t updates) {
    free_energy_samples seen[SEEN] = {{.z = {0}}};
    verdict v = {.right = z_begin("beta F and S", 3 * SEEN),
                 .steps = z_begin("steps taken for independent", SEEN),
                 .rho = z_begin("error from rho_t", SEEN),
                 .independent = z_begin("S of independent terms", SEEN)};
    anneal(target, updates, seen);
    for (int n = 0; n < SEEN; n++) {
        const free_energy_samples *const s = &seen[n];
        const double variance = sample_variance(&s->off);
        const int step = (n + 1) * EVERY;
        printf("  step %d, %.0f blocks: variance / estimate %.3f, steps %.3f, rho_t %.3f\n", step,
               s->blocks.mean, variance / s->error2.mean, variance / s->of_steps.mean,
               variance / s->of_rho.mean);
        z_add(&v.right, sample_z(&s->z, 1), "bias of Z, step %d", step);
        z_add(&v.right, spread_z(&s->off, &s->error2), "error of beta F, step %d", step);
        z_add(&v.steps, spread_z(&s->off, &s->of_steps), "step %d", step);
        z_add(&v.rho, spread_z(&s->off, &s->of_rho), "step %d", step);
        z_add(&v.right, spread_z(&s->s, &s->s_error2), "error of S, step %d", step);
        z_add(&v.independent, spread_z(&s->s, &s->s_independent), "step %d", step);
    }
    return v;
}

static void test_relatives_alike(void **state) {
    (void)state;
    const verdict v = compare(1024, 1);
    assert_true(z_passed(&v.right));
    assert_true(z_detected(&v.steps));
    assert_true(z_detected(&v.independent));
}

static void test_relatives_strangers(void **state) {
    (void)state;
    const verdict v = compare(1024, 4);
    assert_true(z_passed(&v.right));
    assert_true(z_detected(&v.rho));
}

/* Blocks whose families have died out. */
static void test_extinct_blocks(void **state) {
    (void)state;
    free_energy_path f;
    histogram h = {.population = 1000};
    free_energy_start(&f, SPINS, 2);
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        h.parent[b] = (parent_sums){b < 128 ? 0 : 7, b < 128 ? 0 : UINT64_C(7) << 32};
    free_energy_step(&f, &h, 1, 1);
    assert_true(f.beta_f == -SPINS * log(2) - 1 && f.ln_q == 1);
    const double half = error_of(&f, 16); /* 8 of 16: the mean is known to 1 / sqrt(15) */
    assert_true(half > 0.25 && half < 0.3);
    for (size_t b = 0; b < 255; b++)
        h.parent[b] = (parent_sums){0, 0};
    free_energy_step(&f, &h, 1, 1);
    assert_true(isnan(error_of(&f, 16)));
    assert_true(isnan(error_of(&f, 256)));
}

/* Sums of tau-hat that need almost 64 bits, of one block and of all. */
static void test_large_populations(void **state) {
    (void)state;
    const uint64_t parents = UINT64_C(1)
                             << 30; /* of a block, or of 128, who expect 3 children each */
    for (size_t of = 1; of <= 128; of *= 128) {
        free_energy_path f;
        histogram h = {.population = 2 * parents};
        free_energy_start(&f, SPINS, 2);
        for (size_t b = 0; b < of; b++)
            h.parent[b] = (parent_sums){parents / of, 3 * (parents / of) << 32};
        free_energy_step(&f, &h, 1, 1);
        assert_true(fabs(f.ln_growth - log(2.0 / 3)) < 1e-14);
    }
}

/* One block outweighs all others by `ahead` in ln Z, which is beyond the digits of their sum: what
 * leaves it out still knows them. Of n blocks, n - 1 estimates agree and one is off by d, which makes
 * the error (n - 1) / n d. */
static void test_dominant_block(void **state) {
    (void)state;
    static const double ahead[] = {1, 10, 20, 24, 26, 28, 30, 32, 34, 37, 100, 1000};
    for (size_t blocks = BLOCKING_FEWEST; blocks <= POPULATION_BLOCKS; blocks *= 2)
        for (size_t n = 0; n < sizeof ahead / sizeof *ahead; n++)
            for (size_t heavy = 0; heavy < blocks; heavy += blocks - 1) {
                free_energy_path f = {.beta_f = 0};
                double *const ln_z = f.ln_z + 2 * (POPULATION_BLOCKS - blocks);
                for (size_t b = 0; b < blocks; b++)
                    ln_z[b] = b == heavy ? 0 : -ahead[n];
                const double others = (double)blocks - 1, light = exp(-ahead[n]);
                const double d = log1p((others - 1) * light) - (log(others) - ahead[n]);
                const double expected = others / (double)blocks * d;
                const double error = error_of(&f, blocks);
                if (!(fabs(error - expected) <= 1e-4 * expected))
                    fail_msg("%zu blocks, number %zu ahead by %g: error %.15g, not %.15g", blocks,
                             heavy, ahead[n], error, expected);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relatives_alike), cmocka_unit_test(test_relatives_strangers),
        cmocka_unit_test(test_extinct_blocks),  cmocka_unit_test(test_large_populations),
        cmocka_unit_test(test_dominant_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
