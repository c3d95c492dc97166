/* exp, log and log1p with the same bits on every machine and with every C library, and an error
 * below 0.55 ulp.
 *
 * They consist of additions, subtractions, multiplications and divisions of doubles only, which
 * IEEE 754 defines to the last bit. C libraries differ in these functions, and even versions of
 * glibc do. Rounding is to nearest; -ffp-contract=off in the Makefile forbids contraction of
 * products and sums, and in kernels that need these functions --fmad=false does. There are no tables: the coefficients are those of Taylor series. Each result
 * is the sum of an exact head and a tail below a hundredth of it, whose rounding errors hardly
 * count. */
#ifndef PAISING_IEEE_MATH_H
#define PAISING_IEEE_MATH_H

#include "portable.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Flags that compilers do not report are tested at the start of the program (ieee_rules.h).
 * __GCC_IEC_559 is 0 under any flag of gcc that changes values. */
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__ ||        \
    defined __NO_SIGNED_ZEROS__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__) ||       \
    (defined __GCC_IEC_559 && __GCC_IEC_559 == 0)
#error "results are the same on any machine only without -ffast-math, or a part of it"
#endif
/* 16: only 16-bit numbers are evaluated in their own precision. */
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
              "doubles are calculated with as doubles");

/* ln 2 = 0.b17217f7d1cf79abc9e3b39803f2f6af..., base 16. The upper part has 36 bits, so that its
 * product with a whole number below 2^17 is exact. */
#define IEEE_LN_2_UPPER 0x0.b17217f7dp0
#define IEEE_LN_2_LOWER 0x0.1cf79abc9e3b3ap-36

/* -1022 ln 2: the lowest number whose exp is at least 2^-1022, a normal number. */
#define IEEE_LN_SMALLEST (-0x1.6232bdd7abcd2p+9)

SHARED_FUNCTION uint64_t ieee_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SHARED_FUNCTION double ieee_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The multiple of 2^-25 nearest to x, |x| < 2^26: doubles of the size of 0x1.8p27 have this
 * spacing. */
SHARED_FUNCTION double ieee_coarse(double x) {
    return (x + 0x1.8p27) - 0x1.8p27;
}

