/* What every engine does to an atom or a pair of atoms, for CPU and GPU from the same text.
 *
 * A coordinate is a fraction of the box in units of 2^-32, so that differences of 32-bit integers are those of the nearest
 * image; all are multiples of 2^-24, so that floats hold them, and their differences, to the last bit. The pair functions are
 * additions, products, divisions and square roots of floats, which IEEE 754 defines to the last bit, compiled without contraction;
 * each result becomes an integer, and integers are summed. So sums have the same bits in any order.
 *
 * The wave function is psi = exp(sum over pairs of u_s), with u_s = u(r) + u(L - r) - 2 u(L/2) and u = -(b/r)^5 / 2. In fractions
 * x = r/L of the box and with p = x (1 - x),
 *
 *     x^-5 + (1 - x)^-5 = (1 - 5 p + 5 p^2) / p^5,
 *
 * and what the engines call repulsion is -u_s >= 0 in units of 2^-24. From 2^30 on, u_s <= -64, it saturates, and the move is
 * rejected. */
#ifndef PAISING_HELIUM_ARITHMETIC_H
#define PAISING_HELIUM_ARITHMETIC_H

#include "engine/streams.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define HELIUM_FUNCTION static __host__ __device__ __forceinline__
#else
#define HELIUM_FUNCTION static inline
#endif

#define HELIUM_COARSE       8 /* low bits of a coordinate, always 0 */
#define HELIUM_SATURATED    (1u << 30)
#define HELIUM_UNIT         0x1p24f /* of repulsions */
#define HELIUM_SUM_UNIT     0x1p32f /* of potential, Laplacian and gradient: K, A^-2, A^-1 */
#define HELIUM_SQUARE_UNIT  0x1p36  /* of the squared gradient: A^-2 */
#define HELIUM_WAVE_UNIT    0x1p30  /* of cos and sin */
#define HELIUM_POWER_SHIFT  15 /* bits of cos and sin that are rounded before they are squared */
#define HELIUM_POWER_UNIT   0x1p30 /* of |rho_k|^2 */
#define HELIUM_RADIAL_BINS  256    /* of g(r), from 0 to L/2 */
#define HELIUM_WAVE_NUMBERS 48     /* of S(k): k = 2 pi n / L along each axis, n = 1, 2, ... */

/* The potential is a cubic polynomial of r^2 in each of 128 intervals for each power of two of (r/L)^2. */
#define HELIUM_TABLE_BITS 7

typedef struct {
    float c[4];
} __attribute__((aligned(16))) helium_cubic; /* one load */

/* What engines know of the system, besides the table of the potential. */
typedef struct {
    uint32_t atoms;
    uint32_t table_first,
        table_intervals; /* the first interval, as the upper bits of the float (r/L)^2 */
    float repulsion;     /* (b/L)^5 / 2, in HELIUM_UNIT */
    float gradient;      /* 5/2 (b/L)^5 / L, in HELIUM_SUM_UNIT / A */
    float laplacian;     /* (b/L)^5 / L^2, in HELIUM_SUM_UNIT / A^2 */
    float reach;         /* (r/L)^2 from which on repulsions are 0 */
    double step;         /* standard deviation of a displacement, in 2^-32 L */
    stream_key key;
} helium_constants;

/* --- The wave function --- */

/* The square root and the reciprocal as IEEE 754 rounds them, for x from 2^-64 to 2. For other x, as 0, not a number or what
 * IEEE 754 says. On a GPU without branches for the rest: an estimate, and a step of Newton's method that ends at the rounded value. */
HELIUM_FUNCTION float helium_root(float x) {
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    const float root = __fmul_rn(x, y);
    return __fmaf_rn(__fmaf_rn(-root, root, x), __fmul_rn(0.5f, y), root);
#else
    return sqrtf(x);
#endif
}

HELIUM_FUNCTION float helium_reciprocal(float x) {
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return __fmaf_rn(y, __fmaf_rn(-x, y, 1.0f), y);
#else
    return 1 / x;
#endif
}

/* The lesser of x and a limit; the limit, if x is not a number. */
HELIUM_FUNCTION float helium_at_most(float x, float limit) {
#ifdef __CUDA_ARCH__
    return fminf(x, limit);
#else
    return x < limit ? x : limit;
#endif
}

/* The whole part of a float below 2^31; 0 of a negative one. */
HELIUM_FUNCTION uint32_t helium_whole(float x) {
#ifdef __CUDA_ARCH__
    return __float2uint_rz(x);
#else
    return (uint32_t)(int32_t)(x > 0 ? x : 0);
#endif
}

