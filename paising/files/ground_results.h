/* The data file of a search of the lowest energy (--ground-states). */
#ifndef PAISING_GROUND_RESULTS_H
#define PAISING_GROUND_RESULTS_H

#include "estimate/ground_runs.h"
#include "result_folder.h"

/* PA_ground_states.dat: a summary, and a row for each of run[count]. It has no times, which stand in
 * run.json. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status results_write_ground_runs(result_folder *folder, const parameters *p,
                                      const spin_model *model, const ground_run run[], size_t count,
                                      const ground_summary *s);

#endif
