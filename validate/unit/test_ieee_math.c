/* Claims about exp, log and log1p (ieee_math.h):
 *  - their bits are those written down here, on any machine; zeros, infinities, NaN and numbers out of
 *    their range give what IEEE 754 recommends;
 *  - with MPFR: the error is below 0.55 ulp over the whole range, subnormal numbers included; the
 *    negative control, exp(x / 2)^2, is found (skipped without MPFR);
 *  - neighbouring arguments never give values in the wrong order, also where the method changes;
 *  - exp and log of many numbers at a time have the bits of one, whatever the processor has instructions for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/ieee_arrays.h"
#include "base/ieee_math.h"

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- Known answers --- */

typedef double function(double);
typedef struct {
    uint64_t argument, value;
} known_answer;

static const known_answer exp_known[] = {
    {0x3c30000000000000, 0x3ff0000000000000}, /* 8.6736173798840355e-19 */
    {0xbe10000000000000, 0x3fefffffff800000}, /* -9.3132257461547852e-10 */
    {0x3f50624dd2f1a9fc, 0x3ff0041919b7ee34}, /* 0.001 */
    {0xbfb999999999999a, 0x3fecf46d99d52b3a}, /* -0.10000000000000001 */
    {0x3fd62d0e56041893, 0x3ff6a03146cf6ead}, /* 0.34649999999999997 */
    {0xbfd62eb1c432ca58, 0x3fe6a0773cd678a4}, /* -0.34660000000000002 */
    {0x3fe0000000000000, 0x3ffa61298e1e069c}, /* 0.5 */
    {0x3ff0000000000000, 0x4005bf0a8b145769}, /* 1 */
    {0xbffc28f5c28f5c29, 0x3fc60590ebc84a91}, /* -1.76 */
    {0x4004000000000000, 0x40285d6fd931e0bb}, /* 2.5 */
    {0xc020000000000000, 0x3f35fc21041027ad}, /* -8 */
    {0xc0362e42fefa39ef, 0x3df0000000000003}, /* -22.180709777918249 */
    {0x4059133333333333, 0x48fa08a5754ae034}, /* 100.3 */
    {0xc074d4cccccccccd, 0x21e1bffc932ffe0d}, /* -333.30000000000001 */
    {0x4085e0cccccccccd, 0x7f1058614179b2a5}, /* 700.10000000000002 */
    {0xc08621999999999a, 0x001378faeaa24275}, /* -708.20000000000005 */
    {0x40862c0000000000, 0x7fe81e9b4b52d0c9}, /* 709.5 */
    {0xc086232bdd7abcd3, 0x000ffffffffffe7c}, /* -708.39641853226419 */
    {0xc086280000000000, 0x0008bfe55de02338}, /* -709 */
    {0xc08645999999999a, 0x00003760ccf0d9b5}, /* -712.70000000000005 */
    {0xc086d73333333333, 0x00000000000b95c7}, /* -730.89999999999998 */
    {0xc08720147ae147ae, 0x0000000000000054}, /* -740.00999999999999 */
    {0xc087480000000000, 0x0000000000000001}, /* -745 */
};
static const known_answer log_known[] = {
    {0x0000000000000001, 0xc0874385446d71c3}, /* 4.9406564584124654e-324 */
    {0x0000000000006000, 0xc086f2a4f5736e06}, /* 1.2142157312194475e-319 */
    {0x0010000000000000, 0xc086232bdd7abcd2}, /* 2.2250738585072014e-308 */
    {0x0010000000000000, 0xc086232bdd7abcd2}, /* 2.2250738585072014e-308 */
    {0x01a56e1fc2f8f359, 0xc085963447f87fb5}, /* 1e-300 */
    {0x3c670ef54646d497, 0xc043926cd770aa67}, /* 1.0000000000000001e-17 */
    {0x3fb999999999999a, 0xc0026bb1bbb55515}, /* 0.10000000000000001 */
    {0x3fe0000000000000, 0xbfe62e42fefa39ef}, /* 0.5 */
    {0x3fe6a09e667f3bcc, 0xbfd62e42fefa39f1}, /* 0.70710678118654746 */
    {0x3fe6a09e667f3bcd, 0xbfd62e42fefa39ee}, /* 0.70710678118654757 */
    {0x3fe8000000000000, 0xbfd269621134db92}, /* 0.75 */
    {0x3fefffffffffffff, 0xbca0000000000000}, /* 0.99999999999999989 */
    {0x3ff0000000000001, 0x3cafffffffffffff}, /* 1.0000000000000002 */
    {0x3ff00068db8bac71, 0x3f1a368d0657fcd4}, /* 1.0001 */
    {0x3ff6a09e667f3bcc, 0x3fd62e42fefa39ee}, /* 1.4142135623730949 */
    {0x3ff6a09e667f3bcd, 0x3fd62e42fefa39f0}, /* 1.4142135623730951 */
    {0x4000000000000000, 0x3fe62e42fefa39ef}, /* 2 */
    {0x4008000000000000, 0x3ff193ea7aad030b}, /* 3 */
    {0x4024000000000000, 0x40026bb1bbb55516}, /* 10 */
    {0x409f400000000000, 0x401e6752f96f46de}, /* 2000 */
    {0x41efffffffe00000, 0x40362e42fef939ef}, /* 4294967295 */
    {0x4376345785d8a000, 0x4043926cd770aa67}, /* 1e+17 */
    {0x7fefffffffffffff, 0x40862e42fefa39ef}, /* 1.7976931348623157e+308 */
};
static const known_answer log1p_known[] = {
    {0x0000000000000001, 0x0000000000000001}, /* 4.9406564584124654e-324 */
    {0x81a56e1fc2f8f359, 0x81a56e1fc2f8f359}, /* -1e-300 */
    {0x3c90000000000000, 0x3c90000000000000}, /* 5.5511151231257827e-17 */
    {0xbca0000000000000, 0xbca0000000000000}, /* -1.1102230246251565e-16 */
    {0x3ddb7cdfd9d7bdbb, 0x3ddb7cdfd9d1d693}, /* 1e-10 */
    {0xbddb7cdfd9d7bdbb, 0xbddb7cdfd9dda4e3}, /* -1e-10 */
    {0x3f50624dd2f1a9fc, 0x3f5060354f8c3ebf}, /* 0.001 */
    {0xbf847ae147ae147b, 0xbf8495453e6fd4b7}, /* -0.01 */
    {0x3fb999999999999a, 0x3fb8663f793c46c7}, /* 0.10000000000000001 */
    {0xbfc999999999999a, 0xbfcc8ff7c79a9a22}, /* -0.20000000000000001 */
    {0xbfcfffffffffffff, 0xbfd269621134db92}, /* -0.24999999999999997 */
    {0xbfd0000000000000, 0xbfd269621134db92}, /* -0.25 */
    {0x3fd7ffffffffffff, 0x3fd4618bc21c5ec2}, /* 0.37499999999999994 */
    {0x3fd8000000000000, 0x3fd4618bc21c5ec2}, /* 0.375 */
    {0x3fe0000000000000, 0x3fd9f323ecbf984c}, /* 0.5 */
    {0xbfe0000000000000, 0xbfe62e42fefa39ef}, /* -0.5 */
    {0xbfe8000000000000, 0xbff62e42fefa39ef}, /* -0.75 */
    {0xbfefffffffffffff, 0xc0425e4f7b2737fa}, /* -0.99999999999999989 */
    {0x3ff0000000000000, 0x3fe62e42fefa39ef}, /* 1 */
    {0x3ff8000000000000, 0x3fed5240f0e0e078}, /* 1.5 */
    {0x401d333333333333, 0x4000ee175f1073ee}, /* 7.2999999999999998 */
    {0x41cdcd6500000000, 0x4034b927f3304b3b}, /* 1000000000 */
    {0x4341c37937e08000, 0x40426bb1bbb55516}, /* 10000000000000000 */
    {0x7fefffffffffffff, 0x40862e42fefa39ef}, /* 1.7976931348623157e+308 */
};

