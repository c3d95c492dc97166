/* Claims about the columns of the table (estimate/columns.c), chi and U4, of the 4 x 4 ferromagnet, whose 65,536 states are
 * enumerated here:
 *  - a population of all states has the exact columns, and so has its multi-histogram analysis at any beta;
 *  - averages over runs of population annealing, and over their analyses between two temperatures, are exact within their
 *    errors, which five wrong formulas miss (negative controls);
 *  - errors of single runs are the scatter of the runs, which errors too small by a third, and those of the other column,
 *    are not (negative controls);
 *  - a population in the ground state has the errors of counting no excitation, and no error 0;
 *  - averages over runs are functions of weighted means, with the jackknife over runs.
 * Seeds are fixed, the false-alarm probability of each series is that of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimate/weighted.h"
#include "method/batch.h"
#include "validate/lib/statistics.h"

#define EDGE        4
#define SITES       16
#define STATES      (1u << SITES)
#define COUNT_ERROR 1.545 /* counting.h */

enum { CHI, U4, COLUMNS };
static const char *const name[COLUMNS] = {"chi", "U4"};

static void assert_close(double computed, long double expected, long double tolerance) {
    if (!(fabsl(computed - expected) <= tolerance * fmaxl(1, fabsl(expected))))
        fail_msg("expected %.17Lg, computed %.17g", expected, computed);
}

static double value_of(const observables *row, size_t of) {
    const moments mean = observables_moments(row, SITES);
    return moment_columns[of].value(&mean);
}

/* --- All states --- */

/* Energy and magnetisation of a state, a bit for each spin. */
static int energy_of(uint32_t spins) {
    int energy = 0;
    for (uint32_t i = 0; i < SITES; i++) {
        const uint32_t right = i - i % EDGE + (i + 1) % EDGE, below = (i + EDGE) % SITES;
        energy += (spins >> i & 1) == (spins >> right & 1) ? -1 : 1;
        energy += (spins >> i & 1) == (spins >> below & 1) ? -1 : 1;
    }
    return energy;
}

static int magnetisation_of(uint32_t spins) {
    return 2 * __builtin_popcount(spins) - SITES;
}

typedef struct {
    long double e3, e4, column[COLUMNS];
} exact_columns;

/* chi as the variance of |M|, and U4 from the second and the fourth cumulant of M. */
static exact_columns exact_at(double beta) {
    long double z = 0, e3 = 0, e4 = 0, abs_m = 0, m2 = 0, m4 = 0, variance = 0;
    for (uint32_t s = 0; s < STATES; s++) {
        const long double e = energy_of(s), m = fabsl((long double)magnetisation_of(s)),
                          weight = expl(-beta * e);
        z += weight;
        e3 += weight * e * e * e;
        e4 += weight * e * e * e * e;
        abs_m += weight * m;
        m2 += weight * m * m;
        m4 += weight * m * m * m * m;
    }
    for (uint32_t s = 0; s < STATES; s++) {
        const long double off = fabsl((long double)magnetisation_of(s)) - abs_m / z;
        variance += expl(-beta * (long double)energy_of(s)) * off * off / z;
    }
    const long double n = SITES, second = m2 / z, fourth = m4 / z - 3 * second * second;
    return (exact_columns){.e3 = e3 / z / (n * n * n),
                           .e4 = e4 / z / (n * n * n * n),
                           .column = {beta * variance / n, -fourth / (3 * second * second)}};
}

/* A population in which each state stands once. */
static void add_all_states(histogram *h) {
    const spin_model model = square_model(EDGE);
    assert_int_equal(histogram_create(h, &model), 0);
    h->population = STATES;
    for (uint32_t s = 0; s < STATES; s++)
        histogram_add(h, s, (size_t)((energy_of(s) - model.levels.lowest) / model.levels.spacing),
                      (uint64_t)abs(magnetisation_of(s)) / model.order_unit);
}

