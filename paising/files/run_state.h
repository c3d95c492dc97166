/* The part of run.json that the program reads back: whether the run ended, and the number of files. */
#ifndef PAISING_RUN_STATE_H
#define PAISING_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RUN_STATE_FILE "run.json"

/* Prints these members of run.json, with a comma behind each. missing: what is missing and why;
 * NULL if the simulation ended normally. data_files: the number of data files. */
void run_state_print(FILE *file, const char *missing, size_t data_files);

/* The other functions read a run.json from its beginning. */

/* Whether run.json says that its simulation was interrupted, in any layout. false if the file is
 * not JSON. */
bool run_state_interrupted(FILE *file);

/* The number of data files according to run.json; 0 if it does not say. */
size_t run_state_data_files(FILE *file);

/* The number of samples and the first of them; 0: it is not of several. */
void run_state_samples(FILE *file, uint32_t *first, uint32_t *samples);

/* Whether run.json is complete to its last byte. */
bool run_state_is_whole(FILE *file);

#endif
