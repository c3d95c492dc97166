/* Publishing a report: it is copied to the host's memory and cleared for the next step, by a launch of its own behind the
 * kernel that measures, while which ends its blocks find their places. The population awaits it
 * (cuda_population_collect). */
#ifndef PAISING_CUDA_PUBLISH_H
#define PAISING_CUDA_PUBLISH_H

#include "companions.cuh"
#include "population.h"

/* Queues that the report of some replicas is published. */
void cuda_publish(cuda_population *p, const cuda_replicas *of);

/* The same for the population, when all is there too that was queued for it so far in another stream. */
void cuda_publish_both(cuda_population *p, cudaStream_t other);

/* Notes that of a population, for a launch with companions; and launches it for all. */
void cuda_publish_note(cuda_population *p, void *request);
void cuda_publish_launch(cuda_population *p, const companions &all);

#endif
