/* The first sections of a checkpoint: the program that wrote it, and its parameters. They decide
 * whether the rest can be read, and with which options (checkpoint.h). */
#ifndef PAISING_CHECKPOINT_HEAD_H
#define PAISING_CHECKPOINT_HEAD_H

#include "base/message.h"
#include "base/section_file.h"
#include "settings/settings.h"

#include <limits.h>

/* A setting by its name, and its value as setting_read takes it (settings/values.h); empty: none. */
#define CHECKPOINT_NAME_SIZE 32
typedef struct {
    char name[CHECKPOINT_NAME_SIZE];
    char value[PATH_MAX];
} checkpoint_setting;

/* The head; large, so not for the stack. */
typedef struct {
    char program[32]; /* version */
    size_t count;
    checkpoint_setting setting[SETTINGS_MOST]; /* all but those that decide about one command */
} checkpoint_head;

/* Fills the head for a checkpoint of *p. */
void checkpoint_head_fill(checkpoint_head *head, const parameters *p);

/* Writes or reads the sections. Returns false on failure, and for a checkpoint of another version. */
bool checkpoint_head_transfer(section_file *f, checkpoint_head *head);

/* Sets those settings of *p that a checkpoint has; the others stay. Texts of *p point into *head. Returns
 * false, with the setting's name in f->reason, for a setting that is unknown, missing, there twice, or
 * has a value that it cannot have; *p is then set in part. */
bool checkpoint_head_take(section_file *f, const checkpoint_head *head, parameters *p);

/* Reads the head of a checkpoint and takes its settings into *p, whose texts point into *head. Returns
 * STATUS_OK; or STATUS_REFUSED after a message on stderr, with *p as it was. */
exit_status checkpoint_read_parameters(const char *path, parameters *p, checkpoint_head *head);

/* Reports why checkpoint `path` is refused. Returns STATUS_REFUSED. */
exit_status checkpoint_refuse(const char *path, const char *reason);

#endif
