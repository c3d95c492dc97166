/* The files of a simulation. */
#ifndef PAISING_SIMULATION_RESULTS_H
#define PAISING_SIMULATION_RESULTS_H

#include "files/result_folder.h"
#include "simulation_state.h"

/* Writes what there is: the finished runs, their averages, the rows so far of a run that was
 * interrupted, and run.json. Says in s->trust how far they can be trusted. Returns STATUS_OK or, after
 * a line on stderr, STATUS_FAILED. */
exit_status simulation_write_results(simulation *s, result_folder *folder);

#endif