static void assert_answers(function *f, const known_answer *known, size_t count) {
    for (size_t n = 0; n < count; n++) {
        const uint64_t value = ieee_bits(f(ieee_from_bits(known[n].argument)));
        if (value != known[n].value)
            fail_msg("argument %a: %a, not %a", ieee_from_bits(known[n].argument),
                     ieee_from_bits(value), ieee_from_bits(known[n].value));
    }
}

/* FNV-1a of the bits of f at 2^16 arguments from low on, `step` apart. */
static uint64_t digest(function *f, double low, double step) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int n = 0; n < 1 << 16; n++)
        hash = (hash ^ ieee_bits(f(low + n * step))) * UINT64_C(0x100000001b3);
    return hash;
}

static void test_known_answers(void **state) {
    (void)state;
    assert_answers(ieee_exp, exp_known, COUNT(exp_known));
    assert_answers(ieee_log, log_known, COUNT(log_known));
    assert_answers(ieee_log1p, log1p_known, COUNT(log1p_known));
    assert_int_equal(digest(ieee_exp, -746, 0x1.63p-6), UINT64_C(0x821629624ea7ac49));
    assert_int_equal(digest(ieee_exp, -1, 0x1p-15), UINT64_C(0x6168c0b9a52bf7a5));
    assert_int_equal(digest(ieee_log, 0x1p-17, 0x1p-14), UINT64_C(0x74a9d5040ed06bcb));
    assert_int_equal(digest(ieee_log1p, -0.9999, 0x1p-15), UINT64_C(0x2671549aa5e2d2d8));
}

