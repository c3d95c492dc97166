/* What run.json says of how a run ended: what the program reads again. */
#ifndef PAISING_RUN_STATE_H
#define PAISING_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RUN_STATE_FILE "run.json"

/* Prints the members of run.json that say what there is of the result, and the comma to the next: so many data files,
 * and `missing` says what is not there and why; NULL: the simulation came to its end. */
void run_state_print(FILE *file, const char *missing, size_t data_files);

/* The others read a run.json from its beginning. */

/* Whether a run.json says that its simulation did not come to its end, however it is laid out. What is no
 * JSON says nothing. */
bool run_state_interrupted(FILE *file);

/* How many data files a run.json says that its result has. What does not say it: 0. */
size_t run_state_data_files(FILE *file);

/* Whether a run.json is there to its last byte. */
bool run_state_is_whole(FILE *file);

#endif
