/* Tests of the rules of IEEE 754 that compiler flags may break, on numbers unknown to the compiler. */
#include "ieee_rules.h"

#include "ieee_math.h"

#include <stdbool.h>

/* volatile: read again for each use. */
static volatile const double zero = 0, three = 3, huge = INFINITY, third = 1. / 3,
                             small = 0x1p-1022, little = 0x1p-60, above_1 = 1 + 0x1p-30,
                             square = 1 + 0x1p-29;

/* Each test computes with copies, which the compiler could transform. */

static bool knows_nan(void) {
    const double x = zero * huge;
    return x != x && !(x == x);
}

static bool knows_infinity(void) {
    const double x = huge;
    return isinf(x) && x > DBL_MAX;
}

static bool keeps_signs_of_zeros(void) {
    const double x = -zero;
    return ieee_bits(x + 0.0) == 0;
}

static bool keeps_order(void) {
    const double x = above_1, y = little;
    return (x + y) - x == 0;
}

static bool divides(void) {
    const double x = three + 2;
    return ieee_bits(x / 3.0) == 0x3ffaaaaaaaaaaaab && ieee_bits(1 / three) == ieee_bits(third);
}

static bool rounds_products(void) {
    const double x = above_1, y = square;
    return x * x - y == 0;
}

static bool keeps_subnormals(void) {
    const double x = small, half = x / 2;
    return half > 0 && half * 2 == x;
}

static bool reads_constants(void) {
    return ieee_bits(0.1) == 0x3fb999999999999a;
}

static const struct {
    bool (*holds)(void);
    const char *name;
} rules[] = {
    {knows_nan, "nan is not equal to itself"},
    {knows_infinity, "infinity is more than any number"},
    {keeps_signs_of_zeros, "-0 + 0 is 0"},
    {keeps_order, "sums are made in their order"},
    {divides, "a division is no multiplication"},
    {rounds_products, "a product is rounded before it is added"},
    {keeps_subnormals, "numbers below 2^-1022 are not 0"},
    {reads_constants, "constants are doubles"},
};

const char *ieee_broken_rule(void) {
    for (size_t n = 0; n < sizeof rules / sizeof *rules; n++)
        if (!rules[n].holds())
            return rules[n].name;
    return NULL;
}
