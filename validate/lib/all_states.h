/* All states of a sample of the 4 x 4 lattice: those of lowest energy, and what two independent replicas have in common, exactly. */
#ifndef PAISING_ALL_STATES_H
#define PAISING_ALL_STATES_H

#include "estimate/overlap.h"
#include "model/couplings.h"

#include <math.h>

#define ALL_EDGE   4
#define ALL_SITES  16
#define ALL_STATES (1u << ALL_SITES)

static inline uint32_t all_neighbour(uint32_t site, uint32_t direction) {
    const uint32_t x = site % ALL_EDGE, y = site / ALL_EDGE;
    return direction == 0 ? y * ALL_EDGE + (x + 1) % ALL_EDGE : (y + 1) % ALL_EDGE * ALL_EDGE + x;
}

/* Bonds of a state, bit of site = spin up, whose ends differ; of a sample, that are unsatisfied. */
static inline uint32_t all_unsatisfied(uint32_t state, const couplings *glass) {
    uint32_t count = 0;
    for (uint32_t site = 0; site < ALL_SITES; site++)
        for (uint32_t d = 0; d < 2; d++)
            count += ((state >> site ^ state >> all_neighbour(site, d)) & 1) ^
                     (glass != NULL && couplings_negative(glass, 2 * site + d));
    return count;
}

/* The energy of a state of a sample with all bonds. */
static inline int all_energy(uint32_t state, const couplings *glass) {
    return 2 * (int)all_unsatisfied(state, glass) - 2 * ALL_SITES;
}

/* The lowest energy of such a sample, and its number of states. */
static inline void all_lowest(const couplings *glass, int *lowest, int *states) {
    *lowest = *states = 0;
    for (uint32_t state = 0; state < ALL_STATES; state++) {
        const int energy = all_energy(state, glass);
        *states = energy < *lowest ? 1 : *states + (energy == *lowest);
        *lowest = energy < *lowest ? energy : *lowest;
    }
}

/* The transform of Walsh and Hadamard, its own inverse but for the number of states. */
static inline void all_transform(double p[ALL_STATES]) {
    for (uint32_t step = 1; step < ALL_STATES; step *= 2)
        for (uint32_t n = 0; n < ALL_STATES; n++)
            if (!(n & step)) {
                const double a = p[n], b = p[n | step];
                p[n] = a + b;
                p[n | step] = a - b;
            }
}

/* |q(k)|^2 of a state of differences, the mean over both directions. */
static inline double all_wave(uint32_t differ) {
    static const int cosine[ALL_EDGE] = {1, 0, -1, 0}, sine[ALL_EDGE] = {0, 1, 0, -1};
    int c[2] = {0}, s[2] = {0};
    for (uint32_t site = 0; site < ALL_SITES; site++)
        for (uint32_t d = 0; d < 2; d++) {
            const int q = differ >> site & 1 ? -1 : 1;
            c[d] += q * cosine[d == 0 ? site % ALL_EDGE : site / ALL_EDGE];
            s[d] += q * sine[d == 0 ? site % ALL_EDGE : site / ALL_EDGE];
        }
    return (c[0] * c[0] + s[0] * s[0] + c[1] * c[1] + s[1] * s[1]) / 2.0 / (ALL_SITES * ALL_SITES);
}

typedef struct {
    double value[OVERLAP_VALUES];
    double differ[ALL_SITES + 1], walls[ALL_SITES + 1]; /* P(c), P(u / 2) */
} exact_overlaps;

static inline exact_overlaps all_overlaps(const couplings *glass, double beta,
                                          const spin_model *model) {
    static double p[ALL_STATES];
    exact_overlaps exact = {.value = {0}};
    double z = 0;
    for (uint32_t state = 0; state < ALL_STATES; state++)
        z += p[state] = exp(-2 * beta * all_unsatisfied(state, glass));
    all_transform(p);
    for (uint32_t n = 0; n < ALL_STATES; n++)
        p[n] = p[n] / z * (p[n] / z) / ALL_STATES;
    all_transform(p);
    for (uint32_t n = 0; n < ALL_STATES; n++) {
        const int differ = __builtin_popcount(n);
        const double q = 1 - differ / 8.0;
        exact.value[OVERLAP_ABS_Q] += p[n] * fabs(q);
        exact.value[OVERLAP_Q2] += p[n] * q * q;
        exact.value[OVERLAP_Q4] += p[n] * q * q * q * q;
        exact.value[OVERLAP_LINK] += p[n] * (1 - all_unsatisfied(n, NULL) / (double)ALL_SITES);
        exact.value[OVERLAP_WAVE] += p[n] * all_wave(n);
        exact.differ[differ] += p[n];
        exact.walls[all_unsatisfied(n, NULL) / 2] += p[n];
    }
    overlap_derive(exact.value, model);
    return exact;
}

#endif
