/* Files that are either complete or absent. A file is written under a temporary name in the same
 * folder, brought to disk, and then renamed to its final name. */
#ifndef PAISING_SAFE_FILE_H
#define PAISING_SAFE_FILE_H

#include "message.h"
#include "signals.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *stream;              /* open for writing between open and close */
    char *path;                /* the final name */
    temporary_file *temporary; /* the temporary name, until published */
} safe_file;

/* Every function returns STATUS_OK; or STATUS_FAILED after a message on stderr that names the file
 * and the reason. A failed file is aborted: nothing remains of it. */

/* Opens a file for writing under its temporary name. A signal that ends the program removes it. */
exit_status safe_file_open(safe_file *file, const char *path);

/* Ends the writing and reports any error since the opening: errors of the stream need not have been
 * checked before. The file still has its temporary name. */
exit_status safe_file_close(safe_file *file);

/* Waits until an open or closed file is on disk. */
exit_status safe_file_sync(safe_file *file);

/* Renames a closed file to its final name, replacing an existing file, and frees *file. */
exit_status safe_file_publish(safe_file *file);

/* Removes the temporary file, open or closed. Does nothing after publish or abort. */
void safe_file_abort(safe_file *file);

/* Waits until a file is on disk, whichever process wrote it; for a folder, its names. */
exit_status safe_file_sync_path(const char *path);

/* Removes temporary files of this name that killed processes have left: those whose content begins
 * with start[size], or is a beginning of it. Returns true unless something else has such a name;
 * that is left alone and named in foreign[]. Only the process that may write the file (lock_file.h)
 * may call this. */
bool safe_file_remove_stale(const char *path, const char *start, size_t size,
                            char foreign[NAME_MAX + 1]);

/* The folder of a path, which the caller frees; NULL without memory. */
char *safe_file_folder(const char *path);

#endif
