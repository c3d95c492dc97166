/* Claims about --plan (command/plan.c). A proposal is what arithmetic says of its pilots: the population that the time buys
 * beyond what steps cost whatever it is, shared by samples and runs, more runs where it does not fit; the pilot with the
 * smallest variances for the time among those whose errors can be believed, and without any the one with the most
 * families, without a promise of errors; a time too short for any population has no proposal. A real plan makes pilots
 * with sweeps of their own, and the simulation that it proposes takes the time that it says, within a fiftieth. Its
 * clock counts what engines do and nothing else, so that no other work on the machine makes it late. */
#include "base/clock.h"
#include "command/plan.h"
#include "device/pool.h"
#include "method/simulation.h"
#include "settings/plans.h"
#include "validate/lib/capture.h"
#include "validate/lib/some_parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1000000

static parameters planned(double seconds) {
    parameters p = some_parameters();
    p.runs = p.samples = 1;
    p.plan.seconds = seconds;
    return p;
}

/* A pilot of 1000 replicas. */
static plan_pilot pilot_of(uint32_t sweeps, double seconds, double families, double f, double c) {
    return (plan_pilot){sweeps, 1000, seconds, 11, families, f, c};
}

static void assert_near(double a, double b) {
    if (!(fabs(a - b) <= 1e-9 * fabs(b)))
        fail_msg("%.15g, not %.15g", a, b);
}

/* --- proposals --- */

static void what_steps_cost_is_found(void **state) {
    (void)state;
    const plan_pilot small = {.population = 1000, .seconds = 0.3};
    const plan_pilot large = {.population = 5000, .seconds = 1.1};
    assert_near(plan_fixed_seconds(&small, &large), 0.1);
    const plan_pilot alike = {.population = 1100, .seconds = 0.25};
    assert_true(plan_fixed_seconds(&small, &alike) == 0); /* too alike to tell */
    const plan_pilot slow = {.population = 5000, .seconds = 1.6};
    assert_true(plan_fixed_seconds(&small, &slow) == 0); /* and not less */
    const plan_pilot quick = {.population = 5000, .seconds = 0.1};
    assert_near(plan_fixed_seconds(&small, &quick), 0.025); /* and not more than a quarter */
    assert_true(plan_fixed_seconds(&small, &small) == 0);
}

static void the_time_buys_replicas(void **state) {
    (void)state;
    const plan_pilot one = pilot_of(4, 0.3, 200, 0.01, 0.04);
    parameters p = planned(10);
    plan_proposal q = plan_propose(&p, &one, 1, 0.1, LARGEST); /* (10 - 0.1) / 0.0002 = 49500 */
    assert_true(q.fits && q.believed && q.population == 49500 && q.sweeps == 4 && q.runs == 1);
    assert_near(q.seconds, 10);
    assert_near(q.families, 49.5 * 200);
    assert_near(q.error_f, sqrt(0.01 / 49.5));
    assert_near(q.error_c, sqrt(0.04 / 49.5));
    p.samples = 4; /* 2.5 s each: 12000 */
    q = plan_propose(&p, &one, 1, 0.1, LARGEST);
    assert_true(q.population == 12000 && q.runs == 1);
    assert_near(q.seconds, 10);
    p.samples = 1;
    p.runs = 2; /* 5 s each: 24500 */
    q = plan_propose(&p, &one, 1, 0.1, LARGEST);
    assert_true(q.population == 24500 && q.runs == 2);
    assert_near(q.error_f, sqrt(0.01 / 24.5 / 2));
    assert_near(q.error_c, sqrt(0.04 / 24.5 / 2));
    p.runs = 1; /* 10000 fit: 2.1 s, so 5 runs of 2 s: 9500 */
    q = plan_propose(&p, &one, 1, 0.1, 10000);
    assert_true(q.population == 9500 && q.runs == 5);
    assert_near(q.seconds, 10);
    p.plan.seconds = 0.11; /* 50 replicas */
    assert_false(plan_propose(&p, &one, 1, 0.1, LARGEST).fits);
    p.plan.seconds = 0.05;
    assert_false(plan_propose(&p, &one, 1, 0.1, LARGEST).fits);
    p.plan.seconds = 250; /* 1249500 replicas are too many, and three digits are kept */
    q = plan_propose(&p, &one, 1, 0.1, 2000000);
    assert_true(q.population == 1240000);
}

