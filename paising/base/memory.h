/* The available memory. */
#ifndef PAISING_MEMORY_H
#define PAISING_MEMORY_H

#include <stdint.h>

/* Bytes of host memory that this process can take without swapping if `processes` processes of the
 * host, including this one, take the same. It is an equal part of the memory that the kernel calls
 * available, within the limits of control groups (v1 and v2), and at most what ulimit -v leaves.
 * UINT64_MAX if unknown. */
uint64_t memory_available(uint32_t processes);

/* The largest stack of a thread in bytes (ulimit -s); UINT64_MAX without a limit. */
uint64_t memory_of_stack(void);

/* The memory for all processes, without ulimit, read from the files proc/... and sys/fs/cgroup/...
 * below `root`. */
uint64_t memory_available_below(const char *root);

#endif
