/* Who the parents are, of the population of a CUDA engine: by the rule, or as told; and its families. */
#ifndef PAISING_CUDA_SELECTION_H
#define PAISING_CUDA_SELECTION_H

#include "population.h"

/* Queues the resampling: parent[], family[], and the sums over the blocks of the parents. The new
 * population size is known on the device, in report->population, and if it exceeds the capacity no
 * kernel that follows does anything. */
void cuda_selection_resample(cuda_population *p, const engine_step *step);

/* Queues the same for given parents: step->parents[step->children], at most the capacity. */
void cuda_selection_adopt(cuda_population *p, const engine_step *step);

/* Queues the statistics of the families of a population that was not resampled. */
void cuda_selection_count_families(cuda_population *p);

#endif
