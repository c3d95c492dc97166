/* Claims about an annealing step as the host prepares it:
 *  - ln Q (eq. 1) and tau-hat (eq. 2) are the direct sums over the replicas, also where energies
 *    times dbeta are far beyond the range of exp;
 *  - the sum of tau-hat over the population is R but for the rounding of each to 2^-32, whatever
 *    R_{i-1} is: tau in its place, without R / R_{i-1}, is noticed;
 *  - tau-hat is cut off, not wrapped, where it would not fit;
 *  - the overlap (eq. 8) is the direct sum, 1 without a step, and falls with it; so are the replicas
 *    that carry the weights, and the spread of the energies;
 *  - of fine energies, weights that an engine has added up in another order give the bits of the
 *    sums over levels, and a replica that is missing is noticed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "resample/resampling.h"
#include "resample/rules.h"

#define REPLICAS 3000
#define TARGET   2500
#define EDGE     1024

static const double steps[] = {1e-5, 0.0005, 0.005, 0.1, -0.005};
#define STEPS (sizeof steps / sizeof *steps)

typedef struct {
    histogram report;
    size_t level[REPLICAS];
    uint64_t *tau_hat;
} population;

/* Replicas whose energies spread over some 1200 J around -1.1 N, a sixth of the levels occupied. */
static int make_population(void **state) {
    population *const p = calloc(1, sizeof *p);
    *state = p;
    const spin_model model = square_model(EDGE);
    if (!p || histogram_create(&p->report, &model))
        return -1;
    p->tau_hat = calloc(p->report.levels.count, sizeof *p->tau_hat);
    p->report.population = REPLICAS;
    uint32_t random = 1;
    for (size_t k = 0; k < REPLICAS; k++) {
        p->level[k] = 235000;
        for (int n = 0; n < 12; n++) {
            random = random * 1664525u + 1013904223u;
            p->level[k] += random >> 22;
        }
        histogram_add(&p->report, k, p->level[k], 0);
    }
    return p->tau_hat ? 0 : -1;
}

static int free_population(void **state) {
    population *const p = *state;
    histogram_destroy(&p->report);
    free(p->tau_hat);
    free(p);
    return 0;
}

/* -dbeta (E_k - E_0), an exponent within range. */
static long double exponent(const population *p, size_t k, double dbeta) {
    const int64_t off =
        level_energy(p->report.levels, p->level[k]) - level_energy(p->report.levels, p->level[0]);
    return -(long double)dbeta * (long double)off;
}

/* Q exp(dbeta E_0), replica by replica. */
static long double direct_q(const population *p, double dbeta) {
    long double sum = 0;
    for (size_t k = 0; k < REPLICAS; k++)
        sum += expl(exponent(p, k, dbeta));
    return sum / REPLICAS;
}

static void test_ln_q(void **state) {
    population *const p = *state;
    for (size_t n = 0; n < STEPS; n++) {
        const long double expected =
            logl(direct_q(p, steps[n])) -
            (long double)steps[n] * (long double)level_energy(p->report.levels, p->level[0]);
        const double copied = resampling_tau_hat(&p->report, steps[n], TARGET, p->tau_hat);
        assert_true(fabsl(resampling_ln_q(&p->report, steps[n]) - expected) <
                    1e-15L * fabsl(expected) + 1e-12L);
        assert_true(copied == resampling_ln_q(&p->report, steps[n]));
    }
}

static void test_copies_are_tau_hat(void **state) {
    population *const p = *state;
    for (size_t n = 0; n < STEPS; n++) {
        const long double q = direct_q(p, steps[n]);
        resampling_tau_hat(&p->report, steps[n], TARGET, p->tau_hat);
        for (size_t k = 0; k < REPLICAS; k++) {
            const long double tau_hat =
                TARGET / (long double)REPLICAS * expl(exponent(p, k, steps[n])) / q;
            const long double copies = ldexpl((long double)p->tau_hat[p->level[k]], -32);
            assert_true(fabsl(copies - tau_hat) <= 0x1p-33L + 1e-13L * tau_hat);
        }
    }
}

