/* How the files of a result get into their folder. They are written in one hidden folder:
 *
 *     FOLDER/.paising.new           where FOLDER is there;
 *     ABOVE/.paising.part.FOLDER    where it is not: a new sample in the folder of all, which appears at once, by one rename.
 *
 * run.json is written last, and says how many data files there are. The result stands when run.json is whole, beside as many
 * whole files, and their names are on the disk if they are to be safe from crashes. From then on there is no way back: the
 * older result is removed, run.json first; the data files get their places; and then run.json. A process that finds the
 * result under its hidden name, wherever the one before was killed or failed, goes on with what is left to do.
 *
 * So a folder with a run.json holds all files of that result, and data files in a folder are all of one result; but for
 * a crash of the machine, where nobody has waited for the disk. To be used by the one process that owns the folder
 * (lock_file.h), whose path leaves room for names in it.
 *
 * The folder itself is not exchanged for a new one. It may hold the samples, a checkpoint, or what is not the program's; it
 * may be the working folder, a mount point, or behind a link; and the folder above may not be writable. */
#ifndef PAISING_PUBLICATION_H
#define PAISING_PUBLICATION_H

#include "base/message.h"
#include "result_survey.h"

#include <limits.h>
#include <stdbool.h>

#define STAGED_FOLDER ".paising.new"
#define STAGED_PART   ".paising.part."

typedef struct {
    char text[PATH_MAX];
} path_name;

/* folder/name. */
path_name path_in(const char *folder, const char *name);

/* Whether there is a file or folder of this name, or a link; whether that is a folder, and no link to one. */
bool path_exists(const char *path);
bool path_is_folder(const char *path);

/* Where the files of a new part of a larger result stand. */
path_name publication_staged_part(const char *folder);

/* Gives it its place. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED: something stands there. */
exit_status publication_finish_part(const char *folder);

/* Against what a result is safe while it gets into its place: the end of the process, or a crash of the machine, too.
 * The second waits for the disk at each step; without it, a crash may leave files that are not whole, or not all of
 * them, until publication_sync has waited. */
typedef enum { SAFE_FROM_KILLS, SAFE_FROM_CRASHES } publication_safety;

/* How far the result in FOLDER/.paising.new has come, by what is found there and in FOLDER: not all is written; it stands;
 * it stands, the older one is gone, and some files are in their places. */
typedef enum { STAGED_IN_PART, STAGED_WHOLE, STAGED_BEGUN } publication_stage;
publication_stage publication_reached(const result_survey *staged, const result_survey *placed);

/* Moves a result that stands, and is as safe, into its place. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED;
 * if it is not in its place then, another line says where it waits. */
exit_status publication_finish(const char *folder, publication_stage reached,
                               publication_safety safety);

/* Waits until a result is on the disk that stands in a folder, whoever put it there. Returns STATUS_OK or, after a line on
 * stderr, STATUS_FAILED; a kernel that could not write may forget what it was to write, and does not fail again. */
exit_status publication_sync(const char *folder);

/* Whether a folder holds something else than files of a result, or cannot be read. */
bool publication_holds_others(const char *folder);

/* Removes a folder such as .paising.new, if it is there, and the files of a result in it. */
void publication_discard(const char *folder);

#endif
