/* The files of a result while it is written, one after the other: under temporary names in a folder, or in memory. */
#ifndef PAISING_RESULT_FILES_H
#define PAISING_RESULT_FILES_H

#include "base/checked_text.h"
#include "base/lock_file.h"
#include "base/message.h"
#include "publication.h"
#include "settings/parameters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The files of a result in memory, for a program that calls the library. */
typedef struct {
    char *name, *text;
    size_t size; /* of the text */
} memory_file;
typedef struct {
    memory_file **file; /* [count] */
    size_t count;
} memory_files;

typedef struct {
    const parameters *given;
    memory_files *memory; /* takes the files in place of a folder; NULL: the folder does */
    char *path;
    bool published; /* the result is in its place here; */
    bool waits;     /* or stands in .paising.new: the next run into the folder moves it */
    bool there; /* as it was, whole, when the simulation was to be resumed: nothing is left to do */
    char *elsewhere; /* the folder that took the result instead; NULL: none */
    bool part;       /* of a larger result, that of several samples, */
    uint32_t first;  /* of several samples */
    bool fresh;      /* and not there yet: it appears at once */
    temporary_file *
        removal; /* of a folder that was made here, and goes again if nothing is put into it; else NULL */
    lock_file lock;
    char note[400]; /* what every data file is to say in its header; empty: nothing */

    /* The files so far, under temporary names; the last one may still be open. */
    temporary_file *staging; /* the folder that they stand in; NULL: none were begun */
    temporary_file **staged; /* [files] */
    size_t files, room;
    FILE *stream;     /* the open file; NULL: none */
    int descriptor;   /* the same */
    char *buffer;     /* of the stream; NULL: its own */
    checked_text sum; /* of its lines, where it is a data file */
} result_folder;

void memory_files_free(memory_files *files);

/* Begins a file of the result and returns the stream to print it to, of which no errors need to be
 * checked; the file before it ends, a data file with its checksum. Returns NULL after a line on stderr if
 * something failed: the result is to be given up here, with STATUS_FAILED. */
FILE *result_folder_begin(result_folder *folder, const char *name);

/* What follows is for result_folder.c.
 * Where files of the result stand until it is whole. */
path_name result_files_path(const result_folder *folder);

/* Thousands of parts cannot wait for the disk each: whoever makes them waits for all of them together. */
publication_safety result_files_safety(const result_folder *folder);

/* Ends the open file, if there is one. STATUS_FAILED after a line on stderr: it is not whole. */
exit_status result_files_end(result_folder *folder);

/* Forgets the files, which have their final names or are gone. */
void result_files_forget(result_folder *folder);

/* Removes the files. */
void result_files_discard(result_folder *folder);

#endif
