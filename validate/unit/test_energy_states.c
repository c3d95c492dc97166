/* Claims: the numbers of states of square lattices with any couplings (reference/square_states.c) are those that
 * enumeration counts, at 4 x 4 for 20 samples; they give Kaufman's solution where all J = +1, and what a transfer
 * matrix with positive terms gives for samples of up to 8 x 8, also of edges that differ; those of Kaufman's partition
 * function modulo primes (kaufman_states.c) are the same; couplings that differ in
 * one bond are told apart; numbers that others have published are found. Their thermodynamics is right where beta
 * is 0 or as large as allowed, and their digits are those of the numbers. */
#include "engine/disorder.h"
#include "reference/energy_states.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double betas[] = {0.001, 0.2, 0.44, 0.4407, 1, 2, 3};

/* Sample s of a lattice; J = +1 with probability p. */
static couplings some_sample(uint32_t dimension, const uint32_t *edge, uint32_t s, double p) {
    couplings c;
    assert_true(couplings_create(&c, dimension, edge));
    disorder_draw(&c, (disorder){2026, s, p});
    return c;
}

static energy_states count_square(const couplings *c) {
    energy_states states;
    assert_true(square_states_count(&states, c));
    return states;
}

/* Whether every value is right to a relative 1e-12, an e near 0 to 1e-14, a C of no excitations to 1e-100. */
static int agree(exact_result a, exact_result b) {
    return fabs(a.e - b.e) <= 1e-12 * fabs(b.e) + 1e-14 &&
           fabs(a.c - b.c) <= 1e-12 * fabs(b.c) + 1e-100 &&
           fabs(a.beta_f - b.beta_f) <= 1e-12 * fabs(b.beta_f) &&
           fabs(a.s - b.s) <= 1e-12 * fabs(b.s);
}

static void assert_agree(exact_result a, exact_result b, const couplings *c, double beta) {
    if (!agree(a, b))
        fail_msg("%u x %u, fingerprint %08x, beta %g: e %.17g %.17g, C %.17g %.17g, betaF %.17g "
                 "%.17g, S %.17g %.17g",
                 c->edge[0], c->edge[1], couplings_fingerprint(c), beta, a.e, b.e, a.c, b.c,
                 a.beta_f, b.beta_f, a.s, b.s);
}

/* --- Enumeration --- */

static uint32_t unsatisfied(const couplings *c, uint32_t spins) {
    uint32_t count = 0;
    for (uint32_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < c->dimension; d++) {
            const uint32_t other = (uint32_t)couplings_neighbour(c, site, d);
            count += ((spins >> site ^ spins >> other) & 1) !=
                     (uint32_t)couplings_negative(c, site * c->dimension + d);
        }
    return count;
}

static void counts_are_those_of_enumeration(void **state) {
    (void)state;
    static const double p[] = {0, 0.25, 0.5, 0.9};
    for (uint32_t s = 0; s < 20; s++) {
        couplings c = some_sample(2, (uint32_t[]){4, 4, 1}, s, p[s % COUNT(p)]);
        uint64_t expected[33] = {0};
        for (uint32_t spins = 0; spins < 1u << 16; spins++)
            expected[unsatisfied(&c, spins)]++;
        for (int changed = 0; changed < 2; changed++) {
            couplings_set(&c, s, couplings_negative(&c, s) != changed); /* negative control */
            energy_states states = count_square(&c);
            int different = 0;
            for (uint32_t u = 0; u <= 32; u++)
                different += *energy_states_count(&states, u) != expected[u];
            assert_true(changed ? different > 0 : different == 0);
            energy_states_destroy(&states);
        }
        couplings_destroy(&c);
    }
}

/* --- Kaufman --- */

