/* The results of samples on disk. Each sample has a folder in that of the whole result. */
#ifndef PAISING_SAMPLE_FILES_H
#define PAISING_SAMPLE_FILES_H

#include "files/disorder_overlap.h"
#include "files/disorder_results.h"
#include "files/publication.h"
#include "files/samples_file.h"

/* The rows of one sample, and its line of PA_samples.dat. */
typedef struct {
    sample_row *row; /* [count]; NULL: they were not read */
    size_t count;
    sample_line line;
} sample_read;

typedef struct {
    const char *folder;      /* the folder of the whole */
    const parameters *given; /* parameters common to all samples */
    uint32_t first, count;   /* first number, and number of samples */
    const bool *there;       /* [count] whether the complete result is in its folder */
    const bool *added;       /* [count] whether its histograms are in the sums already */
    sample_read *read;       /* [count] */
} sample_files;

/* The path of a sample's folder. */
path_name sample_files_path(const char *folder, uint32_t sample);

/* Waits until all complete samples are on disk. Samples found at the start are included: the
 * process that made them may have ended before it had waited. Returns STATUS_OK, or STATUS_FAILED
 * after a message on stderr. */
exit_status sample_files_sync(const sample_files *s);

/* What the results of all complete samples hold. */
typedef struct {
    sample_table table; /* points into the next array */
    sample_row *row;    /* [samples][temperatures] */
    sample_line *line;  /* [samples] */
} sample_results;

/* Reads the files of one sample, as soon as they are written: the device works meanwhile. Returns STATUS_OK, or STATUS_FAILED after a
 * message on stderr. */
exit_status sample_files_read_one(const sample_files *s, uint32_t place);

/* Reads those that were not read before, and joins all. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. In each case
 * sample_results_destroy frees *r. */
exit_status sample_files_read(const sample_files *s, sample_results *r);
void sample_results_destroy(sample_results *r);

/* Adds the histograms that are missing to *overlaps, which is created unless it was; its row stays NULL where the digits of -P do
 * not tell bins apart. Returns the same statuses. */
exit_status sample_files_read_histograms(const sample_files *s, size_t temperatures,
                                         overlap_average *overlaps);

/* The most bytes that it takes to read samples of so many temperatures. */
uint64_t sample_files_bytes(const parameters *p, uint64_t temperatures);

#endif
