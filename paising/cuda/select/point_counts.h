/* Counts how many points fall into each bin of the line, for rules that throw points on it. The
 * counts depend on random numbers and on the number of points, not on the line. So the points of
 * the next step are counted while the host computes tau-hat. Their number is guessed: that of this
 * step. The selection corrects small differences. */
#ifndef PAISING_CUDA_SELECT_POINT_COUNTS_H
#define PAISING_CUDA_SELECT_POINT_COUNTS_H

#include "cuda/engine/population.h"

/* create allocates bins if the engine's rule has any; returns 0, or -1 with p->failed set. destroy
 * frees them. */
int cuda_points_create(cuda_population *p, const engine_config *config);
void cuda_points_destroy(cuda_population *p);

/* Returns the counts for a step. Queues the counting, unless the counts are there. */
counted_points cuda_points_counted(cuda_population *p, const engine_step *step);

/* Queues the counting for the step after `step`, unless the population is an interval of a larger
 * one. */
void cuda_points_ahead(cuda_population *p, const engine_step *step);

#endif
