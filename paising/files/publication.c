/* Files of a result on their way into their folder. */
#include "publication.h"

#include "base/safe_file.h"
#include "base/signals.h"
#include "result_names.h"
#include "run_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHOLE_FOLDER  ".paising.whole"
#define OLDER_FOLDER  ".paising.older"
#define MOVING_FOLDER ".paising.moving"

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

/* --- moving --- */

exit_status path_rename(const char *from, const char *to) {
    if (rename(from, to) == 0)
        return STATUS_OK;
    return complain(STATUS_FAILED, "%s: cannot be renamed to %s: %s", from, to, strerror(errno));
}

/* Removes what is not needed any more; if that fails, the next run does it. */
static void remove_folder(const char *path) {
    if (rmdir(path) != 0)
        warn("%s: cannot be removed: %s", path, strerror(errno));
}

static exit_status move_file(const char *from, const char *to, const char *name) {
    return path_rename(path_in(from, name).text, path_in(to, name).text);
}

/* Moves run.json, if it is there. */
static exit_status move_state(const char *from, const char *to) {
    return path_exists(path_in(from, RUN_STATE_FILE).text) ? move_file(from, to, RUN_STATE_FILE)
                                                           : STATUS_OK;
}

/* What is done with a file of a result; `to` is a folder, if it needs one. */
typedef exit_status file_action(const char *from, const char *to, const char *name);

/* Does it with all that a folder has, as far as nothing fails. */
static exit_status for_each_file(const char *from, const char *to, file_action *act) {
    DIR *const dir = opendir(from);
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", from, strerror(errno));
    exit_status status = STATUS_OK;
    const char *name;
    while (!status && (name = result_name_next(dir)) != NULL)
        status = act(from, to, name);
    if (!status && errno != 0)
        status = complain(STATUS_FAILED, "%s: %s", from, strerror(errno));
    closedir(dir);
    return status;
}

static exit_status move_data_file(const char *from, const char *to, const char *name) {
    return result_name_is_data(name) ? move_file(from, to, name) : STATUS_OK;
}

static exit_status sync_file(const char *from, const char *to, const char *name) {
    (void)to;
    return safe_file_sync_path(path_in(from, name).text);
}

/* Waits until the last step is on the disk. */
static exit_status synchronise(const char *folder, publication_safety safety) {
    return safety == SAFE_FROM_CRASHES ? safe_file_sync_path(folder) : STATUS_OK;
}

/* A result leaves its place with run.json first, and enters it with run.json last. */
static exit_status take_out(const char *folder, const char *to, publication_safety safety) {
    exit_status status = move_state(folder, to);
    if (!status)
        status = synchronise(folder, safety);
    return status ? status : for_each_file(folder, to, move_data_file);
}

static exit_status bring_in(const char *from, const char *folder, publication_safety safety) {
    exit_status status = for_each_file(from, folder, move_data_file);
    if (!status)
        status = synchronise(folder, safety);
    if (!status)
        status = move_state(from, folder);
    if (!status)
        status = synchronise(folder, safety);
    if (!status)
        remove_folder(from);
    return status;
}

/* --- the older result --- */

static bool holds_result(const char *folder) {
    DIR *const dir = opendir(folder);
    const bool holds = dir != NULL && result_name_next(dir) != NULL;
    if (dir != NULL)
        closedir(dir);
    return holds;
}

static exit_status set_older_aside(const char *folder, publication_safety safety) {
    const path_name older = path_in(folder, OLDER_FOLDER);
    if (!holds_result(folder))
        return STATUS_OK;
    if (mkdir(older.text, 0777) != 0 && errno != EEXIST)
        return complain(STATUS_FAILED, "%s: %s", older.text, strerror(errno));
    return take_out(folder, older.text, safety);
}

