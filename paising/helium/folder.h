/* Where a run writes: the folder of the result and the file for checkpoints, locked while the run lasts. */
#ifndef PAISING_HELIUM_FOLDER_H
#define PAISING_HELIUM_FOLDER_H

#include "base/lock_file.h"
#include "options.h"

typedef struct {
    lock_file result, checkpoint;
    const char *made; /* the folder, if it was not there; NULL: it was */
    bool finished;    /* --continue, and the result of these options is there */
} helium_folder;

/* Before work starts: makes the folder if need be, locks it and the checkpoint, and removes what killed processes have left there.
 * Returns STATUS_OK; or STATUS_REFUSED after a message: a result is there, the checkpoint cannot be written or replaced, or another
 * process is at work. The caller calls helium_folder_close in either case. */
exit_status helium_folder_open(helium_folder *f, const helium_request *r);

/* Releases the locks. Removes a folder that is new and empty. */
void helium_folder_close(helium_folder *f);

#endif
