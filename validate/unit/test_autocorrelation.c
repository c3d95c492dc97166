/* Claims about the integrated autocorrelation time (autocorrelation.h), of AR(1) series x_t+1 = a x_t + sqrt(1 - a^2) noise,
 * whose rho(t) = a^t, so that tau_int = (1 + a) / (2 (1 - a)):
 *  - the mean of tau_int over many series is that; the convention without the term 1/2 is found out (negative control);
 *  - its scatter is error_tau within the precision of that formula: a factor of 0.5 to 1.6 in the variance;
 *  - the scatter of the means of the series is error_mean; the error of independent values is found out (negative control);
 *  - W is the first window with W >= 6 tau_int(W), or that which is asked for at least, and error_tau = tau sqrt(2 (2 W + 1) / n);
 *  - series that are constant, alternate, or are too short have the values that the header says;
 *  - logarithmic bins (logarithmic_bins.h) agree where no two of the last three are more than 5 errors of their difference apart.
 *
 * Seeds are fixed, the false-alarm probability is that of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/autocorrelation.h"
#include "estimate/logarithmic_bins.h"
#include "validate/lib/ar1.h"
#include "validate/lib/statistics.h"

static const double factors[] = {0, 0.5, 0.9, 0.99};
enum { FACTORS = sizeof factors / sizeof *factors };

static double exact_tau(double a) {
    return (1 + a) / (2 * (1 - a));
}

/* What many series say. */
typedef struct {
    sample tau, mean, square_error_tau, square_error_mean, square_naive;
} findings;

static findings analyse(double a, size_t series, size_t n) {
    findings f = {0};
    double *const x = calloc(n, sizeof *x);
    assert_non_null(x);
    for (uint32_t number = 0; number < series; number++) {
        ar1_series(x, n, a, number);
        const autocorrelation c = autocorrelation_of(x, n);
        assert_true(c.window > 0);
        sample_add(&f.tau, c.tau);
        sample_add(&f.mean, c.mean);
        sample_add(&f.square_error_tau, c.error_tau * c.error_tau);
        sample_add(&f.square_error_mean, c.error_mean * c.error_mean);
        sample_add(&f.square_naive, c.variance / (double)n);
    }
    free(x);
    return f;
}

static void test_tau(void **state) {
    (void)state;
    z_series right = z_begin("tau_int", FACTORS), wrong = z_begin("tau_int - 1/2", FACTORS);
    for (size_t i = 0; i < FACTORS; i++) {
        const findings f = analyse(factors[i], 20, 100000);
        sample without = f.tau;
        without.mean -= 0.5;
        z_add(&right, sample_z(&f.tau, exact_tau(factors[i])), "a = %g: %.6g, not %.6g", factors[i],
              f.tau.mean, exact_tau(factors[i]));
        z_add(&wrong, sample_z(&without, exact_tau(factors[i])), "a = %g", factors[i]);
    }
    assert_true(z_passed(&right));
    assert_true(z_detected(&wrong));
}

static void test_errors(void **state) {
    (void)state;
    enum { SERIES = 400 };
    z_series right = z_begin("error of the mean", FACTORS - 1),
             wrong = z_begin("error of independent values", FACTORS - 1);
    for (size_t i = 0; i + 1 < FACTORS; i++) {
        const findings f = analyse(factors[i], SERIES, 10000);
        const double ratio = sample_variance(&f.tau) / f.square_error_tau.mean;
        const double scatter = SERIES * sample_variance(&f.mean);
        if (!(ratio > 0.5 && ratio < 1.6))
            fail_msg("a = %g: variance of tau_int %.3g times the square of its error", factors[i],
                     ratio);
        z_add(&right, z_of_chi_square(scatter / f.square_error_mean.mean, SERIES - 1), "a = %g",
              factors[i]);
        z_add(&wrong, z_of_chi_square(scatter / f.square_naive.mean, SERIES - 1), "a = %g",
              factors[i]);
    }
    assert_true(z_passed(&right));
    assert_true(z_detected(&wrong));
}

/* tau_int of a window, from the definition. */
static double tau_of_window(const double x[], size_t n, size_t window) {
    double mean = 0, rho[2] = {0}, tau = 0.5;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        rho[0] += (x[i] - mean) * (x[i] - mean) / (double)n;
    for (size_t t = 1; t <= window; t++) {
        rho[1] = 0;
        for (size_t i = 0; i + t < n; i++)
            rho[1] += (x[i] - mean) * (x[i + t] - mean) / (double)(n - t);
        tau += rho[1] / rho[0];
    }
    return tau;
}

static void test_window(void **state) {
    (void)state;
    double x[3000];
    for (size_t i = 0; i + 1 < FACTORS; i++) {
        ar1_series(x, 3000, factors[i], 77);
        const autocorrelation c = autocorrelation_of(x, 3000);
        assert_true(fabs(c.tau - tau_of_window(x, 3000, c.window)) < 1e-9 * c.tau);
        assert_true((double)c.window >= 6 * c.tau);
        const double times = c.tau * sqrt(2 * (2 * (double)c.window + 1) / 3000);
        assert_true(fabs(c.error_tau - times) < 1e-12 * times);
        for (size_t w = 1; w < c.window; w++)
            assert_true((double)w < 6 * tau_of_window(x, 3000, w));
    }
}

