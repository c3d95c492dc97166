/* Variational Monte Carlo of liquid helium-4, to be read from top to bottom.
 *
 * N atoms in a periodic cube of edge L have the energy (lengths in Angstrom, energies in K)
 *
 *     H = -lambda sum_i nabla_i^2 + sum_{i<j} V(r_ij),    lambda = hbar^2 / 2m,
 *
 * with the nearest image of each pair, and V = 0 from L/2 on. The trial wave function is
 *
 *     psi = exp sum_{i<j} u_s(r_ij),    u_s(r) = u(r) + u(L - r) - 2 u(L/2) for r < L/2, else 0,    u(r) = -(b/r)^5 / 2.
 *
 * A move displaces a random atom by a Gaussian in each coordinate, and is accepted with the probability min[1, |psi'/psi|^2]. A
 * macroupdate is N moves. After every m of them the local energy is evaluated:
 *
 *     T = -lambda (Lap + sum_i G_i^2) / N,    G_i = nabla_i ln psi,    Lap = sum_i nabla_i^2 ln psi,
 *
 * and two more estimates of T, lambda sum_i G_i^2 / N and -lambda Lap / 2N, which have the same mean by Green's theorem.
 *
 * Coordinates are whole numbers, in units of L / 2^32 and steps of 256 units. What belongs to a pair becomes a whole number before
 * it is summed. So the order of sums is free, and the program has the bits of paising-helium on any device.
 *
 * Nothing here is fast. It prints a row for each block, E V T T1 T2 acceptance, byte for byte what paising-helium has in e.dat,
 * kinetic.dat and acceptance.dat, and then the last places of all atoms as in finalconfig.dat, behind "# ".
 *
 *     cc -O2 -ffp-contract=off -o plain_helium plain_helium.c -lm
 *     ./plain_helium ATOMS EDGE WALKERS BLOCKS ANALYSES MACROUPDATES WARM-UP SEED */
#include "../paising/base/ieee_math.h" /* exp and log, the same on any machine */
#include "plain_random.h"
#include <err.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double b = 3.07, width_of_step = 0.82;
static const double lambda = 24.25436707 / 4.002602; /* hbar^2 / 2u in K A^2, over the mass in u */

typedef struct {
    uint32_t atoms;
    double L;
    uint64_t key;
    uint32_t *x[3]; /* the coordinates of a walker */
} walker;

/* ln(n / 2^64), by 2 artanh s = ln m with m from sqrt(1/2) to sqrt(2). */
static double ln_fraction(uint64_t n) {
    const uint64_t bits = ieee_bits((double)n), half = 0x3fe6a09e00000000;
    const uint64_t one = UINT64_C(1023) << 52, exponent = (bits - half + one) >> 52;
    const double m = ieee_from_bits(bits - (exponent << 52) + one);
    const double s = (m - 1) / (m + 1), t = s * s;
    double series = 1. / 17 + t / 19;
    for (int k = 15; k >= 3; k -= 2)
        series = 1. / k + t * series;
    return ((double)exponent - 1023 - 64) * 0x1.62e42fefa39efp-1 + 2 * s * (1 + t * series);
}

