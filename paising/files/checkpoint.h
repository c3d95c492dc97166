/* Checkpoints: everything that a simulation depends on, in a file (section_file.h). What the sections
 * behind its head (checkpoint_head.h) are, and what they hold, is the caller's. */
#ifndef PAISING_CHECKPOINT_H
#define PAISING_CHECKPOINT_H

#include "base/message.h"
#include "base/section_file.h"
#include "settings/parameters.h"

/* Sees, before work starts, that p->checkpoint can be written, and is not a file that it must not
 * replace: allowed are a new name, the checkpoint that is resumed, and any file with --force.
 * Removes what killed processes have left of it. Returns STATUS_OK or, after a line on stderr,
 * STATUS_REFUSED. */
exit_status checkpoint_check_path(const parameters *p);

/* Writes or reads section[count]. */
typedef exit_status checkpoint_action(const parameters *p, const section_entry section[],
                                      size_t count);

/* Writes section[count] to p->checkpoint; an older one stays until the new one is whole and on the
 * disk. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */
checkpoint_action checkpoint_write;

/* Reads section[count] from p->resume, then makes their checks. Returns STATUS_OK, or after a line on
 * stderr STATUS_REFUSED (truncated, altered, of another version, of other parameters, not readable)
 * or STATUS_FAILED (what failed is not the file: section_file.elsewhere). */
checkpoint_action checkpoint_read;

#endif
