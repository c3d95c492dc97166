/* Files that users name, opened for reading. */
#ifndef PAISING_INPUT_FILE_H
#define PAISING_INPUT_FILE_H

#include <stdio.h>

/* Opens a file, which no pipe, folder or device may be: those cannot be read twice, or have no end, and opening a
 * pipe would wait for a writer. NULL: *why says why. */
FILE *input_file_open(const char *path, const char **why);

#endif