static void all_states_have_the_exact_columns(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = -SITES * log(2)};
    const double betas[] = {0, 0.1, 0.35, 0.44, 0.7, 1.5};
    reweighting r;
    histogram_gap gap;
    histogram h;
    assert_true(moment_columns_count >= COLUMNS); /* others stand behind them */
    for (size_t n = 0; n < COLUMNS; n++)
        assert_string_equal(moment_columns[n].name, name[n]);
    add_all_states(&h);
    const observables hot = observables_compute(&h, SITES, 0.5, &f, NULL);
    const exact_columns free_spins = exact_at(0);
    const exact_columns less = exact_at(1e-9); /* chi / beta, without its dependence on beta */
    assert_close(hot.e3, free_spins.e3, 1e-14L);
    assert_close(hot.e4, free_spins.e4, 1e-14L);
    assert_close(value_of(&hot, CHI), 0.5L / 1e-9L * less.column[CHI], 1e-7L);
    assert_close(value_of(&hot, U4), free_spins.column[U4], 1e-14L);

    assert_int_equal(reweighting_create(&r, square_model(EDGE).levels), 0);
    assert_int_equal(reweighting_add(&r, &h, 0, -SITES * log(2)), 0);
    assert_int_equal(reweighting_solve(&r, &gap), REWEIGHTING_OK);
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
        const observables row = reweighting_at(&r, SITES, betas[i]);
        const exact_columns exact = exact_at(betas[i]);
        assert_close(row.e3, exact.e3, 1e-12L);
        assert_close(row.e4, exact.e4, 1e-12L);
        for (size_t n = 0; n < COLUMNS; n++)
            assert_close(value_of(&row, n), exact.column[n], 1e-12L);
    }
    reweighting_destroy(&r);
    histogram_destroy(&h);
}

/* --- Runs --- */

#define RUNS     200
#define REPLICAS 1000
#define DBETA    0.1
#define STEPS    6
#define COMPARED 3 /* beta = 0.2, 0.4, 0.6 */
#define BETWEEN  0.35

/* The compared rows of all runs, and those of their multi-histogram analyses. */
static weighted_average annealed, analysed;

/* Makes the runs, as the program does. */
static int make_runs(void **state) {
    (void)state;
    const parameters p = {.stripes = 1,
                          .size = {{EDGE}},
                          .population = REPLICAS,
                          .sweeps = 10,
                          .beta_end = DBETA * STEPS,
                          .dbeta = DBETA,
                          .runs = RUNS,
                          .seed = 46,
                          .precision = 6,
                          .coding = CODING_SSC,
                          .reweight = true};
    const engine_config config = {
        .coding = CODING_SSC, .model = square_model(EDGE), .capacity = 2 * REPLICAS};
    static observables rows[RUNS][COMPARED], between[RUNS];
    weighted_start(&annealed);
    weighted_start(&analysed);
#pragma omp parallel
    {
        engine *const e = engine_cpu_create(&config);
        batch loop;
        assert_non_null(e);
        assert_int_equal(batch_create(&loop, &p, &e, 1), STATUS_OK);
        loop.progress.shown = false;
#pragma omp for schedule(dynamic)
        for (uint32_t run = 0; run < RUNS; run++) {
            annealing *const a = loop.member;
            batch_pauses never = {.steps = 0};
            histogram_gap gap;
            bool paused;
            batch_clear(&loop);
            batch_add(&loop, run);
            batch_run(&loop, &never, &paused);
            assert_int_equal(a->rows.count, STEPS + 1);
            for (size_t i = 0; i < COMPARED; i++)
                rows[run][i] = a->rows.row[2 * i + 2];
            assert_int_equal(reweighting_solve(&a->histograms, &gap), REWEIGHTING_OK);
            between[run] = reweighting_at(&a->histograms, SITES, BETWEEN);
        }
        batch_destroy(&loop);
        e->verbs->destroy(e);
    }
    for (size_t run = 0; run < RUNS; run++)
        if (weighted_add(&annealed, rows[run], COMPARED, COMPARED) ||
            weighted_add(&analysed, &between[run], 1, 1))
            return -1;
    return 0;
}

static int forget_runs(void **state) {
    (void)state;
    weighted_end(&annealed);
    weighted_end(&analysed);
    return 0;
}

typedef double formula(const moments *);

