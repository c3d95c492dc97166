/* The folder that takes the result of a run. */
#include "result_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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
    return strcmp(name, "run.json") == 0 || strcmp(name, "PA_results_weighted.dat") == 0 ||
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

/* Whether the result in the folder is that of an interrupted run, as run_json.c writes it. */
static bool holds_interrupted(DIR *dir) {
    char line[256];
    bool interrupted = false;
    const int descriptor = openat(dirfd(dir), "run.json", O_RDONLY | O_CLOEXEC);
    FILE *const file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    while (file != NULL && !interrupted && fgets(line, sizeof line, file) != NULL)
        interrupted = strcmp(line, "  \"interrupted\": true,\n") == 0;
    if (file != NULL)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    return interrupted;
}

/* Refuses, with the status, a folder that cannot be read or, without --force, one that holds a
 * result. */
static exit_status check_for_result(const result_folder *folder, exit_status status) {
    DIR *const dir = opendir(folder->path);
    if (dir == NULL)
        return complain(status, "-o %s: the folder cannot be read: %s", folder->path,
                        strerror(errno));
    const bool replace = folder->force || (folder->replace_interrupted && holds_interrupted(dir));
    const char *const name = replace ? NULL : next_result_file(dir);
    if (name != NULL)
        complain(status,
                 "-o %s: the folder holds a result already (%s); allowed are another folder, or "
                 "--force to replace it",
                 folder->path, name);
    closedir(dir);
    return name == NULL ? STATUS_OK : status;
}

static exit_status remove_older_result(const result_folder *folder) {
    DIR *const dir = opendir(folder->path);
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder->path, strerror(errno));
    exit_status status = STATUS_OK;
    const char *name;
    while (status == STATUS_OK && (name = next_result_file(dir)) != NULL) {
        if (unlinkat(dirfd(dir), name, 0) != 0)
            status = complain(STATUS_FAILED, "%s/%s: the older result cannot be removed: %s",
                              folder->path, name, strerror(errno));
    }
    closedir(dir);
    return status;
}

/* --- the folder --- */

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
    const int error = safe_file_try_folder(folder->path);
    return error != 0 ? refuse_folder(folder, error) : STATUS_OK;
}

exit_status result_folder_open(result_folder *folder, const parameters *p) {
    *folder = (result_folder){.path = p->output != NULL ? strdup(p->output) : default_path(p),
                              .force = p->force,
                              .replace_interrupted = p->resume != NULL};
    if (folder->path == NULL)
        return complain(STATUS_FAILED, "-o: %s", strerror(ENOMEM));
    exit_status status = make_folder(folder);
    if (status == STATUS_OK)
        status = check_for_result(folder, STATUS_REFUSED);
    if (status == STATUS_OK)
        status = check_writable(folder);
    if (status != STATUS_OK)
        result_folder_close(folder);
    return status;
}

/* Ends the file that is being written, if there is one. */
static exit_status end_last_file(result_folder *folder) {
    if (folder->files == 0 || folder->file[folder->files - 1].stream == NULL)
        return STATUS_OK;
    return safe_file_close(&folder->file[folder->files - 1]);
}

/* Makes room for one more file. */
static exit_status grow(result_folder *folder) {
    if (folder->files < folder->room)
        return STATUS_OK;
    const size_t room = folder->room == 0 ? 8 : 2 * folder->room;
    safe_file *const grown = realloc(folder->file, room * sizeof *grown);
    if (grown == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder->path, strerror(ENOMEM));
    folder->file = grown;
    folder->room = room;
    return STATUS_OK;
}

FILE *result_folder_begin(result_folder *folder, const char *name) {
    if (end_last_file(folder) != STATUS_OK || grow(folder) != STATUS_OK)
        return NULL;
    char *path;
    if (asprintf(&path, "%s/%s", folder->path, name) < 0) {
        complain(STATUS_FAILED, "%s/%s: %s", folder->path, name, strerror(ENOMEM));
        return NULL;
    }
    safe_file *const file = &folder->file[folder->files];
    const exit_status status = safe_file_open(file, path);
    free(path);
    if (status != STATUS_OK)
        return NULL;
    folder->files++;
    return file->stream;
}

/* Sees to it that every file is on the disk before any gets its final name. */
static exit_status sync_files(result_folder *folder) {
    for (size_t i = 0; i < folder->files; i++)
        if (safe_file_sync(&folder->file[i]) != STATUS_OK)
            return STATUS_FAILED;
    return STATUS_OK;
}

exit_status result_folder_publish(result_folder *folder) {
    /* Another process may have put its result here in the meantime. */
    if (end_last_file(folder) != STATUS_OK || sync_files(folder) != STATUS_OK ||
        check_for_result(folder, STATUS_FAILED) != STATUS_OK ||
        remove_older_result(folder) != STATUS_OK)
        return STATUS_FAILED;
    for (size_t i = 0; i < folder->files; i++)
        if (safe_file_publish(&folder->file[i]) != STATUS_OK)
            return STATUS_FAILED;
    return safe_file_sync_folder(folder->path);
}

void result_folder_close(result_folder *folder) {
    for (size_t i = 0; i < folder->files; i++)
        safe_file_abort(&folder->file[i]);
    if (folder->created)
        rmdir(folder->path); /* fails if there is something in it, as it should */
    free(folder->file);
    free(folder->path);
    *folder = (result_folder){.path = NULL};
}
