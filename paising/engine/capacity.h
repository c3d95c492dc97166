/* How large a population fits: into its engine's arrays, and these into memory. */
#ifndef PAISING_CAPACITY_H
#define PAISING_CAPACITY_H

#include "base/message.h"
#include "engine.h"

/* The largest population that a run of target size R must be able to hold: R + 8 sqrt(R) + p. */
uint64_t population_capacity(uint64_t population, uint32_t word);

/* Bytes that an engine of a configuration takes, growing with its capacity; UINT64_MAX: there is none so large. */
typedef uint64_t memory_need(const engine_config *config);

/* The same of an engine that holds several populations of R replicas that do not grow: their sum; or one that grows. */
uint64_t populations_capacity(uint64_t population, uint64_t populations, uint32_t word);

/* The largest population R whose capacity (populations_capacity) gives the engine a need of at most
 * `available` bytes, and does not exceed MOST_REPLICAS; 0 if not even one replica fits. One of several
 * populations consists of whole machine words. config.capacity and config.group are not read. */
uint64_t capacity_largest_population(engine_config config, uint64_t populations, uint64_t available,
                                     memory_need *need);

/* Holds the need of an engine for a target size R against what is available. Returns STATUS_OK, or
 * STATUS_REFUSED after a line on stderr that names the largest population that fits. */
exit_status capacity_check(const engine_config *config, uint64_t population, uint64_t populations,
                           uint64_t available, memory_need *need);

#endif
