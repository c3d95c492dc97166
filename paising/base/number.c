/* Numbers as text. The histograms of a glass have hundreds of numbers per temperature, and printing
 * them with "%.*g" took most of the host's time for small populations. number_put makes the same
 * digits from integers that hold all usual numbers, and remembers recent ones. */
#include "number.h"

#include "ieee_math.h"
#include "wide.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- digits --- */

#define MOST_DIGITS 17

/* x = d.ddd 10^exponent, rounded; `digits` is the whole number dddd. */
typedef struct {
    uint64_t digits;
    int exponent;
} decimal;

/* The eight characters of n < 10^8 with leading zeros, the first in the lowest byte. Two halves of
 * four digits are split side by side into pairs, and these into digits. */
static uint64_t eight_digits(uint64_t n) {
    const uint64_t halves = n / 10000 | n % 10000 << 32;
    const uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
    const uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
    const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0xf000f000f000f);
    return UINT64_C(0x3030303030303030) + (tens | (pairs - 10 * tens) << 8);
}

/* Writes n < 10^count with `count` digits, from the end: eight at a time, then two. */
static void put_digits(char *to, uint64_t n, int count) {
    static const char two[] = "0001020304050607080910111213141516171819"
                              "2021222324252627282930313233343536373839"
                              "4041424344454647484950515253545556575859"
                              "6061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
    for (; count >= 8; count -= 8, n /= 100000000) {
        const uint64_t text = eight_digits(n % 100000000);
        memcpy(to + count - 8, &text, 8);
    }
    for (; count > 1; count -= 2, n /= 100)
        memcpy(to + count - 2, two + 2 * (n % 100), 2);
    if (count > 0)
        to[0] = (char)('0' + n);
}

static uint64_t power_of_10(int n) { /* also exact as doubles */
    static const uint64_t power[MOST_DIGITS + 1] = {
        (uint64_t)1e0,  (uint64_t)1e1,  (uint64_t)1e2,  (uint64_t)1e3,  (uint64_t)1e4,
        (uint64_t)1e5,  (uint64_t)1e6,  (uint64_t)1e7,  (uint64_t)1e8,  (uint64_t)1e9,
        (uint64_t)1e10, (uint64_t)1e11, (uint64_t)1e12, (uint64_t)1e13, (uint64_t)1e14,
        (uint64_t)1e15, (uint64_t)1e16, (uint64_t)1e17};
    return power[n];
}

/* The largest power of 5 whose product with the 53 bits of x fits into 128 bits. */
#define MOST_FIVES 31

static uint128 power_of_5(int n) {
    static const uint64_t low[] = {1,         5,          25,         125,        625,     3125,
                                   15625,     78125,      390625,     1953125,    9765625, 48828125,
                                   244140625, 1220703125, 6103515625, 30517578125};
    return (uint128)low[n % 16] * (n < 16 ? 1 : low[8] * low[8]);
}

/* Computes the digits of |x|, rounded to even as printf does. Returns false if the integers cannot
 * hold the number. */
static bool make_decimal(decimal *d, double x, int precision) {
    const uint64_t bits = ieee_bits(x), limit = power_of_10(precision);
    const int biased = bits >> 52 & 2047;
    if (biased == 0 || biased == 2047)
        return false;
    /* |x| = significand 2^two. The first guess of the exponent is floor(log10) of the power of 2
     * below |x|, which is right or one too low. */
    const uint64_t significand = (bits & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;
    const int two = biased - 1075;
    d->exponent = (int)((two + 52) * INT64_C(1292913986) >> 32); /* log10(2) 2^32 */
    for (;; d->exponent++) {
        const int tens = precision - 1 - d->exponent, shift = -(two + tens);
        if (tens < 0 || tens > MOST_FIVES || shift <= 0 || shift > 127)
            return false;
        const uint128 scaled = significand * power_of_5(tens); /* |x| 10^tens = scaled / 2^shift */
        const uint128 half = (uint128)1 << (shift - 1), rest = scaled & (2 * half - 1);
        uint64_t whole = (uint64_t)(scaled >> shift);
        if (whole >= limit)
            continue;
        whole += rest > half || (rest == half && whole % 2 == 1);
        if (whole == limit) { /* rounding turned 9.99 into 10.0 */
            whole /= 10;
            d->exponent++;
        }
        d->digits = whole;
        return true;
    }
}

/* --- text --- */

/* The end of a text without trailing zeros, at least `first`. */
static char *without_zeros(char *end, const char *first) {
    while (end > first && end[-1] == '0')
        end--;
    return end;
}

/* Writes 0.00ddd; d->exponent < 0. */
static char *put_below_1(char *to, const decimal *d, int precision) {
    memcpy(to, "0.000", 5);
    to += 1 - d->exponent;
    put_digits(to, d->digits, precision);
    return without_zeros(to + precision, to);
}

/* Writes dd.ddd with `before` digits before the point. The digits are written one place to the
 * right; those before the point then move left. */
static char *put_with_point(char *to, const decimal *d, int precision, int before) {
    char *const behind = to + before + 1;
    put_digits(to + 1, d->digits, precision);
    for (; to < behind - 1; to++)
        *to = to[1];
    *to = '.';
    char *const end = without_zeros(behind + precision - before, behind);
    return end > behind ? end : to;
}

/* Writes e-05. make_decimal allows no exponent of more than two digits. */
static char *put_exponent(char *to, int exponent) {
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    put_digits(to, (uint64_t)abs(exponent), 2);
    return to + 2;
}

static char *put(char *to, double x, int precision) {
    decimal d;
    if (!make_decimal(&d, x, precision))
        return to + snprintf(to, NUMBER_TEXT_SIZE, "%.*g", precision, x);
    if (x < 0)
        *to++ = '-';
    if (d.exponent < -4 || d.exponent >= precision)
        return put_exponent(put_with_point(to, &d, precision, 1), d.exponent);
    return d.exponent < 0 ? put_below_1(to, &d, precision)
                          : put_with_point(to, &d, precision, d.exponent + 1);
}

/* --- recent numbers --- */

/* Most numbers of a histogram, overlaps and fractions of small counts, recur at the next
 * temperatures. */
#define KNOWN_BITS 12
#define KNOWN_TEXT 22

typedef struct {
    uint64_t bits;
    uint8_t precision, length; /* precision 0: empty */
    char text[KNOWN_TEXT];
} known_number;

/* The cache entry of a number, which may hold another number. */
static known_number *place_of(uint64_t bits) {
    static _Thread_local known_number known[1 << KNOWN_BITS];
    return &known[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS)];
}

