/* Claims about rows of series of measurements (series_rows.h, measurements.h):
 *  - the values are those of the formulas, from sums over time;
 *  - the scatter of e, C, chi and U4 of many correlated series is their errors; errors that take the measurements for
 *    independent are found out (negative control);
 *  - the autocorrelation times are those of e and |m|, in measurements; trusted from 100 of them on, and from 50
 *    measurements;
 *  - measurements that are all the same have errors of nan, and are not trusted, nor is a series that comes to a stop;
 *  - moments of a report are plain sums over its replicas;
 *  - two temperatures of one series do not mix.
 *
 * Seeds are fixed, the false-alarm probability is that of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/series_rows.h"
#include "validate/lib/ar1.h"
#include "validate/lib/statistics.h"

enum { SPINS = 64, LENGTH = 4000, SERIES = 400 };
#define BETA   0.4
#define FACTOR 0.8 /* tau_int = 4.5 */

/* A measurement of one replica with e and m that fluctuate. */
static measurement measured(double e, double m) {
    return (measurement){.e = e, .e2 = e * e, .abs_m = fabs(m), .m2 = m * m, .m4 = m * m * m * m};
}

/* Series number `number` of two temperatures, of which the second one counts. */
static void fill(measurement_series *s, uint32_t number) {
    static double x[LENGTH], y[LENGTH];
    ar1_series(x, LENGTH, FACTOR, 2 * number);
    ar1_series(y, LENGTH, FACTOR, 2 * number + 1);
    for (size_t t = 0; t < LENGTH; t++) {
        s->of[2 * t] = measured(7, 7);
        s->of[2 * t + 1] = measured(-1.4 + 0.05 * x[t], 0.5 + 0.1 * y[t]);
    }
    s->count = LENGTH;
}

/* The last two are of the table of columns: chi and U4. */
enum { CHI = SERIES_OWN_COLUMNS, U4 };
static const size_t judged[] = {SERIES_E, SERIES_C, CHI, U4};
enum { JUDGED = sizeof judged / sizeof *judged };

static void test_errors(void **state) {
    (void)state;
    measurement_series s;
    assert_int_equal(measurement_series_create(&s, 2, LENGTH), 0);
    sample value[JUDGED] = {{0}}, square_error[JUDGED] = {{0}}, tau_e = {0}, tau_m = {0};
    for (uint32_t number = 0; number < SERIES; number++) {
        series_row row;
        fill(&s, number);
        assert_true(series_row_of(&row, &s, 1, BETA, SPINS, false));
        assert_true(row.trusted);
        for (size_t i = 0; i < JUDGED; i++) {
            sample_add(&value[i], row.value[judged[i]]);
            sample_add(&square_error[i], row.error[judged[i]] * row.error[judged[i]]);
        }
        sample_add(&tau_e, row.e.tau);
        sample_add(&tau_m, row.abs_m.tau);
    }
    measurement_series_destroy(&s);
    z_series right = z_begin("errors of rows", JUDGED + 2),
             wrong = z_begin("errors of independent measurements", JUDGED);
    for (size_t i = 0; i < JUDGED; i++) {
        const double scatter = (SERIES - 1) * sample_variance(&value[i]),
                     square = square_error[i].mean,
                     least = (1 + FACTOR * FACTOR) / (1 - FACTOR * FACTOR);
        z_add(&right, z_of_chi_square(scatter / square, SERIES - 1), "%s",
              series_column(judged[i])->name);
        /* Squares of x decay like a^2t, so that 2 tau_int is `least` at least. */
        z_add(&wrong, z_of_chi_square(scatter / (square / least), SERIES - 1), "%s",
              series_column(judged[i])->name);
    }
    /* The windows are short of 1 of 400 of tau, and short series of 2 tau / n more. */
    z_add(&right, sample_z(&tau_e, 4.5), "tau of e %.4g", tau_e.mean);
    z_add(&right, sample_z(&tau_m, 4.5), "tau of |m| %.4g", tau_m.mean);
    assert_true(z_passed(&right));
    assert_true(z_detected(&wrong));
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, not %.17g", value, expected);
}

