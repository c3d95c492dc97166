/* Files that are either complete or not there: written under a temporary name in the same folder,
 * brought to the disk, and only then given their final name. */
#ifndef PAISING_SAFE_FILE_H
#define PAISING_SAFE_FILE_H

#include "message.h"
#include "signals.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *stream;              /* to write to, between open and close */
    char *path;                /* the final name */
    temporary_file *temporary; /* the name until it is published */
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

/* Waits until what this or another process has written to a file is on the disk; or, of a folder, the names in it. */
exit_status safe_file_sync_path(const char *path);

/* Removes what processes that were killed while they wrote this file have left: files of their names that begin with
 * start[size], or end within it. Returns whether nothing else has such a name; what has stays, and is named in foreign[].
 * To be called by the one process that may write the file (lock_file.h). */
bool safe_file_remove_stale(const char *path, const char *start, size_t size,
                            char foreign[NAME_MAX + 1]);

/* The folder that a file stands in, to be freed; NULL without memory. */
char *safe_file_folder(const char *path);

#endif