/* Writes a number that is not in the cache, and stores it there. noinline keeps it out of the fast
 * path. */
__attribute__((noinline)) static char *put_new(char *to, double x, int precision, known_number *k) {
    char *const end = put(to, x, precision);
    if (end - to <= KNOWN_TEXT) {
        k->bits = ieee_bits(x);
        k->precision = (uint8_t)precision;
        k->length = (uint8_t)(end - to);
        memcpy(k->text, to, KNOWN_TEXT); /* a constant size needs no call */
    }
    return end;
}

char *number_put(char *to, double x, int precision) {
    const uint64_t bits = ieee_bits(x);
    known_number *const k = place_of(bits);
    if (k->bits != bits || k->precision != precision)
        return put_new(to, x, precision, k);
    memcpy(to, k->text, KNOWN_TEXT);
    return to + k->length;
}

char *number_put_whole(char *to, int64_t n) {
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    int digits = 1;
    for (uint64_t more = left / 10; more > 0; more /= 10)
        digits++;
    if (n < 0)
        *to++ = '-';
    put_digits(to, left, digits);
    return to + digits;
}

/* --- the shortest text --- */

/* Any decimal number of 15 digits survives conversion to double and back. */
#define SURE_DIGITS 15

/* The number of digits of the shortest text if it is at most SURE_DIGITS: the digits behind them
 * are zeros. Returns 0 if this is not known without trying. */
static int few_digits(double x) {
    int digits = SURE_DIGITS;
    decimal d;
    if (!make_decimal(&d, x, digits))
        return 0;
    for (; d.digits % 10 == 0; d.digits /= 10)
        digits--;
    return digits;
}

const char *number_text(char text[NUMBER_TEXT_SIZE], double x) {
    const int few = few_digits(x);
    int digits = few > 0 ? few : 1, tried = few > 0 ? SURE_DIGITS : 1;
    if (isnan(x))
        x = NAN; /* avoids "-nan" */
    do {
        *number_put(text, x, digits) = '\0';
        digits = ++tried;
    } while (digits <= MOST_DIGITS && strtod(text, NULL) != x && !isnan(x));
    return text;
}

#define GIVEN_DIGITS 12 /* digits of a number that a user typed, or of a small multiple of one */

const char *number_short_text(char text[NUMBER_TEXT_SIZE], double x) {
    const int few = few_digits(x);
    if (few == 0 || few > GIVEN_DIGITS)
        return number_text(text, x);
    *number_put(text, x, few) = '\0';
    return text;
}

const char *number_rounded_text(char text[NUMBER_TEXT_SIZE], double x, int digits) {
    snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, isnan(x) ? fabs(x) : x);
    return text;
}

/* --- reading --- */

/* A number of few digits is one division of two exact doubles, which rounds once, correctly. */
#define MOST_EXACT (UINT64_C(1) << 53)

double number_read(const char *text, char **end) {
    const bool minus = *text == '-';
    const char *c = text + minus;
    uint64_t digits = 0;
    int count = 0, behind_point = 0;
    for (bool point = false; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
        point = point || *c == '.';
        if (*c == '.')
            continue;
        digits = 10 * digits + (uint64_t)(*c - '0');
        behind_point += point;
        if (++count > MOST_DIGITS)
            break;
    }
    if (count == 0 || isalnum((unsigned char)*c) || *c == '.' || digits > MOST_EXACT)
        return strtod(text, end);
    *end = (char *)(uintptr_t)c;
    const double size = (double)digits / (double)power_of_10(behind_point);
    return minus ? -size : size;
}
