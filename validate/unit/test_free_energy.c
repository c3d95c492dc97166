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
 * And about numbers of states below ceilings, exactly, by sums over all that independent replicas can do:
 *  - the part below a ceiling has the right mean, in one look and in many; the plain share of many looks has not;
 *  - so have g(E) of looks that go on until enough were found; by plain shares they have not;
 *  - so has the part below a ceiling that the culled replicas choose; of the lowest ceiling that culls no more than a part it has not;
 *  - weights of another run leave g as its formula has it;
 *  - averages over runs, and over all but each, are those of sums over these runs one by one.
 * Fixed seeds, and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/ceilings.h"
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

/* --- numbers of states below ceilings --- */

/* The probability of c of n replicas below a ceiling. */
static double binomial(uint64_t n, uint64_t c, double part) {
    double p = pow(1 - part, (double)n);
    for (uint64_t k = 0; k < c; k++)
        p *= (double)(n - k) / (double)(k + 1) * part / (1 - part);
    return p;
}

/* What is said of all looks at a population, the last of which found enough: its probability; replicas before it, and in it. */
typedef void of_looks(void *means, double p, uint64_t looks, uint64_t before, uint64_t last);

/* All that can be found by looks that go on until `enough` were. */
static void go_through_looks(uint64_t replicas, uint64_t enough, double part, of_looks *add,
                             void *means) {
    double at[64] = {1}; /* probability of having found so many, and going on */
    double going_on = 1;
    for (uint64_t looks = 1; going_on > 1e-13; looks++) {
        double then[64] = {0};
        going_on = 0;
        for (uint64_t before = 0; before < enough; before++)
            for (uint64_t c = 0; c <= replicas && at[before] > 0; c++) {
                const double p = at[before] * binomial(replicas, c, part);
                if (before + c >= enough) {
                    add(means, p, looks, before, c);
                    continue;
                }
                then[before + c] += p;
                going_on += p;
            }
        memcpy(at, then, sizeof at);
    }
}

typedef struct {
    uint64_t replicas, enough;
    double part;
} looked_at;

/* The means of ceilings_part and of the plain share. */
typedef struct {
    looked_at of;
    double mean[2];
} part_means;

static void add_parts(void *means, double p, uint64_t looks, uint64_t before, uint64_t last) {
    part_means *const m = means;
    m->mean[0] += p * ceilings_part(m->of.replicas, looks, before, last, m->of.enough);
    m->mean[1] += p * (double)(before + last) / (double)(looks * m->of.replicas);
}

static void test_parts(void **state) {
    (void)state;
    const looked_at of[] = {{1, 2, 0.2},  {5, 2, 0.03},  {30, 3, 0.02},
                            {40, 4, 0.3}, {20, 20, 0.4}, {3, 40, 0.6}};
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        part_means m = {.of = of[n]};
        go_through_looks(of[n].replicas, of[n].enough, of[n].part, add_parts, &m);
        if (!(fabs(m.mean[0] - of[n].part) <= 1e-10))
            fail_msg("case %zu: the mean part is %.15g, not %g", n, m.mean[0], of[n].part);
        assert_true(fabs(m.mean[1] - of[n].part) > 1e-4 * of[n].part); /* control */
    }
}

/* g(0) and g(1) over the states there, of a run that looks at two levels until `enough` replicas were found at level 0, `last` of them in the last look,
 * and then at that level alone. Omega' is off. `plain`: the parts of all looks are those of all replicas. */
static void states_of(uint64_t replicas, uint64_t looks, uint64_t before, uint64_t last,
                      uint64_t enough, double part, bool plain, double g[2]) {
    static level_sums level[2];
    static histogram h = {.levels = {0, 1, 2, 1}, .order_unit = 1, .level = level, .end = 2};
    const double found = ceilings_part(replicas, looks, before, last, enough), ln_all = 4;
    ceiling_run run;
    assert_true(ceilings_create(&run, h.levels));
    h.population = replicas;
    for (uint64_t k = 1; k <= looks; k++) {
        level[0].replicas = k == looks ? last : k == 1 ? before : 0;
        level[1].replicas = replicas - level[0].replicas;
        assert_true(ceilings_add(&run, &h, 1, ln_all, ln_all));
    }
    ceilings_leave(&run, plain ? SIZE_MAX : 0, plain ? 1 : found);
    level[0].replicas = replicas;
    level[1].replicas = 0;
    assert_true(ceilings_add(&run, &h, 0, ln_all + log(found), ln_all + log(part) - 0.3));
    ceilings_leave(&run, SIZE_MAX, 1);
    ceilings_count_states(&run);
    for (size_t n = 0; n < 2; n++)
        g[n] = run.found.level[n].replicas > 0
                   ? exp(fixed_value(run.found.ln_omega[n]) - ln_all) / (n == 0 ? part : 1 - part)
                   : 0;
    ceilings_destroy(&run);
}