static void the_best_pilot_is_chosen(void **state) {
    (void)state;
    const parameters p = planned(100);
    plan_pilot pilots[] = {pilot_of(1, 1, 120, 0.09, 0.09), pilot_of(2, 1.5, 300, 0.04, 0.04),
                           pilot_of(4, 3, 500, 0.03, 0.03)};
    plan_proposal q = plan_propose(&p, pilots, 3, 0, LARGEST); /* costs 0.09, 0.06, 0.09 */
    assert_true(q.chosen == 1 && q.sweeps == 2 && q.believed);
    pilots[2].variance_f = 0.001; /* 3 sqrt(0.001 * 0.03) = 0.016 */
    assert_int_equal(plan_propose(&p, pilots, 3, 0, LARGEST).chosen, 2);
    pilots[2].variance_f = NAN; /* no error, no belief */
    assert_int_equal(plan_propose(&p, pilots, 3, 0, LARGEST).chosen, 1);
    pilots[0].variance_f = pilots[0].variance_c = -NAN;
    q = plan_propose(&p, pilots, 1, 0, LARGEST); /* no error of a proposal either */
    assert_true(isnan(q.error_f) && isnan(q.error_c));
    pilots[0].variance_f = pilots[0].variance_c = 0.09;
    pilots[1].families = 99; /* errors that mean little */
    q = plan_propose(&p, pilots, 3, 0, LARGEST);
    assert_true(q.chosen == 0 && q.believed);
    pilots[0].families = 50; /* 1/50, 1.5/99, 3/90 seconds a family */
    pilots[2].families = 90;
    q = plan_propose(&p, pilots, 3, 0, LARGEST);
    assert_true(q.chosen == 1 && !q.believed);
}

/* Errors of a pilot with fewer families than they need are not promised, however small it says they are; what else is
 * said of it stays. The same pilot with one family more promises them: the control. */
static void too_few_families_promise_nothing(void **state) {
    (void)state;
    const parameters p = planned(100);
    for (int enough = 0; enough < 2; enough++) {
        const plan_pilot one = pilot_of(2, 1, enough ? 100 : 99.9, 1e-9, 1e-9);
        const plan_proposal q = plan_propose(&p, &one, 1, 0, LARGEST);
        assert_true(q.fits && q.population == 100000 && q.believed == enough);
        assert_near(q.families, 100 * one.families);
        assert_true(isnan(q.error_f) == !enough && isnan(q.error_c) == !enough);
    }
}

/* --- a clock of work --- */

/* What it shows: an engine that is made, a replica in a step and a replica's sweep take so many seconds, and other things
 * no time. */
#define ENGINE_SECONDS  0.005
#define REPLICA_SECONDS 2e-7
#define SWEEP_SECONDS   8e-7
static double shown; /* now */

/* For the program, in place of that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    now->tv_sec = (time_t)shown;
    now->tv_nsec = (long)(1e9 * (shown - (double)now->tv_sec));
    return 0;
}

static const struct engine_verbs *true_verbs;

static engine_status timed_step(engine *e, const engine_step *step, histogram *out) {
    const engine_status status = true_verbs->step(e, step, out);
    shown += (REPLICA_SECONDS + step->sweeps * SWEEP_SECONDS) * (double)out->population;
    return status;
}

/* Stands before engine_cpu_create (the linker's --wrap). */
engine *__real_engine_cpu_create(const engine_config *config);
engine *__wrap_engine_cpu_create(const engine_config *config);
engine *__wrap_engine_cpu_create(const engine_config *config) {
    engine *const e = __real_engine_cpu_create(config);
    assert_non_null(e);
    static struct engine_verbs timed;
    true_verbs = e->verbs;
    timed = *true_verbs;
    timed.step = timed_step;
    e->verbs = &timed;
    shown += ENGINE_SECONDS;
    return e;
}

