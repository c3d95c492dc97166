/* Claims: what `make study` holds resampling against is exact. The canonical distribution has the mean, the variance and the
 * ln Z of Kaufman's solution, and tables of thresholds give every level its probability, rare ones too; the limits of
 * families (branching.c) are what counting by hand gives for one step, and for several the moments of the distribution
 * that generating functions are of; population annealing of exact energies (ideal_engine.c) has these limits by every rule
 * that has one: rho_t, families and rho_s, and ln Z with the variance that is the sum of var tau, whatever the rule, to
 * which in weights the fluctuations of R_k add. With
 * another rule's limit that is refuted. */
#include "reference/exact.h"
#include "resample/resampling.h"
#include "validate/lib/statistics.h"
#include "validate/study/branching.h"
#include "validate/study/ideal_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 8

static spin_model square(void) {
    return square_kind.create((uint32_t[]){SIZE, SIZE, 1});
}

static level_states states_of(const spin_model *model) {
    level_states s;
    assert_true(level_states_create(&s, model));
    return s;
}

/* --- the distribution --- */

static void distribution_is_exact(void **state) {
    (void)state;
    static const double betas[] = {0, 0.2, 0.44, 1, 3};
    const spin_model model = square();
    level_states s = states_of(&model);
    double *const p = malloc(s.levels.count * sizeof *p);
    const double sites = (double)model.sites;
    for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
        const exact_result x = exact_thermodynamics(SIZE, betas[k]);
        const double ln_z = canonical_fill(&s, betas[k], p);
        double sum = 0, mean = 0, squares = 0;
        for (size_t n = 0; n < s.levels.count; n++) {
            sum += p[n];
            mean += p[n] * (double)level_energy(s.levels, n);
        }
        for (size_t n = 0; n < s.levels.count; n++)
            squares += p[n] * pow((double)level_energy(s.levels, n) - mean, 2);
        assert_true(fabs(sum - 1) < 1e-13);
        assert_true(fabs(ln_z / sites + x.beta_f) < 1e-13 * fabs(x.beta_f));
        assert_true(fabs(mean / sites - x.e) < 1e-13);
        assert_true(fabs(betas[k] * betas[k] * squares / sites - x.c) < 1e-12 * x.c + 1e-16);
    }
    free(p);
    level_states_destroy(&s);
}

/* The numbers that give level n, from its own limits; and at these limits the table finds it. */
static void tables_give_probabilities(void **state) {
    (void)state;
    const spin_model model = square();
    level_states s = states_of(&model);
    double *const p = malloc(s.levels.count * sizeof *p);
    canonical_table t;
    assert_true(canonical_table_create(&t, s.levels.count));
    for (int k = 0; k < 3; k++) {
        canonical_fill(&s, 0.3 * k, p);
        canonical_table_fill(&t, p);
        for (size_t n = 0; n < s.levels.count; n++) {
            const uint64_t first = n > 0 ? t.limit[n - 1] : 0, end = t.limit[n];
            const double share = 0x1p-64 * (double)(end - first);
            assert_true(fabs(share - p[n]) < 1e-13 * p[n] + 0x1p-62);
            if (end > first) {
                assert_int_equal(canonical_draw(&t, first), n);
                assert_int_equal(canonical_draw(&t, end - 1), n);
            }
        }
        assert_int_equal(t.limit[t.count - 1], UINT64_MAX);
    }
    canonical_table_destroy(&t);
    free(p);
    level_states_destroy(&s);
}

/* --- families --- */

/* After one step: alive if a child is there, and n ln n of few children, added up by hand. */
static void one_step_is_counted_by_hand(void **state) {
    (void)state;
    const spin_model model = square();
    level_states s = states_of(&model);
    branching_step b;
    assert_true(branching_step_create(&b, &s, 0.3, 0.32));
    for (branching_rule rule = 0; rule < BRANCH_RULES; rule++) {
        double mean = 0, squares = 0, dead = 0, entropy = 0;
        for (size_t k = 0; k < b.levels; k++) {
            const double tau = b.tau[k], whole = floor(tau), part = tau - whole;
            const double poisson = rule == BRANCH_POISSON ? tau : part;
            double share = exp(-poisson);
            for (double n = 0; n < 60; n++, share *= poisson / n) {
                const double children = rule == BRANCH_POISSON ? n : whole + n;
                const double of = rule != BRANCH_NEAREST ? share
                                  : n == 0               ? 1 - part
                                  : n == 1               ? part
                                                         : 0;
                mean += b.p[k] * of * children;
                squares += b.p[k] * of * children * children;
                dead += children == 0 ? b.p[k] * of : 0;
                entropy += children > 0 ? b.p[k] * of * children * log(children) : 0;
            }
        }
        const double rho_t = 1 + branching_variance(&b, rule);
        const family_sizes f = branching_families(&b, 1, rule, rho_t);
        assert_true(fabs(mean - 1) < 1e-12);
        assert_true(fabs(squares - rho_t) < 1e-12 * rho_t);
        assert_true(fabs(f.alive - (1 - dead)) < 1e-12);
        assert_true(fabs(f.rho_s - exp(entropy)) < 1e-9 * f.rho_s);
    }
    branching_step_destroy(&b);
    level_states_destroy(&s);
}

