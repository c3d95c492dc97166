/* Claims about estimates of the time that steps will take (work_clock.c): none before anything is done, then what is left at
 * the speed so far, and 0 where nothing is; threads may count at the same time. The time limit ends a run before
 * a step that would not fit (step_pauses.c). */
#include "base/clock.h"
#include "base/signals.h"
#include "base/work_clock.h"
#include "method/step_pauses.h"
#include "validate/lib/scratch.h"

#include <time.h>

static void wait_seconds(double seconds) {
    const double end = clock_seconds() + seconds;
    while (clock_seconds() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void time_is_what_is_left_at_the_speed_so_far(void **state) {
    (void)state;
    assert_int_equal(work_seconds_left(), -1);
    const double start = clock_seconds();
    work_begin(40000);
    wait_seconds(0.05);
    assert_int_equal(work_seconds_left(), -1);
    work_done(100); /* of 400 parts alike */
    const double earliest = 0.05 * 399, left = (double)work_seconds_left(),
                 latest = (clock_seconds() - start) * 399 + 1;
    assert_true(left >= earliest && left <= latest);
    wait_seconds(0.05); /* nothing done: slower than it seemed */
    assert_true((double)work_seconds_left() >= 0.1 * 399);
#pragma omp parallel for
    for (int n = 0; n < 399; n++)
        work_done(100);
    assert_int_equal(work_seconds_left(), 0);
    work_begin(40000); /* another step, as long as the one before */
    const double again = (double)work_seconds_left();
    assert_true(again >= 0.1 && again <= clock_seconds() - start + 1);
    work_done(40001); /* more than was begun */
    assert_int_equal(work_seconds_left(), 0);
}

static void a_step_that_would_not_fit_is_not_begun(void **state) {
    (void)state;
    const parameters p = {.time_limit = {.seconds = 100}};
    const double start = clock_seconds() - 60;
    time_limit_keep(&p, start, 20);
    assert_int_equal(signals_pending(), 0);
    time_limit_keep(&p, start, 60);
    assert_int_equal(signals_pending(), SIGNAL_OF_TIME_LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_is_what_is_left_at_the_speed_so_far),
                                       cmocka_unit_test(a_step_that_would_not_fit_is_not_begun)};
    return cmocka_run_group_tests_name("work clock", tests, NULL, NULL);
}