/* |sum of tau-hat - R|, in replicas. */
static double missing_copies(const population *p, double target) {
    double sum = 0;
    for (size_t k = 0; k < REPLICAS; k++)
        sum += ldexp((double)p->tau_hat[p->level[k]], -32);
    return fabs(sum - target);
}

static void test_copies_add_to_target(void **state) {
    population *const p = *state;
    const double rounded_by = REPLICAS * 0x1p-33 + 1e-12 * TARGET;
    for (size_t n = 0; n < STEPS; n++) {
        resampling_tau_hat(&p->report, steps[n], TARGET, p->tau_hat);
        assert_true(missing_copies(p, TARGET) <= rounded_by);
        /* Negative control: tau in place of tau-hat keeps the population where it is. */
        resampling_tau_hat(&p->report, steps[n], REPLICAS, p->tau_hat);
        assert_false(missing_copies(p, TARGET) <= rounded_by);
    }
}

static void test_copies_do_not_wrap(void **state) {
    population *const p = *state;
    const size_t lowest = p->report.first;
    resampling_tau_hat(&p->report, 100, UINT64_C(1) << 40, p->tau_hat);
    assert_true(p->tau_hat[lowest] == UINT64_C(1) << 63);
    resampling_tau_hat(&p->report, 100, UINT64_C(1) << 30, p->tau_hat);
    assert_true(p->tau_hat[lowest] <= UINT64_C(1) << 62);
    assert_true(p->tau_hat[lowest] >= (UINT64_C(1) << 62) / p->report.level[lowest].replicas - 1);
}

static void test_overlap(void **state) {
    population *const p = *state;
    assert_true(resampling_overlap(&p->report, 0) == 1);
    double before = 1;
    for (double dbeta = 1e-6; dbeta < 1; dbeta *= 1.5) {
        const long double q = direct_q(p, dbeta);
        long double expected = 0;
        for (size_t k = 0; k < REPLICAS; k++)
            expected += fminl(1, expl(exponent(p, k, dbeta)) / q) / REPLICAS;
        const double overlap = resampling_overlap(&p->report, dbeta);
        assert_true(fabsl(overlap - expected) < 1e-12L);
        assert_true(overlap >= 0 && overlap <= before);
        before = overlap;
    }
    assert_true(before < 0.01); /* the whole range was seen */
}

/* (sum w)^2 / sum w^2, and the standard deviation of the energies. */
static void test_carriers_and_spread(void **state) {
    population *const p = *state;
    for (size_t n = 0; n < STEPS; n++) {
        long double sum = 0, squares = 0;
        for (size_t k = 0; k < REPLICAS; k++) {
            const long double w = expl(exponent(p, k, steps[n]));
            sum += w;
            squares += w * w;
        }
        const long double expected = sum * sum / squares;
        assert_true(fabsl(resampling_carriers(&p->report, steps[n]) - expected) <
                    1e-11L * expected);
    }
    long double mean = 0, variance = 0;
    for (size_t k = 0; k < REPLICAS; k++)
        mean += exponent(p, k, 1) / REPLICAS;
    for (size_t k = 0; k < REPLICAS; k++)
        variance += (exponent(p, k, 1) - mean) * (exponent(p, k, 1) - mean) / REPLICAS;
    assert_true(fabsl(resampling_spread(&p->report) / sqrtl(variance) - 1) < 1e-9L);
}

/* --- fine energies --- */

#define LEVELS 9000 /* more than are added up by one thread */

static void add_units(weight_units *sum, uint64_t units) {
    sum->low += (uint32_t)units;
    sum->high += units >> 32;
}

