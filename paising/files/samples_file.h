/* PA_samples.dat: a row for each sample of the disorder, from the files of its result. */
#ifndef PAISING_SAMPLES_FILE_H
#define PAISING_SAMPLES_FILE_H

#include "result_folder.h"

#include <stddef.h>
#include <stdint.h>

#define SAMPLE_NUMBERS                                                                             \
    39 /* columns from the averages over runs; the last 8 are those of vectors alone */

/* A sample: its states of lowest energy, and the averages over its runs at the last temperature. */
typedef struct {
    uint32_t number, fingerprint; /* of the sample, of its couplings (couplings.h) */
    size_t temperatures;
    double lowest;             /* the lowest energy at any temperature, in J */
    double replicas, families; /* with this energy at the last temperature, in all runs */
    double at_end[SAMPLE_NUMBERS];
} sample_line;

/* Reads the row of sample number `number`, whose result is in this folder. p describes the samples but
 * for their numbers. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status results_read_sample_line(const char *folder, const parameters *p, uint32_t number,
                                     sample_line *line);

/* The fingerprint of the couplings of sample number `number`, which are drawn again. Returns the same statuses. */
exit_status results_fingerprint_of(const parameters *p, uint32_t number, uint32_t *fingerprint);

/* Says the mean of x[samples], of `what`, and its error from their scatter. */
#define SAMPLE_MEAN_SIZE 120
void results_mean_text(char text[SAMPLE_MEAN_SIZE], const char *what, const double x[],
                       size_t samples);

/* Writes PA_samples.dat. Returns the same statuses. */
exit_status results_write_samples(result_folder *folder, const parameters *p,
                                  const sample_line line[], size_t samples);

#endif
