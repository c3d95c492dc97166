/* Publishing a report: it is copied to the host's memory and cleared for the next step. Little work, but none of it begins
 * before all has been measured, and then the host waits: so a launch of its own does it, with many threads which have all of
 * it on its way at once, and which find their places while the kernel that measures ends. Companions are published one by
 * one, each by the last block of its step (publish.cuh): the host has work while others are still made. The population awaits its
 * report (cuda_population_collect). */
#ifndef PAISING_CUDA_REPORT_PUBLISH_H
#define PAISING_CUDA_REPORT_PUBLISH_H

#include "cuda/engine/population.h"

/* Makes room for the next report in the host's memory: none has come. */
void cuda_publish_begin(cuda_report *host);

/* Does so, and queues that the report of some replicas is published. */
void cuda_publish(cuda_population *p, const cuda_replicas *of);

/* The same for the population, when all is there too that was queued for it so far in another stream. */
void cuda_publish_both(cuda_population *p, cudaStream_t other);

#endif