/* The cosine of the angle 2 pi n / 2^32: a series of the angle to the next quarter of the circle. */
static double cosine(uint32_t n) {
    const uint32_t quarter = (n + (1u << 29)) >> 30;
    const double angle = (double)(int32_t)(n - (quarter << 30)) * 0x1.921fb54442d18p-30;
    const double t = angle * angle;
    double even = 1, odd = 1;
    for (int k = 14; k >= 2; k -= 2) {
        even = 1 - t / (k * (k - 1)) * even;
        odd = 1 - t / (k * (k + 1)) * odd;
    }
    const double c = even, s = angle * odd;
    return quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

/* --- A move --- */

/* -u_s of a pair, in units of 2^-24, from the distance in each coordinate; 2^30 for all that is more. With the fraction
 * r of L and p = r (1 - r), r^-5 + (1 - r)^-5 = (1 - 5 p + 5 p^2) / p^5. */
static int64_t repulsion(const walker *w, const int32_t d[3]) {
    const double ratio = b / w->L, ratio2 = ratio * ratio;
    const float scale = (float)(ratio2 * ratio2 * ratio / 2 * 0x1p24);
    float f[3];
    for (int k = 0; k < 3; k++)
        f[k] = (float)d[k] * 0x1p-32f;
    const float r2 = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    const float q = 1 / (sqrtf(r2) - r2);
    const float value = scale * (q * q * q * (5 + q * (q - 5)) - 64);
    if (!(r2 < 0.25f) || value < 0) /* by rounding */
        return 0;
    return value < 0x1p30f ? (int64_t)value : 1 << 30;
}

/* Of an atom at some place with all others. */
static int64_t repulsion_at(const walker *w, uint32_t atom, const uint32_t place[3]) {
    int64_t sum = 0;
    for (uint32_t j = 0; j < w->atoms; j++) {
        int32_t d[3];
        for (int k = 0; k < 3; k++)
            d[k] = (int32_t)(w->x[k][j] - place[k]);
        if (j != atom)
            sum += repulsion(w, d);
    }
    return sum;
}

/* Makes update n of walker number `number`. Returns whether the move is accepted. */
static int update(walker *w, uint32_t number, uint64_t n) {
    use u = {.purpose = HELIUM, .owner = number, .sweep = (uint32_t)(n >> 32), .step = (uint32_t)n};
    const four_numbers r = philox(w->key, u);
    u.position = 1;
    const four_numbers s = philox(w->key, u);
    const uint32_t atom = (uint32_t)((uint64_t)r.r[0] * w->atoms >> 32);
    const double ln_xi = ln_fraction((uint64_t)r.r[1] << 32 | r.r[2] | 1);
    /* Gaussians by Box and Muller, in units of 2^-32 L. */
    const double unit = width_of_step / w->L * 0x1p32;
    double radius[2];
    for (int k = 0; k < 2; k++)
        radius[k] = unit * sqrt(-2 * ln_fraction((uint64_t)s.r[2 + k] << 32 | UINT64_C(1) << 31));
    const double by[3] = {radius[0] * cosine(s.r[0]), radius[0] * cosine(s.r[0] - (1u << 30)),
                          radius[1] * cosine(s.r[1])};
    uint32_t from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = w->x[k][atom];
        to[k] = from[k] + ((uint32_t)(int64_t)(by[k] / 256) << 8);
    }
    const int64_t before = repulsion_at(w, atom, from), after = repulsion_at(w, atom, to);
    /* Twice the change of the sum of u_s, against ln xi. */
    if (after >= 1 << 30 || after - before >= (int64_t)(-ln_xi * 0x1p23) + 1)
        return 0;
    for (int k = 0; k < 3; k++)
        w->x[k][atom] = to[k];
    return 1;
}

/* --- Local energies --- */