/* The same number, the sign of a zero included. */
static void assert_same(double value, double expected) {
    assert_true(ieee_bits(value) == ieee_bits(expected));
}

static void test_special_values(void **state) {
    (void)state;
    assert_same(ieee_exp(0), 1);
    assert_same(ieee_exp(-0.0), 1);
    assert_same(ieee_exp(INFINITY), INFINITY);
    assert_same(ieee_exp(-INFINITY), 0);
    assert_same(ieee_exp(DBL_MAX), INFINITY);
    assert_same(ieee_exp(-DBL_MAX), 0);
    assert_same(ieee_exp(0x1.62e42fefa39efp+9), 0x1.fffffffffff2ap+1023);
    assert_same(ieee_exp(0x1.62e42fefa39fp+9), INFINITY);
    assert_same(ieee_exp(-0x1.74910d52d3051p+9), 0x1p-1074);
    assert_same(ieee_exp(-0x1.74910d52d3052p+9), 0);
    assert_true(isnan(ieee_exp(NAN)));

    assert_same(ieee_log(1), 0);
    assert_same(ieee_log(0), -INFINITY);
    assert_same(ieee_log(-0.0), -INFINITY);
    assert_same(ieee_log(INFINITY), INFINITY);
    assert_true(isnan(ieee_log(-1)) && isnan(ieee_log(-INFINITY)) && isnan(ieee_log(NAN)));

    assert_same(ieee_log1p(0), 0);
    assert_same(ieee_log1p(-0.0), -0.0);
    assert_same(ieee_log1p(-1), -INFINITY);
    assert_same(ieee_log1p(INFINITY), INFINITY);
    assert_same(ieee_log1p(-0x1p-1074), -0x1p-1074);
    assert_true(isnan(ieee_log1p(-1.5)) && isnan(ieee_log1p(-INFINITY)) && isnan(ieee_log1p(NAN)));
}

/* --- Order --- */

/* Some thousand neighbouring numbers on both sides of x. */
static void assert_rises(function *f, double x) {
    for (int n = 0; n < 1000; n++)
        x = nextafter(x, -INFINITY);
    for (int n = 0; n < 2000; n++) {
        const double next = nextafter(x, INFINITY);
        assert_true(f(x) <= f(next));
        x = next;
    }
}

static void test_order(void **state) {
    (void)state;
    const double ln_2 = IEEE_LN_2_UPPER + IEEE_LN_2_LOWER;
    const double log1p_at[] = {-0.25, 0.375, -0x1p-54, 0x1p-54, 0x1p52, 0x1p53};
    assert_rises(ieee_exp, IEEE_LN_SMALLEST);
    assert_rises(ieee_exp, 709);
    for (int k = -1075; k < 1024; k++)
        assert_rises(ieee_exp, (k + 0.5) * ln_2);
    for (int k = -1060; k < 1023; k++)
        assert_rises(ieee_log, ldexp(sqrt(0.5), k));
    assert_rises(ieee_log, 1);
    assert_rises(ieee_log, 0x1p-1022);
    for (size_t n = 0; n < COUNT(log1p_at); n++)
        assert_rises(ieee_log1p, log1p_at[n]);
}

/* --- Many at a time --- */

/* A function of one number, and of many. */
typedef struct {
    function *one;
    void (*all)(double *, size_t);
} many_at_a_time;
static const many_at_a_time many_exp = {ieee_exp, ieee_exp_all},
                            many_log = {ieee_log, ieee_log_all};

/* How many of `count` numbers from x on, a step apart, have other bits together than alone; the first `control` are held
 * against what is one more in the last digit. */
static size_t wrong_together(const many_at_a_time *f, double x, double step, size_t count,
                             size_t control) {
    double together[200];
    size_t wrong = 0;
    for (size_t n = 0; n < count; n++)
        together[n] = x + (double)n * step;
    f->all(together, count);
    for (size_t n = 0; n < count; n++)
        wrong += ieee_bits(together[n]) != ieee_bits(f->one(x + (double)n * step)) + (n < control);
    return wrong;
}

