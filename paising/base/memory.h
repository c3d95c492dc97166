/* How much memory there is. */
#ifndef PAISING_MEMORY_H
#define PAISING_MEMORY_H

#include <stdint.h>

/* Bytes of host memory that this process can still take without swapping, if so many processes of the host, with it,
 * take the same: an even part of what the kernel calls available, within the limits of its control groups (v1 and v2),
 * and no more than ulimit -v leaves to each process. UINT64_MAX if nothing is known. */
uint64_t memory_available(uint32_t processes);

/* Bytes of stack that a thread has at most (ulimit -s); UINT64_MAX without a limit. */
uint64_t memory_of_stack(void);

/* What there is for all of them, whatever ulimit says, read from the files proc/... and sys/fs/cgroup/... below
 * `root`. */
uint64_t memory_available_below(const char *root);

#endif
