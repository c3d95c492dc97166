/* The arithmetic of spins that are vectors, for one kind of components: REAL is float, or double with REAL_DOUBLE, and OF(name)
 * the name of a function. vector_arithmetic.h reads this once for each; so there is no include guard.
 *
 * Functions are approximated by polynomials. Directions and acceptances of floats have errors of some 2^-23, of doubles of some
 * 2^-50. Acceptances are compared with random numbers of 31 bits. With REAL_FAST, functions and quotients of floats are those of a
 * GPU's hardware, with errors of some 2^-21.
 *
 *   Metropolis       a spin in a direction drawn uniformly is taken with the probability min(1, exp(-beta dE))
 *   heat bath        the direction is drawn from exp(beta s . h), h the sum of the neighbours, each times its J: with n = 3 by the inverse of the
 *                    distribution of the cosine, 1 + ln(u + (1 - u) e^(-2K)) / K, K = beta |h|; with n = 2 by rejection (D. J.
 *                    Best, N. I. Fisher, J. R. Stat. Soc. C 28, 152, 1979). A spin stays as it is after 16 attempts that fail,
 *                    whose number does not depend on it: so the update keeps its distribution
 *   over-relaxation  s -> 2 (s . h) h / h^2 - s, at the same energy (M. Creutz, Phys. Rev. D 36, 515, 1987)
 *   clusters         s -> s - 2 (s . r) r, r any direction (U. Wolff, Phys. Rev. Lett. 62, 361, 1989)
 *
 * A new spin is made of its angles; the others are multiplied by (3 - s^2) / 2, a step of Newton's method to 1 / |s|. So norms do
 * not drift. */

typedef struct {
    REAL at[3]; /* the components; the last is 0 with n = 2 */
} OF(spin);

typedef struct {
    REAL cosine, sine;
} OF(turn);

STREAM_FUNCTION REAL OF(root)(REAL x) {
#if defined REAL_DOUBLE
    return sqrt(x);
#elif defined REAL_FAST
    return x > 0 ? x * rsqrtf(x) : 0;
#else
    return sqrtf(x);
#endif
}

STREAM_FUNCTION REAL OF(over)(REAL a, REAL b) {
#ifdef REAL_FAST
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

/* x p + y with |p| a power of two: the product is exact, so that it has the same bits where a GPU rounds once. */
STREAM_FUNCTION REAL OF(shifted)(REAL x, REAL p, REAL y) {
#ifndef __CUDACC__
    return x * p + y;
#elif defined REAL_DOUBLE
    return __fma_rn(x, p, y);
#else
    return __fmaf_rn(x, p, y);
#endif
}

/* sqrt(1 - z^2), |z| <= 1. Of floats on a GPU this is IEEE's root of 0 or of a number that is not small, without a branch for others; with
 * REAL_FAST the hardware's. */
STREAM_FUNCTION REAL OF(across)(REAL z) {
    const REAL x = (1 - z) * (1 + z);
#if defined __CUDACC__ && !defined REAL_DOUBLE
    REAL inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(x, (REAL)0x1p-100)));
    const REAL near = x * inverse;
#ifdef REAL_FAST
    return near;
#else
    return __fmaf_rn(__fmaf_rn(-near, near, x), (REAL)0.5 * inverse, near);
#endif
#else
    return OF(root)(x);
#endif
}

#ifdef REAL_FAST
STREAM_FUNCTION OF(turn) OF(turn_by)(uint32_t r) {
    OF(turn) t;
    __sincosf((REAL)(int32_t)r * 0x1.921fb6p-30f, &t.sine, &t.cosine);
    return t;
}

STREAM_FUNCTION OF(turn) OF(turn_times)(REAL length, uint32_t r) {
    const OF(turn) t = OF(turn_by)(r);
    const OF(turn) times = {length * t.cosine, length * t.sine};
    return times;
}

/* Powers below 2^-126 are 0. */
STREAM_FUNCTION REAL OF(exp)(REAL x) {
    REAL power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * (REAL)0x1.71547652b82fep0));
    return power;
}

STREAM_FUNCTION REAL OF(exp_times)(REAL x, uint32_t shift) {
    return OF(exp)(x) * (REAL)(1u << shift);
}

STREAM_FUNCTION REAL OF(log)(REAL x) {
    return __logf(x);
}
#else

