/* The files of a simulation. */
#ifndef PAISING_SIMULATION_RESULTS_H
#define PAISING_SIMULATION_RESULTS_H

#include "files/result_folder.h"
#include "simulation_state.h"

/* Puts what there is into the folder: the finished runs, their averages, the rows so far of a run that
 * was interrupted or failed, and run.json; every file says what is missing. Writes nothing if there is
 * nothing. Says in s->trust and s->weights how far the averages can be trusted. Returns STATUS_OK or,
 * after a line on stderr, STATUS_FAILED (result_folder_put, or a run without its multi-histogram
 * analysis). */
exit_status simulation_publish(simulation *s, result_folder *folder);

#endif
