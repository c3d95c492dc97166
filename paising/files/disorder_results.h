/* Samples of the disorder: reading the rows of their results, and writing the averages. */
#ifndef PAISING_DISORDER_RESULTS_H
#define PAISING_DISORDER_RESULTS_H

#include "estimate/disorder_average.h"
#include "result_folder.h"

/* Reads the averages over runs of one sample, with parameters p, from the folder of its result.
 * *rows receives *count rows, which the caller frees. Returns STATUS_OK, or STATUS_FAILED after a
 * message on stderr. */
exit_status results_read_sample(const char *folder, const parameters *p, sample_row **rows,
                                size_t *count);

/* The samples to be averaged. */
typedef struct {
    const sample_row *row; /* [samples][temperatures] */
    size_t samples, temperatures;
    uint32_t first, asked; /* number of the first sample; number of samples requested */
} sample_table;

/* Writes PA_disorder_averages.dat, the averages over samples. p describes the samples, except for
 * their numbers. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status results_write_disorder(result_folder *folder, const parameters *p,
                                   const sample_table *t);

#endif
