/* Holds the exact results (reference/exact.c, reference/transfer_matrix.c) against each other and
 * against three things that share nothing with them: all 2^16 states of the L = 4 lattice one by
 * one, Kaufman's formula as the textbooks write it, and its values in 150-digit arithmetic. Each
 * kind of comparison has a negative control: something wrong that it must notice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/exact.h"
#include "reference/transfer_matrix.h"

#define TOLERANCE    1e-12L /* relative, for everything */
#define TABLE        "validate/unit/exact_values.txt"
#define TABLE_ROWS   96
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double betas[] = {0.001, 0.01, 0.2, 0.44, 0.4406867935097715, 0.4407, 0.5, 1, 1.5, 2};

/* --- Comparing --- */

/* The relative deviation from what is expected; its absolute value where 0 is expected. */
static long double deviation(long double computed, long double expected) {
    return fabsl(computed - expected) / (expected == 0 ? 1 : fabsl(expected));
}

/* Whether they agree; not-a-number agrees with nothing. */
static int agrees(long double computed, long double expected) {
    return deviation(computed, expected) <= TOLERANCE;
}

/* 0 if they agree; otherwise prints both and returns 1. */
static int mismatch(const char *what, uint32_t size, double beta, long double computed,
                    long double expected) {
    if (agrees(computed, expected))
        return 0;
    print_error("%s at L=%u, beta=%.17g: expected %.20Lg, computed %.20Lg\n", what, (unsigned)size,
                beta, expected, computed);
    return 1;
}

/* Compares the thermodynamics of two exact_moments, the moments too if `magnetic`. */
static int mismatches(uint32_t size, double beta, exact_moments computed, exact_moments expected,
                      int magnetic) {
    int wrong = mismatch("e", size, beta, computed.e, expected.e) +
                mismatch("C", size, beta, computed.c, expected.c) +
                mismatch("ln Z", size, beta, computed.ln_z, expected.ln_z);
    if (magnetic)
        wrong += mismatch("|m|", size, beta, computed.abs_m, expected.abs_m) +
                 mismatch("m2", size, beta, computed.m2, expected.m2) +
                 mismatch("m4", size, beta, computed.m4, expected.m4);
    return wrong;
}

/* Kaufman's solution as exact_moments, without those of the magnetisation. */
static exact_moments kaufman(uint32_t size, double beta) {
    const exact_result x = exact_thermodynamics(size, beta);
    return (exact_moments){.e = x.e, .c = x.c, .ln_z = -x.beta_f * size * size};
}

/* --- Kaufman against 150 digits --- */

static void test_kaufman_high_precision(void **state) {
    (void)state;
    static const char *const names[] = {"e", "C", "betaF/N", "S/N"};
    long double worst[4] = {0};
    int rows = 0, wrong = 0;
    FILE *table = fopen(TABLE, "r");
    if (table == NULL)
        fail_msg("cannot open %s: tests run from the root of the repository", TABLE);
    for (char line[300]; fgets(line, sizeof line, table) != NULL;) {
        unsigned size;
        double beta;
        long double expected[4];
        if (line[0] == '#')
            continue;
        assert_int_equal(6, sscanf(line, "%u %lf %Lf %Lf %Lf %Lf", &size, &beta, &expected[0],
                                   &expected[1], &expected[2], &expected[3]));
        const exact_result x = exact_thermodynamics(size, beta);
        const double computed[4] = {x.e, x.c, x.beta_f, x.s};
        for (int k = 0; k < 4; k++) {
            wrong += mismatch(names[k], size, beta, computed[k], expected[k]);
            worst[k] = fmaxl(worst[k], deviation(computed[k], expected[k]));
        }
        rows++;
    }
    fclose(table);
    print_message("worst relative deviation: e %.1Le, C %.1Le, betaF/N %.1Le, S/N %.1Le\n",
                  worst[0], worst[1], worst[2], worst[3]);
    assert_int_equal(rows, TABLE_ROWS);
    assert_int_equal(wrong, 0);
}

/* Negative control: twice the tolerance is a mismatch, and so is what is no number. */
static void test_tolerance(void **state) {
    (void)state;
    const long double e = exact_thermodynamics(64, 0.44).e;
    assert_true(agrees(e, e));
    assert_false(agrees(e * (1 + 2 * TOLERANCE), e));
    assert_false(agrees(NAN, e));
}

/* Figures that others have published ("Simulating spin models on GPU"; their last digit or two are
 * not those of 150-digit arithmetic), and what needs no computation. */
static void test_kaufman_known(void **state) {
    (void)state;
    const exact_result x = exact_thermodynamics(1024, 0.4);
    assert_true(fabs(x.e - -1.106079207) < 5e-9);
    assert_true(fabs(x.c - 0.8616983594) < 5e-9);
    for (uint32_t size = 4; size <= 1024; size *= 2) {
        const exact_result hot = exact_thermodynamics(size, 0);
        assert_true(hot.e == 0 && hot.c == 0);
        assert_true(agrees(hot.beta_f, -logl(2)) && agrees(hot.s, logl(2)));
        /* 2 ground states, 2 N states with one spin flipped, and nothing else to 1e-17 */
        const long double n = (long double)size * size, flipped = expl(-8 * 20);
        const exact_result cold = exact_thermodynamics(size, 20);
        assert_true(agrees(cold.e, -2) && agrees(cold.c, 64 * 20 * 20 * flipped));
        assert_true(agrees(cold.s, logl(2) / n + (1 + 8 * 20) * flipped));
    }
}

