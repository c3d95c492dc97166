/* Claims about the spread of C over runs (validate/inflation/spread.c) and its judgement
 * (validate/inflation/claims.c):
 *  - sigma(C)/C, ln sigma^2 and their mean over a window are the sums done plainly, and the errors
 *    are those of a jackknife that leaves the runs out one by one and begins anew;
 *  - for samples of equal variance whose temperatures are correlated, ln ratio = 0 within its errors:
 *    the sum of z^2 over many pairs is a chi-square. Negative control: errors that take the
 *    temperatures as independent;
 *  - a ratio is found, and claims are refuted by it or not; what cannot be known is undecided.
 * Fixed seeds, and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/streams.h"
#include "validate/inflation/claims.h"
#include "validate/inflation/spread.h"
#include "validate/lib/statistics.h"

#define TEMPERATURES 40
#define PAIRS        300
#define RUNS         60

/* --- samples --- */

/* A normal number (Box and Muller). */
static double normal(uint32_t number, uint32_t run, uint32_t t) {
    const stream_key key = {{20170000, 4}};
    const stream_block b = stream_philox(key, number, run, t, 0);
    const double u = (b.number[0] + 0.5) * 0x1p-32, v = (b.number[1] + 0.5) * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Runs whose C has the mean 10 and the standard deviation sigma at each temperature, correlated by
 * 0.9 with that at the temperature before. */
static spread_sample make_sample(uint32_t number, size_t runs, double sigma) {
    spread_sample s;
    assert_int_equal(spread_create(&s, runs, TEMPERATURES), 0);
    for (uint32_t r = 0; r < runs; r++) {
        double x = normal(number, r, 0);
        for (uint32_t t = 0; t < TEMPERATURES; t++) {
            s.beta[t] = (double)t / TEMPERATURES;
            s.c[t * runs + r] = 10 + sigma * x;
            x = 0.9 * x + sqrt(1 - 0.9 * 0.9) * normal(number, r, t + 1);
        }
    }
    return s;
}

/* --- plain sums --- */

/* Without which run; RUNS: with all. */
static double plain_mean(const spread_sample *s, size_t t, size_t without) {
    double sum = 0, n = 0;
    for (size_t r = 0; r < s->runs; r++)
        if (r != without) {
            sum += s->c[t * s->runs + r];
            n++;
        }
    return sum / n;
}

static double plain_variance(const spread_sample *s, size_t t, size_t without) {
    const double mean = plain_mean(s, t, without);
    double sum = 0, n = 0;
    for (size_t r = 0; r < s->runs; r++)
        if (r != without) {
            sum += pow(s->c[t * s->runs + r] - mean, 2);
            n++;
        }
    return sum / (n - 1);
}

static double plain_relative(const spread_sample *s, size_t without) {
    return sqrt(plain_variance(s, 7, without)) / plain_mean(s, 7, without);
}

static double plain_ln_variance(const spread_sample *s, size_t without) {
    return log(plain_variance(s, 7, without));
}

/* The temperatures of 0.25 <= beta <= 0.5. */
static double plain_window(const spread_sample *s, size_t without) {
    double sum = 0;
    for (size_t t = 10; t <= 20; t++)
        sum += log(plain_variance(s, t, without)) / 11;
    return sum;
}

static void assert_close(double computed, double expected) {
    if (!(fabs(computed - expected) <= 1e-10 * fabs(expected)))
        fail_msg("expected %.17g, computed %.17g", expected, computed);
}

/* A result against the plain estimate and its plain jackknife. */
static void assert_jackknife(measured result, const spread_sample *s,
                             double (*plain)(const spread_sample *, size_t)) {
    double mean = 0, squares = 0;
    for (size_t r = 0; r < RUNS; r++)
        mean += plain(s, r) / RUNS;
    for (size_t r = 0; r < RUNS; r++)
        squares += pow(plain(s, r) - mean, 2);
    assert_close(result.value, plain(s, RUNS));
    assert_close(result.error, sqrt(squares * (RUNS - 1) / RUNS));
}

static void test_plain_sums(void **state) {
    (void)state;
    spread_sample s = make_sample(1000, RUNS, 0.3);
    assert_close(spread_mean(&s, 7), plain_mean(&s, 7, RUNS));
    assert_jackknife(spread_relative(&s, 7), &s, plain_relative);
    assert_jackknife(spread_ln_variance(&s, 7), &s, plain_ln_variance);
    assert_jackknife(spread_window(&s, 0.25, 0.5), &s, plain_window);
    assert_true(isnan(spread_window(&s, 2, 3).value));
    spread_destroy(&s);
}

/* --- errors --- */

/* What the error of a window would be if its temperatures were independent. */
static measured naive_window(const spread_sample *s) {
    measured m = {0, 0};
    for (size_t t = 0; t < TEMPERATURES; t++) {
        const measured one = spread_ln_variance(s, t);
        m.value += one.value / TEMPERATURES;
        m.error = hypot(m.error, one.error / TEMPERATURES);
    }
    return m;
}

/* The sum of z^2 over many pairs of samples as a z-score, for errors of either kind. */
static double z_of_errors(int naive) {
    double chi_square = 0;
    for (uint32_t n = 0; n < PAIRS; n++) {
        spread_sample a = make_sample(2 * n, RUNS, 0.3), b = make_sample(2 * n + 1, RUNS, 0.3);
        const measured ratio = naive
                                   ? spread_ratio(naive_window(&a), naive_window(&b))
                                   : spread_ratio(spread_window(&a, 0, 1), spread_window(&b, 0, 1));
        const double z = claim_z((claim){1, 1}, ratio, RUNS);
        chi_square += z * z;
        spread_destroy(&a);
        spread_destroy(&b);
    }
    return z_of_chi_square(chi_square, PAIRS);
}

static void test_errors(void **state) {
    (void)state;
    z_series right = z_begin("errors of the ratio", 1);
    z_add(&right, z_of_errors(0), "chi-square of %d pairs", PAIRS);
    assert_true(z_passed(&right));
    z_series wrong = z_begin("errors of independent temperatures", 1);
    z_add(&wrong, z_of_errors(1), "chi-square of %d pairs", PAIRS);
    assert_true(z_detected(&wrong));
}

/* --- claims --- */

static void test_claims(void **state) {
    (void)state;
    spread_sample one = make_sample(2000, 1000, 0.1), eight = make_sample(2001, 1000, sqrt(0.08));
    const measured ratio = spread_ratio(spread_window(&eight, 0, 1), spread_window(&one, 0, 1));
    const double limit = z_limit(30);
    z_series series = z_begin("a ratio of 8", 1);
    z_add(&series, claim_z((claim){8, 8}, ratio, 1000), "%.3f", ratio.value);
    assert_true(z_passed(&series));
    assert_int_equal(claim_decide((claim){6, 10}, ratio, 1000, limit), CLAIM_HOLDS);
    assert_int_equal(claim_decide((claim){8, 8}, ratio, 1000, limit), CLAIM_HOLDS);
    assert_int_equal(claim_decide((claim){1, 1}, ratio, 1000, limit), CLAIM_REFUTED);
    assert_int_equal(claim_decide((claim){12, 20}, ratio, 1000, limit), CLAIM_REFUTED);
    assert_true(claim_z((claim){1, 1}, ratio, 1000) > 0);
    assert_true(claim_z((claim){12, 20}, ratio, 1000) < 0);
    assert_true(claim_z((claim){6, 10}, ratio, 1000) == 0);
    spread_destroy(&one);
    spread_destroy(&eight);
}

static void test_undecided(void **state) {
    (void)state;
    const double limit = z_limit(30);
    assert_int_equal(claim_decide((claim){1, 1}, (measured){1.1, 0.05}, 200, limit), CLAIM_HOLDS);
    assert_int_equal(claim_decide((claim){1, 1}, (measured){1.1, 0.2}, 200, limit),
                     CLAIM_UNDECIDED);
    assert_int_equal(claim_decide((claim){6, 10}, (measured){8, 3}, 200, limit), CLAIM_UNDECIDED);
    assert_int_equal(claim_decide((claim){1, 1}, (measured){NAN, NAN}, 200, limit),
                     CLAIM_UNDECIDED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_sums),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_undecided),
    };
    return cmocka_run_group_tests_name("MSC error inflation", tests, NULL, NULL);
}
