/* Claims about rows of series of measurements (series_rows.h, measurements.h):
 *  - the values are those of the formulas, from sums over time;
 *  - the scatter of e, C, chi and U4 of many correlated series is their errors; errors that take the measurements for
 *    independent are found out (negative control);
 *  - the autocorrelation times are those of e and |m|, in measurements; trusted from 100 of them on, and from 50
 *    measurements;
 *  - measurements that are all the same have errors of nan, and are not trusted, nor is a series that comes to a stop;
 *  - moments of a report are plain sums over its replicas;
 *  - S(k) of random states is the sum over pairs of s s' cos k(x - x'), of lattices of two and three dimensions and, to the last
 *    bit, of lattices that are cut into stripes; twice the wave vector, a sine that is lost and one direction twice are found out;
 *  - averages over runs are functions of the means of all of them, with the scatter of the runs as errors;
 *  - two temperatures of one series do not mix;
 *  - a slow part of |m| that cold replicas bring to a warm temperature is in the errors there once the windows are shared, and not before
 *    (negative control); so is one of |m| or q2 that exchanges hide at all temperatures; where it is too slow for the series no row is trusted.
 *
 * Seeds are fixed, the false-alarm probability is that of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/profiles.h"
#include "estimate/overlap_series.h"
#include "estimate/series_rows.h"
#include "validate/lib/ar1.h"
#include "validate/lib/statistics.h"

enum { LENGTH = 4000, SERIES = 400, SHARED = 200 };
#define BETA   0.4
#define FACTOR 0.8 /* tau_int = 4.5 */

static const spin_model eight = {.dimension = 2, .edge = {8, 8, 1}, .sites = 64},
                        large = {.dimension = 2, .edge = {10, 10, 1}, .sites = 100};

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
        assert_true(series_row_of(&row, &s, 1, BETA, &eight));
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

/* The values of many series, and the squares of their errors by two windows. */
typedef struct {
    sample value, narrow, wide;
} two_errors;

/* The scatter of the values is the wide error; the narrow one is found out (negative control). */
static void claim_wide_errors(const two_errors *f, const char *wide, const char *narrow) {
    const double scatter = (SHARED - 1) * sample_variance(&f->value);
    z_series right = z_begin(wide, 1), wrong = z_begin(narrow, 1);
    z_add(&right, z_of_chi_square(scatter / f->wide.mean, SHARED - 1), "wide");
    z_add(&wrong, z_of_chi_square(scatter / f->narrow.mean, SHARED - 1), "narrow");
    assert_true(z_passed(&right));
    assert_true(z_detected(&wrong));
}

/* |m| at a warm temperature is noise, and by a share of 0.3 what it is at the cold one, with tau_int = 9.5: 1.24 together. */
static void test_shared_window(void **state) {
    (void)state;
    static double slow[LENGTH], noise[2][LENGTH];
    const double betas[2] = {BETA, 2 * BETA};
    measurement_series s;
    assert_int_equal(measurement_series_create(&s, 2, LENGTH), 0);
    s.count = LENGTH;
    two_errors f = {0};
    for (uint32_t number = 0; number < SHARED; number++) {
        series_row row[2];
        ar1_series(slow, LENGTH, 0.9, 3 * number);
        ar1_series(noise[0], LENGTH, 0, 3 * number + 1);
        ar1_series(noise[1], LENGTH, 0, 3 * number + 2);
        for (size_t t = 0; t < LENGTH; t++) {
            s.of[2 * t] = measured(noise[1][t], 90 + noise[0][t] + 0.3 * slow[t]);
            s.of[2 * t + 1] = measured(noise[1][t], 90 + slow[t]);
        }
        for (size_t k = 0; k < 2; k++)
            assert_true(series_row_of(&row[k], &s, k, betas[k], &eight));
        sample_add(&f.value, row->value[SERIES_ABS_M]);
        sample_add(&f.narrow, row->error[SERIES_ABS_M] * row->error[SERIES_ABS_M]);
        assert_true(series_rows_widen(row, &s, betas, &eight));
        sample_add(&f.wide, row->error[SERIES_ABS_M] * row->error[SERIES_ABS_M]);
    }
    measurement_series_destroy(&s);
    claim_wide_errors(&f, "errors by the longest window", "errors by a window of its own");
}

