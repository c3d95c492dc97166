/* Files that are either complete or not there: written under a temporary name in the same folder,
 * brought to the disk, and only then given their final name. */
#ifndef PAISING_SAFE_FILE_H
#define PAISING_SAFE_FILE_H

#include "message.h"
#include "signals.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* to write to, between open and close */
    char *path;   /* the final name */
    temporary_file
        *temporary; /* the name until it is published; NULL if the final name is that of a
                                  device or a pipe, which is written to directly: a rename would
                                  replace it */
} safe_file;

/* Every function returns STATUS_OK, or STATUS_FAILED after a line on stderr that names the file and
 * the reason; the file is then aborted, and nothing is left of it. */

/* Opens a file for writing. A signal that ends the program removes it. */
exit_status safe_file_open(safe_file *file, const char *path);

/* Ends the writing: everything printed to the stream since the opening, errors of which need not
 * have been checked, is now in the file under the temporary name. */
exit_status safe_file_close(safe_file *file);

/* Waits until an open or closed file is on the disk. */
exit_status safe_file_sync(safe_file *file);

/* Gives a closed file its final name, replacing what has it, and frees the rest. */
exit_status safe_file_publish(safe_file *file);

/* Removes the temporary of an open or closed file. Does nothing after publish or abort. */
void safe_file_abort(safe_file *file);

/* Whether a name in a folder (a descriptor, or AT_FDCWD), or what it points to, is a device or a
 * pipe: something to write to, never to be replaced. */
bool safe_file_is_device(int folder, const char *name);

/* Makes the names in a folder durable. */
exit_status safe_file_sync_folder(const char *folder);

/* Removes what processes that were killed while they wrote this file have left. It is known by being
 * open nowhere, which is lost on file systems without flock: there it stays. */
void safe_file_remove_stale(const char *path);

/* Sees whether files can be made in a folder, by making one: permissions do not tell of read-only and
 * special file systems. Returns 0 or an error number; *left is the name of a file that cannot be
 * removed, to be freed; else NULL. */
int safe_file_try_folder(const char *folder, char **left);

/* The folder that a file stands in, to be freed; NULL without memory. */
char *safe_file_folder(const char *path);

#endif