static void assert_unknown(const autocorrelation *c) {
    assert_true(isnan(c->tau) && isnan(c->error_tau) && c->window == 0);
}

static void test_special_series(void **state) {
    (void)state;
    double x[100];
    for (size_t i = 0; i < 100; i++)
        x[i] = 0.1;
    autocorrelation c = autocorrelation_of(x, 100);
    assert_unknown(&c);
    assert_true(fabs(c.mean - 0.1) < 1e-15 && isnan(c.error_mean));

    for (size_t i = 0; i < 100; i++)
        x[i] = i % 2 ? 3 : 1;
    c = autocorrelation_of(x, 100);
    assert_unknown(&c);
    assert_true(c.mean == 2 && c.variance == 1 && isnan(c.error_mean));

    for (size_t i = 0; i < 100; i++) /* slower than the series is long */
        x[i] = (double)i;
    c = autocorrelation_of(x, 100);
    assert_unknown(&c);
    assert_true(c.mean == 49.5 && isnan(c.error_mean));
}

/* A fifth of the variance is slow. The window of the slow part gives tau_int; a window of its own is closed by the fast one, and is found
 * out (negative control). */
static void test_slow_part(void **state) {
    (void)state;
    enum { TIMES = 20000, SERIES = 40 };
    const double slow = 0.95, share = 0.2, exact = (1 - share) / 2 + share * exact_tau(slow);
    double *const x = calloc(TIMES, sizeof *x), *const noise = calloc(TIMES, sizeof *noise);
    z_series right = z_begin("tau_int, by a given window", 1),
             wrong = z_begin("by its own window", 1);
    sample with = {0}, without = {0};
    assert_true(x != NULL && noise != NULL);
    for (uint32_t number = 0; number < SERIES; number++) {
        ar1_series(x, TIMES, slow, number);
        const size_t window = autocorrelation_of(x, TIMES).window;
        ar1_series(noise, TIMES, 0, number);
        for (size_t t = 0; t < TIMES; t++)
            x[t] = sqrt(share) * x[t] + sqrt(1 - share) * noise[t];
        const autocorrelation c = autocorrelation_within(x, TIMES, window);
        assert_true(c.window >= window && !(c.error_mean <= 0));
        sample_add(&with, c.tau);
        sample_add(&without, autocorrelation_of(x, TIMES).tau);
    }
    z_add(&right, sample_z(&with, exact), "%.6g, not %.6g", with.mean, exact);
    z_add(&wrong, sample_z(&without, exact), "%.6g, not %.6g", without.mean, exact);
    assert_true(z_passed(&right));
    assert_true(z_detected(&wrong));
    free(x);
    free(noise);
}

static void test_short_series(void **state) {
    (void)state;
    const double x[] = {1, 4};
    autocorrelation c = autocorrelation_of(x, 0);
    assert_unknown(&c);
    assert_true(isnan(c.mean) && isnan(c.variance) && isnan(c.error_mean));
    c = autocorrelation_of(x, 1);
    assert_unknown(&c);
    assert_true(c.mean == 1 && c.variance == 0 && isnan(c.error_mean));
    c = autocorrelation_of(x, 2);
    assert_unknown(&c);
    assert_true(c.mean == 2.5 && c.variance == 2.25 && isnan(c.error_mean));
}

/* Three bins with these means, in units of their errors. */
static bool three_agree(double last, double before, double first) {
    const logarithmic_bin bin[] = {
        {.mean = last, .error = 1}, {.mean = before, .error = 1}, {.mean = first, .error = 1}};
    assert_false(logarithmic_bins_agree(bin, 2));
    return logarithmic_bins_agree(bin, 3);
}

static void test_logarithmic_bins(void **state) {
    (void)state;
    const double near = 4.99 * sqrt(2), far = 5.01 * sqrt(2), half = far / 2;
    logarithmic_bin bin[LOGARITHMIC_BINS_MOST];
    assert_true(three_agree(0, near, near) && three_agree(near, 0, near));
    assert_false(three_agree(0, far, half));
    assert_false(three_agree(0, half, far));
    assert_false(three_agree(half, 0, far));
    assert_true(three_agree(2, 2, 2) && !three_agree(NAN, 2, 2));
    assert_int_equal(logarithmic_bins_divide(256, bin), 4);
    for (size_t b = 0, end = 256; b < 4; end = bin[b++].first)
        assert_true(bin[b].first == end / 2 && bin[b].first + bin[b].count == end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tau),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_special_series),
        cmocka_unit_test(test_slow_part),
        cmocka_unit_test(test_short_series),
        cmocka_unit_test(test_logarithmic_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