/* |m| of two temperatures that exchange their replicas: what they have together, a share of a sixth, with tau_int = 49.5, is slow. What
 * they have more or less than the other is noise. At each tau_int is 8.7, of which a window by the noise has a fifth. */
static void test_shuffled(void **state) {
    (void)state;
    static double slow[LENGTH], noise[LENGTH], e[LENGTH];
    const double betas[2] = {BETA, 2 * BETA};
    measurement_series s;
    assert_int_equal(measurement_series_create(&s, 2, LENGTH), 0);
    s.count = LENGTH;
    two_errors f = {0};
    for (uint32_t number = 0; number < SHARED; number++) {
        series_row row[2];
        ar1_series(slow, LENGTH, 0.98, 3 * number);
        ar1_series(noise, LENGTH, 0, 3 * number + 1);
        ar1_series(e, LENGTH, 0, 3 * number + 2);
        for (size_t t = 0; t < LENGTH; t++) {
            s.of[2 * t] = measured(e[t], 90 + 0.45 * slow[t] + noise[t]);
            s.of[2 * t + 1] = measured(e[t], 90 + 0.45 * slow[t] - noise[t]);
        }
        for (size_t k = 0; k < 2; k++)
            assert_true(series_row_of(&row[k], &s, k, betas[k], &eight));
        sample_add(&f.value, row->value[SERIES_ABS_M]);
        const double larger = fmax(row[0].error[SERIES_ABS_M], row[1].error[SERIES_ABS_M]);
        sample_add(&f.narrow, larger * larger);
        assert_true(series_rows_widen(row, &s, betas, &eight));
        sample_add(&f.wide, row->error[SERIES_ABS_M] * row->error[SERIES_ABS_M]);
    }
    measurement_series_destroy(&s);
    claim_wide_errors(&f, "errors by the window of both together",
                      "errors by windows of their own");
}

/* What two temperatures have together changes once in the series, and is 1/400 of the variance of each. */
static void test_too_slow(void **state) {
    (void)state;
    static double noise[LENGTH];
    const double betas[2] = {BETA, 2 * BETA};
    series_row row[2];
    measurement_series s;
    assert_int_equal(measurement_series_create(&s, 2, LENGTH), 0);
    s.count = LENGTH;
    ar1_series(noise, LENGTH, 0, 1);
    for (size_t t = 0; t < LENGTH; t++) {
        const double slow = t < LENGTH / 2 ? 0.05 : -0.05;
        s.of[2 * t] = measured(noise[t], 90 + slow + noise[t]);
        s.of[2 * t + 1] = measured(noise[t], 90 + slow - noise[t]);
    }
    for (size_t k = 0; k < 2; k++) {
        assert_true(series_row_of(&row[k], &s, k, betas[k], &eight));
        assert_true(row[k].trusted);
    }
    assert_true(series_rows_widen(row, &s, betas, &eight));
    assert_false(row[0].trusted);
    assert_false(row[1].trusted);
    measurement_series_destroy(&s);
}