/* Adds the weights of all replicas but the first few, backwards, as an engine does, and their parts of the line of a rule. */
static next_weights added_weights(const histogram *h, double width, size_t missing,
                                  resampling_rule rule) {
    const int64_t top = h->energy[width > 0 ? 0 : LEVELS - 1];
    const double per_unit = width / FINE_UNIT;
    next_weights next = {.width = width, .top = top, .target = TARGET};
    for (size_t k = LEVELS; k-- > missing;)
        add_units(&next.sum, in_weight_units(weight_above_top(per_unit, h->energy[k] - top)));
    const expected_copies copies = {per_unit, top, TARGET, weight_total(next.sum)};
    for (size_t k = LEVELS; k-- > missing;) {
        const uint64_t tau_hat = expected_copies_of(&copies, h->energy[k]);
        add_units(&next.length, resampling_weight(rule, tau_hat));
        add_units(&next.sure, resampling_sure(rule, tau_hat));
    }
    const double mean = weight_total(next.sum) / LEVELS;
    for (size_t k = LEVELS; k-- > 0;) {
        const double part = weight_above_top(per_unit, h->energy[k] - top) / mean;
        add_units(&next.overlap, in_weight_units(part < 1 ? part : 1));
    }
    return next;
}

static bool same_line(parent_line a, parent_line b) {
    return a.length == b.length && a.points == b.points;
}

static void test_added_weights(void **state) {
    (void)state;
    static uint64_t tau_hat[LEVELS];
    spin_model model = square_model(EDGE);
    model.levels = energies_without_levels(FINE_UNIT);
    model.levels.count = LEVELS;
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.population = LEVELS;
    for (size_t k = 0; k < LEVELS; k++) {
        h.energy[k] = -(INT64_C(1) << 30) + (int64_t)(k * k * 4);
        histogram_add(&h, k, k, 0);
    }
    for (size_t n = 0; n < STEPS; n++) {
        const double width = steps[n], ln_q = resampling_tau_hat(&h, width, TARGET, tau_hat),
                     overlap = resampling_overlap(&h, width);
        expected_copies copies;
        long double q = 0;
        for (size_t k = 0; k < LEVELS; k++)
            q += expl(-(long double)width * (long double)h.energy[k] / FINE_UNIT) / LEVELS;
        assert_true(fabsl(ln_q - logl(q)) < 1e-13L * (1 + fabsl(logl(q))));
        assert_false(resampling_copies(&h, width, TARGET, &copies));
        h.next = added_weights(&h, width, 0, RESAMPLE_NEAREST);
        assert_true(resampling_copies(&h, width, TARGET, &copies));
        assert_false(resampling_copies(&h, width, TARGET + 1, &copies));
        assert_false(resampling_copies(&h, 2 * width, TARGET, &copies));
        for (size_t k = 0; k < LEVELS; k++)
            assert_true(expected_copies_of(&copies, h.energy[k]) == tau_hat[k]);
        assert_true(resampling_ln_q(&h, width) == ln_q);
        assert_true(resampling_overlap(&h, width) == overlap);
        for (resampling_rule rule = 0; rule < RESAMPLING_RULES; rule++) {
            const parent_line expected = resampling_line(&h, rule, tau_hat, TARGET);
            h.next = added_weights(&h, width, 0, rule);
            assert_true(same_line(resampling_line(&h, rule, NULL, TARGET), expected));
            h.next = added_weights(&h, width, 1, rule); /* negative control */
            assert_true(resampling_way_of(rule) == BY_THEMSELVES ||
                        !same_line(resampling_line(&h, rule, NULL, TARGET), expected));
            assert_true(resampling_ln_q(&h, width) != ln_q);
        }
        h.next.width = 0;
    }
    histogram_destroy(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ln_q, make_population, free_population),
        cmocka_unit_test_setup_teardown(test_copies_are_tau_hat, make_population, free_population),
        cmocka_unit_test_setup_teardown(test_copies_add_to_target, make_population,
                                        free_population),
        cmocka_unit_test_setup_teardown(test_copies_do_not_wrap, make_population, free_population),
        cmocka_unit_test_setup_teardown(test_overlap, make_population, free_population),
        cmocka_unit_test_setup_teardown(test_carriers_and_spread, make_population, free_population),
        cmocka_unit_test(test_added_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