/* --- a real plan --- */

/* The seconds of a simulation; what is judged of its first run goes to *worst, if that is asked for. */
typedef struct {
    double families, error_c;           /* the fewest, and the largest, of all rows ... */
    double last_families, last_error_c; /* ... and those of the last */
} worst_rows;

static double simulate(const parameters *p, worst_rows *worst) {
    parameters own = *p;
    engine_pool engines;
    simulation s;
    assert_int_equal(pool_create(&engines, &own, NULL, simulation_bytes(&own)), STATUS_OK);
    assert_int_equal(simulation_begin(&s, &own, engines.member, engines.count, engines.start),
                     STATUS_OK);
    assert_int_equal(simulation_run(&s), STATUS_OK);
    const double seconds = clock_seconds() - engines.start;
    if (worst != NULL)
        *worst = (worst_rows){.families = INFINITY};
    for (size_t i = 0; worst != NULL && i < s.finished.temperatures; i++) {
        const observables *const row = &s.finished.row[i];
        worst->families = fmin(worst->families, worst->last_families = row->effective_families);
        worst->error_c = fmax(worst->error_c, worst->last_error_c = row->error_c);
    }
    simulation_end(&s);
    pool_destroy(&engines);
    return seconds;
}

/* That every pilot makes sweeps of its own: with the same seed it would have the families of the one before. */
static void assert_pilots_differ(const char *said) {
    double families, before = -1;
    unsigned sweeps, most = 0;
    const char *row = strstr(said, "\n# theta") + 1;
    while ((row = strchr(row, '\n')) != NULL &&
           sscanf(++row, "%u %*f %lf", &sweeps, &families) == 2) {
        assert_true(families != before);
        before = families;
        most = sweeps;
    }
    assert_true(most > 1);
}

static void a_plan_takes_the_time_it_says(void **state) {
    (void)state;
    char said[8192];
    int number = 0;
    const double seconds = 6;
    parameters p = planned(seconds);
    p.device = DEVICE_CPU;
    const double start = clock_seconds();
    capture c = capture_begin(STDOUT_FILENO);
    const exit_status status = plan_make(&p, NULL, &number);
    capture_end(&c, said, sizeof said);
    const double spent = clock_seconds() - start;
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(number, 0);
    double expected;
    unsigned long long population;
    const char *const time = strstr(said, "expected time"), *const what = strstr(said, "proposed");
    assert_non_null(time);
    assert_non_null(what);
    assert_non_null(strstr(said, "why "));
    assert_int_equal(sscanf(time, "expected time %lf", &expected), 1);
    assert_int_equal(sscanf(what, "proposed -R %llu -t %u", &population, &p.sweeps), 2);
    assert_true(expected > 0.9 * seconds && expected < 1.01 * seconds);
    p.population = population;
    assert_pilots_differ(said);
    const double ratio = simulate(&p, NULL) / expected;
    if (!(ratio > 0.98 && ratio < 1.02 && spent < 0.2 * seconds))
        fail_msg("the time is %.3g of what was said, and the plan took %.3g s", ratio, spent);
}

static void assert_digits(double said, double expected, double digits) {
    if (!(fabs(said / expected - 1) <= 0.51 * pow(10, 1 - digits)))
        fail_msg("%.6g is said, not %.6g", said, expected);
}

/* By the temperature with the fewest families, and by that with the largest error of C: near the critical one here, far
 * from the last. The pilot is made again, as a simulation. */
