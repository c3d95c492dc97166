/* How many files a process may have open. */
#ifndef PAISING_OPEN_FILES_H
#define PAISING_OPEN_FILES_H

#include <stdint.h>

/* Raises the limit to so many, or as far as is allowed (ulimit -Hn). Returns how many may be open now. */
uint64_t open_files_allow(uint64_t files);

#endif