static void ferromagnets_are_those_of_kaufman(void **state) {
    (void)state;
    for (uint32_t edge = 4; edge <= 12; edge += 2) {
        couplings c = some_sample(2, (uint32_t[]){edge, edge, 1}, 0, 1);
        energy_states states = count_square(&c);
        for (size_t k = 0; k < COUNT(betas); k++)
            assert_agree(energy_states_thermodynamics(&states, betas[k]),
                         exact_thermodynamics(edge, betas[k]), &c, betas[k]);
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
}

/* Kaufman's partition function modulo primes (kaufman_states.c): the numbers that Pfaffians give, all of them, and at sizes
 * that they take long for the lowest levels that Beale has, the sum of all and Kaufman's solution. */
static void numbers_of_kaufman_are_those_of_pfaffians(void **state) {
    (void)state;
    for (uint32_t edge = 4; edge <= 10; edge += 2) {
        couplings c = some_sample(2, (uint32_t[]){edge, edge, 1}, 0, 1);
        energy_states a = count_square(&c), b;
        assert_true(kaufman_states_count(&b, &c));
        assert_int_equal(a.words, b.words);
        assert_memory_equal(a.count, b.count, (a.bonds + 1) * a.words * sizeof *a.count);
        couplings_set(&c, 5, true); /* negative control */
        energy_states_destroy(&a);
        a = count_square(&c);
        assert_memory_not_equal(a.count, b.count, (a.bonds + 1) * a.words * sizeof *a.count);
        energy_states_destroy(&a);
        energy_states_destroy(&b);
        couplings_destroy(&c);
    }
}

static void numbers_of_kaufman_of_large_lattices(void **state) {
    (void)state;
    const uint32_t edges[] = {14, 22, 24};
    for (size_t s = 0; s < COUNT(edges); s++) {
        couplings c = some_sample(2, (uint32_t[]){edges[s], edges[s], 1}, 0, 1);
        energy_states states;
        assert_true(kaufman_states_count(&states, &c));
        for (size_t k = 0; k < COUNT(betas); k++)
            assert_agree(energy_states_thermodynamics(&states, betas[k]),
                         exact_thermodynamics(edges[s], betas[k]), &c, betas[k]);
        assert_true(
            agree(energy_states_thermodynamics(&states, 0), (exact_result){0, 0, -log(2), log(2)}));
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
}

/* --- A transfer matrix --- */

/* Sums over the states of what is built: of weights, and of weights times u and u^2. */
typedef struct {
    long double z, u, u2;
} sums;

/* Adds to *to the sums *from of states that get `more` unsatisfied bonds. */
static void add_sums(sums *to, sums from, long double more, long double beta) {
    const long double weight = expl(-2 * beta * more);
    to->z += weight * from.z;
    to->u += weight * (from.u + more * from.z);
    to->u2 += weight * (from.u2 + 2 * more * from.u + more * more * from.z);
}

/* Whether the bond of a site in a direction is unsatisfied between two rows of spins. */
static uint32_t broken(const couplings *c, uint32_t x, uint32_t y, uint32_t d, uint32_t from,
                       uint32_t to) {
    const uint32_t end = d == 0 ? (x + 1) % c->edge[0] : x;
    return ((from >> x ^ to >> end) & 1) ^
           (uint32_t)couplings_negative(c, ((uint64_t)y * c->edge[0] + x) * 2 + d);
}

/* Row by row, for each first row; the weight of a row's change is a sum over all rows before it. */
static exact_result transfer(const couplings *c, double beta) {
    const uint32_t width = c->edge[0], rows = 1u << width;
    sums total = {0, 0, 0}, now[1 << 8], next[1 << 8];
    for (uint32_t first = 0; first < rows; first++) {
        memset(now, 0, sizeof now);
        now[first].z = 1;
        for (uint32_t y = 0; y < c->edge[1]; y++) {
            for (uint32_t x = 0; x < width; x++) { /* the bonds within row y */
                for (uint32_t row = 0; row < rows; row++) {
                    sums s = {0, 0, 0};
                    add_sums(&s, now[row], broken(c, x, y, 0, row, row), beta);
                    now[row] = s;
                }
            }
            for (uint32_t x = 0; x < width; x++) { /* the spin below takes the place of each */
                memset(next, 0, sizeof next);
                for (uint32_t row = 0; row < rows; row++)
                    for (uint32_t spin = 0; spin < 2; spin++) {
                        const uint32_t changed = (row & ~(1u << x)) | spin << x;
                        add_sums(&next[changed], now[row], broken(c, x, y, 1, row, changed), beta);
                    }
                memcpy(now, next, sizeof now);
            }
        }
        total.z += now[first].z;
        total.u += now[first].u;
        total.u2 += now[first].u2;
    }
    const long double n = c->sites, b = beta, bonds = c->bonds, mean = total.u / total.z;
    const long double e = (2 * mean - bonds) / n, ln_z = b * bonds + logl(total.z);
    return (exact_result){.e = (double)e,
                          .c = (double)(4 * b * b * (total.u2 / total.z - mean * mean) / n),
                          .beta_f = (double)(-ln_z / n),
                          .s = (double)(b * e + ln_z / n)};
}

static void samples_are_those_of_a_transfer_matrix(void **state) {
    (void)state;
    static const struct {
        uint32_t edge[3];
        double p, beta;
    } cases[] = {{{6, 6, 1}, 0.5, 0.3}, {{6, 6, 1}, 0.5, 1},   {{6, 6, 1}, 0.8, 0.7},
                 {{4, 6, 1}, 0.5, 1},   {{6, 4, 1}, 0.5, 1},   {{4, 10, 1}, 0.89, 1.5},
                 {{8, 4, 1}, 0.3, 0.5}, {{8, 8, 1}, 0.5, 0.8}, {{8, 8, 1}, 0.89, 1}};
    for (uint32_t n = 0; n < COUNT(cases); n++) {
        couplings c = some_sample(2, cases[n].edge, n, cases[n].p);
        energy_states states = count_square(&c);
        const exact_result counted = energy_states_thermodynamics(&states, cases[n].beta);
        assert_agree(counted, transfer(&c, cases[n].beta), &c, cases[n].beta);
        couplings_set(&c, 7, !couplings_negative(&c, 7)); /* negative control */
        if (n < 2)
            assert_false(agree(counted, transfer(&c, cases[n].beta)));
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
}

/* --- Ends, digits --- */

static void the_ends_of_beta(void **state) {
    (void)state;
    couplings c = some_sample(2, (uint32_t[]){12, 8, 1}, 3, 0.5);
    energy_states states = count_square(&c);
    uint64_t ground = 0;
    while (energy_states_count(&states, ground)[0] == 0)
        ground++;
    const double e = (2 * (double)ground - (double)c.bonds) / (double)c.sites;
    const double s = log((double)energy_states_count(&states, ground)[0]) / (double)c.sites;
    const exact_result hot = energy_states_thermodynamics(&states, 0);
    assert_true(agree(hot, (exact_result){0, 0, -log(2), log(2)}));
    static const double cold[] = {100, 1e20, EXACT_MAX_BETA};
    for (size_t k = 0; k < COUNT(cold); k++)
        assert_true(agree(energy_states_thermodynamics(&states, cold[k]),
                          (exact_result){e, 0, cold[k] * e - s, s}));
    energy_states_destroy(&states);
    couplings_destroy(&c);
}

static void counts_are_printed_in_digits(void **state) {
    (void)state;
    static const struct {
        uint64_t words[2];
        const char *text;
    } cases[] = {{{0, 0}, "0"},
                 {{7, 0}, "7"},
                 {{999999999, 0}, "999999999"},
                 {{1000000000, 0}, "1000000000"},
                 {{UINT64_MAX, 0}, "18446744073709551615"},
                 {{0, 1}, "18446744073709551616"},
                 {{UINT64_MAX, UINT64_MAX}, "340282366920938463463374607431768211455"}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        uint64_t words[2] = {cases[n].words[0], cases[n].words[1]};
        const energy_states states = {.words = 2, .count = words};
        char *const text = energy_states_text(&states, 0);
        assert_non_null(text);
        assert_string_equal(text, cases[n].text);
        free(text);
    }
}

/* --- Published numbers --- */

static void published_numbers_are_found(void **state) {
    (void)state;
    /* States of energy 0 of a ferromagnet on n x k sites: OEIS A364781, after Haeggkvist et al., Phys. Rev. E 69,
     * 046104 (2004). */
    static const struct {
        uint32_t edge[3];
        uint64_t states;
    } zero[] = {{{4, 4, 1}, 20524},          {{6, 4, 1}, 3961300},
                {{6, 6, 1}, 13172279424},    {{8, 4, 1}, 876428620},
                {{8, 6, 1}, 46463664513012}, {{8, 8, 1}, 2627978003957146636}};
    for (size_t n = 0; n < COUNT(zero); n++) {
        couplings c = some_sample(2, zero[n].edge, 0, 1);
        energy_states states = count_square(&c);
        assert_int_equal(energy_states_count(&states, c.bonds / 2)[0], zero[n].states);
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
    /* The lowest levels where both edges exceed 5: P. D. Beale, Phys. Rev. Lett. 76, 78 (1996). */
    for (int kaufman = 0; kaufman < 2; kaufman++) {
        couplings c = some_sample(2, (uint32_t[]){kaufman ? 20 : 12, kaufman ? 20 : 10, 1}, 0, 1);
        energy_states states;
        assert_true((kaufman ? kaufman_states_count : square_states_count)(&states, &c));
        const uint64_t n = c.sites,
                       lowest[] = {2, 0, 2 * n, 4 * n, n * n + 9 * n, 4 * n * n + 24 * n};
        for (size_t k = 0; k < COUNT(lowest); k++)
            assert_int_equal(energy_states_count(&states, 2 * k)[0], lowest[k]);
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_enumeration),
        cmocka_unit_test(ferromagnets_are_those_of_kaufman),
        cmocka_unit_test(numbers_of_kaufman_are_those_of_pfaffians),
        cmocka_unit_test(numbers_of_kaufman_of_large_lattices),
        cmocka_unit_test(samples_are_those_of_a_transfer_matrix),
        cmocka_unit_test(the_ends_of_beta),
        cmocka_unit_test(counts_are_printed_in_digits),
        cmocka_unit_test(published_numbers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
