/* A checkerboard Metropolis simulation of one lattice with generators that are known to be bad, as
 * each thread of a GPU would run them: what the Ising test must flag. */
#ifndef PAISING_ISING_CONTROLS_H
#define PAISING_ISING_CONTROLS_H

#include "engine/streams.h"

#include <stdint.h>

typedef enum { CONTROL_LCG32, CONTROL_LCG64, CONTROL_XORWOW } control_generator;

typedef struct control_lattice control_lattice;

/* Makes a lattice of random spins, L = size. A thread updates one site of each sub-lattice. Its
 * generator has a random seed of its own, or (LCGs only, `skipped`) all threads take their turns in
 * one sequence, each skipping the others' numbers. Returns NULL if there is not enough memory. */
control_lattice *control_create(uint32_t size, control_generator generator, int skipped,
                                stream_key key);
void control_destroy(control_lattice *lattice);

/* One sweep: a flip with d < 2 antiparallel neighbours is accepted when r < threshold[d]. */
void control_sweep(control_lattice *lattice, const uint32_t threshold[2]);

/* -sum s_i s_j. */
int64_t control_energy(const control_lattice *lattice);

#endif
