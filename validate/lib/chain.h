/* A model that has little in common with those of the program, and is exactly solved: an open chain of
 * Ising spins with alternating couplings,
 *
 *     E = -sum J_i s_i s_{i+1},   J = 1, 2, 1, 2, ...,   Z = 2^N prod cosh(beta J_i).
 *
 * Its levels are spaced by 2 from an odd one on, and |M| is odd. A flip can gain one of three energies: 6
 * inside, or 2 when the weak neighbour is antiparallel; 4 at the end with the strong bond; 2 at the other. And its engine, plain and on one CPU core. */
#ifndef PAISING_CHAIN_H
#define PAISING_CHAIN_H

#include "engine/engine.h"
#include "estimate/observables.h"

#define CHAIN_GAPS      3
#define CHAIN_MAX_SITES 63

/* The chain of `sites` spins: 3, 7, 11, ... to CHAIN_MAX_SITES. */
spin_model chain_model(uint32_t sites);

/* An engine (engine.h) for a population of at most `capacity` chains of model->edge[0] spins, that takes
 * the word of the model for everything else. Returns NULL without memory. */
engine *chain_engine(const spin_model *model, uint64_t capacity);

/* Of a chain as the engine saves it: its energy, its magnetisation, and what a flip of site x, counted
 * along the chain, gains. */
int64_t chain_energy(const uint8_t *spins, uint32_t sites);
int64_t chain_magnetisation(const uint8_t *spins, uint32_t sites);
int64_t chain_gain(const uint8_t *spins, uint32_t sites, uint32_t x);

/* The exact beta, e, c, abs_m, m2, m4 and beta_f of a row; the rest is 0. */
observables chain_exact(uint32_t sites, double beta);

#endif
