/* Exact thermodynamics of the finite lattice (exact.h). Kaufman's partition function is
 *
 *     Z = 1/2 (2 sinh 2 beta)^(N/2) (Z_1 + Z_2 + Z_3 + Z_4),
 *     Z_1, Z_2 = prod 2 cosh, 2 sinh (L gamma_l / 2) over l = 1, 3 .. 2L-1,
 *     Z_3, Z_4 = prod 2 cosh, 2 sinh (L gamma_l / 2) over l = 0, 2 .. 2L-2,
 *     cosh gamma_l = cosh 2 beta coth 2 beta - cos phi_l,  phi_l = pi l / L,
 *
 * where gamma_0 = 2 beta + ln tanh beta has a sign. In this form it loses digits at small beta (its
 * terms diverge, their sum does not), at large beta (C ~ exp(-8 beta) is the remainder of terms of
 * order 1), and at the critical point (gamma_0 = 0). Therefore it is rearranged.
 *
 * One function for both phases. Up to the sign of gamma_0 the gamma_l are the same at beta and at
 * the dual beta*, tanh beta* = exp(-2 beta). Let v = tanh beta up to the critical point and v =
 * exp(-2 beta) beyond it, so that v <= v_c = sqrt 2 - 1 always. Then
 *
 *     Z = (2 cosh^2 beta)^N Omega,  Omega = (Q_1 + Q_2 + Q_3 - Q_4) / 2  up to beta_c,
 *     Z = 2 exp(2 N beta) Omega,    Omega = (Q_1 + Q_2 + Q_3 + Q_4) / 4  from beta_c.
 *
 * Omega(v) counts polygons. ln Omega = N v^4 + ... is small, and needs a small relative error.
 *
 * No cancellation between modes. With rho_l = exp(-|gamma_l|) and mu_l = v (1 - v^2) / rho_l,
 *
 *     Q_1, Q_2 = prod mu_l^(L/2) (1 +- rho_l^L) over odd l;  Q_3, Q_4 = the same over even l.
 *
 * ln mu_l is of first order in v, its sum of fourth. But mu_l = g_l (1 + delta_l) with
 *
 *     g_l = 1 + v^2 - 2 v cos phi_l,  whose product is (1 + v^L)^2 (odd l), (1 - v^L)^2 (even l),
 *     delta_l^2 + h_l delta_l = q_l,  h_l = (1 + v^2) (1 - v^2 - 2 v cos phi_l) / g_l,
 *                                     q_l = (2 v^2 sin phi_l / g_l)^2,
 *
 * which follows from mu_l + v^2 (1 - v^2)^2 / mu_l = (1 + v^2)^2 - 2 v (1 - v^2) cos phi_l. Up to
 * v_c no h_l is negative, and every delta_l is positive. What remains is a sum of positive terms of
 * fourth order.
 *
 * The zero mode. delta_0 = 0 and rho_0 = v (1 + v) / (1 - v), which reaches 1 at v_c. There the
 * factor 1 - rho_0^L of Q_4 vanishes. It is kept as a factor, and its logarithm is never taken. */
#include "exact.h"

#include <math.h>

#define LN_2 0.693147180559945309417232121458176568L
#define PI   3.141592653589793238462643383279502884L
#define V_C  0.414213562373095048801688724209698079L /* sqrt 2 - 1 */

/* --- A function of v with its first two derivatives --- */

typedef struct {
    long double f, d1, d2;
} jet;

/* F(x) by the chain rule, from value and derivatives of F at x. */
static jet jet_chain(jet x, long double f, long double d1, long double d2) {
    return (jet){f, d1 * x.d1, d1 * x.d2 + d2 * x.d1 * x.d1};
}

static jet jet_scale(jet x, long double factor) {
    return (jet){x.f * factor, x.d1 * factor, x.d2 * factor};
}

static jet jet_add(jet x, jet y) {
    return (jet){x.f + y.f, x.d1 + y.d1, x.d2 + y.d2};
}

static jet jet_multiply(jet x, jet y) {
    return (jet){x.f * y.f, x.d1 * y.f + x.f * y.d1, x.d2 * y.f + 2 * x.d1 * y.d1 + x.f * y.d2};
}

static jet jet_divide(jet x, jet y) {
    const long double inverse = 1 / y.f;
    return jet_multiply(x,
                        jet_chain(y, inverse, -inverse * inverse, 2 * inverse * inverse * inverse));
}

static jet jet_sqrt(jet x) {
    const long double root = sqrtl(x.f);
    return jet_chain(x, root, 1 / (2 * root), -1 / (4 * root * x.f));
}

/* x^n, n >= 2, also at x = 0. */
static jet jet_power(jet x, uint32_t n) {
    const long double p = powl(x.f, (long double)(n - 2));
    return jet_chain(x, p * x.f * x.f, n * p * x.f, n * (n - 1.0L) * p);
}

/* ln(1 + x) */
static jet jet_log1p(jet x) {
    const long double inverse = 1 / (1 + x.f);
    return jet_chain(x, log1pl(x.f), inverse, -inverse * inverse);
}

/* exp(x) - 1 */
static jet jet_expm1(jet x) {
    const long double value = expm1l(x.f);
    return jet_chain(x, value, value + 1, value + 1);
}

/* --- Omega --- */

