/* Samples of the disorder by tempering: reading the rows of their results, and writing the averages. */
#ifndef PAISING_SERIES_SAMPLES_H
#define PAISING_SERIES_SAMPLES_H

#include "disorder_results.h"

/* Whether samples of these parameters have overlaps: there are pairs of chains, on a lattice. */
bool series_samples_have_overlaps(const parameters *p);

/* Reads the rows of one sample, with parameters p, from the folder of its result; `equilibrated` is that its series can be trusted.
 * *rows receives *count rows, which the caller frees. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status series_samples_read(const char *folder, const parameters *p, sample_row **rows,
                                size_t *count);

/* Writes MC_disorder_averages.dat, the averages over samples; and MC_samples.dat, a row for each sample at its last temperature, of
 * numbers number[samples]. p describes the samples, except for their numbers. Return STATUS_OK, or STATUS_FAILED after a message on
 * stderr. */
exit_status series_samples_write_averages(result_folder *folder, const parameters *p,
                                          const sample_table *t);
exit_status series_samples_write_rows(result_folder *folder, const parameters *p,
                                      const sample_table *t, const uint32_t number[]);

#endif