/* The means of that over all runs, by parts without bias and by plain ones. */
typedef struct {
    looked_at of;
    double mean[2][2];
} state_means;

static void add_states(void *means, double p, uint64_t looks, uint64_t before, uint64_t last) {
    state_means *const m = means;
    for (size_t plain = 0; plain < 2; plain++) {
        double g[2];
        states_of(m->of.replicas, looks, before, last, m->of.enough, m->of.part, plain > 0, g);
        for (size_t n = 0; n < 2; n++)
            m->mean[plain][n] += p * g[n];
    }
}

static void test_states_of_looks(void **state) {
    (void)state;
    const looked_at of[] = {{5, 2, 0.1}, {20, 3, 0.06}, {40, 4, 0.3}, {20, 15, 0.4}};
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        state_means m = {.of = of[n]};
        go_through_looks(of[n].replicas, of[n].enough, of[n].part, add_states, &m);
        for (size_t k = 0; k < 2; k++) {
            if (!(fabs(m.mean[0][k] - 1) <= 1e-10))
                fail_msg("case %zu: the mean of g(%zu) is %.15g of the true one", n, k,
                         m.mean[0][k]);
            assert_true(fabs(m.mean[1][k] - 1) > 1e-5); /* control */
        }
    }
}

#define LEVELS 5

/* A rule that the replicas which stay have a say in: the lowest ceiling above which at most the part `cull` is. */
static size_t greedy(const histogram *h, double cull) {
    size_t n = LEVELS - 1;
    while (n > 0 && h->level[n].replicas == 0)
        n--;
    double above = (double)h->level[n].replicas;
    size_t most = n > 0 ? n - 1 : 0;
    while (most > 0 && above + (double)h->level[most].replicas <= cull * (double)h->population)
        above += (double)h->level[most--].replicas;
    return most;
}

/* Adds, for all ways to put the replicas that are left into levels up to n, their part below the next ceiling over the true one. */
static void add_ways(histogram *h, const double share[], size_t n, uint64_t left, double p,
                     double cull, double sum[2]) {
    for (uint64_t c = n > 0 ? 0 : left; c <= left; c++) {
        double to_here = 0, ways = p;
        for (size_t k = 0; k <= n; k++)
            to_here += share[k];
        if (n > 0)
            ways *= binomial(left, c, share[n] / to_here);
        h->level[n].replicas = c;
        if (n > 0) {
            add_ways(h, share, n - 1, left - c, ways, cull, sum);
            continue;
        }
        h->first = 0;
        while (h->level[h->first].replicas == 0)
            h->first++;
        size_t most[2] = {ceilings_next(h, cull, 0), greedy(h, cull)};
        most[0] = most[0] == SIZE_MAX ? 0 : most[0];
        for (size_t rule = 0; rule < 2; rule++) {
            double below = 0;
            for (size_t k = 0; k <= most[rule]; k++)
                below += share[k];
            sum[rule] +=
                ways * (double)ceilings_left(h, most[rule]) / (double)h->population / below;
        }
    }
}

static void test_ceilings(void **state) {
    (void)state;
    static level_sums level[LEVELS];
    static histogram h = {.population = 12, .end = LEVELS, .level = level};
    const double share[LEVELS] = {0.05, 0.1, 0.2, 0.3, 0.35}, cull[] = {0.01, 0.1, 0.3, 0.6};
    for (size_t n = 0; n < sizeof cull / sizeof *cull; n++) {
        double sum[2] = {0, 0};
        add_ways(&h, share, LEVELS - 1, h.population, 1, cull[n], sum);
        if (!(fabs(sum[0] - 1) <= 1e-12))
            fail_msg("cull %g: the mean part is %.15g of the true one", cull[n], sum[0]);
        if (n > 1)
            assert_true(fabs(sum[1] - 1) > 1e-3); /* control */
    }
    h.first = 2; /* of a graph the lowest level with replicas is not culled with others */
    level[0].replicas = level[1].replicas = level[3].replicas = 0;
    level[2].replicas = 11;
    level[4].replicas = 1;
    assert_int_equal(ceilings_next(&h, 0.5, 2), 2);
    assert_int_equal(ceilings_next(&h, 0.5, 0), 1);
}