/* x, with the other sign if the first bit of r is set. */
STREAM_FUNCTION REAL OF(signed_by)(REAL x, uint32_t r) {
#ifdef REAL_DOUBLE
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= (uint64_t)(r >> 31) << 63;
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= r & (uint32_t)1 << 31;
#endif
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* An angle: so many quarters of the circle as the first two bits say, and, by the others, at most pi / 4 either way. Cosine and sine
 * are multiplied by a length. */
STREAM_FUNCTION OF(turn) OF(turn_times)(REAL length, uint32_t r) {
    const REAL a = ((REAL)(int32_t)(r << 2) + 2) * (REAL)0x1.921fb54442d18p-32, b = a * a;
#ifdef REAL_DOUBLE
    const REAL s =
        a - a * b *
                (1. / 6 -
                 b * (1. / 120 -
                      b * (1. / 5040 -
                           b * (1. / 362880 -
                                b * (1. / 39916800 -
                                     b * (1. / 6227020800 - b * (1. / 1307674368000 -
                                                                 b * (1. / 355687428096000))))))));
    const REAL c =
        1 - b * (0.5 - b * (1. / 24 -
                            b * (1. / 720 -
                                 b * (1. / 40320 - b * (1. / 3628800 -
                                                        b * (1. / 479001600 -
                                                             b * (1. / 87178291200 -
                                                                  b * (1. / 20922789888000))))))));
#else
    const REAL s = a - a * b * (1.f / 6 - b * (1.f / 120 - b * (1.f / 5040 - b * (1.f / 362880))));
    const REAL c = 1 - b * (0.5f - b * (1.f / 24 - b * (1.f / 720 - b * (1.f / 40320))));
#endif
    const REAL either = OF(signed_by)(length, r);
    const OF(turn) t = {either * (r & 1u << 30 ? -s : c), either * (r & 1u << 30 ? c : s)};
    return t;
}

STREAM_FUNCTION OF(turn) OF(turn_by)(uint32_t r) {
    return OF(turn_times)(1, r);
}

/* 2^shift exp(x), x <= 0; of x < -80 that of -80. 2^k e^g, |g| < 0.35. The low bits of t + 3/2 2^m are those of the whole number k,
 * where doubles (m = 52) and floats (m = 23) have no more digits. */
STREAM_FUNCTION REAL OF(exp_times)(REAL x, uint32_t shift) {
    const REAL least = x > -80 ? x : -80, t = least * (REAL)0x1.71547652b82fep0;
#ifdef REAL_DOUBLE
    const REAL whole = t + 0x1.8p52, k = whole - 0x1.8p52, g = (t - k) * 0x1.62e42fefa39efp-1;
    const REAL e =
        1. / 720 +
        g * (1. / 5040 + g * (1. / 40320 +
                              g * (1. / 362880 + g * (1. / 3628800 + g * (1. / 39916800 +
                                                                          g * (1. / 479001600))))));
    uint64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    bits = (bits << 52) + ((uint64_t)(1023 + shift) << 52);
#else
    const REAL whole = t + 0x1.8p23f, k = whole - 0x1.8p23f,
               g = (t - k) * (REAL)0x1.62e42fefa39efp-1;
    const REAL e = 1.f / 720 + g * (1.f / 5040);
    uint32_t bits;
    memcpy(&bits, &whole, sizeof bits);
    bits = (bits << 23) + ((127 + shift) << 23);
#endif
    REAL power;
    memcpy(&power, &bits, sizeof power);
    return power *
           (1 + g * (1 + g * ((REAL)(1. / 2) +
                              g * ((REAL)(1. / 6) +
                                   g * ((REAL)(1. / 24) + g * ((REAL)(1. / 120) + g * e))))));
}

STREAM_FUNCTION REAL OF(exp)(REAL x) {
    return OF(exp_times)(x, 0);
}

/* ln x, 2^-100 < x <= 1: k ln 2 + ln(1 + f), sqrt(1/2) <= 1 + f < sqrt(2), the latter 2 artanh(f / (2 + f)). */
STREAM_FUNCTION REAL OF(log)(REAL x) {
    REAL m;
#ifdef REAL_DOUBLE
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t k =
        (int32_t)((bits + (UINT64_C(0x3ff0000000000000) - 0x3fe6a09e667f3bcd)) >> 52) - 1023;
    bits -= (uint64_t)(int64_t)k << 52;
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t k = (int32_t)((bits + (0x3f800000u - 0x3f3504f3u)) >> 23) - 127;
    bits -= (uint32_t)k << 23;
#endif
    memcpy(&m, &bits, sizeof m);
    const REAL f = m - 1, s = f / (2 + f), t = s * s;
#ifdef REAL_DOUBLE
    const REAL more =
        1. / 11 + t * (1. / 13 + t * (1. / 15 + t * (1. / 17 + t * (1. / 19 + t * (1. / 21)))));
    const REAL rest = t * (1. / 9 + t * more);
#else
    const REAL rest = t * (1.f / 9);
#endif
    return (REAL)k * (REAL)0x1.62e42fefa39efp-1 +
           2 * (s + s * t * ((REAL)(1. / 3) + t * ((REAL)(1. / 5) + t * ((REAL)(1. / 7) + rest))));
}

#endif

/* (r + 1/2) / 2^32. */
STREAM_FUNCTION REAL OF(uniform)(uint32_t r) {
    return OF(shifted)((REAL)r, (REAL)0x1p-32, (REAL)0x1p-33);
}

/* Whether something of probability exp(x) happens, by a random number. */
STREAM_FUNCTION int OF(happens)(REAL x, uint32_t r) {
#ifdef REAL_FAST /* of x > 0 a larger number, 2^32 - 1 at most */
    return r >> 1 < __float2uint_rz(OF(exp_times)(x, 31));
#elif defined __CUDACC__ /* without a branch: exp(0) is 1, which no number reaches */
    return r >> 1 < (uint32_t)OF(exp_times)(x < 0 ? x : 0, 31);
#else
    return x >= 0 || r >> 1 < (uint32_t)OF(exp_times)(x, 31);
#endif
}

STREAM_FUNCTION REAL OF(product)(uint32_t n, OF(spin) a, OF(spin) b) {
    const REAL plane = a.at[0] * b.at[0] + a.at[1] * b.at[1];
    return n == 2 ? plane : plane + a.at[2] * b.at[2];
}

STREAM_FUNCTION OF(spin) OF(scaled)(uint32_t n, OF(spin) a, REAL factor) {
    const OF(spin) s = {{a.at[0] * factor, a.at[1] * factor, n == 2 ? 0 : a.at[2] * factor}};
    return s;
}

/* s / |s| of a spin that is almost a unit vector. */
STREAM_FUNCTION OF(spin) OF(of_norm_1)(uint32_t n, OF(spin) s) {
    return OF(scaled)(n, s, OF(shifted)(OF(product)(n, s, s), (REAL)-0.5, (REAL)1.5));
}

/* A spin in any direction, by the first two numbers; the first is not read with n = 2. */
STREAM_FUNCTION OF(spin) OF(any)(uint32_t n, const uint32_t *four) {
    const REAL z = n == 2 ? 0 : OF(shifted)((REAL)(int32_t)four[0], (REAL)0x1p-31, (REAL)0x1p-32);
    const OF(turn) t = OF(turn_times)(n == 2 ? 1 : OF(across)(z), four[1]);
    const OF(spin) s = {{t.cosine, t.sine, z}};
    return s;
}

/* The sum of the neighbours, in their order (vector_neighbours). */
STREAM_FUNCTION OF(spin) OF(sum)(OF(spin) a, OF(spin) b) {
    const OF(spin) s = {{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}};
    return s;
}

STREAM_FUNCTION OF(spin)
    OF(metropolis)(uint32_t n, REAL beta, OF(spin) s, OF(spin) h, const vector_numbers *of) {
    const stream_block b = vector_draw(of, 0);
    const OF(spin) other = OF(any)(n, b.number);
    const REAL gain = OF(product)(n, other, h) - OF(product)(n, s, h);
    return OF(happens)(beta * gain, b.number[2]) ? other : s;
}

/* n = 3. The frame around the field is that of T. Duff et al., J. Comput. Graph. Tech. 6, 1 (2017). Where K is small the logarithm
 * is replaced by the first terms of its series in K. */
STREAM_FUNCTION OF(spin) OF(heat_bath_3)(REAL beta, OF(spin) h, const vector_numbers *of) {
#if defined REAL_DOUBLE
    const REAL small = 1e-4;
#elif defined REAL_FAST
    const REAL small = 0.04f;
#else
    const REAL small = 0.02f;
#endif
    const stream_block b = vector_draw(of, 0);
    const OF(turn) around = OF(turn_by)(b.number[1]);
    const REAL u = OF(uniform)(b.number[0]), w = 2 * u - 1, length = OF(root)(OF(product)(3, h, h));
    const REAL K = beta * length, v = 1 - w * w;
    REAL below = K < small
                     ? 1 - w - K * v * ((REAL)0.5 - K * w * (REAL)(1. / 3))
                     : OF(over)(-OF(log)(u + (1 - u) * OF(exp)(-2 * K)), K); /* 1 - the cosine */
    below = below < 0 ? 0 : below > 2 ? 2 : below;
    const REAL along = 1 - below, across = OF(root)(below * (2 - below));
    const REAL c = across * around.cosine, d = across * around.sine;
    const REAL x = length > 0 ? OF(over)(h.at[0], length) : 0,
               y = length > 0 ? OF(over)(h.at[1], length) : 0,
               z = length > 0 ? OF(over)(h.at[2], length) : 1;
    const REAL sign = z < 0 ? -1 : 1, p = OF(over)(-1, sign + z), q = x * y * p;
    const OF(spin) s = {{along * x + c * (1 + sign * (x * x * p)) + d * q,
                         along * y + c * (sign * q) + d * (sign + y * y * p),
                         along * z - c * (sign * x) - d * y}};
    return OF(of_norm_1)(3, s);
}

/* n = 2. With K < 1/2 an angle drawn uniformly is taken with the probability exp(K (cos - 1)). */
STREAM_FUNCTION OF(spin)
    OF(heat_bath_2)(REAL beta, OF(spin) s, OF(spin) h, const vector_numbers *of) {
    const REAL length = OF(root)(OF(product)(2, h, h)), K = beta * length;
    const REAL x = length > 0 ? OF(over)(h.at[0], length) : 1,
               y = length > 0 ? OF(over)(h.at[1], length) : 0;
    REAL ratio = 0;
    if (K >= (REAL)0.5) {
        const REAL tau = 1 + OF(root)(1 + 4 * K * K),
                   rho = OF(over)(tau - OF(root)(2 * tau), 2 * K);
        ratio = OF(over)(1 + rho * rho, 2 * rho);
    }
    for (uint32_t attempt = 0; attempt < VECTOR_ATTEMPTS; attempt++) {
        const stream_block b = vector_draw(of, attempt);
        OF(turn) t = OF(turn_by)(b.number[1]);
        int taken;
        if (ratio > 0) {
            const REAL z = t.cosine, f = OF(over)(1 + ratio * z, ratio + z), c = K * (ratio - f);
            const REAL u = OF(uniform)(b.number[2]);
            taken = c * (2 - c) > u || OF(log)(c) - OF(log)(u) + 1 - c >= 0;
            t.cosine = f;
            t.sine = OF(root)(f < 1 && f > -1 ? (1 - f) * (1 + f) : 0);
            t.sine = b.number[3] >> 31 ? -t.sine : t.sine;
        } else {
            taken = OF(happens)(K * (t.cosine - 1), b.number[2]);
        }
        if (taken) {
            const OF(spin) drawn = {{t.cosine * x - t.sine * y, t.sine * x + t.cosine * y, 0}};
            return OF(of_norm_1)(2, drawn);
        }
    }
    return s;
}

/* The spin that a site in a field h gets. */
STREAM_FUNCTION OF(spin) OF(updated)(uint32_t n, bool heat_bath, REAL beta, OF(spin) s, OF(spin) h,
                                     const vector_numbers *of) {
    if (!heat_bath)
        return OF(metropolis)(n, beta, s, h, of);
    return n == 2 ? OF(heat_bath_2)(beta, s, h, of) : OF(heat_bath_3)(beta, h, of);
}

/* The spin reflected at its field, at the same energy. */
STREAM_FUNCTION OF(spin) OF(reflected)(uint32_t n, OF(spin) s, OF(spin) h) {
    const REAL square = OF(product)(n, h, h);
    if (!(square > 0))
        return s;
    const REAL twice = OF(over)(2 * OF(product)(n, s, h), square);
    const OF(spin) r = {{twice * h.at[0] - s.at[0], twice * h.at[1] - s.at[1],
                         n == 2 ? 0 : twice * h.at[2] - s.at[2]}};
    return OF(of_norm_1)(n, r);
}

/* The spin s - 2 (s . r) r, mirrored at the plane across the direction r. */
STREAM_FUNCTION OF(spin) OF(mirrored)(uint32_t n, OF(spin) s, OF(spin) r) {
    const REAL twice = 2 * OF(product)(n, s, r);
    const OF(spin) m = {{s.at[0] - twice * r.at[0], s.at[1] - twice * r.at[1],
                         n == 2 ? 0 : s.at[2] - twice * r.at[2]}};
    return OF(of_norm_1)(n, m);
}
