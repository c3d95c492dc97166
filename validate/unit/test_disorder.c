/* Claims: a bond is -1 exactly where the 64 bits that belong to it, drawn here by Philox itself, are not below
 * 2^64 P; it depends on seed, sample, P and its number alone; samples, seeds and runs have keys of their own; and
 * the share of +1 is P (false-alarm probability 1e-6; control: P off by 0.005). */
#include "engine/disorder.h"

#include "engine/streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "validate/lib/statistics.h"

static couplings lattice(uint32_t dimension, uint32_t edge) {
    couplings c;
    const uint32_t edges[] = {edge, edge, edge};
    assert_true(couplings_create(&c, dimension, edges));
    return c;
}

static void a_bond_has_the_bits_that_its_number_counts(void **state) {
    (void)state;
    static const disorder from[] = {
        {1, 0, 0.5}, {1, 1, 0.5}, {0xfedcba9876543210, 0, 0.25}, {3, 0xffffffff, 0.9}};
    for (size_t n = 0; n < sizeof from / sizeof *from; n++) {
        couplings c = lattice(3, 6);
        disorder_draw(&c, from[n]);
        const stream_key of_seed = {{(uint32_t)from[n].seed, (uint32_t)(from[n].seed >> 32)}};
        const stream_block k = stream_philox(of_seed, 9u << 28, from[n].sample, 0, 0);
        const stream_key key = {{k.number[0], k.number[1]}};
        for (uint32_t bond = 0; bond < c.bonds; bond++) {
            const stream_block b = stream_philox(key, 9u << 28 | bond / 2, 0, 0, 0);
            const uint32_t *const two = &b.number[bond % 2 * 2];
            const long double uniform = ldexpl(two[1], -32) + ldexpl(two[0], -64);
            assert_int_equal(couplings_negative(&c, bond), uniform >= from[n].ferromagnetic);
        }
        couplings_destroy(&c);
    }
    const stream_block far = stream_disorder((stream_key){{5, 6}}, ((uint64_t)3 << 28) + 7);
    const stream_block same = stream_philox((stream_key){{5, 6}}, 9u << 28 | 7, 3, 0, 0);
    assert_memory_equal(&far, &same, sizeof far);
}

static void the_lattice_does_not_matter(void **state) {
    (void)state;
    couplings small = lattice(2, 4), large = lattice(3, 8);
    disorder_draw(&small, (disorder){7, 2, 0.5});
    disorder_draw(&large, (disorder){7, 2, 0.5});
    for (uint64_t bond = 0; bond < small.bonds; bond++)
        assert_int_equal(couplings_negative(&small, bond), couplings_negative(&large, bond));
    couplings_destroy(&small);
    couplings_destroy(&large);
}

static void certain_couplings_are_certain(void **state) {
    (void)state;
    couplings c = lattice(3, 16);
    disorder_draw(&c, (disorder){7, 0, 0});
    assert_int_equal(couplings_count_negative(&c), c.bonds);
    disorder_draw(&c, (disorder){7, 0, 1});
    assert_int_equal(couplings_count_negative(&c), 0);
    couplings_destroy(&c);
}

static void samples_seeds_and_runs_have_keys_of_their_own(void **state) {
    (void)state;
    stream_key key[300];
    size_t keys = 0;
    for (uint64_t seed = 0; seed < 10; seed++)
        for (uint32_t n = 0; n < 15; n++) {
            key[keys++] = stream_disorder_key(seed, n);
            key[keys++] = stream_run_key(seed, n);
        }
    for (size_t a = 0; a < keys; a++)
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(&key[a], &key[b], sizeof *key);
}

/* The deviation of the number of -1 in some samples from the expectation for `expected`, and of the number of
 * bonds that differ between two successive samples. */
static void count_bonds(double p, double expected, double z[2]) {
    couplings c = lattice(3, 16), before = lattice(3, 16);
    double negative = 0, differ = 0, bonds = 0, pairs = 0;
    for (uint32_t s = 0; s < 40; s++) {
        disorder_draw(&c, (disorder){2026, s, p});
        negative += (double)couplings_count_negative(&c);
        bonds += (double)c.bonds;
        if (s % 2 == 1) {
            pairs += (double)c.bonds;
            for (uint64_t bond = 0; bond < c.bonds; bond++)
                differ += couplings_negative(&c, bond) != couplings_negative(&before, bond);
        }
        memcpy(before.negative, c.negative, c.bonds / 8);
    }
    const double q = 1 - expected, d = 2 * q * expected;
    z[0] = (negative - q * bonds) / sqrt(q * (1 - q) * bonds);
    z[1] = (differ - d * pairs) / sqrt(d * (1 - d) * pairs);
    couplings_destroy(&c);
    couplings_destroy(&before);
}

static void as_many_bonds_are_ferromagnetic_as_should(void **state) {
    (void)state;
    static const double p[] = {0.5, 0.89, 0.7682, 0.01};
    const double limit = z_limit(2 * 4);
    for (size_t n = 0; n < 4; n++) {
        double z[2];
        count_bonds(p[n], p[n], z);
        assert_true(fabs(z[0]) < limit && fabs(z[1]) < limit);
        count_bonds(p[n], p[n] + 0.005, z); /* negative control */
        assert_true(fabs(z[0]) > limit);
    }
}

static void the_text_says_where_couplings_are_from(void **state) {
    (void)state;
    char text[DISORDER_TEXT_SIZE];
    assert_string_equal(disorder_text(text, (disorder){UINT64_MAX, UINT32_MAX, 0.1}),
                        "disorder seed 18446744073709551615, sample 4294967295, ferromagnetic 0.1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bond_has_the_bits_that_its_number_counts),
        cmocka_unit_test(the_lattice_does_not_matter),
        cmocka_unit_test(certain_couplings_are_certain),
        cmocka_unit_test(samples_seeds_and_runs_have_keys_of_their_own),
        cmocka_unit_test(as_many_bonds_are_ferromagnetic_as_should),
        cmocka_unit_test(the_text_says_where_couplings_are_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