/* The repulsion of two atoms from the square of their distance in L. From L/2 on it is 0. */
HELIUM_FUNCTION uint32_t helium_repulsion_at(float scale, float squared) {
    const float r2 = helium_at_most(squared, 0.25f);
    const float q = helium_reciprocal(helium_root(r2) - r2);
    const float w = scale * (q * q * q * (5 + q * (q - 5)) - 64);
    return helium_whole(helium_at_most(w, (float)HELIUM_SATURATED));
}

/* A difference of coordinates, in L. */
HELIUM_FUNCTION float helium_fraction(int32_t d) {
    return (float)d * 0x1p-32f;
}

/* The repulsion of two atoms at a distance dx, dy, dz. */
HELIUM_FUNCTION uint32_t helium_repulsion(float scale, int32_t dx, int32_t dy, int32_t dz) {
    const float x = helium_fraction(dx), y = helium_fraction(dy), z = helium_fraction(dz);
    return helium_repulsion_at(scale, x * x + y * y + z * z);
}

/* --- Local energies --- */

/* The whole number nearest to a float below 2^51, and HELIUM_OFFSET more, which a sum has for each of its terms. */
#define HELIUM_OFFSET UINT64_C(0x4338000000000000)
HELIUM_FUNCTION uint64_t helium_nearest(float x) {
    const double shifted = (double)x + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits;
}

/* Sums over the partners of an atom: of the potential, minus the Laplacian, the gradient of ln psi; with the offset of so many
 * pairs, modulo 2^64. */
typedef struct {
    uint64_t potential, laplacian, gradient[3], pairs;
} helium_atom_sums;

HELIUM_FUNCTION int64_t helium_sum_of(const helium_atom_sums *s, uint64_t sum) {
    return (int64_t)(sum - s->pairs * HELIUM_OFFSET);
}

/* The bin of g(r) of a distance r/L below 1/2. */
HELIUM_FUNCTION uint32_t helium_bin_at(float r) {
    return (uint32_t)(r * (2 * HELIUM_RADIAL_BINS));
}

/* Adds a partner at a distance x, y, z in L. Returns its bin of g(r), or HELIUM_RADIAL_BINS beyond L/2. */
HELIUM_FUNCTION uint32_t helium_add_partner(helium_atom_sums *s, const helium_constants *h,
                                            const helium_cubic *table, float x, float y, float z) {
    const float r2 = x * x + y * y + z * z;
    if (!(r2 < 0.25f))
        return HELIUM_RADIAL_BINS;
    const float r = helium_root(r2), a = helium_reciprocal(r), c = helium_reciprocal(1 - r);
    const float a2 = a * a, c2 = c * c, a6 = a2 * a2 * a2, c6 = c2 * c2 * c2;
    const float slope = h->gradient * ((a6 - c6) * a);
    s->gradient[0] += helium_nearest(slope * x);
    s->gradient[1] += helium_nearest(slope * y);
    s->gradient[2] += helium_nearest(slope * z);
    s->laplacian += helium_nearest(h->laplacian * (10 * (a6 * a) + 15 * (c6 * c) + 5 * (c6 * a)));
    uint32_t bits;
    memcpy(&bits, &r2, sizeof bits);
    const uint32_t interval = bits >> (23 - HELIUM_TABLE_BITS);
    const helium_cubic f = table[interval > h->table_first ? interval - h->table_first : 0];
    const float t = (float)(bits & ((1u << (23 - HELIUM_TABLE_BITS)) - 1)) *
                    (1.0f / (1 << (23 - HELIUM_TABLE_BITS)));
    s->potential += helium_nearest(f.c[0] + t * (f.c[1] + t * (f.c[2] + t * f.c[3])));
    s->pairs++;
    return helium_bin_at(r);
}

/* The bin of a distance x, y, z alone. */
HELIUM_FUNCTION uint32_t helium_bin(float x, float y, float z) {
    const float r2 = x * x + y * y + z * z;
    return r2 < 0.25f ? helium_bin_at(helium_root(r2)) : HELIUM_RADIAL_BINS;
}

/* The squared gradient, in HELIUM_SQUARE_UNIT. */
HELIUM_FUNCTION int64_t helium_square(const helium_atom_sums *s) {
    int64_t sum = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t g = helium_sum_of(s, s->gradient[k]) / (1 << 12);
        sum += g * g / (1 << 4);
    }
    return sum;
}

/* --- Random numbers --- */