static void a_pilot_is_judged_by_its_worst_rows(void **state) {
    (void)state;
    char said[8192];
    int number = 0;
    worst_rows worst;
    parameters p = planned(60);
    p.device = DEVICE_CPU;
    p.beta_end = 0.6;
    p.dbeta = 0.02;
    capture c = capture_begin(STDOUT_FILENO);
    const exit_status status = plan_make(&p, NULL, &number);
    capture_end(&c, said, sizeof said);
    assert_int_equal(status, STATUS_OK);
    unsigned long long population, proposed;
    unsigned runs;
    double families, error_c;
    assert_int_equal(sscanf(strstr(said, "pilots "), "pilots R = %llu,", &population), 1);
    char *row = strstr(said, "  <-");
    assert_non_null(row);
    *row = '\0';
    row = strrchr(said, '\n');
    assert_non_null(row);
    assert_int_equal(sscanf(row, "%u %*f %lf | %llu %u %*f %*f %lf", &p.sweeps, &families,
                            &proposed, &runs, &error_c),
                     5);
    p.population = population;
    simulate(&p, &worst);
    assert_true(worst.families < 0.9 * worst.last_families);
    assert_true(worst.error_c > 1.1 * worst.last_error_c);
    assert_digits(families, worst.families, 4);
    assert_digits(error_c, worst.error_c * sqrt((double)population / ((double)proposed * runs)), 3);
}

/* What a plan of a glass in a time so short says, and the families of its best pilot. */
static double plan_of_a_glass(double seconds, char *said, size_t size) {
    int number = 0;
    parameters p = planned(seconds);
    while (model_kinds[p.model] != &glass3d_kind)
        p.model++;
    p.coding = CODING_SSC;
    p.size = (lattice_size){{4}};
    p.device = DEVICE_CPU;
    p.beta_end = 1;
    p.dbeta = 0.05;
    couplings drawn;
    exit_status status;
    const couplings *const sample = parameters_couplings(&p, &drawn, &status);
    assert_non_null(sample);
    capture c = capture_begin(STDOUT_FILENO);
    status = plan_make(&p, sample, &number);
    capture_end(&c, said, size);
    couplings_destroy(&drawn);
    assert_int_equal(status, STATUS_OK);
    double families = 0, most = 0;
    for (const char *row = strstr(said, "\n# theta") + 1; row != NULL; row = strchr(row + 1, '\n'))
        if (sscanf(row, "%*u %*f %lf", &families) == 1)
            most = fmax(most, families);
    return most;
}

/* A short time makes small pilots, of which none has families enough: no errors in the table, and a line that says why.
 * A longer time makes larger ones. */
static void a_plan_of_small_pilots_promises_no_errors(void **state) {
    (void)state;
    char said[8192];
    assert_true(plan_of_a_glass(0.05, said, sizeof said) < TRUSTED_FAMILIES);
    assert_non_null(strstr(said, " - -  <-\n"));
    assert_non_null(strstr(said, "none are promised"));
    assert_null(strstr(said, "bias"));
    assert_null(strstr(said, "nan"));
    assert_true(plan_of_a_glass(20, said, sizeof said) > TRUSTED_FAMILIES);
    assert_null(strstr(said, " - -  <-\n"));
    assert_null(strstr(said, "promised"));
    assert_non_null(strstr(said, "bias of betaF"));
}

/* Says why nothing is proposed. */
static void what_cannot_be_is_refused(void **state) {
    (void)state;
    char said[1000];
    int number = 0;
    parameters p = planned(1e-6);
    p.device = DEVICE_CPU; /* of which the clock is */
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = plan_make(&p, NULL, &number);
    capture_end(&c, said, sizeof said);
    assert_int_equal(status, STATUS_REFUSED);
    assert_non_null(strstr(said, "--plan 1e-06s: too short"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steps_cost_is_found),
        cmocka_unit_test(the_time_buys_replicas),
        cmocka_unit_test(the_best_pilot_is_chosen),
        cmocka_unit_test(too_few_families_promise_nothing),
        cmocka_unit_test(a_plan_of_small_pilots_promises_no_errors),
        cmocka_unit_test(a_plan_takes_the_time_it_says),
        cmocka_unit_test(a_pilot_is_judged_by_its_worst_rows),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
