/* How a part of a result, a folder in that of the whole, gets there if it is not there yet: under another name while files are
 * written, run.json last, and by one rename when all are whole. A process that is killed leaves it under that name. To be used by
 * the one process that owns the folder of the whole (lock_file.h). */
#ifndef PAISING_PART_FOLDER_H
#define PAISING_PART_FOLDER_H

#include "publication.h"

/* The name of the part FOLDER/NAME until then: FOLDER/.paising.part.NAME. */
path_name part_folder_staged(const char *path);

/* Gives a part that is whole its place. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED: something stands there. */
exit_status part_folder_finish(const char *path);

/* Gives those samples their places in a folder that a killed process has left whole, as far as nothing stands there. What is not
 * whole stays until that sample is made. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status part_folder_recover(const char *folder);

#endif