/* Many small steps of nearest integers are a birth and death process, geometric; for systematic resampling, whose rates are
 * those of one family member at first, and then less, families are smaller. Their mean size stays 1. */
static void small_steps_have_their_limit(void **state) {
    (void)state;
    const spin_model model = square();
    level_states s = states_of(&model);
    const int count = 200;
    branching_step *const steps = calloc((size_t)count, sizeof *steps);
    systematic_families side;
    assert_true(systematic_create(&side, 60));
    double a = 0, rho_t = 1;
    for (int k = 0; k < count; k++) {
        const double from = 0.3 * k / count, to = 0.3 * (k + 1) / count;
        assert_true(branching_step_create(&steps[k], &s, from, to));
        rho_t += branching_variance(&steps[k], BRANCH_NEAREST);
        a += (to - from) * branching_rate(&s, (from + to) / 2);
        if (k % 20 == 19)
            assert_true(systematic_step(&side, &s, 0.3 * (k - 19) / count, to));
    }
    const family_sizes f = branching_families(steps, (size_t)count, BRANCH_NEAREST, rho_t);
    const family_sizes limit = branching_geometric(a), systematic = systematic_sizes(&side);
    assert_true(fabs(rho_t / (1 + 2 * a) - 1) < 0.01);
    assert_true(fabs(f.alive / limit.alive - 1) < 0.01);
    assert_true(fabs(f.rho_s / limit.rho_s - 1) < 0.01);
    assert_true(systematic_rho_t(&side) < 0.9 * rho_t && systematic.alive > f.alive);
    double all = 0, members = 0;
    for (size_t n = 0; n <= side.most; n++) {
        all += side.size[n];
        members += (double)n * side.size[n];
    }
    assert_true(fabs(all - 1) < 1e-6 && fabs(members - 1) < 1e-4);
    for (int k = 0; k < count; k++)
        branching_step_destroy(&steps[k]);
    free(steps);
    systematic_destroy(&side);
    level_states_destroy(&s);
}

/* --- annealing exact energies --- */

#define POPULATION 2048
#define RUNS       40
#define STEPS      24
#define BETA_END   0.6

/* What the end of a run has. */
typedef enum { RHO_T, ALIVE, RHO_S, LN_Z, LN_Z_SQUARED, WEIGHT_SQUARED, FOUND } found;

static double beta_at(int k) {
    return BETA_END * k / STEPS;
}

/* A run by a rule; true_ln_z is ln Z at the end relative to beta = 0. */
static void anneal(engine *e, FILE *file, resampling_rule rule, uint32_t run, double true_ln_z,
                   double out[FOUND]) {
    histogram h;
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    double ln_z = 0, ln_growth = 0;
    assert_int_equal(histogram_create(&h, &e->model), 0);
    const stream_key key = stream_run_key(71 + (uint64_t)rule, run);
    assert_int_equal(e->verbs->randomise(e, key, POPULATION, &h), ENGINE_OK);
    for (int k = 1; k <= STEPS; k++) {
        ln_z += resampling_tau_hat(&h, beta_at(k) - beta_at(k - 1), POPULATION, tau_hat);
        const engine_step step = {.parts = WHOLE_STEP,
                                  .key = key,
                                  .temperature = (uint32_t)k,
                                  .sweeps = 1,
                                  .founders = POPULATION,
                                  .tau_hat = tau_hat,
                                  .line = resampling_line(&h, rule, tau_hat, POPULATION),
                                  .rule = flip_rule_at(&metropolis_update, &e->model, beta_at(k))};
        assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
        ln_growth += log((double)h.population / POPULATION);
    }
    rewind(file);
    char line[200], last[200] = "";
    while (fgets(line, sizeof line, file) != NULL)
        strcpy(last, line);
    double beta, all, families, rho_t, rho_s;
    assert_int_equal(sscanf(last, "%lf %lf %lf %lf %lf", &beta, &all, &families, &rho_t, &rho_s),
                     5);
    assert_true(fabs(beta - BETA_END) < 1e-12);
    assert_true(fabs(rho_t - (double)h.family_squares / (double)h.population) < 1e-6);
    out[RHO_T] = rho_t;
    out[ALIVE] = families / POPULATION;
    out[RHO_S] = rho_s;
    out[LN_Z] = ln_z - true_ln_z;
    out[LN_Z_SQUARED] = out[LN_Z] * out[LN_Z];
    out[WEIGHT_SQUARED] = pow(out[LN_Z] + ln_growth, 2);
    histogram_destroy(&h);
    free(tau_hat);
}