/* Sums over the modes l of one parity, without the zero mode. */
typedef struct {
    jet delta; /* of ln(1 + delta_l) */
    jet plus;  /* of ln(1 + rho_l^L) */
    jet minus; /* of ln(1 - rho_l^L) */
} mode_sums;

/* Adds mode l, 0 < l <= L, `times` times: modes l and 2L - l are equal. */
static void add_mode(mode_sums *sums, uint32_t size, uint32_t l, int times, long double v) {
    const long double phi = PI * l / size;
    const long double sine = sinl(phi / 2);
    const long double twice = 4 * sine * sine; /* 2 (1 - cos phi) */
    const jet g = {(1 - v) * (1 - v) + twice * v, twice - 2 * (1 - v), 2};
    const jet k = {1 - v * (2 + v) + twice * v, twice - 2 * (1 + v), -2};
    const jet one_plus_v2 = {1 + v * v, 2 * v, 2};
    const jet v_minus_v3 = {v * (1 - v * v), 1 - 3 * v * v, -6 * v};
    const jet v2_sine = jet_scale((jet){v * v, 2 * v, 2}, 2 * sinl(phi));

    const jet h = jet_divide(jet_multiply(one_plus_v2, k), g);
    const jet root_q = jet_divide(v2_sine, g);
    const jet q = jet_multiply(root_q, root_q);
    const jet root = jet_sqrt(jet_add(jet_multiply(h, h), jet_scale(q, 4)));
    const jet delta = jet_divide(jet_scale(q, 2), jet_add(h, root));

    const jet mu = jet_add(g, jet_multiply(g, delta));
    const jet rho_l = jet_power(jet_divide(v_minus_v3, mu), size);

    sums->delta = jet_add(sums->delta, jet_scale(jet_log1p(delta), times));
    sums->plus = jet_add(sums->plus, jet_scale(jet_log1p(rho_l), times));
    sums->minus = jet_add(sums->minus, jet_scale(jet_log1p(jet_scale(rho_l, -1)), times));
}

/* ln Omega(v). sign: the sign of Q_4, -1 up to the critical point and 1 from it on. */
static jet log_omega(uint32_t size, long double v, int sign) {
    mode_sums even = {0}, odd = {0};
    for (uint32_t l = 1; l <= size; l++)
        add_mode(l % 2 == 0 ? &even : &odd, size, l, l < size ? 2 : 1, v);

    const jet v_to_l = jet_power((jet){v, 1, 0}, size);
    const jet rho_0 = jet_divide((jet){v * (1 + v), 1 + 2 * v, 2}, (jet){1 - v, -1, 0});
    const jet rho_0_to_l = jet_power(rho_0, size);

    const long double half = size / 2.0L;
    const jet ln_odd = jet_add(jet_scale(odd.delta, half), jet_scale(jet_log1p(v_to_l), size));
    const jet ln_even =
        jet_add(jet_scale(even.delta, half), jet_scale(jet_log1p(jet_scale(v_to_l, -1)), size));

    /* All relative to Q_1: ratio_i = Q_i / Q_1 - 1. */
    const jet ln_q1 = jet_add(ln_odd, odd.plus);
    const jet minus_ln_q1 = jet_scale(ln_q1, -1);
    const jet even_to_q1 = jet_add(ln_even, minus_ln_q1);
    const jet ratio_2 = jet_expm1(jet_add(jet_add(ln_odd, odd.minus), minus_ln_q1));
    const jet ratio_3 = jet_expm1(jet_add(even_to_q1, jet_add(even.plus, jet_log1p(rho_0_to_l))));
    /* Q_4 / Q_1 = (1 + rest) (1 - rho_0^L), without the logarithm of the second factor. */
    const jet rest = jet_expm1(jet_add(even_to_q1, even.minus));
    const jet zero = jet_scale(rho_0_to_l, -1);
    const jet ratio_4 = jet_add(rest, jet_add(zero, jet_multiply(zero, rest)));

    const jet sum = jet_add(jet_add(ratio_2, ratio_3), jet_scale(ratio_4, sign));
    return jet_add(ln_q1, jet_log1p(jet_scale(sum, 1.0L / (3 + sign))));
}

/* --- Thermodynamics --- */

exact_result exact_thermodynamics(uint32_t size, double beta) {
    const long double b = beta, spins = (long double)size * size;
    const long double v = tanhl(b);
    long double e, c, ln_z, s;
    if (v <= V_C) {
        const jet w = jet_scale(log_omega(size, v, -1), 1 / spins);
        const long double u = 1 - v * v; /* dv / d beta */
        const long double ln_cosh2 = -log1pl(-v * v);
        e = 0 - (2 * v + u * w.d1); /* 0, not -0, at beta = 0 */
        c = b * b * u * (2 + u * w.d2 - 2 * v * w.d1);
        ln_z = LN_2 + (ln_cosh2 + w.f);
        s = b * e + ln_z;
    } else {
        const long double x = expl(-2 * b);
        const jet w = jet_scale(log_omega(size, x, 1), 1 / spins);
        const long double excess = 2 * x * w.d1; /* e + 2 */
        e = excess - 2;
        c = 4 * b * b * x * (w.d1 + x * w.d2);
        ln_z = 2 * b + LN_2 / spins + w.f;
        s = LN_2 / spins + (w.f + b * excess);
    }
    return (exact_result){(double)e, (double)c, (double)-ln_z, (double)s};
}