/* The same of q2: of pairs of chains at two temperatures. */
static void test_shuffled_overlaps(void **state) {
    (void)state;
    static double slow[LENGTH], noise[LENGTH], mean[LENGTH][2][OVERLAP_MEANS];
    const overlap_series s = {.mean = &mean[0][0][0], .temperatures = 2, .count = LENGTH};
    two_errors f = {0};
    for (uint32_t number = 0; number < SHARED; number++) {
        overlap_series_row own, row;
        size_t window;
        ar1_series(slow, LENGTH, 0.98, 2 * number);
        ar1_series(noise, LENGTH, 0, 2 * number + 1);
        for (size_t t = 0; t < LENGTH; t++)
            for (size_t k = 0; k < 2; k++)
                mean[t][k][OVERLAP_Q2] = 90 + 0.45 * slow[t] + (k ? -1 : 1) * noise[t];
        assert_true(overlap_series_window(&s, &window));
        assert_true(overlap_series_row_of(&own, &s, 0, 0, &eight));
        assert_true(overlap_series_row_of(&row, &s, 0, window, &eight));
        sample_add(&f.value, row.value[OVERLAP_Q2]);
        sample_add(&f.narrow, own.error[OVERLAP_Q2] * own.error[OVERLAP_Q2]);
        sample_add(&f.wide, row.error[OVERLAP_Q2] * row.error[OVERLAP_Q2]);
    }
    claim_wide_errors(&f, "errors of q2 by the window of both together",
                      "errors of q2 by a window of its own");
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
    assert_true(series_row_of(&row, &s, 0, 0.5, &large));
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
            assert_true(series_row_of(&row, &s, 0, BETA, &eight));
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
    assert_true(series_row_of(&row, &s, 0, BETA, &eight));
    for (size_t i = 0; i < 7; i++)
        assert_true(isnan(row.error[i]));
    assert_true(isnan(row.e.tau) && isnan(row.abs_m.tau) && !row.trusted);
    for (size_t still = 0; still <= 500; still += 500) { /* in the second half, or in neither */
        double x[1000];
        ar1_series(x, 1000, 0, 7);
        for (size_t t = 0; t < 1000; t++)
            s.of[t] = measured(t < 1000 - still ? x[t] : 0.25, 5 + x[999 - t]);
        assert_true(series_row_of(&row, &s, 0, BETA, &eight));
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

/* --- S(k) --- */

/* The place of a site among the packed spins: the even sub-lattice row by row, then the odd one. */
static uint64_t place_of(const spin_model *m, uint32_t x, uint32_t y, uint32_t z) {
    return (x + y + z) % 2 * m->sites / 2 + ((uint64_t)z * m->edge[1] + y) * (m->edge[0] / 2) +
           x / 2;
}

static int spin_at(const spin_model *m, const uint8_t *spins, const uint32_t at[]) {
    const uint64_t i = place_of(m, at[0], at[1], at[2]);
    return spins[i / 8] >> i % 8 & 1 ? 1 : -1;
}

/* S(k) as a sum over all pairs of sites, or with a fault. */
typedef enum { RIGHT, TWICE_K, NO_SINE, ONE_DIRECTION, FAULTS } wave_fault;

static double pairs_sum(const spin_model *m, const uint8_t *spins, wave_fault fault) {
    uint32_t edge = m->edge[0]; /* the longest */
    for (uint32_t d = 1; d < m->dimension; d++)
        edge = m->edge[d] > edge ? m->edge[d] : edge;
    double sum = 0, directions = 0;
    for (uint32_t d = 0; d < m->dimension; d++) {
        const uint32_t along = fault == ONE_DIRECTION ? 0 : d;
        const double k = (fault == TWICE_K ? 4 : 2) * acos(-1) / edge;
        if (m->edge[d] != edge)
            continue;
        double real = 0, imaginary = 0;
        for (uint64_t i = 0; i < m->sites; i++) {
            const uint32_t at[3] = {(uint32_t)(i % m->edge[0]),
                                    (uint32_t)(i / m->edge[0] % m->edge[1]),
                                    (uint32_t)(i / m->edge[0] / m->edge[1])};
            real += spin_at(m, spins, at) * cos(k * at[along]);
            imaginary += fault == NO_SINE ? 0 : spin_at(m, spins, at) * sin(k * at[along]);
        }
        sum += real * real + imaginary * imaginary;
        directions++;
    }
    return sum / directions / (double)m->sites;
}

static double wave_of(const spin_model *m, const uint8_t *spins, uint32_t stripes) {
    static uint32_t up[1024];
    structure_waves w;
    assert_int_equal(structure_waves_create(&w, m), 0);
    const spin_model part = stripes > 1 ? model_stripe(*m, stripes) : *m;
    const uint32_t planes = profile_planes(&part);
    const uint64_t half = part.sites / 2;
    for (uint32_t s = 0; s < stripes;
         s++) { /* rows of a stripe follow each other in both sub-lattices */
        uint8_t own[1024] = {0};
        for (uint64_t i = 0; i < part.sites; i++) {
            const uint64_t j = i / half * m->sites / 2 + s * half + i % half;
            own[i / 8] |= (uint8_t)((spins[j / 8] >> j % 8 & 1) << i % 8);
        }
        profile_of(&part, own, up + (size_t)s * planes);
    }
    const double found = structure_of(&w, up, stripes);
    structure_waves_destroy(&w);
    return found;
}

static void test_waves(void **state) {
    (void)state;
    static const uint32_t edges[][3] = {{4, 4, 1},    {16, 64, 1}, {64, 16, 1}, {48, 48, 1},
                                        {140, 12, 1}, {6, 6, 6},   {4, 6, 6},   {8, 8, 16}};
    uint32_t seed = 1;
    for (size_t n = 0; n < sizeof edges / sizeof *edges; n++) {
        const spin_model m = lattice_model("lattice", "", edges[n][2] > 1 ? 3 : 2, edges[n]);
        uint8_t spins[1024];
        for (size_t i = 0; i < sizeof spins; i++)
            spins[i] = (uint8_t)((seed = 1664525 * seed + 1013904223) >> 24);
        const double found = wave_of(&m, spins, 1);
        for (wave_fault f = RIGHT; f < FAULTS; f++) {
            const bool one = f == ONE_DIRECTION && (edges[n][0] != edges[n][1]);
            if (!one)
                assert_int_equal(fabs(found / pairs_sum(&m, spins, f) - 1) < 1e-11, f == RIGHT);
        }
        for (uint32_t s = 2; s <= 4 && m.edge[m.dimension - 1] % 8 == 0; s += 2)
            assert_true(wave_of(&m, spins, s) == found);
    }
    for (uint32_t d = 1; d < 300; d++)
        for (uint32_t x = 0; x <= d; x++)
            assert_true(fabs(structure_cosine(x, d) - cos(2 * acos(-1) * x / d)) < 2e-15);
    assert_true(isnan(structure_length(1, 1.5, 8)) && isnan(structure_length(1, 0, 8)));
    assert_near(structure_length(5, 1, 131072), 1 / sin(acos(-1) / 131072));
}

/* --- runs --- */

static void test_runs(void **state) {
    (void)state;
    enum { RUNS = 10, TIMES = 100 };
    static double x[TIMES], e[RUNS];
    measurement_series s;
    series_row row;
    assert_int_equal(measurement_series_create(&s, 2 * RUNS, TIMES), 0);
    s.count = TIMES;
    double mean = 0, squares = 0, tau = 0;
    for (uint32_t r = 0; r < RUNS; r++) {
        ar1_series(x, TIMES, 0.3, r);
        for (size_t t = 0; t < TIMES; t++) {
            s.of[t * 2 * RUNS + 2 * r] = measured(x[t], 1);
            s.of[t * 2 * RUNS + 2 * r + 1] = measured(1 + x[t], 5 + x[t]);
            e[r] += x[t] / TIMES;
        }
        mean += e[r] / RUNS;
        tau += autocorrelation_of(x, TIMES).tau / RUNS;
    }
    for (size_t r = 0; r < RUNS; r++)
        squares += (e[r] - mean) * (e[r] - mean);
    assert_true(series_row_of_runs(&row, &s, RUNS, 1, BETA, &eight));
    assert_near(row.value[SERIES_E], 1 + mean);
    assert_near(row.value[SERIES_ABS_M], 5 + mean);
    assert_true(fabs(row.error[SERIES_E] / sqrt(squares / RUNS / (RUNS - 1)) - 1) < 1e-9);
    assert_true(fabs(row.e.tau / tau - 1) < 1e-9 && row.trusted);
    assert_true(series_row_of_runs(&row, &s, RUNS, 0, BETA, &eight));
    assert_false(row.trusted); /* |m| stands still */
    for (size_t t = 0; t < TIMES; t++)
        s.of[t * 2 * RUNS + 1].e = 0;
    assert_true(series_row_of_runs(&row, &s, RUNS, 1, BETA, &eight));
    assert_false(row.trusted); /* one run does */
    measurement_series_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_shared_window),
        cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_too_slow),
        cmocka_unit_test(test_shuffled_overlaps),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_trusted),
        cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