/* The whole number nearest to x, |x| < 2^51. */
SHARED_FUNCTION double ieee_nearest(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* 2^n for a whole number -1022 <= n <= 1023; unspecified otherwise. The last bits of the sum are n
 * + 1023, and the shift moves them into the exponent. */
SHARED_FUNCTION double ieee_power_of_2(double n) {
    return ieee_from_bits(ieee_bits(n + (0x1.8p52 + 1023)) << 52);
}

/* exp(x) = 2^k e^r, r = x - k ln 2, |r| < 0.347, and
 *     e^r = 1 + h + h^2 / 2  +  (r^2 - h^2) / 2 + (r - h) + r^3 / 3! + ... + r^14 / 14!,
 * where h is r rounded to a multiple of 2^-25: the first three terms are exact. The first term left
 * out is 3e-18. */
typedef struct {
    double k, head, tail; /* e^r = head + tail */
} ieee_exp_parts;

SHARED_FUNCTION ieee_exp_parts ieee_exp_split(double x) {
    const double k = ieee_nearest(x * (1 / (IEEE_LN_2_UPPER + IEEE_LN_2_LOWER)));
    const double rest = x - k * IEEE_LN_2_UPPER, lower = k * IEEE_LN_2_LOWER;
    const double r = rest - lower, r_tail = (rest - r) - lower;
    const double h = ieee_coarse(r), r2 = r * r;
    const double odd =
        1. / 6 +
        r2 * (1. / 120 + r2 * (1. / 5040 +
                               r2 * (1. / 362880 + r2 * (1. / 39916800 + r2 * (1. / 6227020800)))));
    const double even =
        1. / 24 +
        r2 * (1. / 720 + r2 * (1. / 40320 + r2 * (1. / 3628800 + r2 * (1. / 479001600 +
                                                                       r2 * (1. / 87178291200)))));
    const ieee_exp_parts parts = {k, 1 + (h + h * h / 2),
                                  r * r2 * (odd + r * even) +
                                      ((r - h) * (1 + (r + h) / 2) + r_tail * (1 + r))};
    return parts;
}

/* Whether 2^k is a normal number, for exp(x) = 2^k e^r. */
SHARED_FUNCTION int ieee_exp_is_simple(double x) {
    return x >= IEEE_LN_SMALLEST && x < 709;
}

/* exp(x) in that case; unspecified otherwise. */
SHARED_FUNCTION double ieee_exp_simple(double x) {
    const ieee_exp_parts p = ieee_exp_split(x);
    return (p.head + p.tail) * ieee_power_of_2(p.k);
}

SHARED_FUNCTION double ieee_exp(double x) {
    if (ieee_exp_is_simple(x))
        return ieee_exp_simple(x);
    if (!(x > -746 && x < 710))
        return x > 0 ? INFINITY : x < 0 ? 0 : x; /* x is NaN */
    const ieee_exp_parts p = ieee_exp_split(x);
    if (x > 0)
        return (p.head + p.tail) * ieee_power_of_2(p.k - 1) * 2;
    /* Results below 2^-1022 have fewer digits. Adding the parts to a number whose digits end in the
     * same place leaves a single rounding, at that place. */
    const double offset = ieee_power_of_2(-1022 - p.k), sum = offset + p.head;
    const double rounded = (sum + ((p.head - (sum - offset)) + p.tail)) - offset;
    return rounded * ieee_power_of_2(p.k + 100) * 0x1p-100;
}

/* x without the last 27 of its 53 bits. */
SHARED_FUNCTION double ieee_upper_half(double x) {
    return ieee_from_bits(ieee_bits(x) >> 27 << 27);
}

/* Splits a finite x >= 2^-1022 as 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2). Returns k. */
SHARED_FUNCTION double ieee_split_simple(double x, double *f) {
    const uint64_t sqrt_half = 0x3fe6a09e00000000, one = UINT64_C(1023) << 52, bits = ieee_bits(x);
    const uint64_t exponent = (bits - sqrt_half + one) >> 52;
    *f = ieee_from_bits(bits - (exponent << 52) + one) - 1;
    return (double)(int32_t)exponent - 1023;
}

/* The same for any x > 0, including subnormal numbers. */
SHARED_FUNCTION double ieee_split(double x, double *f) {
    return x < 0x1p-1022 ? ieee_split_simple(x * 0x1p54, f) - 54 : ieee_split_simple(x, f);
}

/* k ln 2 + ln(1 + f) + rest, with f as above and `rest` below an ulp.
 *     ln(1 + f) = 2 artanh s = 2h  +  2 (s - h) + 2 s^3 / 3 + ... + 2 s^21 / 21,    s = f / (2 + f),
 * where h is the upper half of s, and s - h = (f - h (2 + f)) / (2 + f). The next term is 6e-19 of
 * s. */
SHARED_FUNCTION double ieee_ln(double k, double f, double rest) {
    const double s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
    const double h = ieee_upper_half(s), f_upper = ieee_upper_half(f);
    const double s_tail = (f - 2 * h - h * f_upper - h * (f - f_upper)) / (2 + f);
    const double odd = 1. / 3 + s4 * (1. / 7 + s4 * (1. / 11 + s4 * (1. / 15 + s4 * (1. / 19))));
    const double even = 1. / 5 + s4 * (1. / 9 + s4 * (1. / 13 + s4 * (1. / 17 + s4 * (1. / 21))));
    const double upper = k * IEEE_LN_2_UPPER, head = upper + 2 * h;
    const double tail = 2 * (s_tail + s * s2 * (odd + s2 * even)) + (k * IEEE_LN_2_LOWER + rest);
    return head + ((upper - head + 2 * h) + tail);
}

/* Whether x is positive, finite and normal. */
SHARED_FUNCTION int ieee_log_is_simple(double x) {
    return x >= 0x1p-1022 && x < INFINITY;
}

/* log(x) in that case; unspecified otherwise. */
SHARED_FUNCTION double ieee_log_simple(double x) {
    double f;
    const double k = ieee_split_simple(x, &f);
    return ieee_ln(k, f, 0);
}

SHARED_FUNCTION double ieee_log(double x) {
    if (!(x > 0 && x < INFINITY))
        return x < 0 ? NAN : x == 0 ? -INFINITY : x;
    double f;
    const double k = ieee_split(x, &f);
    return ieee_ln(k, f, 0);
}

/* ln(1 + x). */
SHARED_FUNCTION double ieee_log1p(double x) {
    if (fabs(x) < 0x1p-54)
        return x;
    const double y = 1 + x;
    if (!(y > 0 && y < INFINITY))
        return ieee_log(y);
    if (x > -0.25 && x < 0.375)
        return ieee_ln(0, x, 0);
    const double lost = x < 1 ? x - (y - 1) : 1 - (y - x);
    double f;
    const double k = ieee_split(y, &f);
    return ieee_ln(k, f, lost / y);
}

#endif
