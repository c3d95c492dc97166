/* How much memory there is. */
#ifndef PAISING_MEMORY_H
#define PAISING_MEMORY_H

#include <stdint.h>

/* Bytes of host memory that this process can still take without swapping: what the kernel calls
 * available, within the limits of its control groups (v1 and v2) and of ulimit -v. UINT64_MAX if
 * nothing is known. */
uint64_t memory_available(void);

/* The same but for ulimit, read from the files proc/... and sys/fs/cgroup/... below `root`. */
uint64_t memory_available_below(const char *root);

#endif