static double of_wrong_sign(const moments *a) {
    return a->beta * a->spins * (a->m2 + a->abs_m * a->abs_m);
}
static double of_one_spin(const moments *a) {
    return a->beta * (a->m2 - a->abs_m * a->abs_m);
}
static double not_squared(const moments *a) {
    return a->beta * a->spins * (a->m2 - a->abs_m);
}
static double without_factor(const moments *a) {
    return 1 - a->m4 / (a->m2 * a->m2);
}
static double of_abs_m(const moments *a) {
    return 1 - a->m4 / (3 * a->abs_m * a->abs_m);
}

static const struct {
    const char *what;
    size_t of;
    formula *value;
} wrong_formulas[] = {{"chi of the wrong sign", CHI, of_wrong_sign},
                      {"chi without N", CHI, of_one_spin},
                      {"chi, |m| not squared", CHI, not_squared},
                      {"U4 without the factor 3", U4, without_factor},
                      {"U4 of |m|^2", U4, of_abs_m}};
#define WRONG_FORMULAS (sizeof wrong_formulas / sizeof *wrong_formulas)

/* Adds the z-score of a formula for an average over the runs. */
static void add_average(z_series *z, const observables *row, size_t of, formula *value) {
    const moments mean = observables_moments(row, SITES);
    const double exact = (double)exact_at(row->beta).column[of], found = value(&mean);
    z_add(z, z_of_student((found - exact) / row->error_of[of], RUNS - 1),
          "%s at beta = %g is %.6f +- %.6f, not %.6f", name[of], row->beta, found,
          row->error_of[of], exact);
}

static void averages_over_runs_are_exact(void **state) {
    (void)state;
    observables rows[COMPARED + 1];
    z_series z = z_begin("averages", COLUMNS * (COMPARED + 1));
    for (size_t i = 0; i < COMPARED; i++)
        rows[i] = weighted_row(&annealed, i, SITES);
    rows[COMPARED] = weighted_mean(&analysed, 0, SITES);
    for (size_t i = 0; i <= COMPARED; i++)
        for (size_t n = 0; n < COLUMNS; n++)
            add_average(&z, &rows[i], n, moment_columns[n].value);
    assert_true(z_passed(&z));
    for (size_t k = 0; k < WRONG_FORMULAS; k++) {
        z_series wrong = z_begin(wrong_formulas[k].what, COMPARED + 1);
        for (size_t i = 0; i <= COMPARED; i++)
            add_average(&wrong, &rows[i], wrong_formulas[k].of, wrong_formulas[k].value);
        assert_true(z_detected(&wrong));
    }
}

/* Adds the z-scores of the scatter of the runs against their own errors times a factor, those of column n + `shift`. */
static void add_scatter(z_series *z, double factor, size_t shift) {
    for (size_t i = 0; i < COMPARED; i++)
        for (size_t n = 0; n < COLUMNS; n++) {
            sample values = {0};
            double squares = 0;
            for (size_t run = 0; run < RUNS; run++) {
                const observables *const row = &annealed.row[run * COMPARED + i];
                const double error = factor * row->error_of[(n + shift) % COLUMNS];
                sample_add(&values, value_of(row, n));
                squares += error * error / RUNS;
            }
            z_add(z, z_of_chi_square(values.squares / squares, RUNS - 1),
                  "%s, beta = %g: scatter %.3g, own errors %.3g", name[n], annealed.row[i].beta,
                  sqrt(sample_variance(&values)), sqrt(squares));
        }
}

/* The window: errors that are off by some 27% exceed the limit of z. */
static void errors_of_runs_are_their_scatter(void **state) {
    (void)state;
    z_series z = z_begin("scatter of the runs", COLUMNS * COMPARED);
    z_series small = z_begin("errors too small by a third", COLUMNS * COMPARED);
    z_series other = z_begin("errors of the other column", COLUMNS * COMPARED);
    add_scatter(&z, 1, 0);
    assert_true(z_passed(&z));
    add_scatter(&small, 2.0 / 3, 0);
    assert_true(z_detected(&small));
    add_scatter(&other, 1, 1);
    assert_true(z_detected(&other));
}

/* --- Where little is seen --- */

