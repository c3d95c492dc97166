/* One owner: a file that a process holds locked as long as it works on what stands beside it. The kernel
 * releases the lock when the process ends, however it ends. Between hosts it holds on file systems that
 * pass flock(2) on to their server (NFS from version 4, Lustre with -o flock, GPFS); where locks are not
 * supported at all, nobody is kept out, and lock_file_take says so. */
#ifndef PAISING_LOCK_FILE_H
#define PAISING_LOCK_FILE_H

#include "signals.h"

#include <stdbool.h>

typedef struct {
    int descriptor;       /* -1: nothing is locked */
    temporary_file *file; /* its name */
} lock_file;

typedef enum {
    LOCK_TAKEN,
    LOCK_UNSUPPORTED, /* the file is there, but not locked */
    LOCK_HELD,        /* by another process */
    LOCK_FOREIGN, /* something else has this name, or a lock of another user: it stays as it is */
    LOCK_FAILED   /* the file cannot be made: errno says why */
} lock_status;

/* Makes the file and locks it, for this process alone. What a killed process has left may be taken: a file without
 * another name that is empty, or says by whom it was locked. With LOCK_HELD, holder[] says by whom, as far as that is
 * known: "process 123 on host". */
#define LOCK_HOLDER_SIZE 320
lock_status lock_file_take(lock_file *lock, const char *path, char holder[LOCK_HOLDER_SIZE]);

/* Whether the file that was locked still has its name: somebody may have removed or moved the folder. */
bool lock_file_stands(const lock_file *lock);

/* Removes the file, or says on stderr that it cannot, and releases the lock; does nothing if there is
 * none. */
void lock_file_release(lock_file *lock);

#endif