static exit_status bring_older_back(const char *folder) {
    const path_name older = path_in(folder, OLDER_FOLDER);
    return path_exists(older.text) ? bring_in(older.text, folder, SAFE_FROM_CRASHES) : STATUS_OK;
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

void publication_discard(const char *folder) {
    DIR *const dir = opendir(folder);
    const char *name;
    if (dir == NULL && errno == ENOENT)
        return;
    while (dir != NULL && (name = result_name_next(dir)) != NULL)
        if (unlink(path_in(folder, name).text) != 0)
            break;
    if (dir != NULL)
        closedir(dir);
    remove_folder(folder);
}

/* --- the new result --- */

/* Moves the files of .paising.whole into their places. */
static exit_status put_in_place(const char *folder, publication_safety safety) {
    const path_name whole = path_in(folder, WHOLE_FOLDER);
    const path_name moving = path_in(folder, MOVING_FOLDER);
    exit_status status = set_older_aside(folder, safety);
    if (!status)
        status = path_rename(whole.text, moving.text);
    if (!status)
        status = bring_in(moving.text, folder, safety);
    return status;
}

/* Takes back what put_in_place has done. */
static void take_back(const char *folder) {
    const path_name staged = path_in(folder, STAGED_FOLDER);
    const path_name whole = path_in(folder, WHOLE_FOLDER);
    const path_name moving = path_in(folder, MOVING_FOLDER);
    exit_status status = STATUS_OK;
    const char *where = whole.text;
    if (path_exists(moving.text)) {
        where = moving.text;
        status = take_out(folder, moving.text, SAFE_FROM_CRASHES);
    }
    if (!status)
        status = path_rename(where, staged.text);
    if (status)
        complain(STATUS_FAILED,
                 "%s: the new result is here, and the next run into %s moves it there", where,
                 folder);
    else
        bring_older_back(folder);
}

exit_status publication_finish(const char *folder, publication_safety safety) {
    signals_hold();
    exit_status status =
        path_rename(path_in(folder, STAGED_FOLDER).text, path_in(folder, WHOLE_FOLDER).text);
    if (!status && (synchronise(folder, safety) || put_in_place(folder, safety))) {
        status = STATUS_FAILED;
        take_back(folder);
    }
    if (!status)
        publication_discard(path_in(folder, OLDER_FOLDER).text);
    signals_release();
    return status;
}

exit_status publication_sync(const char *folder) {
    const exit_status status = for_each_file(folder, NULL, sync_file);
    return status ? status : safe_file_sync_path(folder);
}

static exit_status finish_moving(const char *folder) {
    const path_name whole = path_in(folder, WHOLE_FOLDER);
    const path_name moving = path_in(folder, MOVING_FOLDER);
    const path_name older = path_in(folder, OLDER_FOLDER);
    if (path_exists(whole.text))
        return put_in_place(folder, SAFE_FROM_CRASHES);
    if (path_exists(moving.text))
        return bring_in(moving.text, folder, SAFE_FROM_CRASHES);
    /* Without one of these, the new result is in its place, or was taken back from there. */
    return path_exists(path_in(folder, RUN_STATE_FILE).text) || !path_exists(older.text)
               ? STATUS_OK
               : bring_older_back(folder);
}

/* Refuses what has the name of one of the folders and is none: a link would lead into another one. */
static exit_status check_parts(const char *folder) {
    static const char *const parts[] = {STAGED_FOLDER, WHOLE_FOLDER, OLDER_FOLDER, MOVING_FOLDER};
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
        const path_name part = path_in(folder, parts[n]);
        if (path_exists(part.text) && !path_is_folder(part.text))
            return complain(STATUS_REFUSED, "-o %s: %s is not a folder", folder, part.text);
    }
    return STATUS_OK;
}

exit_status publication_recover(const char *folder, bool *finished) {
    if (check_parts(folder))
        return STATUS_REFUSED;
    *finished = path_exists(path_in(folder, WHOLE_FOLDER).text) ||
                path_exists(path_in(folder, MOVING_FOLDER).text);
    signals_hold();
    const exit_status status = finish_moving(folder);
    if (!status)
        publication_discard(path_in(folder, OLDER_FOLDER).text);
    signals_release();
    return status
               ? complain(STATUS_REFUSED,
                          "-o %s: a killed process has left a result on its way, in %s/.paising.*",
                          folder, folder)
               : STATUS_OK;
}
