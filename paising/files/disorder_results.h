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

/* The identity of Gaussian couplings at the last temperature, a line of a header with its end; empty where it does not hold:
 * a bond may be missing, or J0 is not 0. Returns text. */
#define IDENTITY_TEXT_SIZE 200
const char *results_identity_text(char text[IDENTITY_TEXT_SIZE], const parameters *p,
                                  const sample_table *t, const spin_model *model);

/* Writes PA_disorder_averages.dat, the averages over samples. p describes the samples, except for
 * their numbers. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status results_write_disorder(result_folder *folder, const parameters *p,
                                   const sample_table *t);

#endif
