/* Population annealing with infinitely many sweeps: an engine (engine.h) whose replicas are energies, which a "sweep"
 * draws anew from the exact canonical distribution of the square ferromagnet, independent of all before. What is left of
 * the method is resampling, by the program's own rules (cpu/population.c): D. Gessert, W. Janke, M. Weigel, Phys. Rev. E
 * 108, 065309 (2023). There are no spins: the order parameter is 0 throughout, and nothing is saved or loaded. */
#ifndef PAISING_IDEAL_ENGINE_H
#define PAISING_IDEAL_ENGINE_H

#include "canonical.h"
#include "engine/engine.h"

#include <stdio.h>

/* An engine for at most `capacity` replicas, resampled by a rule, of the model whose states are these, which must stay as long. At every
 * temperature it writes a line to `log`: beta, R_i, families, rho_t, rho_s = R exp(sum f ln f); an empty line before each
 * run. Returns NULL without memory. */
engine *ideal_engine(const spin_model *square, const level_states *states, uint64_t capacity,
                     resampling_rule rule, FILE *log);

#endif