/* Means over the runs of a rule, and their errors. */
static void anneal_runs(const spin_model *model, const level_states *s, resampling_rule rule,
                        double true_ln_z, double mean[FOUND], double error[FOUND]) {
    double value[RUNS][FOUND];
    FILE *const log = tmpfile();
    assert_non_null(log);
    engine *const e = ideal_engine(model, s, 2 * POPULATION, rule, log);
    assert_non_null(e);
    for (uint32_t run = 0; run < RUNS; run++)
        anneal(e, log, rule, run, true_ln_z, value[run]);
    for (int q = 0; q < FOUND; q++) {
        double squares = 0;
        mean[q] = 0;
        for (int run = 0; run < RUNS; run++)
            mean[q] += value[run][q] / RUNS;
        for (int run = 0; run < RUNS; run++)
            squares += pow(value[run][q] - mean[q], 2);
        error[q] = sqrt(squares / RUNS / (RUNS - 1));
    }
    e->verbs->destroy(e);
    fclose(log);
}

static void rules_have_their_limits(void **state) {
    (void)state;
    static const struct {
        resampling_rule rule;
        int limit; /* a branching_rule, or none */
    } cases[] = {{RESAMPLE_NEAREST, BRANCH_NEAREST},
                 {RESAMPLE_POISSON, BRANCH_POISSON},
                 {RESAMPLE_MULTINOMIAL, BRANCH_POISSON},
                 {RESAMPLE_RESIDUAL, BRANCH_RESIDUAL},
                 {RESAMPLE_SYSTEMATIC, -1},
                 {RESAMPLE_STRATIFIED, -1}};
    const size_t rules = sizeof cases / sizeof *cases;
    const spin_model model = square();
    level_states s = states_of(&model);
    branching_step steps[STEPS];
    double tau_variance = 0, rho_t[BRANCH_RULES] = {1, 1, 1};
    for (int k = 0; k < STEPS; k++) {
        assert_true(branching_step_create(&steps[k], &s, beta_at(k), beta_at(k + 1)));
        tau_variance += branching_tau_variance(&steps[k]);
        for (branching_rule rule = 0; rule < BRANCH_RULES; rule++)
            rho_t[rule] += branching_variance(&steps[k], rule);
    }
    const double sites = (double)model.sites;
    const double true_ln_z = -sites * (exact_thermodynamics(SIZE, BETA_END).beta_f + log(2));
    z_series z = z_begin("rules_have_their_limits", 4 * 3 + 3 * rules);
    for (size_t c = 0; c < rules; c++) {
        double mean[FOUND], error[FOUND];
        anneal_runs(&model, &s, cases[c].rule, true_ln_z, mean, error);
        const char *const name = resampling_name(cases[c].rule);
        /* betaF has half its variance as bias, and that is the same for every rule. */
        const double variance = tau_variance / POPULATION;
        z_add(&z, (mean[LN_Z] + variance / 2) / sqrt(variance / RUNS), "%s: ln Z", name);
        z_add(&z, z_of_chi_square(RUNS * mean[LN_Z_SQUARED] / variance, RUNS), "%s: var ln Z",
              name);
        /* To that of its weight, the product of Q_k R_k / R, the fluctuations of R_k add, if there are any. */
        const bool scatters =
            cases[c].rule == RESAMPLE_NEAREST || cases[c].rule == RESAMPLE_POISSON;
        const double of_weight = scatters ? (rho_t[cases[c].limit] - 1) / POPULATION : variance;
        z_add(&z, z_of_chi_square(RUNS * mean[WEIGHT_SQUARED] / of_weight, RUNS),
              "%s: var of the weight", name);
        for (int q = RHO_T; q <= RHO_S && cases[c].limit >= 0; q++) {
            double other = 0;
            for (int shift = 0; shift < 2; shift++) { /* the limit of another rule is refuted */
                const branching_rule rule =
                    (branching_rule)((cases[c].limit + shift) % BRANCH_RULES);
                const family_sizes f = branching_families(steps, STEPS, rule, rho_t[rule]);
                const double expected = q == RHO_T ? rho_t[rule] : q == ALIVE ? f.alive : f.rho_s;
                other = z_of_student((mean[q] - expected) / error[q], RUNS - 1);
                if (shift == 0)
                    z_add(&z, other, "%s: rho_t, families, rho_s: %d", name, q);
            }
            assert_true(fabs(other) > z.limit);
        }
    }
    assert_true(z_passed(&z));
    for (int k = 0; k < STEPS; k++)
        branching_step_destroy(&steps[k]);
    level_states_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distribution_is_exact),
        cmocka_unit_test(tables_give_probabilities),
        cmocka_unit_test(one_step_is_counted_by_hand),
        cmocka_unit_test(small_steps_have_their_limit),
        cmocka_unit_test(rules_have_their_limits),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
