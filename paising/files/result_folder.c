/* The folder that takes the result of a run. */
#include "result_folder.h"

#include "run_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the files of a result --- */

/* Whether a name is `prefix` K `suffix` with a whole number K. */
static bool is_numbered(const char *name, const char *prefix, const char *suffix) {
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    const size_t digits = strspn(name + length, "0123456789");
    return digits > 0 && strcmp(name + length + digits, suffix) == 0;
}

static bool is_result_name(const char *name) {
    return strcmp(name, RUN_STATE_FILE) == 0 || strcmp(name, "PA_results_weighted.dat") == 0 ||
           is_numbered(name, "PA_results_run_", ".dat") ||
           is_numbered(name, "PA_MHR_results_run_", ".dat");
}

/* The name of the next file of a result, NULL after the last. A device under such a
 * name is a place to write to, not a result. */
static const char *next_result_file(DIR *dir) {
    for (;;) {
        const struct dirent *const entry = readdir(dir);
        if (entry == NULL)
            return NULL;
        if (is_result_name(entry->d_name) && !safe_file_is_device(dirfd(dir), entry->d_name))
            return entry->d_name;
    }
}

/* Whether the result in the folder is that of a run that was interrupted, or killed before it wrote
 * run.json, the last file. */
static bool is_incomplete(DIR *dir) {
    const int descriptor = openat(dirfd(dir), RUN_STATE_FILE, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT;
    FILE *const file = fdopen(descriptor, "r");
    if (file == NULL) {
        close(descriptor);
        return false;
    }
    const bool interrupted = run_state_interrupted(file);
    fclose(file);
    return interrupted;
}

/* Refuses, with the status, a folder that cannot be read or, without --force, one that holds a
 * result. */
static exit_status check_for_result(const result_folder *folder, exit_status status) {
    DIR *const dir = opendir(folder->path);
    if (dir == NULL)
        return complain(status, "-o %s: the folder cannot be read: %s", folder->path,
                        strerror(errno));
    const bool replace = folder->force || (folder->replace_incomplete && is_incomplete(dir));
    const char *const name = replace ? NULL : next_result_file(dir);
    if (name != NULL)
        complain(status,
                 "-o %s: the folder holds a result already (%s); allowed are another folder, or "
                 "--force to replace it",
                 folder->path, name);
    closedir(dir);
    return name == NULL ? STATUS_OK : status;
}

/* --- the older result --- */

/* Moves a file of the older result to a hidden name beside it. */
static exit_status set_aside(result_folder *folder, const char *name) {
    older_file *const grown = realloc(folder->older, (folder->olders + 1) * sizeof *grown);
    if (grown == NULL)
        return complain(STATUS_FAILED, "%s/%s: %s", folder->path, name, strerror(ENOMEM));
    folder->older = grown;
    older_file *const file = &grown[folder->olders];
    if (asprintf(&file->path, "%s/%s", folder->path, name) < 0)
        return complain(STATUS_FAILED, "%s/%s: %s", folder->path, name, strerror(ENOMEM));
    if (asprintf(&file->aside, "%s/.%s.%ld.old", folder->path, name, (long)getpid()) < 0) {
        free(file->path);
        return complain(STATUS_FAILED, "%s/%s: %s", folder->path, name, strerror(ENOMEM));
    }
    folder->olders++;
    if (rename(file->path, file->aside) == 0)
        return STATUS_OK;
    complain(STATUS_FAILED, "%s: the older result cannot be replaced: %s", file->path,
             strerror(errno));
    free(file->path);
    free(file->aside);
    folder->olders--;
    return STATUS_FAILED;
}

static exit_status set_older_result_aside(result_folder *folder) {
    DIR *const dir = opendir(folder->path);
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder->path, strerror(errno));
    exit_status status = STATUS_OK;
    const char *name;
    while (status == STATUS_OK && (name = next_result_file(dir)) != NULL)
        status = set_aside(folder, name);
    closedir(dir);
    return status;
}

