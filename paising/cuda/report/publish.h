/* Publishing a report: copying it to pinned memory, and clearing it for the next step.
 *
 * The copy is small, but it begins when all is measured, and then the host waits. So a kernel of
 * its own makes it, with many threads, whose loads are all in flight. The kernel becomes resident
 * while the kernel that measures ends. In a launch batch, the last block of each member publishes
 * (publish.cuh), since the host has work while other members are still measured.
 *
 * cuda_population_collect waits for the counts, cuda_population_complete for the rest. */
#ifndef PAISING_CUDA_REPORT_PUBLISH_H
#define PAISING_CUDA_REPORT_PUBLISH_H

#include "cuda/engine/population.h"

/* Clears done[] of a report in pinned memory. Pre: nothing writes to it. */
void cuda_publish_begin(cuda_report *host);

/* Calls cuda_publish_begin, and queues the publication of the report of replicas `of`. */
void cuda_publish(cuda_population *p, const cuda_replicas *of);

/* The same for the population, once all work has ended that is queued in stream `other` so far. */
void cuda_publish_both(cuda_population *p, cudaStream_t other);

#endif
