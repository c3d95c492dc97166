/* Sweeps by kernels of their own: clusters, other orders of sites than the checkerboard (engine/visits.h), and lattices without couplings
 * that are too large for shared memory, of which a few fill the GPU. */
#ifndef PAISING_CUDA_SSC_VISITS_H
#define PAISING_CUDA_SSC_VISITS_H

#include "cuda/ssc/ssc.h"

/* Whether sweeps by this rule are such. */
bool cuda_ssc_sweeps_apart(const cuda_ssc *s, const flip_rule *rule);

/* Queues the sweeps of a step for a range of the population. */
void cuda_ssc_sweep_apart(const cuda_ssc *s, cuda_population *p, const engine_step *step,
                          const cuda_range *range);

#endif
