/* What a fuzz target is given, as a file for readers that take a path. */
#ifndef PAISING_FUZZ_MEMORY_FILE_H
#define PAISING_FUZZ_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Opens one for all inputs. */
static inline int memory_file_open(void) {
    const int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor < 0)
        abort();
    return descriptor;
}

/* Fills it anew. Returns its path. */
static inline const char *memory_file_fill(int descriptor, const void *data, size_t size) {
    static char path[40];
    if (ftruncate(descriptor, 0) != 0 ||
        (size > 0 && pwrite(descriptor, data, size, 0) != (ssize_t)size))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return path;
}

#endif
