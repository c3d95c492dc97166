/* The sections of a simulation's checkpoint (checkpoint.h). A resumed simulation gives the same
 * bytes as one that was never interrupted, on any device. */
#ifndef PAISING_SIMULATION_SECTIONS_H
#define PAISING_SIMULATION_SECTIONS_H

#include "base/message.h"
#include "simulation_state.h"

/* Writes the checkpoint of a paused simulation. Returns STATUS_OK, or STATUS_FAILED after a message
 * on stderr. */
exit_status simulation_save(simulation *s);

/* Continues a simulation, just prepared, at its checkpoint. Returns STATUS_OK; or after a message
 * on stderr STATUS_REFUSED (the checkpoint cannot be used) or STATUS_FAILED (the engine failed). */
exit_status simulation_resume(simulation *s);

#endif
