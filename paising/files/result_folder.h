/* The folder that takes the result of a run: as a whole or not at all.
 *
 * Files are written under temporary names and get their final ones together, when all are complete.
 * The files of an older result are moved to hidden names before (`.NAME.PID.old`), and back if that
 * fails, so that a failure leaves an older result as it was, and files of two results never stand
 * side by side. */
#ifndef PAISING_RESULT_FOLDER_H
#define PAISING_RESULT_FOLDER_H

#include "base/safe_file.h"
#include "settings/parameters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file of the result. */
typedef struct {
    safe_file file;
    char *path; /* its final name */
} result_entry;

/* A file of an older result, under another name until the new result stands. */
typedef struct {
    char *path;
    char *aside;
} older_file;

typedef struct {
    char *path;
    bool force;              /* an older result may be replaced */
    bool replace_incomplete; /* so may one of a run that was interrupted or killed */
    bool created;            /* by result_folder_open: goes again if nothing is put into it */
    result_entry *entry;     /* [files] the result so far; the last one may still be open */
    size_t files;
    size_t room;       /* allocated length of entry[] */
    int lock;          /* a descriptor of the folder, locked as in use; -1: it could not be */
    older_file *older; /* [olders] while a result is published */
    size_t olders;
    char note[200]; /* what every data file is to say in its header, empty: nothing */
} result_folder;

/* Makes the folder p->output, or the one named after the parameters as the published program names
 * it, if it is not there (but not the folders above it), and sees that files can be made in it.
 * Returns STATUS_OK, or after a line on stderr STATUS_REFUSED: the folder cannot be made or written
 * to, or holds a result and p->force is not set (p->resume suffices for the result of a run that was
 * interrupted, which run.json says, or killed before it wrote that); STATUS_FAILED: the disk is full. Nothing is
 * written then. */
exit_status result_folder_open(result_folder *folder, const parameters *p);

/* Begins a file of the result and returns the stream to print it to, of which no errors need to be
 * checked; the file before it ends. Returns NULL after a line on stderr if something failed: the
 * result is to be given up, with status STATUS_FAILED. */
FILE *result_folder_begin(result_folder *folder, const char *name);

/* Ends the last file and gives all files their final names, in place of an older result. Removes what
 * killed processes have left, if no other one is using the folder. Returns
 * STATUS_OK or, after a line on stderr, STATUS_FAILED; the older result is then back as it was.
 * Call result_folder_close in either case. */
exit_status result_folder_publish(result_folder *folder);

/* Removes everything that was not published, the folder too if it is new and empty. */
void result_folder_close(result_folder *folder);

#endif