static void test_weights_of_ceilings(void **state) {
    (void)state;
    static level_sums level[LEVELS];
    static histogram h = {.levels = {0, 1, LEVELS, 1}, .order_unit = 1, .level = level};
    const double found[2][3] = {{10, 20, 70}, {30, 60, 0}}, ln_states[] = {9, 8.5},
                 ln_weight[] = {9, 8.2};
    double weighted[3] = {0}, all[3] = {0};
    ceiling_run run;
    assert_true(ceilings_create(&run, h.levels));
    h.end = 3;
    for (size_t k = 0; k < 2; k++) {
        h.population = 0;
        for (size_t n = 0; n < 3; n++)
            h.population += level[n].replicas = (uint64_t)found[k][n];
        for (size_t n = 0; n < 3; n++) {
            weighted[n] += found[k][n] * exp(ln_states[k] - ln_weight[k]);
            all[n] += n <= 2 - k ? (double)h.population / exp(ln_weight[k]) : 0;
        }
        assert_true(ceilings_add(&run, &h, 2 - k, ln_states[k], ln_weight[k]));
        ceilings_leave(&run, SIZE_MAX, 1);
    }
    ceilings_count_states(&run);
    for (size_t n = 0; n < 3; n++)
        assert_true(fabs(fixed_value(run.found.ln_omega[n]) - log(weighted[n] / all[n])) <= 1e-12);
    ceilings_destroy(&run);
}

#define SOME_RUNS 5

/* Averages over runs, and over those without each: ln g is that of the mean of g, and what it is made of is summed, level by level, where not all
 * runs have all levels. */
static void test_averages_of_runs(void **state) {
    (void)state;
    const energy_levels levels = {0, 1, LEVELS, 1, false};
    const double ln_g[SOME_RUNS][LEVELS] = {{0, 1, 2, 3, 4},
                                            {-1, 0, 1.5, 300, 4},
                                            {-1, 0, 1.7, 3, -1},
                                            {2, -200, 0.1, 2, -1},
                                            {-1, 0, 2.9, 3.5, -1}}; /* -1: no such level */
    reweighting of[SOME_RUNS + 1];
    ceiling_run run[SOME_RUNS];
    for (size_t m = 0; m <= SOME_RUNS; m++)
        assert_int_equal(reweighting_create(&of[m], levels), 0);
    for (size_t m = 0; m < SOME_RUNS; m++) {
        assert_true(ceilings_create(&run[m], levels));
        reweighting *const r = &run[m].found;
        for (size_t n = LEVELS; n-- > 0;)
            if (ln_g[m][n] != -1) {
                r->level[n] = (reweighting_level){1.0 + (double)(m + n), (double)m, 2, (double)n};
                r->ln_omega[n] = fixed_of(ln_g[m][n]);
                r->first = n;
                r->end = r->end > n ? r->end : n + 1;
            }
    }
    for (size_t runs = 1; runs <= SOME_RUNS; runs++) {
        ceilings_averages(of, run, runs); /* each time over what was there */
        for (size_t left_out = runs > 1 ? 0 : 1; left_out <= runs; left_out++)
            for (size_t n = 0; n < LEVELS; n++) {
                long double g = 0;
                reweighting_level sum = {0};
                for (size_t m = 0; m < runs; m++)
                    if (m != left_out && ln_g[m][n] != -1) {
                        g += expl((long double)ln_g[m][n]);
                        sum.replicas += 1.0 + (double)(m + n);
                        sum.abs_m += (double)m;
                        sum.m2 += 2;
                        sum.m4 += (double)n;
                    }
                const reweighting *const x = &of[left_out];
                const double used = (double)(runs - (left_out < runs));
                assert_memory_equal(&x->level[n], &sum, sizeof sum);
                assert_int_equal(n >= x->first && n < x->end && x->level[n].replicas > 0, g > 0);
                if (g > 0 && !(fabs(fixed_value(x->ln_omega[n]) - (double)logl(g / used)) <= 1e-13))
                    fail_msg("%zu runs without %zu: ln g(%zu) = %.15g, not %.15g", runs, left_out,
                             n, fixed_value(x->ln_omega[n]), (double)logl(g / used));
            }
    }
    for (size_t m = 0; m <= SOME_RUNS; m++)
        reweighting_destroy(&of[m]);
    for (size_t m = 0; m < SOME_RUNS; m++)
        ceilings_destroy(&run[m]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relatives_alike), cmocka_unit_test(test_relatives_strangers),
        cmocka_unit_test(test_extinct_blocks),  cmocka_unit_test(test_large_populations),
        cmocka_unit_test(test_dominant_block),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_ceilings),        cmocka_unit_test(test_weights_of_ceilings),
        cmocka_unit_test(test_states_of_looks), cmocka_unit_test(test_averages_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
