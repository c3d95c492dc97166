/* PA_ground_samples.dat: a row for each sample of the disorder whose lowest energy was searched (--ground-states), from the files
 * of its result. */
#ifndef PAISING_GROUND_SAMPLES_FILE_H
#define PAISING_GROUND_SAMPLES_FILE_H

#include "result_folder.h"

#include <stddef.h>
#include <stdint.h>

/* What a search says of a sample (estimate/ground_runs.h). */
typedef struct {
    uint32_t number, fingerprint; /* of the sample, of its couplings (couplings.h) */
    double lowest;                /* the lowest energy seen, of the lattice, in J */
    double counted, hits;         /* runs that count, and those among them that reach it */
    double ln_g, ln_g_error;      /* of the number of its states; nan: not known */
} ground_sample;

/* Reads what is in the folder of sample number `number`. p describes the samples but for their numbers. Returns STATUS_OK, or
 * STATUS_FAILED after a message on stderr. */
exit_status results_read_ground_sample(const char *folder, const parameters *p, uint32_t number,
                                       ground_sample *sample);

/* Writes PA_ground_samples.dat, with the mean of the lowest energies per spin. Returns the same statuses. */
exit_status results_write_ground_samples(result_folder *folder, const parameters *p,
                                         const ground_sample sample[], size_t samples);

#endif
