/* Checkpoints: everything that a simulation depends on, in a file (section_file.h). What the sections
 * behind its head (checkpoint_head.h) are, and what they hold, is the caller's. */
#ifndef PAISING_CHECKPOINT_H
#define PAISING_CHECKPOINT_H

#include "base/lock_file.h"
#include "base/message.h"
#include "base/section_file.h"
#include "settings/parameters.h"

/* Where checkpoints are written, as long as this process owns the file. */
typedef struct {
    char *path; /* p->checkpoint, or the file that it links to; NULL: none are written */
    lock_file lock;
} checkpoint_place;

/* Sees, before work starts, that p->checkpoint can be written, and is not a file that it must not
 * replace: allowed are a new name, the checkpoint that is resumed, and any file with --force; then takes
 * its lock, and removes what killed processes have left of it. `folder` is that of the result. Returns
 * STATUS_OK or, after a line on stderr, STATUS_REFUSED. To be closed in either case. */
exit_status checkpoint_place_open(checkpoint_place *place, const parameters *p, const char *folder);
void checkpoint_place_close(checkpoint_place *place);

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

/* Warns of a checkpoint that is not whole, where nothing is to be taken from it. */
void checkpoint_look(const char *path);

#endif
