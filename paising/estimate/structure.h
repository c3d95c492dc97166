/* The structure factor at the smallest wave vector, and the correlation length by second moment (docs/theory.md):
 *
 *     S(k) = <|sum of s_r exp(i k r)|^2> / N,   k = 2 pi / L along a longest edge L,   the mean over the directions of these
 *     xi = sqrt(S(0) / S(k) - 1) / (2 sin(pi / L)),   S(0) = N <m^2>
 *
 * Sums over the planes across a direction, which are whole numbers, are those of the engine (engine/profiles.h). */
#ifndef PAISING_STRUCTURE_H
#define PAISING_STRUCTURE_H

#include "model/model.h"

/* The waves of a lattice. */
typedef struct {
    spin_model model;
    uint32_t edge;         /* L */
    double *cosine, *sine; /* [L] of 2 pi x / L */
} structure_waves;

/* cos(2 pi n / d) with the same bits everywhere, n <= d < 2^32: an error below 2^-52. */
double structure_cosine(uint64_t n, uint64_t d);

/* The longest edge. */
uint32_t structure_edge(const spin_model *m);

/* Makes the table. Returns 0, or -1 without memory. */
int structure_waves_create(structure_waves *w, const spin_model *m);
void structure_waves_destroy(structure_waves *w);

/* S(k) of one lattice, whose spins up in the planes of its stripes, 1 or more, are up[stripes][planes] (engine/profiles.h). */
double structure_of(const structure_waves *w, const uint32_t *up, uint32_t stripes);

/* xi in lattice spacings; nan where S(k) is 0, or larger than S(0). */
double structure_length(double s_0, double s_k, uint32_t edge);

#endif
