/* Counting how many points fall in each bin of the line, by rules whose points fall anywhere on it. It needs random numbers
 * alone, and how many points there are, not the line: those of the next step are counted while the host makes its tau-hat.
 * How many it will have is a guess, as many as this one; a few more or fewer are put right by the selection. */
#ifndef PAISING_CUDA_SELECT_POINT_COUNTS_H
#define PAISING_CUDA_SELECT_POINT_COUNTS_H

#include "cuda/engine/population.h"

/* Makes the bins that a population needs, if the engine's rule has any; returns 0, or -1 with p->failed set. Frees them. */
int cuda_points_create(cuda_population *p, const engine_config *config);
void cuda_points_destroy(cuda_population *p);

/* What is counted for a step. It is queued, unless it was done ahead. */
counted_points cuda_points_counted(cuda_population *p, const engine_step *step);

/* Queues it for the step after one which was queued, of a population that is no share. */
void cuda_points_ahead(cuda_population *p, const engine_step *step);

#endif
