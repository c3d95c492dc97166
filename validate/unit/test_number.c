/* Claims: number_read reads what strtod does, as far; number_put has the bytes of printf's "%.*g", number_put_whole those of "%lld", and number_text those with the fewest
 * digits that strtod reads as the same number: at the limits and in the middle of each, ties and numbers that are rounded
 * into another decade among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/ieee_math.h"
#include "base/number.h"

static void expect_read(const char *text) {
    char *end, *expected_end;
    const double x = number_read(text, &end), expected = strtod(text, &expected_end);
    assert_true(end == expected_end);
    assert_true(ieee_bits(x) == ieee_bits(expected));
}

static void expect_shortest(double x) {
    char expected[NUMBER_TEXT_SIZE], made[NUMBER_TEXT_SIZE];
    int digits = 0;
    do
        snprintf(expected, sizeof expected, "%.*g", ++digits, x);
    while (strtod(expected, NULL) != x);
    assert_string_equal(number_text(made, x), expected);
}

static void expect_short(double x, const char *expected) {
    char made[NUMBER_TEXT_SIZE];
    assert_string_equal(number_short_text(made, x), expected);
}

static void test_of_messages(void **state) {
    (void)state;
    expect_short(3 * 0.05, "0.15");
    expect_short(0.15, "0.15");
    expect_short(200 * 0.005, "1");
    expect_short(0, "0");
    expect_short(0.065, "0.065");
    expect_short(0.08535851259973282, "0.08535851259973282");
    expect_short(0.1234567890123, "0.1234567890123");
    expect_short(NAN, "nan");
}

static void expect_same(double x) {
    if (x == x)
        expect_shortest(x);
    for (int precision = 1; precision <= 17; precision++) {
        char expected[NUMBER_TEXT_SIZE], made[NUMBER_TEXT_SIZE];
        snprintf(expected, sizeof expected, "%.*g", precision, x);
        expect_read(expected);
        for (int again = 0; again < 2; again++) { /* made, and then remembered */
            *number_put(made, x, precision) = '\0';
            assert_string_equal(made, expected);
        }
    }
}

/* x, its negative, and the next numbers below and above. */
static void expect_same_about(double x) {
    for (uint64_t bits = ieee_bits(x) - 1; bits != ieee_bits(x) + 2; bits++) {
        expect_same(ieee_from_bits(bits));
        expect_same(-ieee_from_bits(bits));
    }
}

/* Any bits: all exponents are as likely; and numbers of a few units, as in files. */
static void test_random(void **state) {
    (void)state;
    uint64_t bits = 1;
    for (int n = 0; n < 8000; n++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        expect_same(ieee_from_bits(bits ^ bits >> 29));
        expect_same((double)(bits >> 20) * 0x1p-40);
        expect_same((double)(bits >> 40) * 0x1p-40);
    }
}

static void test_decades(void **state) {
    (void)state;
    double x = 1e-30;
    for (int n = 0; n < 60; n++, x *= 10) {
        expect_same_about(x);
        expect_same_about(x * 9.5);
        expect_same_about(x * 9.99999999995);
    }
}

/* Halves of the last digit are rounded to even. */
static void test_ties(void **state) {
    (void)state;
    for (int n = 1; n < 4000; n++)
        for (double unit = 0x1p-30; unit <= 1; unit *= 0x1p3)
            expect_same(n * unit);
}

/* Numbers of few digits, at their ends too. */
static void test_short(void **state) {
    (void)state;
    for (int n = 1; n < 4000; n++) {
        expect_same_about(n / 1000.0);
        expect_shortest(n * 1e5);
        expect_shortest(n * 1e12);
        expect_shortest(n * 1e-9);
        expect_shortest(n * 123456789.0 / 1e15);
    }
}

static void test_no_digits(void **state) {
    (void)state;
    expect_same(0);
    expect_same(-0.0);
    expect_same(INFINITY);
    expect_same(-INFINITY);
    expect_same(0x1p-1074);
    expect_same(0x1.fffffffffffffp1023);
}

static void test_whole(void **state) {
    (void)state;
    static const int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      9,
                                      10,
                                      -10,
                                      99,
                                      100,
                                      9999999,
                                      10000000,
                                      98765432,
                                      99999999,
                                      100000000,
                                      1234567890,
                                      INT64_MAX,
                                      INT64_MIN,
                                      10203040506070809,
                                      9999999999999999};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        char expected[NUMBER_TEXT_SIZE], made[NUMBER_TEXT_SIZE];
        snprintf(expected, sizeof expected, "%lld", (long long)numbers[n]);
        *number_put_whole(made, numbers[n]) = '\0';
        assert_string_equal(made, expected);
    }
}

static void test_read(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "-",
                                        ".",
                                        "-.",
                                        "1.",
                                        ".5",
                                        "-.5",
                                        "1..2",
                                        "1.2.3",
                                        "1 2",
                                        "-0",
                                        "0.0",
                                        "00012",
                                        "1e5",
                                        "1.5e-7",
                                        "0x1p3",
                                        "inf",
                                        "nan",
                                        "12a",
                                        "1e",
                                        "+1",
                                        " 1",
                                        "1\n",
                                        "--1",
                                        "1-2",
                                        "1,5",
                                        "0.1",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "90071992547409925",
                                        "123456789012345678",
                                        "0.00000000000000001",
                                        "0.000000000000000001",
                                        "9999999999999999999",
                                        "0.12345678901234567890123456789",
                                        "00000000000000000000.5",
                                        "1.00000000000000000"};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        expect_read(texts[n]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),  cmocka_unit_test(test_of_messages),
        cmocka_unit_test(test_random), cmocka_unit_test(test_decades),
        cmocka_unit_test(test_ties),   cmocka_unit_test(test_no_digits),
        cmocka_unit_test(test_whole),  cmocka_unit_test(test_short),
        cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
