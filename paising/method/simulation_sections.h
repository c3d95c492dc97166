/* The checkpoint of a simulation: which sections it has (checkpoint.h). Taken up again, it gives the
 * same bytes as a simulation that was never interrupted, on any device. */
#ifndef PAISING_SIMULATION_SECTIONS_H
#define PAISING_SIMULATION_SECTIONS_H

#include "base/message.h"
#include "simulation_state.h"

/* Writes the checkpoint of a paused simulation to its file. Returns STATUS_OK or, after a line on
 * stderr, STATUS_FAILED. */
exit_status simulation_save(simulation *s);

/* Takes up a simulation that was just prepared where its checkpoint was written. Returns STATUS_OK, or
 * after a line on stderr STATUS_REFUSED (the checkpoint cannot be used) or STATUS_FAILED (the engine
 * failed). */
exit_status simulation_resume(simulation *s);

#endif
