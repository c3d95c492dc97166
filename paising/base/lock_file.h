/* Exclusive access: a process holds a lock on a file while it works on what is beside the file. The
 * kernel releases the lock when the process ends for any reason. Between hosts it works on file
 * systems that forward flock(2) to their server (NFS from version 4, Lustre with -o flock, GPFS).
 * Where locks are not supported nobody is excluded, and lock_file_take returns LOCK_UNSUPPORTED. */
#ifndef PAISING_LOCK_FILE_H
#define PAISING_LOCK_FILE_H

#include "signals.h"

#include <stdbool.h>

typedef struct {
    int descriptor;       /* -1: not locked */
    temporary_file *file; /* entry that removes its name when the program ends */
} lock_file;

typedef enum {
    LOCK_TAKEN,
    LOCK_UNSUPPORTED, /* the file exists, but is not locked */
    LOCK_HELD,        /* by another process */
    LOCK_FOREIGN,     /* the name belongs to something else, or to another user's lock; it was left
                       * alone */
    LOCK_FAILED       /* the file cannot be created; errno is the reason */
} lock_status;

/* Creates the file and locks it for this process. A file left by a killed process is reused if it
 * has no other name and is empty or names its holder. On LOCK_HELD, holder[] names the holder if
 * known: "process 123 on host". */
#define LOCK_HOLDER_SIZE 320
lock_status lock_file_take(lock_file *lock, const char *path, char holder[LOCK_HOLDER_SIZE]);

/* Whether the locked file still has its name. Its folder may have been removed or moved. */
bool lock_file_stands(const lock_file *lock);

/* Removes the file, or reports on stderr that it cannot, and releases the lock. Does nothing if
 * there is no lock. */
void lock_file_release(lock_file *lock);

#endif
