/* Samples of the disorder that are made, where they stand: each in a folder of its own in that of all. */
#ifndef PAISING_SAMPLE_FILES_H
#define PAISING_SAMPLE_FILES_H

#include "files/disorder_results.h"
#include "files/publication.h"

typedef struct {
    const char *folder;      /* of all */
    const parameters *given; /* what describes all */
    uint32_t first, count;   /* the numbers of the samples */
    const bool *there;       /* [count] whose whole result is in its folder */
} sample_files;

/* The folder of a sample. */
path_name sample_files_path(const char *folder, uint32_t sample);

/* Waits until the samples that are there are on the disk, also those that were found there: the process that made them
 * may have ended before it waited, or could not. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status sample_files_sync(const sample_files *s);

/* Makes one table of the rows of those that are there; *rows, to be freed after success and failure, holds them. Returns
 * STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status sample_files_read(const sample_files *s, sample_table *t, sample_row **rows);

#endif
