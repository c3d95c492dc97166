/* Files that users name, opened for reading (input_file.h). */
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *input_file_open(const char *path, const char **why) {
    struct stat is;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool found = descriptor >= 0 && fstat(descriptor, &is) == 0,
               regular = found && S_ISREG(is.st_mode);
    FILE *const file = regular ? fdopen(descriptor, "r") : NULL;
    if (file != NULL)
        return file;
    *why = found && !regular ? "not a file; what a pipe gives must stand in one" : strerror(errno);
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}
