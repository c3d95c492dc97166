/* Numbers of 24 or 53 binary digits (float or double), and functions of them, for plain_vectors.c. Each operation rounds its
 * result to so many digits: doubles have enough digits for the second rounding to change nothing (S. A. Figueroa, SIGNUM
 * Newsl. 30, 21, 1995). */
#ifndef PLAIN_REALS_H
#define PLAIN_REALS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static bool is_float;

/* volatile: gcc 12 leaves this rounding out where it makes one instruction of several. */
static double rounded(double x) {
    const volatile float nearest = (float)x;
    return is_float ? (double)nearest : x;
}

static double add(double a, double b) {
    return rounded(a + b);
}

static double mul(double a, double b) {
    return rounded(a * b);
}

static double over(double a, double b) {
    return rounded(a / b);
}

static double root(double a) {
    return rounded(sqrt(a));
}

/* c[0] + c[1] x + ... + c[last] x^last, from the last one on. */
static double polynomial(const double c[], int last, double x) {
    double p = rounded(c[last]);
    while (last-- > 0)
        p = add(rounded(c[last]), mul(x, p));
    return p;
}

/* 1 / n! with alternating signs if `turns`, for n = first, first + step, ...: c[count]. */
static void inverse_factorials(double c[], int count, int first, int step, bool turns) {
    for (int k = 0; k < count; k++) {
        double factorial = 1;
        for (int m = 2; m <= first + step * k; m++)
            factorial *= m;
        c[k] = (turns && k % 2 == 1 ? -1 : 1) / factorial;
    }
}

/* The cosine and the sine of an angle: so many quarters of the circle as the first two bits of r say, and, by the others, at most
 * pi / 4 either way. */
static void turn_by(uint32_t r, double *cosine, double *sine) {
    const int terms = is_float ? 4 : 8;
    double of_sine[8], of_cosine[8];
    inverse_factorials(of_sine, terms, 3, 2, true);
    inverse_factorials(of_cosine, terms, 2, 2, true);
    const double a = mul(add(rounded((int32_t)(r << 2)), 2), rounded(0x1.921fb54442d18p-32)),
                 b = mul(a, a);
    const double s = add(a, -mul(mul(a, b), polynomial(of_sine, terms - 1, b)));
    const double c = add(1, -mul(b, polynomial(of_cosine, terms - 1, b)));
    const double quarter[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    *cosine = quarter[r >> 30][0];
    *sine = quarter[r >> 30][1];
}

/* exp(x), x <= 0: 2^k e^g. */
static double exponential(double x) {
    const int terms = is_float ? 8 : 13;
    double c[13];
    inverse_factorials(c, terms, 0, 1, false);
    const double t = mul(fmax(x, -80), rounded(0x1.71547652b82fep0)), k = nearbyint(t),
                 g = mul(add(t, -k), rounded(0x1.62e42fefa39efp-1));
    return mul(ldexp(1, (int)k), polynomial(c, terms - 1, g));
}

/* ln x: k ln 2 + 2 artanh(f / (2 + f)), sqrt(1/2) <= 1 + f < sqrt(2). */
static double logarithm(double x) {
    const int terms = is_float ? 4 : 10;
    double c[10];
    int k;
    double m = frexp(x, &k);
    if (m < rounded(0x1.6a09e667f3bcdp-1)) {
        m *= 2;
        k--;
    }
    for (int n = 0; n < terms; n++)
        c[n] = 1. / (2 * n + 3);
    const double f = add(m, -1), s = over(f, add(2, f)), t = mul(s, s);
    const double artanh = add(s, mul(mul(s, t), polynomial(c, terms - 1, t)));
    return add(mul(k, rounded(0x1.62e42fefa39efp-1)), 2 * artanh);
}

#endif
