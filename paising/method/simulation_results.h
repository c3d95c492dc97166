/* The files of a simulation. */
#ifndef PAISING_SIMULATION_RESULTS_H
#define PAISING_SIMULATION_RESULTS_H

#include "files/result_folder.h"
#include "simulation_state.h"

/* Writes all results so far into the folder: finished runs, averages, the rows so far of a run that
 * was interrupted or failed, and run.json. Every file tells what is missing. Without results
 * nothing is written. Sets s->trust and s->weights. Returns STATUS_OK; or STATUS_FAILED after a
 * message on stderr, if result_folder_put failed or a run has no multi-histogram analysis. */
exit_status simulation_publish(simulation *s, result_folder *folder);

/* Says on stderr which populations of --save-spins there are not, as runs ended before. A simulation that goes on from its
 * checkpoint will save them: then nothing is said. */
void simulation_warn_of_spins(const simulation *s);

#endif
