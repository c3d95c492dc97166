/* Drawing the points of rules whose points fall anywhere on the line. Where among all a point falls is known before the line
 * is: it needs the random number alone, and the weights only stretch the line. So the points of a step are drawn, and put
 * into bins, while the host makes its tau-hat. How many will be wanted is a guess, the replicas that the run began with: more do
 * no harm, and if they are too few, they are drawn anew. */
#ifndef PAISING_CUDA_POINTS_H
#define PAISING_CUDA_POINTS_H

#include "population.h"

/* Queues the drawing for a step, unless it was done ahead, and returns the bins. Of a share those from its own part of the
 * line on are kept. */
point_bins cuda_points_of(cuda_population *p, const engine_step *step);

/* Queues that for the step after one which was queued, of a population that is no share. */
void cuda_points_ahead(cuda_population *p, const engine_step *step);

#endif