/* Of any length, from any place on, and with any number of those that need a branch among them. */
static void test_many_at_a_time(void **state) {
    (void)state;
    double special[] = {0, INFINITY, -0.0, NAN, 1, -INFINITY, -800, 709.5, -720, 3};
    for (size_t count = 0; count <= 200; count++) {
        assert_int_equal(wrong_together(&many_exp, 0, -0.02, count, 0), 0);
        assert_int_equal(wrong_together(&many_exp, -690, -0.37, count, 0), 0);
        assert_int_equal(wrong_together(&many_exp, 740, -0.41, count, 0), 0);
    }
    for (double x = -750; x < 712; x += 0.0371)
        assert_int_equal(wrong_together(&many_exp, x, 0x1.3p-5, 9, 0), 0);
    ieee_exp_all(special, COUNT(special));
    assert_same(special[0], 1);
    assert_same(special[1], INFINITY);
    assert_same(special[2], 1);
    assert_true(isnan(special[3]));
    assert_same(special[4], ieee_exp(1));
    assert_same(special[5], 0);
    assert_same(special[6], 0);
    assert_same(special[7], ieee_exp(709.5));
    assert_same(special[8], ieee_exp(-720));
    assert_same(special[9], ieee_exp(3));
    for (size_t count = 0; count <= 200; count++) {
        assert_int_equal(wrong_together(&many_log, 0x1p-1074, 0x1.1p-1029, count, 0), 0);
        assert_int_equal(wrong_together(&many_log, -0.5, 0.0113, count, 0), 0);
        assert_int_equal(wrong_together(&many_log, 0x1p1023, 0x1.1p1017, count, 0), 0);
    }
    for (double x = 0x1p-1070; x < 0x1p1020; x *= 1.13)
        assert_int_equal(wrong_together(&many_log, x, x * 0x1.3p-5, 9, 0), 0);
    /* Negative control: a last digit is seen. */
    assert_int_equal(wrong_together(&many_exp, 0, -0.02, 200, 3), 3);
    assert_int_equal(wrong_together(&many_log, 0.9, 0.002, 200, 3), 3);
}

/* --- Against MPFR --- */

#ifdef HAVE_MPFR
#define ARGUMENTS 50000 /* of each range */

typedef int exact_function(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);

/* splitmix64: a random number, uniform in [0, 1). */
static double uniform(void) {
    static uint64_t state = 1;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* The distance of f(x) from the exact value, in units of the last digit of this. */
static double error_ulp(function *f, exact_function *exact, double x) {
    mpfr_t y;
    long exponent, binade;
    mpfr_init2(y, 160);
    mpfr_set_d(y, x, MPFR_RNDN);
    exact(y, y, MPFR_RNDN);
    mpfr_get_d_2exp(&binade, y, MPFR_RNDZ);
    mpfr_sub_d(y, y, f(x), MPFR_RNDN);
    const double difference = mpfr_get_d_2exp(&exponent, y, MPFR_RNDN);
    mpfr_clear(y);
    return ldexp(fabs(difference), (int)(exponent - (binade < -1021 ? -1074 : binade - 53)));
}

/* Random arguments: uniform between low and high or, `binades`, 2^low and 2^high in size. */
typedef struct {
    function *f;
    exact_function *exact;
    double low, high;
    int binades;
    double sign;
} argument_range;

static double largest_error(const argument_range *r) {
    double largest = 0;
    for (int n = 0; n < ARGUMENTS; n++) {
        const double at = r->low + (r->high - r->low) * uniform();
        const double x = r->binades ? r->sign * ldexp(1 + uniform(), (int)floor(at)) : at;
        largest = fmax(largest, error_ulp(r->f, r->exact, x));
    }
    return largest;
}

static double exp_of_half(double x) {
    return ieee_exp(x / 2) * ieee_exp(x / 2);
}

static void test_error(void **state) {
    (void)state;
    const argument_range range[] = {
        {ieee_exp, mpfr_exp, -0.35, 0.35, 0, 1},     {ieee_exp, mpfr_exp, -3, 3, 0, 1},
        {ieee_exp, mpfr_exp, -745.1, 709.7, 0, 1},   {ieee_exp, mpfr_exp, -745.1, -708, 0, 1},
        {ieee_exp, mpfr_exp, -60, 9, 1, -1},         {ieee_log, mpfr_log, 0.7, 1.42, 0, 1},
        {ieee_log, mpfr_log, 0.1, 9, 0, 1},          {ieee_log, mpfr_log, -1074, 1024, 1, 1},
        {ieee_log1p, mpfr_log1p, -0.3, 0.4, 0, 1},   {ieee_log1p, mpfr_log1p, -1, 3, 0, 1},
        {ieee_log1p, mpfr_log1p, -1074, 1024, 1, 1}, {ieee_log1p, mpfr_log1p, -1074, 0, 1, -1},
    };
    const argument_range control = {exp_of_half, mpfr_exp, -3, 3, 0, 1};
    for (size_t n = 0; n < COUNT(range); n++) {
        const double largest = largest_error(&range[n]);
        print_message("  range %zu: %.4f ulp\n", n, largest);
        assert_true(largest < 0.55);
    }
    assert_false(largest_error(&control) < 0.55);
}
#else
static void test_error(void **state) {
    (void)state;
    print_message("SKIP the error of exp and log: MPFR is not there\n");
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_order),         cmocka_unit_test(test_many_at_a_time),
        cmocka_unit_test(test_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