/* The ends of what a double holds: e = -2 beta and C = 2 beta^2 to first order, or the ground states. */
static void test_kaufman_ends(void **state) {
    (void)state;
    static const double hot[] = {4.9406564584124654e-324, 1e-308, 2.2250738585072014e-308, 1e-160,
                                 1e-20};
    static const double cold[] = {1e4, 1e20, 1e160, 8e307, EXACT_MAX_BETA};
    for (uint32_t size = 4; size <= 64; size *= 4)
        for (size_t i = 0; i < 5; i++) {
            const exact_result h = exact_thermodynamics(size, hot[i]);
            assert_true(fabs(h.e + 2 * hot[i]) <= fmax(1e-15 * hot[i], 4.9406564584124654e-324));
            assert_true(fabs(h.c - 2 * hot[i] * hot[i]) <= fmax(1e-15 * hot[i] * hot[i], 1e-323));
            assert_true(agrees(h.beta_f, -logl(2)) && agrees(h.s, logl(2)));
            const exact_result c = exact_thermodynamics(size, cold[i]);
            assert_true(c.e == -2 && c.c == 0 && agrees(c.s, logl(2) / size / size));
            assert_true(agrees(c.beta_f, -2.0L * cold[i] - logl(2) / size / size));
            assert_true(isfinite(c.beta_f));
        }
}

/* --- Kaufman as the textbooks write it --- */

/* ln Z, with the sign of gamma_0 right, or wrong: always positive. */
static long double textbook_ln_z(uint32_t size, long double beta, int right) {
    const long double pi = acosl(-1), l = size;
    const long double diagonal = coshl(2 * beta) / tanhl(2 * beta);
    long double cosh_of[2] = {1, 1}, sinh_of[2] = {1, 1};
    for (uint32_t mode = 0; mode < 2 * size; mode++) {
        const long double signed_0 = 2 * beta + logl(tanhl(beta));
        const long double gamma_0 = right ? signed_0 : fabsl(signed_0);
        const long double gamma = mode == 0 ? gamma_0 : acoshl(diagonal - cosl(pi * mode / l));
        cosh_of[mode % 2] *= 2 * coshl(l * gamma / 2);
        sinh_of[mode % 2] *= 2 * sinhl(l * gamma / 2);
    }
    return logl((cosh_of[1] + sinh_of[1] + cosh_of[0] + sinh_of[0]) / 2) +
           l * l / 2 * logl(2 * sinhl(2 * beta));
}

