/* How many files a process may have open. */
#ifndef PAISING_OPEN_FILES_H
#define PAISING_OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Opens what the program was started without of stdin, stdout and stderr, before a file of its own gets the number: a message
 * would be written into that file. They are opened the wrong way round, so that reading and writing them fails as before. */
void open_files_fill_standard(void);

/* Raises the limit to so many, or as far as is allowed (ulimit -Hn). Returns how many may be open now. */
uint64_t open_files_allow(uint64_t files);

/* Whether so many more files can be opened now, as many as OPEN_FILES_MOST at most. */
#define OPEN_FILES_MOST 1024
bool open_files_spare(uint32_t files);

#endif
