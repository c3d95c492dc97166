/* The free energy of a run, accumulated along the temperatures (eq. 4), and its error. */
#ifndef PAISING_FREE_ENERGY_H
#define PAISING_FREE_ENERGY_H

#include "histogram.h"

typedef struct {
    double beta_f; /* beta F = -ln Z of the whole lattice */
    double ln_q;   /* of the last step */
    double ln_z[2 * POPULATION_BLOCKS];
} free_energy;

/* Begins a run of a lattice of `spins` spins at beta = 0, where Z = 2^spins. */
void free_energy_start(free_energy *f, uint64_t spins);

/* Adds a step: ln_q is that of the step, h the histogram after it. */
void free_energy_step(free_energy *f, const histogram *h, double ln_q);

/* The error of beta F. */
double free_energy_error(const free_energy *f, const histogram *h);

#endif
