/* Claims about the inverse temperatures:
 *  - fixed steps are computed from their index and end with exactly beta_end, a whole number of
 * them where the decimal fractions say so; adding up dbeta, as the published program does, would
 * not;
 *  - beta_start above 0 is reached in ceil(beta_start / dbeta) equal steps and is the first row;
 *  - adaptive steps have the target overlap, stop at beta_start and beta_end, and are kept;
 *  - an overlap that the population cannot measure is not believed: the steps are shorter;
 *  - energy steps have dbeta sigma_E as asked for, under the same conditions;
 *  - a schedule without end is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "resample/resampling.h"
#include "resample/schedule.h"
#include "validate/lib/paramagnet.h"

/* The schedule in fixed steps. */
static beta_schedule fixed(double beta_start, double beta_end, double dbeta) {
    schedule_plan p = {.beta_start = beta_start, .beta_end = beta_end, .dbeta = dbeta};
    beta_schedule s;
    assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
    return s;
}

static void test_fixed_steps(void **state) {
    (void)state;
    beta_schedule s = fixed(0, 1, 0.005);
    double added = 0;
    size_t off = 0;
    assert_int_equal(s.count, 201);
    assert_int_equal(s.first_row, 0);
    for (size_t i = 0; i < s.count; i++) {
        assert_true(fabs(s.beta[i] - (double)i / 200) <= 0x1p-53);
        off += added != s.beta[i];
        added += 0.005;
    }
    assert_true(s.beta[200] == 1);
    assert_true(off > 100); /* the negative control: the sums are not the temperatures */
    for (size_t i = 0; i + 1 < s.count; i++)
        assert_int_equal(schedule_next(&s, i, NULL), SCHEDULE_NEXT);
    assert_int_equal(schedule_next(&s, 200, NULL), SCHEDULE_END);
    schedule_destroy(&s);
}