/* ln of a whole number n >= 1 times 2^-64, error about 1e-15. */
HELIUM_FUNCTION double helium_ln_fraction(uint64_t n) {
    const double x = (double)n;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t half = UINT64_C(0x3fe6a09e00000000), one = UINT64_C(1023) << 52;
    const uint64_t exponent = (bits - half + one) >> 52;
    bits = bits - (exponent << 52) + one;
    double m;
    memcpy(&m, &bits, sizeof m);
    const double s = (m - 1) / (m + 1), t = s * s;
    const double series =
        1 + t * (1. / 3 +
                 t * (1. / 5 +
                      t * (1. / 7 +
                           t * (1. / 9 +
                                t * (1. / 11 +
                                     t * (1. / 13 + t * (1. / 15 + t * (1. / 17 + t / 19))))))));
    return ((double)(int32_t)exponent - 1023 - 64) * 0x1.62e42fefa39efp-1 + 2 * s * series;
}

/* cos and sin of the angle 2 pi n / 2^32, error about 1e-15. */
HELIUM_FUNCTION void helium_circle(uint32_t n, double *cosine, double *sine) {
    const uint32_t quadrant = (n + (1u << 29)) >> 30;
    const double angle = (double)(int32_t)(n - (quadrant << 30)) * 0x1.921fb54442d18p-30;
    const double t = angle * angle;
    const double c =
        1 -
        t / 2 *
            (1 -
             t / 12 * (1 - t / 30 * (1 - t / 56 * (1 - t / 90 * (1 - t / 132 * (1 - t / 182))))));
    const double s =
        angle *
        (1 -
         t / 6 *
             (1 - t / 20 *
                      (1 - t / 42 * (1 - t / 72 * (1 - t / 110 * (1 - t / 156 * (1 - t / 210)))))));
    *cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
    *sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
}

/* Adds cos and sin of the angle 2 pi n / 2^32 to a sum, in HELIUM_WAVE_UNIT. */
HELIUM_FUNCTION void helium_add_wave(int64_t sum[2], uint32_t n) {
    double cosine, sine;
    helium_circle(n, &cosine, &sine);
    sum[0] += (int64_t)(cosine * HELIUM_WAVE_UNIT);
    sum[1] += (int64_t)(sine * HELIUM_WAVE_UNIT);
}

/* |rho_k|^2 in HELIUM_POWER_UNIT, from sums of cos and sin over at most 65536 atoms: at most 2^62. */
HELIUM_FUNCTION uint64_t helium_power(const int64_t sum[2]) {
    const int64_t half = 1 << (HELIUM_POWER_SHIFT - 1);
    const int64_t c = (sum[0] + half) >> HELIUM_POWER_SHIFT,
                  s = (sum[1] + half) >> HELIUM_POWER_SHIFT;
    return (uint64_t)(c * c) + (uint64_t)(s * s);
}

/* A proposed move: the atom, its displacement, and the bound below which twice the change of the repulsion is accepted:
 * -ln xi. */
typedef struct {
    int64_t bound; /* change < bound */
    uint32_t atom;
    int32_t by[3];
} helium_proposal;

/* Rounded towards 0, and around the box if need be. */
HELIUM_FUNCTION int32_t helium_displacement(double by) {
    const int64_t coarse = (int64_t)(by / (1 << HELIUM_COARSE));
    return (int32_t)(uint32_t)((uint64_t)coarse << HELIUM_COARSE);
}

/* Proposal number `update` of a walker from its eight numbers: an atom, xi, and Gaussians by Box and Muller. */
HELIUM_FUNCTION helium_proposal helium_propose(const helium_constants *h, stream_block a,
                                               stream_block b) {
    helium_proposal p;
    p.atom = (uint32_t)((uint64_t)a.number[0] * h->atoms >> 32);
    const uint64_t xi = (uint64_t)a.number[1] << 32 | a.number[2];
    p.bound = (int64_t)(-helium_ln_fraction(xi | 1) * 0x1p23) + 1;
    double c[2], s[2];
    helium_circle(b.number[0], &c[0], &s[0]);
    helium_circle(b.number[1], &c[1], &s[1]);
    const double first =
        h->step * sqrt(-2 * helium_ln_fraction((uint64_t)b.number[2] << 32 | 1u << 31));
    const double second =
        h->step * sqrt(-2 * helium_ln_fraction((uint64_t)b.number[3] << 32 | 1u << 31));
    p.by[0] = helium_displacement(first * c[0]);
    p.by[1] = helium_displacement(first * s[0]);
    p.by[2] = helium_displacement(second * c[1]);
    return p;
}

/* Whether a move is accepted, from the repulsions of its atom before and after. */
HELIUM_FUNCTION int helium_accepts(uint64_t before, uint64_t after, int64_t bound) {
    return after < HELIUM_SATURATED && (int64_t)(after - before) < bound;
}

#endif
