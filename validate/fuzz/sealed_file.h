/* The file that a fuzz target makes of an input: the bytes behind the first, which says whether they get
 * the checksum that belongs to them (checked_text.h): odd, yes. */
#ifndef PAISING_SEALED_FILE_H
#define PAISING_SEALED_FILE_H

#include "base/checked_text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Writes the file. Returns its path; the next call writes the same one. */
static inline const char *sealed_file(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    static char path[40];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    checked_text text;
    FILE *const file = fopen(path, "w");
    if (file == NULL || checked_text_begin(&text, file) == NULL)
        abort();
    const int sealed = size > 0 && data[0] % 2;
    if (size > 1)
        fwrite(data + 1, 1, size - 1, sealed ? text.stream : file);
    if ((sealed ? !checked_text_end(&text) : fclose(text.stream) != 0) || fclose(file) != 0)
        abort();
    return path;
}

#endif