static void test_kaufman_textbook(void **state) {
    (void)state;
    static const uint32_t sizes[] = {4, 5, 8, 16};
    int wrong = 0, noticed = 0;
    for (size_t k = 0; k < COUNT(sizes); k++) {
        for (double beta = 0.1; beta < 1; beta += 0.1) {
            const long double ln_z =
                -exact_thermodynamics(sizes[k], beta).beta_f * sizes[k] * (long double)sizes[k];
            wrong +=
                mismatch("ln Z (textbook)", sizes[k], beta, ln_z, textbook_ln_z(sizes[k], beta, 1));
            if (beta < 0.43)
                noticed += !agrees(ln_z, textbook_ln_z(sizes[k], beta, 0));
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(noticed,
                     4 * COUNT(sizes)); /* negative control: below beta_c the sign matters */
}

/* --- All states of L = 4 --- */

#define EDGE  4
#define SITES (EDGE * EDGE)

/* Counts the states one by one; `dropped` leaves out the periodic bonds of one row. */
static void enumerate(state_counts *counts, int dropped) {
    *counts = (state_counts){EDGE, SITES, 2 * SITES,
                             calloc((SITES + 1) * (SITES + 1), sizeof *counts->count)};
    assert_non_null(counts->count);
    for (uint32_t spins = 0; spins < 1u << SITES; spins++) {
        uint32_t broken = 0, up = 0;
        for (uint32_t y = 0; y < EDGE; y++) {
            for (uint32_t x = 0; x < EDGE; x++) {
                const uint32_t spin = spins >> (y * EDGE + x) & 1;
                const uint32_t right = spins >> (y * EDGE + (x + 1) % EDGE) & 1;
                const uint32_t below = spins >> ((y + 1) % EDGE * EDGE + x) & 1;
                up += spin;
                broken += spin ^ below;
                if (!(dropped && y == 0 && x == EDGE - 1))
                    broken += spin ^ right;
            }
        }
        /* only with a bond dropped can `broken` be odd */
        counts->count[broken / 2 * (SITES + 1) + up]++;
    }
}

static void test_transfer_matrix_enumeration(void **state) {
    (void)state;
    state_counts every, cut, built;
    enumerate(&every, 0);
    enumerate(&cut, 1);
    assert_int_equal(state_counts_create(&built, EDGE), 0);
    const size_t bytes = (SITES + 1) * (SITES + 1) * sizeof *every.count;
    assert_memory_equal(built.count, every.count, bytes);
    assert_memory_not_equal(built.count, cut.count, bytes); /* negative control */
    state_counts_destroy(&every);
    state_counts_destroy(&cut);
    state_counts_destroy(&built);
}

/* Averages state by state in the plainest way, from E and M themselves; E is counted from the
 * ground state, or <E^2> - <E>^2 would lose too much at low temperature. */
static exact_moments average(double beta, int dropped) {
    long double z = 0, e = 0, e2 = 0, abs_m = 0, m2 = 0, m4 = 0;
    for (uint32_t spins = 0; spins < 1u << SITES; spins++) {
        int energy = 2 * SITES, magnetisation = 0;
        for (uint32_t i = 0; i < SITES; i++) {
            const uint32_t right = i - i % EDGE + (i + 1) % EDGE, below = (i + EDGE) % SITES;
            const int spin = spins >> i & 1 ? 1 : -1;
            magnetisation += spin;
            energy -= spin * (spins >> below & 1 ? 1 : -1);
            if (!(dropped && i == EDGE - 1))
                energy -= spin * (spins >> right & 1 ? 1 : -1);
        }
        const long double weight = expl(-(long double)beta * energy);
        const long double m = fabsl((long double)magnetisation) / SITES;
        z += weight;
        e += weight * energy;
        e2 += weight * energy * energy;
        abs_m += weight * m;
        m2 += weight * m * m;
        m4 += weight * m * m * m * m;
    }
    return (exact_moments){.e = (double)(e / z / SITES - 2),
                           .c = (double)(beta * beta * (e2 / z - e / z * e / z) / SITES),
                           .abs_m = (double)(abs_m / z),
                           .m2 = (double)(m2 / z),
                           .m4 = (double)(m4 / z),
                           .ln_z = (double)(2 * SITES * (long double)beta + logl(z))};
}

static void test_kaufman_enumeration(void **state) {
    (void)state;
    state_counts counts;
    assert_int_equal(state_counts_create(&counts, EDGE), 0);
    int wrong = 0;
    for (size_t k = 0; k < COUNT(betas); k++) {
        const exact_moments expected = average(betas[k], 0);
        wrong += mismatches(EDGE, betas[k], kaufman(EDGE, betas[k]), expected, 0);
        wrong += mismatches(EDGE, betas[k], state_counts_moments(&counts, betas[k]), expected, 1);
    }
    state_counts_destroy(&counts);
    assert_int_equal(wrong, 0);

    /* Negative control: a lattice that lacks one boundary bond. */
    const exact_moments cut = average(0.44, 1), whole = kaufman(EDGE, 0.44);
    assert_false(agrees(cut.e, whole.e));
    assert_false(agrees(cut.c, whole.c));
    assert_false(agrees(cut.ln_z, whole.ln_z));
}

/* --- Kaufman against the transfer matrix --- */

static void test_kaufman_transfer_matrix(void **state) {
    (void)state;
    for (uint32_t size = 4; size <= 8; size++) {
        const uint32_t spins = size * size;
        state_counts counts;
        assert_int_equal(state_counts_create(&counts, size), 0);

        uint64_t states = 0;
        for (uint32_t pairs = 0; pairs <= spins; pairs++)
            for (uint32_t up = 0; up <= spins; up++)
                states += state_count(&counts, pairs, up);
        assert_true(states == (spins < 64 ? (uint64_t)1 << spins : 0)); /* 2^N modulo 2^64 */
        assert_true(state_count(&counts, 0, 0) == 1 && state_count(&counts, 0, spins) == 1);
        assert_true(state_count(&counts, 2, 1) == spins); /* one spin flipped */

        int wrong = 0;
        for (size_t k = 0; k < COUNT(betas); k++)
            wrong += mismatches(size, betas[k], kaufman(size, betas[k]),
                                state_counts_moments(&counts, betas[k]), 0);
        /* At beta = 0 the spins are free: <M^2> = N, <M^4> = 3 N^2 - 2 N. */
        const exact_moments hot = state_counts_moments(&counts, 0);
        wrong += mismatch("m2", size, 0, hot.m2, 1.0L / spins);
        wrong += mismatch("m4", size, 0, hot.m4, (3.0L * spins - 2) / spins / spins / spins);
        state_counts_destroy(&counts);
        assert_int_equal(wrong, 0);
    }
}

static void test_transfer_matrix_sizes(void **state) {
    (void)state;
    state_counts counts;
    assert_int_equal(state_counts_create(&counts, 2), -1);
    assert_int_equal(state_counts_create(&counts, 9), -1);
    assert_null(counts.count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kaufman_high_precision),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_kaufman_known),
        cmocka_unit_test(test_kaufman_ends),
        cmocka_unit_test(test_kaufman_textbook),
        cmocka_unit_test(test_kaufman_enumeration),
        cmocka_unit_test(test_transfer_matrix_enumeration),
        cmocka_unit_test(test_kaufman_transfer_matrix),
        cmocka_unit_test(test_transfer_matrix_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
