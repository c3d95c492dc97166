/* The first sections of a checkpoint: the program that wrote it, and its parameters. They decide
 * whether the rest can be read, and with which options (checkpoint.h). */
#ifndef PAISING_CHECKPOINT_HEAD_H
#define PAISING_CHECKPOINT_HEAD_H

#include "base/message.h"
#include "base/section_file.h"
#include "settings/parameters.h"

#include <limits.h>

/* Buffers for those texts of parameters that a checkpoint contains, in the order of the settings. */
#define CHECKPOINT_TEXTS 5
typedef struct {
    char text[CHECKPOINT_TEXTS][PATH_MAX]; /* empty: none */
} checkpoint_texts;

typedef struct {
    char program[32]; /* version */
    parameters given; /* the settings that have a position in a checkpoint (settings.h) */
    checkpoint_texts texts;
} checkpoint_head;

/* Fills the head for a checkpoint of *p. */
void checkpoint_head_fill(checkpoint_head *head, const parameters *p);

/* Writes or reads the sections. Returns false on failure, and for a checkpoint of another version. */
bool checkpoint_head_transfer(section_file *f, checkpoint_head *head);

/* Reads the parameters of a checkpoint into *p; their texts go to *texts, which must outlive *p.
 * Settings that a checkpoint does not contain are not changed. Returns STATUS_OK, or STATUS_REFUSED
 * after a message on stderr. */
exit_status checkpoint_read_parameters(const char *path, parameters *p, checkpoint_texts *texts);

/* Opens a checkpoint for reading. It does not wait if the path is a pipe. */
FILE *checkpoint_open_to_read(const char *path);

/* Reports why checkpoint `path` is refused. Returns STATUS_REFUSED. */
exit_status checkpoint_refuse(const char *path, const char *reason);

#endif