static void bring_older_result_back(result_folder *folder) {
    for (size_t i = 0; i < folder->olders; i++)
        if (rename(folder->older[i].aside, folder->older[i].path) != 0)
            complain(STATUS_FAILED, "%s: the older result is now in %s: %s", folder->older[i].path,
                     folder->older[i].aside, strerror(errno));
}

static exit_status remove_older_result(result_folder *folder) {
    exit_status status = STATUS_OK;
    for (size_t i = 0; i < folder->olders; i++)
        if (unlink(folder->older[i].aside) != 0)
            status = complain(STATUS_FAILED, "%s: the older result cannot be removed: %s",
                              folder->older[i].aside, strerror(errno));
    return status;
}

static void forget_older_result(result_folder *folder) {
    for (size_t i = 0; i < folder->olders; i++) {
        free(folder->older[i].path);
        free(folder->older[i].aside);
    }
    free(folder->older);
    folder->older = NULL;
    folder->olders = 0;
}

/* Whether a name is ".NAME.PID.tmp" or ".NAME.PID.old" of a file of a result. */
static bool is_left_behind(const char *entry) {
    char name[NAME_MAX + 1];
    const size_t length = strlen(entry);
    if (entry[0] != '.' || length < 6 || length > NAME_MAX ||
        (strcmp(entry + length - 4, ".tmp") != 0 && strcmp(entry + length - 4, ".old") != 0))
        return false;
    memcpy(name, entry + 1, length - 5);
    name[length - 5] = '\0';
    char *const pid = strrchr(name, '.');
    if (pid == NULL || pid[1] == '\0' || pid[1 + strspn(pid + 1, "0123456789")] != '\0')
        return false;
    *pid = '\0';
    return is_result_name(name);
}

