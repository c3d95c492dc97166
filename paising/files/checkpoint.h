/* Checkpoints: everything that a simulation depends on, in a file of sections (section_file.h). The
 * caller defines the sections behind the head (checkpoint_head.h). */
#ifndef PAISING_CHECKPOINT_H
#define PAISING_CHECKPOINT_H

#include "base/lock_file.h"
#include "base/message.h"
#include "base/section_file.h"
#include "settings/parameters.h"

/* The file for checkpoints, while this process owns it. */
typedef struct {
    char *path; /* p->checkpoint, or the file that it links to; NULL: no checkpoints */
    lock_file lock;
} checkpoint_place;

/* Checks, before work starts, that p->checkpoint can be written and may be replaced. Allowed are a
 * new name, the resumed checkpoint, and any file with --force. Then locks the file, and removes
 * what killed processes have left of it. folder: the folder of the result. Returns STATUS_OK, or
 * STATUS_REFUSED after a message on stderr. The caller calls checkpoint_place_close in either case. */
exit_status checkpoint_place_open(checkpoint_place *place, const parameters *p, const char *folder);
void checkpoint_place_close(checkpoint_place *place);

/* The type of the functions that write or read section[count]. */
typedef exit_status checkpoint_action(const parameters *p, const section_entry section[],
                                      size_t count);

/* Writes section[count] to p->checkpoint. The previous checkpoint remains until the new one is
 * complete and on disk. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
checkpoint_action checkpoint_write;

/* Reads section[count] from p->resume, then calls their checks. Returns STATUS_OK, or after a
 * message on stderr one of these. STATUS_REFUSED: the file is truncated, altered, unreadable, of
 * another version or of other parameters. STATUS_FAILED: the failure is not one of the file
 * (section_file.elsewhere). */
checkpoint_action checkpoint_read;

/* Warns if a checkpoint that is no longer needed is damaged. */
void checkpoint_look(const char *path);

#endif
