/* The first sections of a checkpoint: by which program it was written, and for which parameters. They
 * decide whether, and with which options, the rest can be read (checkpoint.h). */
#ifndef PAISING_CHECKPOINT_HEAD_H
#define PAISING_CHECKPOINT_HEAD_H

#include "base/message.h"
#include "base/section_file.h"
#include "settings/parameters.h"

#include <limits.h>

/* What the texts of parameters point to: those that a checkpoint holds, in the order of the settings. */
#define CHECKPOINT_TEXTS 5
typedef struct {
    char text[CHECKPOINT_TEXTS][PATH_MAX]; /* empty: none */
} checkpoint_texts;

typedef struct {
    char program[32]; /* version */
    parameters given; /* those settings that have a place in a checkpoint (settings.h) */
    checkpoint_texts texts;
} checkpoint_head;

/* Fills in what is written for *p. */
void checkpoint_head_fill(checkpoint_head *head, const parameters *p);

/* Writes or reads the sections. Returns false when something failed, or when the checkpoint is that of
 * another version. */
bool checkpoint_head_transfer(section_file *f, checkpoint_head *head);

/* Reads the parameters of a checkpoint, what they point to into *texts; settings without a place in it stay
 * as they are. Returns STATUS_OK or, after a line on stderr, STATUS_REFUSED. */
exit_status checkpoint_read_parameters(const char *path, parameters *p, checkpoint_texts *texts);

/* Opens a checkpoint, without waiting for one that is written to a pipe. */
FILE *checkpoint_open_to_read(const char *path);

/* Says why the checkpoint `path` is not taken up. Returns STATUS_REFUSED. */
exit_status checkpoint_refuse(const char *path, const char *reason);

#endif
