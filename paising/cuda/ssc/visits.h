/* Sweeps in other orders of sites than the checkerboard (engine/visits.h), and checkerboards of lattices of which a few fill
 * a GPU. */
#ifndef PAISING_CUDA_SSC_VISITS_H
#define PAISING_CUDA_SSC_VISITS_H

#include "cuda/engine/population.h"

/* The lattices of a population, in device memory, and the order of their sites. */
typedef struct {
    uint8_t *spins;      /* [replicas][2][half_bytes], 1 up and 0 down (ssc.h) */
    uint32_t half_bytes; /* from the even to the odd sub-lattice */
    visit_plan plan;
    uint8_t *scratch; /* as much as spins[] */
} visit_lattices;

/* Queues the sweeps of a step for a range of the population. Pre: all bonds are there, J = 1. */
void cuda_ssc_visit(const visit_lattices *l, const spin_model *model, cuda_population *p,
                    const engine_step *step, const cuda_range *range);

/* Whether `visit` sweeps lattices by many blocks each, which is sooner than by a block each (quads.cuh): a few square lattices from
 * L = 128 on, several times, and not in groups. */
bool cuda_ssc_shares_lattices(const visit_plan *plan, const spin_model *model, cuda_population *p,
                              const engine_step *step, const cuda_range *range);

/* Queues the measurement of a range: all of the GPU counts in each lattice. */
void cuda_ssc_measure(const visit_lattices *l, const spin_model *model, cuda_population *p,
                      const cuda_range *range);

#endif