/* HFD-B(HE) (R. A. Aziz, F. R. W. McCourt, C. C. K. Wong, Mol. Phys. 61, 1487, 1987). */
static double potential(double r) {
    const double x = r / 2.963, y = 1 / (x * x), y3 = y * y * y, short_of = 1.4826 / x - 1;
    const double damping = x < 1.4826 ? ieee_exp(-short_of * short_of) : 1;
    return 10.948 * (1.8443101e5 * ieee_exp(x * (-2.27965105 * x - 10.43329537)) -
                     damping * y3 * (1.36745214 + y * (0.42123807 + y * 0.17473318)));
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The potential in K / 2^32, by a cubic polynomial of r^2 in each of 128 intervals for each power of two of (r/L)^2. */
static float potential_by_cubic(double L, float r2) {
    const double least = b * ieee_exp(-ieee_log(128) / 5) / L;
    const uint32_t first = bits_of((float)(least * least)) >> 16 << 16;
    const uint32_t bits = bits_of(r2) >> 16 << 16, begin = bits > first ? bits : first;
    const double from = of_bits(begin), to = of_bits(begin + (1 << 16));
    double v[4];
    for (int k = 0; k < 4; k++)
        v[k] = potential(L * sqrt(from + k * (to - from) / 3)) * 0x1p32;
    const float c0 = (float)v[0], c1 = (float)(-5.5 * v[0] + 9 * v[1] - 4.5 * v[2] + v[3]);
    const float c2 = (float)(9 * v[0] - 22.5 * v[1] + 18 * v[2] - 4.5 * v[3]);
    const float c3 = (float)(4.5 * (v[3] - v[0]) + 13.5 * (v[1] - v[2]));
    const float t = (float)(bits_of(r2) & 0xffff) * 0x1p-16f;
    return c0 + t * (c1 + t * (c2 + t * c3));
}

static int64_t nearest(float x) {
    return (int64_t)ieee_nearest(x);
}

/* E V T T1 T2. */
static void local_energies(const walker *w, double e[5]) {
    const double ratio = b / w->L, ratio2 = ratio * ratio, ratio5 = ratio2 * ratio2 * ratio;
    const float slope_unit = (float)(2.5 * ratio5 / w->L * 0x1p32);
    const float laplacian_unit = (float)(ratio5 / (w->L * w->L) * 0x1p32);
    int64_t V = 0, laplacian = 0, square = 0;
    for (uint32_t i = 0; i < w->atoms; i++) {
        int64_t G[3] = {0};
        for (uint32_t j = 0; j < w->atoms; j++) {
            float f[3];
            for (int k = 0; k < 3; k++)
                f[k] = (float)(int32_t)(w->x[k][j] - w->x[k][i]) * 0x1p-32f;
            const float r2 = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
            if (j == i || !(r2 < 0.25f))
                continue;
            /* u_s' = 5/2 b^5 [r^-6 - (L - r)^-6], u_s'' = -15 b^5 [r^-7 + (L - r)^-7] */
            const float r = sqrtf(r2), a = 1 / r, c = 1 / (1 - r), a2 = a * a, c2 = c * c;
            const float a6 = a2 * a2 * a2, c6 = c2 * c2 * c2;
            for (int k = 0; k < 3; k++)
                G[k] += nearest(slope_unit * ((a6 - c6) * a) * f[k]);
            laplacian += nearest(laplacian_unit * (10 * (a6 * a) + 15 * (c6 * c) + 5 * (c6 * a)));
            V += nearest(potential_by_cubic(w->L, r2));
        }
        for (int k = 0; k < 3; k++)
            square += G[k] / 4096 * (G[k] / 4096) / 16;
    }
    const double lap = (double)laplacian * 0x1p-32, g2 = (double)square * 0x1p-36;
    e[1] = (double)V * 0x1p-32 / 2 / w->atoms;
    e[2] = lambda * (lap - g2) / w->atoms;
    e[0] = e[2] + e[1];
    e[3] = lambda * g2 / w->atoms;
    e[4] = lambda * lap / 2 / w->atoms;
}

/* --- The simulation --- */

/* Atoms on a simple cubic lattice with as few sites as possible. */
static void start(walker *w) {
    uint64_t n = 1;
    while (n * n * n < w->atoms)
        n++;
    for (uint32_t i = 0; i < w->atoms; i++) {
        const uint64_t site = i * (n * n * n) / w->atoms;
        const uint64_t place[3] = {site % n, site / n % n, site / n / n};
        for (int k = 0; k < 3; k++)
            w->x[k][i] = (uint32_t)((place[k] << 24) / n) << 8;
    }
}

int main(int argc, char **argv) {
    const char usage[] =
        "usage: plain_helium ATOMS EDGE WALKERS BLOCKS ANALYSES MACROUPDATES WARM-UP SEED";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (argc != 9)
        errx(2, "%s", usage);
    const uint32_t atoms = (uint32_t)strtoul(argv[1], NULL, 10);
    const uint32_t walkers = (uint32_t)strtoul(argv[3], NULL, 10);
    const uint32_t blocks = (uint32_t)strtoul(argv[4], NULL, 10);
    const uint32_t analyses = (uint32_t)strtoul(argv[5], NULL, 10);
    const uint64_t each = strtoull(argv[6], NULL, 10) * atoms;
    const uint64_t before = strtoull(argv[7], NULL, 10) * atoms;
    const uint64_t seed = strtoull(argv[8], NULL, 10);
    const four_numbers key = philox(seed, (use){.purpose = RUN_KEY});
    uint32_t *const all = malloc((size_t)walkers * 3 * atoms * sizeof *all);
    if (atoms < 2 || walkers < 1 || all == NULL)
        errx(2, "two atoms and one walker at least");
    walker w = {atoms, strtod(argv[2], NULL), (uint64_t)key.r[1] << 32 | key.r[0], {0}};
    uint64_t n = 0;
    for (uint32_t block = 0; block <= blocks; block++) { /* number 0: the warm-up */
        double sum[6] = {0};
        for (uint32_t t = 0; t < (block == 0 ? 1 : analyses); t++) {
            const uint64_t updates = block == 0 ? before : each;
            for (uint32_t number = 0; number < walkers; number++) {
                for (int k = 0; k < 3; k++)
                    w.x[k] = all + ((size_t)number * 3 + (size_t)k) * atoms;
                if (block == 0)
                    start(&w);
                uint64_t accepted = 0;
                for (uint64_t m = 0; m < updates; m++)
                    accepted += (uint64_t)update(&w, number, n + m);
                if (block == 0)
                    continue;
                double e[5];
                local_energies(&w, e);
                for (int k = 0; k < 5; k++)
                    sum[k] += e[k];
                sum[5] += (double)accepted / (double)each;
            }
            n += updates;
        }
        for (int k = 0; block > 0 && k < 6; k++)
            printf("%.12g%s", sum[k] / ((double)analyses * walkers), k < 5 ? " " : "\n");
    }
    for (uint32_t number = 0; number < walkers; number++)
        for (uint32_t i = 0; i < atoms; i++) {
            printf("# %u", number + 1);
            for (uint32_t k = 0; k < 3; k++)
                printf(" %.12g", all[((size_t)number * 3 + k) * atoms + i] * 0x1p-32 * w.L);
            printf("\n");
        }
    free(all);
    return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