static void test_last_step_is_shorter(void **state) {
    (void)state;
    beta_schedule s = fixed(0, 1, 0.3);
    const double expected[] = {0, 0.3, 2 * 0.3, 3 * 0.3, 1};
    assert_int_equal(s.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(s.beta[i] == expected[i]);
    schedule_destroy(&s);
}

/* Whole numbers of steps, whichever way their fractions are rounded. */
static void test_step_counts(void **state) {
    (void)state;
    for (int steps = 1; steps <= 3000; steps++)
        for (int power = 10; power <= 1000000; power *= 10) {
            const double step = 7.0 / power, span = 7.0 * steps / power;
            assert_true(schedule_steps(span, step) == steps);
            assert_true(schedule_steps(span + step / 1000, step) == steps + 1);
        }
    assert_true(schedule_steps(0, 0.1) == 0);
    assert_true(schedule_steps(1e-9, 0.1) == 1);
}

static void test_start_above_zero(void **state) {
    (void)state;
    beta_schedule s = fixed(0.4, 0.5, 0.03);
    assert_int_equal(s.first_row, 14); /* ceil(0.4 / 0.03) */
    assert_int_equal(s.count, 14 + 4 + 1);
    for (size_t i = 0; i <= 14; i++)
        assert_true(fabs(s.beta[i] - 0.4 * (double)i / 14) < 1e-15);
    assert_true(s.beta[14] == 0.4 && s.beta[15] == 0.4 + 0.03 && s.beta[18] == 0.5);
    schedule_destroy(&s);

    s = fixed(0.4, 0.4, 0.03); /* a single row */
    assert_int_equal(s.first_row, 14);
    assert_int_equal(s.count, 15);
    schedule_destroy(&s);
}

static void test_adaptive_steps(void **state) {
    (void)state;
    schedule_plan p = {.beta_start = 0.35, .beta_end = 1, .dbeta = 0.005, .overlap = 0.8};
    beta_schedule s;
    paramagnet spins = paramagnet_create(100, 5000, 1);
    size_t limited = 0, i = 0;
    assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
    assert_int_equal(s.count, 1);
    paramagnet_start(&spins, 0);
    for (; schedule_next(&s, i, &spins.report) == SCHEDULE_NEXT; i++) {
        const double step = s.beta[i + 1] - s.beta[i];
        const double overlap = resampling_overlap(&spins.report, step);
        assert_true(step > 0);
        if (s.beta[i + 1] == p.beta_start || s.beta[i + 1] == p.beta_end) {
            assert_true(overlap > p.overlap);
            limited++;
        } else {
            assert_true(fabs(overlap - p.overlap) < 1e-10);
            assert_int_equal(s.first_row == SIZE_MAX, s.beta[i] < p.beta_start);
        }
        paramagnet_start(&spins, s.beta[i + 1]);
    }
    assert_int_equal(limited, 2);
    assert_int_equal(s.count, i + 1);
    assert_true(s.count > 10 && !s.shortened);
    assert_true(s.beta[s.first_row] == p.beta_start && s.beta[i] == p.beta_end);

    /* A second run, whose histograms would lead elsewhere. */
    paramagnet_start(&spins, 5);
    for (size_t n = 0; n < i; n++)
        assert_int_equal(schedule_next(&s, n, &spins.report), SCHEDULE_NEXT);
    assert_int_equal(s.count, i + 1);
    assert_int_equal(schedule_next(&s, i, &spins.report), SCHEDULE_END);
    paramagnet_destroy(&spins);
    schedule_destroy(&s);
}

/* 100 free spins: sigma_E^2 = 100 / cosh^2 beta. */
static void test_energy_steps(void **state) {
    (void)state;
    schedule_plan p = {.beta_start = 0.35, .beta_end = 1, .energy_step = 0.5};
    beta_schedule s;
    paramagnet spins = paramagnet_create(100, 5000, 1);
    size_t limited = 0, i = 0;
    assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
    paramagnet_start(&spins, 0);
    for (; schedule_next(&s, i, &spins.report) == SCHEDULE_NEXT; i++) {
        const double step = s.beta[i + 1] - s.beta[i], sigma = 10 / cosh(s.beta[i]);
        const double made = step * resampling_spread(&spins.report);
        /* The scatter of sigma of 5000 replicas is 1 / sqrt(10000) of it. */
        assert_true(fabs(resampling_spread(&spins.report) / sigma - 1) < 0.07);
        if (s.beta[i + 1] == p.beta_start || s.beta[i + 1] == p.beta_end) {
            assert_true(made < 0.5);
            limited++;
        } else {
            assert_true(fabs(made - 0.5) < 1e-10);
        }
        paramagnet_start(&spins, s.beta[i + 1]);
    }
    assert_int_equal(limited, 2);
    assert_true(!s.shortened && s.beta[i] == p.beta_end);
    schedule_destroy(&s);

    /* A step that too few replicas would carry. */
    p = (schedule_plan){.beta_end = 1, .energy_step = 5};
    assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
    paramagnet_start(&spins, 0);
    assert_int_equal(schedule_next(&s, 0, &spins.report), SCHEDULE_NEXT);
    assert_true(s.shortened && s.beta[1] * resampling_spread(&spins.report) < 5);
    paramagnet_destroy(&spins);
    schedule_destroy(&s);
}

/* A population that has a single energy goes anywhere in one step. */
static void test_adaptive_step_without_spread(void **state) {
    (void)state;
    schedule_plan p = {.beta_end = 1, .overlap = 0.99};
    beta_schedule s;
    paramagnet spins = paramagnet_create(100, 50, 1);
    paramagnet_start(&spins, 50);
    assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
    assert_int_equal(schedule_next(&s, 0, &spins.report), SCHEDULE_NEXT);
    assert_true(s.beta[1] == 1);
    paramagnet_destroy(&spins);
    schedule_destroy(&s);
}

/* The true overlap of a step of free spins, whose energies are binomial. */
static double true_overlap(uint32_t spins, double beta, double next) {
    double overlap = 0;
    const double ln_ratio = spins * log(cosh(next) / cosh(beta));
    for (uint32_t down = 0; down <= spins; down++) {
        const double energy = 2.0 * down - spins;
        const double ln_p = lgamma(spins + 1.0) - lgamma(down + 1.0) - lgamma(spins - down + 1.0) -
                            beta * energy - spins * log(2 * cosh(beta));
        overlap += exp(ln_p) * fmin(1, exp(-(next - beta) * energy - ln_ratio));
    }
    return overlap;
}

/* 1000 free spins and an overlap below what the population can see: no step may truly overlap by less
 * than a hundredth, and the schedule says that it did not obey. */
static void test_overlap_that_cannot_be_measured(void **state) {
    (void)state;
    const uint64_t populations[] = {50, 200, 2000};
    for (size_t n = 0; n < 3; n++) {
        schedule_plan p = {.beta_end = 1, .overlap = 1e-4};
        beta_schedule s;
        paramagnet spins = paramagnet_create(1000, populations[n], n);
        double least = 1;
        assert_int_equal(schedule_create(&s, &p), SCHEDULE_NEXT);
        paramagnet_start(&spins, 0);
        for (size_t i = 0; schedule_next(&s, i, &spins.report) == SCHEDULE_NEXT; i++) {
            least = fmin(least, true_overlap(1000, s.beta[i], s.beta[i + 1]));
            paramagnet_start(&spins, s.beta[i + 1]);
        }
        print_message("  R = %d: least true overlap %.2g in %zu steps\n", (int)populations[n],
                      least, s.count - 1);
        assert_true(least > 0.01);
        assert_true(s.shortened);
        paramagnet_destroy(&spins);
        schedule_destroy(&s);
    }
}

static void test_too_long(void **state) {
    (void)state;
    beta_schedule s;
    const double endless[] = {0.9e-6, 1e-300};
    for (size_t n = 0; n < 2; n++) {
        schedule_plan p = {.beta_end = 1, .dbeta = endless[n]};
        assert_int_equal(schedule_create(&s, &p), SCHEDULE_TOO_LONG);
    }

    /* Adaptive steps after almost a million others. */
    paramagnet spins = paramagnet_create(4, 50, 1);
    paramagnet_start(&spins, 0);
    s = fixed(0, 1, 1e-6 + 1e-11);
    assert_in_range(s.count, 999980, 999999);
    s.overlap = 1 - 1e-9;
    s.beta_end = 2;
    schedule_status status = SCHEDULE_NEXT;
    for (size_t i = 0; status == SCHEDULE_NEXT && i < SCHEDULE_MAX_TEMPERATURES; i++)
        status = schedule_next(&s, i, &spins.report);
    assert_int_equal(status, SCHEDULE_TOO_LONG);
    assert_int_equal(s.count, SCHEDULE_MAX_TEMPERATURES);
    paramagnet_destroy(&spins);
    schedule_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_last_step_is_shorter),
        cmocka_unit_test(test_step_counts),
        cmocka_unit_test(test_start_above_zero),
        cmocka_unit_test(test_adaptive_steps),
        cmocka_unit_test(test_energy_steps),
        cmocka_unit_test(test_adaptive_step_without_spread),
        cmocka_unit_test(test_overlap_that_cannot_be_measured),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
