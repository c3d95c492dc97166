/* Data files as archives of NumPy's arrays (--format npz): PA_results_run_0.npz has the header of PA_results_run_0.dat
 * as the array `header`, bytes, and each column as an array of its name: 64-bit integers where a column holds
 * nothing but whole numbers by its meaning, else doubles. Numbers are those of the text, with the digits of -P. */
#ifndef PAISING_NPZ_RESULTS_H
#define PAISING_NPZ_RESULTS_H

#include "base/message.h"

#include <stdio.h>

/* Writes the archive of the data file `text` of this name. Returns STATUS_OK, or STATUS_FAILED after a message on
 * stderr: no memory, no place on the disk, 4 GiB or more. */
exit_status npz_results_write(FILE *npz, FILE *text, const char *name);

#endif
