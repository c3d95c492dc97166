/* The overlap of two replicas (overlap.h). States are words of N bits. s' = s xor d has the overlap
 * q = 1 - 2 |d| / N, where |d| bits differ. The distribution of q follows from
 *
 *     a(d) = sum over s of p(s) p(s xor d),  p(s) the Boltzmann weight,
 *
 * a convolution on the group of these words. The Walsh-Hadamard transform turns it into the square
 * of the transform of p. */
#include "overlap.h"

#include <math.h>
#include <stdlib.h>

/* Replaces x[2^bits] by the sum over s of (-1)^(bits common to s and t) x[s], for every t. */
static void transform(double *x, uint32_t bits) {
    for (uint32_t step = 1; step < 1u << bits; step *= 2)
        for (uint32_t base = 0; base < 1u << bits; base += 2 * step)
            for (uint32_t n = base; n < base + step; n++) {
                const double a = x[n], b = x[n + step];
                x[n] = a + b;
                x[n + step] = a - b;
            }
}

/* Fills weight[2^N] with Boltzmann weights relative to the largest. Returns false without memory. */
static bool fill_weights(const couplings *c, double beta, double *weight) {
    const uint32_t sites = (uint32_t)c->sites, bonds = (uint32_t)c->bonds;
    uint32_t *const other = malloc(bonds * sizeof *other);
    if (other == NULL)
        return false;
    for (uint32_t bond = 0; bond < bonds; bond++)
        other[bond] = (uint32_t)couplings_neighbour(c, bond / c->dimension, bond % c->dimension);
    double fewest = bonds;
    for (uint32_t state = 0; state < 1u << sites; state++) {
        uint32_t unsatisfied = 0;
        for (uint32_t bond = 0; bond < bonds; bond++)
            unsatisfied += ((state >> bond / c->dimension ^ state >> other[bond]) & 1) ^
                           (uint32_t)couplings_negative(c, bond);
        weight[state] = unsatisfied;
        fewest = fmin(fewest, unsatisfied);
    }
    for (uint32_t state = 0; state < 1u << sites; state++)
        weight[state] = exp(-2 * beta * (weight[state] - fewest));
    free(other);
    return true;
}

bool overlap_thermodynamics(const couplings *c, double beta, overlap_moments *moments) {
    const uint32_t sites = (uint32_t)c->sites;
    double *const x = malloc(((size_t)1 << sites) * sizeof *x);
    const bool good = x != NULL && fill_weights(c, beta, x);
    *moments = (overlap_moments){0};
    if (good) {
        transform(x, sites);
        for (uint32_t n = 0; n < 1u << sites; n++)
            x[n] *= x[n];
        transform(x, sites);
        long double with[OVERLAP_MAX_SITES + 1] = {0}, all = 0, sum[3] = {0};
        for (uint32_t n = 0; n < 1u << sites; n++)
            with[__builtin_popcount(n)] += x[n];
        for (uint32_t differ = 0; differ <= sites; differ++) {
            const long double q = 1 - 2.0L * differ / sites;
            all += with[differ];
            sum[0] += with[differ] * fabsl(q);
            sum[1] += with[differ] * q * q;
            sum[2] += with[differ] * q * q * q * q;
        }
        *moments = (overlap_moments){(double)(sum[0] / all), (double)(sum[1] / all),
                                     (double)(sum[2] / all)};
    }
    free(x);
    return good;
}
