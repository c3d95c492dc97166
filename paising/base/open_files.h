/* The number of files that a process may have open. */
#ifndef PAISING_OPEN_FILES_H
#define PAISING_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Opens those of stdin, stdout and stderr that the program was started without. Otherwise a file of
 * the program would get the number, and messages would be written into it. They are opened in the
 * wrong direction, so that reading and writing them fails as before. */
void open_files_fill_standard(void);

/* Raises the limit to `files`, or as far as allowed (ulimit -Hn). Returns the limit. */
uint64_t open_files_allow(uint64_t files);

/* Whether `files` more files, at most OPEN_FILES_MOST, can be opened now. */
#define OPEN_FILES_MOST 1024
bool open_files_spare(uint32_t files);

#endif