/* Removes what killed processes have left; the process itself has nothing of the kind any more. */
static void remove_left_behind(const result_folder *folder) {
    if (folder->lock < 0 || flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
        return;
    DIR *const dir = opendir(folder->path);
    if (dir == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        if (is_left_behind(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

/* --- the folder --- */

/* Locks the folder as in use, where file systems can do that. Returns the descriptor or -1. */
static int lock_folder(const char *path) {
    const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* The name that the published program gives its folder; NULL without memory. */
static char *default_path(const parameters *p) {
    char dbeta[40] = "";
    if (p->overlap == 0)
        snprintf(dbeta, sizeof dbeta, "_dB%f", p->dbeta);
    char *path;
    return asprintf(&path, "data%s_L%" PRIu32 "_R%" PRIu64 "_EqSw%" PRIu32 "%s",
                    p->coding == CODING_SSC ? "SSC" : "MSC", p->size, p->population, p->sweeps,
                    dbeta) < 0
               ? NULL
               : path;
}

/* Says that the folder cannot be used because of `error`. A full disk is not the user's choice. */
static exit_status refuse_folder(const result_folder *folder, int error) {
    return complain(error == ENOSPC || error == EDQUOT ? STATUS_FAILED : STATUS_REFUSED,
                    "-o %s: %s; allowed is a folder to write to, which is made if the folder above "
                    "it is there",
                    folder->path, strerror(error));
}

/* Makes the folder unless it is there. */
static exit_status make_folder(result_folder *folder) {
    if (mkdir(folder->path, 0777) == 0) {
        folder->created = true;
        return STATUS_OK;
    }
    const int error = errno;
    struct stat s;
    if (error == EEXIST && stat(folder->path, &s) == 0)
        return S_ISDIR(s.st_mode) ? STATUS_OK : refuse_folder(folder, ENOTDIR);
    return refuse_folder(folder, error);
}

static exit_status check_writable(const result_folder *folder) {
    char *left;
    const int error = safe_file_try_folder(folder->path, &left);
    if (left != NULL) {
        complain(STATUS_REFUSED, "-o %s: files cannot be removed from it: %s: %s", folder->path,
                 left, strerror(error));
        free(left);
        return STATUS_REFUSED;
    }
    return error != 0 ? refuse_folder(folder, error) : STATUS_OK;
}

exit_status result_folder_open(result_folder *folder, const parameters *p) {
    *folder = (result_folder){.path = p->output != NULL ? strdup(p->output) : default_path(p),
                              .force = p->force,
                              .replace_incomplete = p->resume != NULL,
                              .lock = -1};
    if (folder->path == NULL)
        return complain(STATUS_FAILED, "-o: %s", strerror(ENOMEM));
    exit_status status = make_folder(folder);
    if (status == STATUS_OK)
        status = check_for_result(folder, STATUS_REFUSED);
    if (status == STATUS_OK)
        status = check_writable(folder);
    if (status == STATUS_OK)
        folder->lock = lock_folder(folder->path);
    if (status != STATUS_OK)
        result_folder_close(folder);
    return status;
}

/* Ends the file that is being written, if there is one. */
static exit_status end_last_file(result_folder *folder) {
    if (folder->files == 0 || folder->entry[folder->files - 1].file.stream == NULL)
        return STATUS_OK;
    return safe_file_close(&folder->entry[folder->files - 1].file);
}

/* Makes room for one more file. */
static exit_status grow(result_folder *folder) {
    if (folder->files < folder->room)
        return STATUS_OK;
    const size_t room = folder->room == 0 ? 8 : 2 * folder->room;
    result_entry *const grown = realloc(folder->entry, room * sizeof *grown);
    if (grown == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder->path, strerror(ENOMEM));
    folder->entry = grown;
    folder->room = room;
    return STATUS_OK;
}

FILE *result_folder_begin(result_folder *folder, const char *name) {
    if (end_last_file(folder) != STATUS_OK || grow(folder) != STATUS_OK)
        return NULL;
    result_entry *const entry = &folder->entry[folder->files];
    if (asprintf(&entry->path, "%s/%s", folder->path, name) < 0) {
        complain(STATUS_FAILED, "%s/%s: %s", folder->path, name, strerror(ENOMEM));
        return NULL;
    }
    if (safe_file_open(&entry->file, entry->path) != STATUS_OK) {
        free(entry->path);
        return NULL;
    }
    folder->files++;
    return entry->file.stream;
}

/* Sees to it that every file is on the disk before any gets its final name. */
static exit_status sync_files(result_folder *folder) {
    for (size_t i = 0; i < folder->files; i++)
        if (safe_file_sync(&folder->entry[i].file) != STATUS_OK)
            return STATUS_FAILED;
    return STATUS_OK;
}

/* Gives the files their final names, and counts them. */
static exit_status publish_files(result_folder *folder, size_t *published) {
    for (*published = 0; *published < folder->files; ++*published)
        if (safe_file_publish(&folder->entry[*published].file) != STATUS_OK)
            return STATUS_FAILED;
    return safe_file_sync_folder(folder->path);
}

/* Removes the first files again; what was written to a device is gone. */
static void withdraw_files(const result_folder *folder, size_t published) {
    for (size_t i = 0; i < published; i++)
        if (!safe_file_is_device(AT_FDCWD, folder->entry[i].path))
            unlink(folder->entry[i].path);
}

exit_status result_folder_publish(result_folder *folder) {
    /* Another process may have put its result here in the meantime. */
    if (end_last_file(folder) != STATUS_OK || sync_files(folder) != STATUS_OK ||
        check_for_result(folder, STATUS_FAILED) != STATUS_OK)
        return STATUS_FAILED;
    size_t published = 0;
    if (set_older_result_aside(folder) == STATUS_OK &&
        publish_files(folder, &published) == STATUS_OK) {
        const exit_status status = remove_older_result(folder);
        if (status == STATUS_OK)
            remove_left_behind(folder);
        return status;
    }
    withdraw_files(folder, published);
    bring_older_result_back(folder);
    return STATUS_FAILED;
}

void result_folder_close(result_folder *folder) {
    for (size_t i = 0; i < folder->files; i++) {
        safe_file_abort(&folder->entry[i].file);
        free(folder->entry[i].path);
    }
    if (folder->created)
        rmdir(folder->path); /* fails if there is something in it, as it should */
    forget_older_result(folder);
    if (folder->lock >= 0)
        close(folder->lock);
    free(folder->entry);
    free(folder->path);
    *folder = (result_folder){.lock = -1};
}
