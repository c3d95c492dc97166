/* The number of files that a process may have open. */
#ifndef PAISING_OPEN_FILES_H
#define PAISING_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Raises the limit to `files`, or as far as allowed (ulimit -Hn). Returns the limit. */
uint64_t open_files_allow(uint64_t files);

/* Whether `files` more files, at most OPEN_FILES_MOST, can be opened now. */
#define OPEN_FILES_MOST 1024
bool open_files_spare(uint32_t files);

#endif
