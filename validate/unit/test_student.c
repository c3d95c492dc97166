/* Claims about Student's t (student.c): its tails are published quantiles, what the density integrates
 * to, and, for many degrees of freedom, those of the normal distribution; a limit is where the tail is
 * what was asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/lib/student.h"

static void assert_close(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.15g, expected %.15g", value, expected);
}

/* Two-sided quantiles of printed tables (Abramowitz and Stegun, table 26.10). */
static void test_table(void **state) {
    (void)state;
    static const struct {
        uint64_t n;
        double probability, t;
    } rows[] = {{1, 0.05, 12.706}, {1, 0.001, 636.619}, {2, 0.05, 4.303},  {2, 0.001, 31.598},
                {3, 0.01, 5.841},  {10, 0.05, 2.228},   {15, 0.05, 2.131}, {15, 0.001, 4.073},
                {30, 0.01, 2.750}, {120, 0.05, 1.980}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_close(student_limit(rows[i].probability, rows[i].n), rows[i].t, 3e-4);
}

/* The density beyond t, by Simpson's rule in x = 1 / t. */
static double integrated_tail(double t, double n) {
    const int steps = 2000;
    const double scale = 2 * exp(lgamma((n + 1) / 2) - lgamma(n / 2)) / sqrt(n * acos(-1));
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double x = (double)i / steps / t;
        const double density = pow(n * x * x / (1 + n * x * x), (n + 1) / 2) / (x * x);
        sum += (i == 0 && n > 1) ? 0 : (i % steps == 0 ? 1 : i % 2 ? 4 : 2) * density;
    }
    return scale * sum / (3.0 * steps * t);
}

static void test_integral(void **state) {
    (void)state;
    for (uint64_t n = 2; n < 40; n++)
        for (double t = 1; t < 12; t += 0.5)
            if (integrated_tail(t, (double)n) > 1e-11)
                assert_close(student_tail(t, n), integrated_tail(t, (double)n), 1e-5);
}

static void test_limits(void **state) {
    (void)state;
    assert_close(student_tail(3, 1000001), erfc(3 / sqrt(2)), 1e-4);
    assert_close(student_tail(3, 1000002), erfc(3 / sqrt(2)), 1e-4);
    assert_close(student_tail(1e9, 1), 2 / acos(-1) * 1e-9, 1e-9);
    assert_true(student_tail(0, 1) == 1 && student_tail(0, 2) == 1 && student_tail(0, 15) == 1);
    for (uint64_t n = 1; n < 300; n += n < 20 ? 1 : 37)
        for (double probability = 0.5; probability > 1e-12; probability /= 7)
            assert_close(student_tail(student_limit(probability, n), n), probability, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_integral),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("student's t", tests, NULL, NULL);
}