/* A row of a population in the ground state, `excited` of whose replicas have one spin turned over. */
static observables cold_row(uint32_t edge, uint64_t replicas, uint64_t excited) {
    const free_energy_path f = {.overlap = 1};
    const spin_model model = square_model(edge);
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.population = replicas;
    h.family_squares = replicas;
    for (uint64_t k = 0; k < replicas; k++) {
        const bool up = k < excited;
        histogram_add(&h, k, up ? (size_t)(8 / model.levels.spacing) : 0, model.sites / 2 - up);
    }
    const observables row = observables_compute(&h, model.sites, 1.5, &f, NULL);
    histogram_destroy(&h);
    return row;
}

static void ground_states_have_the_errors_of_counts(void **state) {
    (void)state;
    const observables none = cold_row(EDGE, 2000, 0), one = cold_row(EDGE, 2000, 1);
    for (size_t n = 0; n < COLUMNS; n++) {
        const double change = fabs(value_of(&one, n) - value_of(&none, n));
        assert_true(change > 0);
        assert_true(fabs(none.error_of[n] / (COUNT_ERROR * change) - 1) < 0.05);
        assert_true(one.error_of[n] > none.error_of[n]);
    }
    assert_true(value_of(&none, CHI) == 0 && fabs(value_of(&none, U4) - 2.0 / 3) < 1e-15);
    const observables large = cold_row(1024, 1000, 0);
    assert_true(large.error_of[CHI] > 0 && large.error_of[U4] > 0);
    /* Of averages over analyses, errors of 0 alone are replaced. */
    observables average = none;
    average.error_of[CHI] = 0;
    average.error_of[U4] = 0.5;
    observables_count_nothing(&average, SITES, 2000);
    assert_true(average.error_of[CHI] == none.error_of[CHI] && average.error_of[U4] == 0.5);
    /* Too few replicas for blocks. */
    const observables few = cold_row(EDGE, 15, 0);
    assert_true(isnan(few.error_of[CHI]) && isnan(few.error_of[U4]));
}

/* --- Averages by hand --- */

/* Two runs, the second with three times the Z of the first; without either the other one is left. */
static void averages_are_functions_of_means(void **state) {
    (void)state;
    const observables run[2] = {{.beta = 0.5,
                                 .abs_m = 0.5,
                                 .m2 = 0.375,
                                 .m4 = 0.25,
                                 .e3 = -1,
                                 .e4 = 2,
                                 .population = 1000,
                                 .rho_t = 1},
                                {.beta = 0.5,
                                 .abs_m = 0.75,
                                 .m2 = 0.625,
                                 .m4 = 0.5,
                                 .e3 = -2,
                                 .e4 = 4,
                                 .population = 1000,
                                 .rho_t = 1,
                                 .excited = 1000,
                                 .beta_f = -log(3)}};
    weighted_average w;
    weighted_start(&w);
    for (size_t n = 0; n < 2; n++)
        assert_int_equal(weighted_add(&w, &run[n], 1, 1), 0);
    const observables row = weighted_mean(&w, 0, SITES);
    const double abs_m = 0.6875, m2 = 0.5625, m4 = 0.4375;
    assert_close(row.e3, -1.75L, 1e-15L);
    assert_close(row.e4, 3.5L, 1e-15L);
    assert_close(value_of(&row, CHI), 8 * (m2 - abs_m * abs_m), 1e-14L);
    assert_close(value_of(&row, U4), 1 - m4 / (3 * m2 * m2), 1e-14L);
    for (size_t n = 0; n < COLUMNS; n++) {
        const double difference = fabs(value_of(&run[0], n) - value_of(&run[1], n));
        assert_close(row.error_of[n], difference / 2, 1e-14L);
        assert_true(fabs(row.error_of[0] - row.error_of[1]) > 0.1); /* they are told apart */
    }
    weighted_set_scatter(&w, SITES);
    for (size_t n = 0; n < COLUMNS; n++)
        assert_close(w.row[1].error_of[n],
                     fabs(value_of(&run[0], n) - value_of(&run[1], n)) / sqrt(2), 1e-14L);
    weighted_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_states_have_the_exact_columns),
        cmocka_unit_test(averages_over_runs_are_exact),
        cmocka_unit_test(errors_of_runs_are_their_scatter),
        cmocka_unit_test(ground_states_have_the_errors_of_counts),
        cmocka_unit_test(averages_are_functions_of_means),
    };
    return cmocka_run_group_tests_name("columns", tests, make_runs, forget_runs);
}
