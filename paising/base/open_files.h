/* How many files a process may have open. */
#ifndef PAISING_OPEN_FILES_H
#define PAISING_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Raises the limit to so many, or as far as is allowed (ulimit -Hn). Returns how many may be open now. */
uint64_t open_files_allow(uint64_t files);

/* Whether so many more files can be opened now, as many as OPEN_FILES_MOST at most. */
#define OPEN_FILES_MOST 1024
bool open_files_spare(uint32_t files);

#endif