static void test_values(void **state) {
    (void)state;
    measurement_series s;
    series_row row;
    assert_int_equal(measurement_series_create(&s, 2, 3), 0);
    s.count = 3;
    for (size_t t = 0; t < 3; t++) {
        const double x = (double)t;
        s.of[2 * t + 1] = measured(NAN, NAN);
        s.of[2 * t] = (measurement){
            .e = -1 - x, .e2 = 2 + 5 * x, .abs_m = 0.5 + x / 4, .m2 = 0.75 + x, .m4 = 2 + x * x};
    }
    assert_true(series_row_of(&row, &s, 0, 0.5, 100, false));
    const double e = -2, e2 = 7, m = 0.75, m2 = 1.75, m4 = 11.0 / 3;
    const double expected[7] = {
        e, 0.25 * 100 * (e2 - e * e), m, m2, m4, 0.5 * 100 * (m2 - m * m), 1 - m4 / (3 * m2 * m2)};
    for (size_t i = 0; i < 7; i++)
        assert_near(row.value[i], expected[i]);
    assert_false(row.trusted); /* nothing is known of times in three measurements */
    assert_true(isnan(row.error[SERIES_E]) && isnan(row.e.tau));
    measurement_series_destroy(&s);
}

/* Trusted from 200 times tau and twice its error on, and from 100 measurements. */
static void test_trusted(void **state) {
    (void)state;
    measurement_series s;
    series_row row;
    size_t trusted[2] = {0};
    assert_int_equal(measurement_series_create(&s, 1, 200), 0);
    for (uint32_t number = 0; number < 50; number++)
        for (size_t which = 0; which < 2; which++) {
            double x[200], y[200];
            s.count = which ? 200 : 20;
            ar1_series(x, s.count, 0, 2 * number);
            ar1_series(y, s.count, 0, 2 * number + 1);
            for (size_t t = 0; t < s.count; t++)
                s.of[t] = measured(x[t], 5 + y[t]);
            assert_true(series_row_of(&row, &s, 0, BETA, SPINS, false));
            assert_int_equal(row.trusted, which && row.e.tau + 2 * row.e.error_tau <= 1 &&
                                              row.abs_m.tau + 2 * row.abs_m.error_tau <= 1);
            trusted[which] += row.trusted;
        }
    measurement_series_destroy(&s);
    assert_in_range(trusted[1], 30, 50);
    assert_int_equal(trusted[0], 0);
}

/* Measurements that are all the same have errors of nan, whatever rounding does to their mean, and are not trusted. */
static void test_frozen(void **state) {
    (void)state;
    measurement_series s;
    series_row row;
    assert_int_equal(measurement_series_create(&s, 1, 1000), 0);
    for (size_t t = 0; t < 1000; t++)
        s.of[t] = measured(-0.7 / 3, 0.1 / 3);
    s.count = 1000;
    assert_true(series_row_of(&row, &s, 0, BETA, SPINS, false));
    for (size_t i = 0; i < 7; i++)
        assert_true(isnan(row.error[i]));
    assert_true(isnan(row.e.tau) && isnan(row.abs_m.tau) && !row.trusted);
    for (size_t still = 0; still <= 500; still += 500) { /* in the second half, or in neither */
        double x[1000];
        ar1_series(x, 1000, 0, 7);
        for (size_t t = 0; t < 1000; t++)
            s.of[t] = measured(t < 1000 - still ? x[t] : 0.25, 5 + x[999 - t]);
        assert_true(series_row_of(&row, &s, 0, BETA, SPINS, false));
        assert_int_equal(row.trusted, still == 0);
    }
    measurement_series_destroy(&s);
}

/* Moments of a report whose sums are in several blocks. */
static void test_moments(void **state) {
    (void)state;
    histogram *const h = calloc(1, sizeof *h);
    assert_non_null(h);
    static const int64_t energy[] = {-32, -24, 8, 0, -16}, magnetisation[] = {16, -14, 2, 0, -6};
    double sum[5] = {0};
    h->population = 5;
    h->order_unit = 2;
    for (size_t j = 0; j < 5; j++) {
        const double e = (double)energy[j] / 16, m = (double)magnetisation[j] / 16;
        const uint64_t order = (uint64_t)llabs(magnetisation[j]) / 2;
        h->block[j * 7].energy += energy[j];
        h->block[j * 7].energy2 += (uint64_t)(energy[j] * energy[j]);
        h->block[j * 7].abs_m += (uint64_t)llabs(magnetisation[j]);
        h->block[j * 7].m2 += (uint64_t)(magnetisation[j] * magnetisation[j]);
        h->block[j * 7].q_low += order * order * order * order;
        const double x[] = {e, e * e, fabs(m), m * m, m * m * m * m};
        for (size_t i = 0; i < 5; i++)
            sum[i] += x[i] / 5;
    }
    const measurement found = measurement_of(h, 16);
    assert_near(found.e, sum[0]);
    assert_near(found.e2, sum[1]);
    assert_near(found.abs_m, sum[2]);
    assert_near(found.m2, sum[3]);
    assert_near(found.m4, sum[4]);
    free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_trusted), cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
