/* How much memory there is, and how large a population fits into it. */
#ifndef PAISING_MEMORY_H
#define PAISING_MEMORY_H

#include "engine/engine.h"
#include "message.h"

/* Bytes of host memory that this process can still take without swapping: what the kernel calls
 * available, within the limits of its control groups (v1 and v2) and of ulimit -v. UINT64_MAX if
 * nothing is known. */
uint64_t memory_available(void);

/* The same but for ulimit, read from the files proc/... and sys/fs/cgroup/... below `root`. */
uint64_t memory_available_below(const char *root);

/* Bytes that an engine of a configuration takes, growing with its capacity. */
typedef uint64_t memory_need(const engine_config *config);

/* The largest population R whose capacity (population_capacity) gives the engine a need of at most
 * `available` bytes; 0 if not even one replica fits. config.capacity is not read. */
uint64_t memory_largest_population(engine_config config, uint64_t available, memory_need *need);

/* Holds the need of an engine for a target size R against what is available. Returns STATUS_OK, or
 * STATUS_REFUSED after a line on stderr that names the largest population that fits. */
exit_status memory_check(const engine_config *config, uint64_t population, uint64_t available,
                         memory_need *need);

#endif
