/* What run.json says of how a run ended: the part of it that the program reads again. */
#ifndef PAISING_RUN_STATE_H
#define PAISING_RUN_STATE_H

#include <stdbool.h>
#include <stdio.h>

#define RUN_STATE_FILE "run.json"

/* Prints the member of run.json, and the comma to the next. */
void run_state_print(FILE *file, bool interrupted);

/* Whether a run.json says that its run was interrupted, however it is laid out. What is no JSON says
 * nothing. */
bool run_state_interrupted(FILE *file);

#endif
