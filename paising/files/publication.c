/* Files of a result on their way into their folder. */
#include "publication.h"

#include "base/safe_file.h"
#include "base/signals.h"
#include "result_names.h"
#include "run_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- paths --- */

path_name path_in(const char *folder, const char *name) {
    path_name path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

bool path_exists(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0;
}

bool path_is_folder(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* --- steps: each does one thing with a file of a result --- */

static exit_status move_path(const char *from, const char *to) {
    if (rename(from, to) == 0)
        return STATUS_OK;
    return complain(STATUS_FAILED, "%s: cannot be renamed to %s: %s", from, to, strerror(errno));
}

static exit_status move_file(const char *from, const char *to, const char *name) {
    return move_path(path_in(from, name).text, path_in(to, name).text);
}

/* All but run.json. */
static exit_status move_data_file(const char *from, const char *to, const char *name) {
    return strcmp(name, RUN_STATE_FILE) != 0 ? move_file(from, to, name) : STATUS_OK;
}

static exit_status sync_file(const char *from, const char *to, const char *name) {
    (void)to;
    return safe_file_sync_path(path_in(from, name).text);
}

/* One that is not there is no failure. */
static exit_status remove_file(const char *from, const char *to, const char *name) {
    (void)to;
    const path_name path = path_in(from, name);
    if (unlink(path.text) == 0 || errno == ENOENT)
        return STATUS_OK;
    return complain(STATUS_FAILED, "%s: cannot be removed: %s", path.text, strerror(errno));
}

/* Does it with all that a folder has, as far as nothing fails; `to` is another folder, if it needs one. */
static exit_status for_each_file(const char *from, const char *to,
                                 exit_status step(const char *from, const char *to,
                                                  const char *name)) {
    DIR *const dir = opendir(from);
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", from, strerror(errno));
    exit_status status = STATUS_OK;
    const char *name;
    while (!status && (name = result_name_next(dir)) != NULL)
        status = step(from, to, name);
    if (!status && errno != 0)
        status = complain(STATUS_FAILED, "%s: %s", from, strerror(errno));
    closedir(dir);
    return status;
}

/* Waits until the steps so far are on the disk. */
static exit_status sync_folder(const char *folder, publication_safety safety) {
    return safety == SAFE_FROM_CRASHES ? safe_file_sync_path(folder) : STATUS_OK;
}

/* --- what stands in a folder --- */

static bool holds_result(const char *folder) {
    DIR *const dir = opendir(folder);
    const bool holds = dir == NULL || result_name_next(dir) != NULL || errno != 0;
    if (dir != NULL)
        closedir(dir);
    return holds;
}

bool publication_holds_others(const char *folder) {
    DIR *const dir = opendir(folder);
    const struct dirent *entry;
    struct stat s;
    bool others = dir == NULL;
    while (!others && (errno = 0, entry = readdir(dir)) != NULL)
        others = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 !(result_name_is(entry->d_name) &&
                   fstatat(dirfd(dir), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
                   S_ISREG(s.st_mode));
    others = others || errno != 0;
    if (dir != NULL)
        closedir(dir);
    return others;
}

exit_status publication_sync(const char *folder) {
    const exit_status status = for_each_file(folder, NULL, sync_file);
    return status ? status : safe_file_sync_path(folder);
}

/* Removes what is not needed any more; if that fails, the next run does it. */
static void remove_folder(const char *folder) {
    if (rmdir(folder) != 0)
        warn("%s: cannot be removed: %s", folder, strerror(errno));
}

/* run.json goes first: nobody goes on with a rest that has none. */
void publication_discard(const char *folder) {
    if (path_exists(folder) && !remove_file(folder, NULL, RUN_STATE_FILE) &&
        !for_each_file(folder, NULL, remove_file))
        remove_folder(folder);
}

/* --- a result that is there --- */

publication_stage publication_reached(const result_survey *staged, const result_survey *placed) {
    if (!staged->ended || staged->promised == 0 || staged->whole < staged->files)
        return STAGED_IN_PART;
    if (staged->files >= staged->promised)
        return STAGED_WHOLE;
    return !placed->stated && staged->files + placed->files >= staged->promised ? STAGED_BEGUN
                                                                                : STAGED_IN_PART;
}

static exit_status remove_older(const char *folder, publication_safety safety) {
    if (!holds_result(folder))
        return STATUS_OK;
    exit_status status = remove_file(folder, NULL, RUN_STATE_FILE);
    if (!status)
        status = sync_folder(folder, safety);
    if (!status)
        status = for_each_file(folder, NULL, remove_file);
    return status ? status : sync_folder(folder, safety);
}

static exit_status move_in(const char *staged, const char *folder, publication_safety safety) {
    exit_status status = for_each_file(staged, folder, move_data_file);
    if (!status)
        status = sync_folder(folder, safety);
    if (!status)
        status = move_file(staged, folder, RUN_STATE_FILE);
    if (!status)
        remove_folder(staged);
    return status ? status : sync_folder(folder, safety);
}

exit_status publication_finish(const char *folder, publication_stage reached,
                               publication_safety safety) {
    const path_name staged = path_in(folder, STAGED_FOLDER);
    exit_status status = STATUS_OK;
    signals_hold();
    if (reached == STAGED_WHOLE)
        status = remove_older(folder, safety);
    if (!status)
        status = move_in(staged.text, folder, safety);
    signals_release();
    if (status && path_exists(path_in(folder, STAGED_FOLDER "/" RUN_STATE_FILE).text))
        warn("%s: the new result is here, and the next run into %s moves it there", staged.text,
             folder);
    return status;
}

/* --- a part that is not there --- */

path_name publication_staged_part(const char *folder) {
    const char *const slash = strrchr(folder, '/');
    const int above = slash != NULL ? (int)(slash - folder) + 1 : 0;
    path_name staged;
    snprintf(staged.text, sizeof staged.text, "%.*s" STAGED_PART "%s", above, folder,
             folder + above);
    return staged;
}

exit_status publication_finish_part(const char *folder) {
    return move_path(publication_staged_part(folder).text, folder);
}
