/* The results of samples on disk. Each sample has a folder in that of the whole result. */
#ifndef PAISING_SAMPLE_FILES_H
#define PAISING_SAMPLE_FILES_H

#include "files/disorder_results.h"
#include "files/publication.h"

typedef struct {
    const char *folder;      /* the folder of the whole */
    const parameters *given; /* parameters common to all samples */
    uint32_t first, count;   /* first number, and number of samples */
    const bool *there;       /* [count] whether the complete result is in its folder */
} sample_files;

/* The path of a sample's folder. */
path_name sample_files_path(const char *folder, uint32_t sample);

/* Waits until all complete samples are on disk. Samples found at the start are included: the
 * process that made them may have ended before it had waited. Returns STATUS_OK, or STATUS_FAILED
 * after a message on stderr. */
exit_status sample_files_sync(const sample_files *s);

/* Reads the rows of all complete samples into one table, which points into *rows. The caller frees
 * *rows, also after failure. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status sample_files_read(const sample_files *s, sample_table *t, sample_row **rows);

#endif
