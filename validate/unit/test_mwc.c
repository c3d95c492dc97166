/* The multiply-with-carry generator of lag 2 (engine/mwc.h) is the Lehmer generator that its proofs are about: a draw
 * divides the state's residue by 2^32 modulo A 2^64 - 1, the numbers are those of arithmetic in whole numbers, the
 * complement of a state draws the complements; and no seed is a state that stays where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/wide.h"
#include "engine/mwc.h"

#define VECTORS      "validate/unit/mwc_vectors.txt"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
static const uint128 modulus = ((uint128)MWC_MULTIPLIER << 64) - 1;

static uint128 residue(mwc_state s) {
    return (uint128)s.c << 64 | (uint64_t)s.x1 << 32 | s.x2;
}

static int same(mwc_state a, mwc_state b) {
    return a.x1 == b.x1 && a.x2 == b.x2 && a.c == b.c;
}

static mwc_state complement(mwc_state s) {
    const mwc_state other = {~s.x1, ~s.x2, MWC_MULTIPLIER - 1 - s.c};
    return other;
}

/* Follows a state and its complement for some draws. */
static void follow(mwc_state s, int draws) {
    mwc_state other = complement(s);
    for (int n = 0; n < draws; n++) {
        const uint128 before = residue(s);
        const uint32_t oldest = s.x2, last = s.x1, number = mwc_next(&s);
        /* z' = (z + x_{n-2} m) / 2^32, without a remainder */
        assert_true(residue(s) << 32 == before + oldest * modulus);
        assert_true(residue(s) <= modulus);
        assert_int_equal(number, s.x1);
        assert_int_equal(last, s.x2);
        assert_int_equal(mwc_next(&other), (uint32_t)~number);
        assert_true(same(other, complement(s)));
    }
}

static void a_draw_divides_by_the_base(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(edges); i++)
        for (size_t k = 0; k < COUNT(edges); k++)
            for (size_t c = 0; c < COUNT(edges); c++)
                if (edges[c] < MWC_MULTIPLIER)
                    follow((mwc_state){edges[i], edges[k], edges[c]}, 100);
    follow((mwc_state){UINT32_MAX, UINT32_MAX, MWC_MULTIPLIER - 2}, 100);
    follow(mwc_seed(1, 2, 3, 4), 1000000);
}

static void numbers_are_the_vectors(void **state) {
    (void)state;
    FILE *const file = fopen(VECTORS, "r");
    assert_non_null(file);
    char line[200];
    int vectors = 0;
    while (fgets(line, sizeof line, file)) {
        mwc_state s;
        uint32_t draws, last, before;
        if (line[0] == '#')
            continue;
        assert_int_equal(
            sscanf(line, "%x %x %x %u %x %x", &s.x1, &s.x2, &s.c, &draws, &last, &before), 6);
        uint32_t number = s.x1, one_before = s.x2;
        while (draws-- > 0) {
            one_before = number;
            number = mwc_next(&s);
        }
        assert_int_equal(number, last);
        assert_int_equal(one_before, before);
        vectors++;
    }
    fclose(file);
    assert_int_equal(vectors, 40);
}

static void no_seed_stays_where_it_is(void **state) {
    (void)state;
    /* What has to be avoided: */
    const mwc_state stay[] = {{0, 0, 0}, {UINT32_MAX, UINT32_MAX, MWC_MULTIPLIER - 1}};
    for (size_t n = 0; n < COUNT(stay); n++) {
        mwc_state s = stay[n];
        mwc_next(&s);
        assert_true(same(s, stay[n]));
    }
    assert_true(residue(stay[1]) == modulus);

    for (size_t i = 0; i < COUNT(edges); i++)
        for (size_t k = 0; k < COUNT(edges); k++) {
            const mwc_state seed = mwc_seed(edges[i], ~edges[i], edges[i], edges[k]);
            assert_int_equal(seed.x1, edges[i]);
            assert_int_equal(seed.x2, (uint32_t)~edges[i]);
            assert_true(seed.c > 0 && seed.c < MWC_MULTIPLIER - 1);
            /* 1 + floor(n (A - 2) / 2^64) */
            const uint128 n = (uint64_t)edges[k] << 32 | edges[i];
            assert_int_equal(seed.c, 1 + (uint32_t)(n * (MWC_MULTIPLIER - 2) >> 64));
        }
    /* The carry takes all of its range. */
    assert_int_equal(mwc_seed(0, 0, 0, 0).c, 1);
    assert_int_equal(mwc_seed(0, 0, UINT32_MAX, UINT32_MAX).c, MWC_MULTIPLIER - 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_divides_by_the_base),
        cmocka_unit_test(numbers_are_the_vectors),
        cmocka_unit_test(no_seed_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
