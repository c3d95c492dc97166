/* Checkpoints: everything that a simulation depends on, in a file (section_file.h). One that is
 * taken up again gives the same bytes as one that was never interrupted, on any device. */
#ifndef PAISING_CHECKPOINT_H
#define PAISING_CHECKPOINT_H

#include "simulation.h"

/* Sees, before work starts, that p->checkpoint can be written, and is not a file that it must not
 * replace: allowed are a new name, the checkpoint that is resumed, and any file with --force.
 * Removes what killed processes have left of it. Returns STATUS_OK or, after a line on stderr,
 * STATUS_REFUSED. */
exit_status checkpoint_check_path(const parameters *p);

/* Writes the checkpoint of a paused simulation to its file; an older one stays until the new one is
 * whole and on the disk. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status checkpoint_write(simulation *s);

/* Takes up a simulation that was just prepared where the checkpoint s->given->resume was
 * written. A checkpoint of another host is taken up with a warning. Returns STATUS_OK, or after a
 * line on stderr STATUS_REFUSED (truncated, altered, of another version, of other parameters, not
 * readable) or STATUS_FAILED (the engine failed). */
exit_status checkpoint_resume(simulation *s);

#endif
