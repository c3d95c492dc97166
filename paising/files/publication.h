/* How the files of a result get into their folder: together, in steps of which each is a rename, so that
 * a process that is killed at any moment leaves what the next one can finish or take back.
 *
 *     .paising.new      new files, while they are written
 *     .paising.whole    the same when all are whole, and on the disk if they are to be safe from crashes: from here
 *                       on the result stands
 *     .paising.older    takes the files of the older result, run.json first
 *     .paising.moving   .paising.whole, when they are out of the way: its files get their final names,
 *                       run.json last, and the older ones are removed
 *
 * A folder with a run.json is therefore one whose files are all of that result; but for a crash of the machine, where
 * nobody has waited for the disk. To be used by the one process that owns the folder (lock_file.h), whose path leaves
 * room for names in it. */
#ifndef PAISING_PUBLICATION_H
#define PAISING_PUBLICATION_H

#include "base/message.h"

#include <limits.h>
#include <stdbool.h>

#define STAGED_FOLDER ".paising.new"

typedef struct {
    char text[PATH_MAX];
} path_name;

/* folder/name. */
path_name path_in(const char *folder, const char *name);

/* Whether there is a file or folder of this name, or a link; whether that is a folder, and no link to one. */
bool path_exists(const char *path);
bool path_is_folder(const char *path);

/* As rename. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status path_rename(const char *from, const char *to);

/* Against what a result is safe while it gets into its place: the end of the process, or a crash of the machine, too.
 * The second waits for the disk at each step; without it, a crash may leave files that are not whole, or not all of
 * them, until publication_sync has waited. */
typedef enum { SAFE_FROM_KILLS, SAFE_FROM_CRASHES } publication_safety;

/* Moves the whole files of .paising.new, which are as safe, into their places in the folder, in place of the older
 * result. Returns STATUS_OK or, after a line on stderr, STATUS_FAILED; the older result is then
 * back in its place, and the new one is still in .paising.new: or, if even that failed, in the folder
 * that another line names, from where the next process takes it. */
exit_status publication_finish(const char *folder, publication_safety safety);

/* Waits until a result that is in its place is on the disk, whoever put it there. Returns STATUS_OK or, after a line on
 * stderr, STATUS_FAILED; a kernel that could not write may forget what it was to write, and does not fail again. */
exit_status publication_sync(const char *folder);

/* Ends what a killed process has begun: moves a result that stands into its place, takes an older one
 * back that was in the way of none. .paising.new stays as it is. *finished becomes true when there was a
 * result to move. Returns STATUS_OK or, after a line on stderr that names the folder, STATUS_REFUSED; so
 * too, with nothing touched, if one of the names above is not that of a folder. */
exit_status publication_recover(const char *folder, bool *finished);

/* Whether a folder holds something else than files of a result, or cannot be read. */
bool publication_holds_others(const char *folder);

/* Removes a folder such as .paising.new, if it is there, and the files of a result in it. */
void publication_discard(const char *folder);

#endif
