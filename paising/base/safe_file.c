/* Files that are either complete or not there. */
#include "safe_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives the file up because of `error` and says so. */
static exit_status fail(safe_file *file, int error) {
    complain(STATUS_FAILED, "%s: %s", file->path, strerror(error));
    safe_file_abort(file);
    return STATUS_FAILED;
}

/* What stands behind the last slash of a path. */
static const char *last_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ".name.pid.tmp" beside the final name; NULL without memory. */
static temporary_file *name_temporary(const char *path) {
    const char *const name = last_name(path);
    char *temporary;
    if (asprintf(&temporary, "%.*s.%s.%ld.tmp", (int)(name - path), path, name, (long)getpid()) < 0)
        return NULL;
    temporary_file *const file = temporary_file_add(temporary);
    free(temporary);
    return file;
}

exit_status safe_file_open(safe_file *file, const char *path) {
    *file = (safe_file){.path = strdup(path)};
    if (file->path == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    file->temporary = name_temporary(path);
    if (file->temporary == NULL)
        return fail(file, ENOMEM);
    unlink(file->temporary->name); /* only a process that is gone can have left one of this name */
    const int descriptor =
        open(file->temporary->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return fail(file, errno);
    file->stream = fdopen(descriptor, "w");
    if (file->stream == NULL) {
        const int error = errno;
        close(descriptor);
        return fail(file, error);
    }
    return STATUS_OK;
}

exit_status safe_file_close(safe_file *file) {
    const bool failed_before = ferror(file->stream) != 0;
    int error = 0;
    if (fflush(file->stream) != 0)
        error = errno;
    else if (failed_before)
        error = EIO; /* why is not known any more */
    if (fclose(file->stream) != 0 && error == 0)
        error = errno;
    file->stream = NULL;
    return error != 0 ? fail(file, error) : STATUS_OK;
}

exit_status safe_file_sync(safe_file *file) {
    if (file->stream != NULL && fflush(file->stream) != 0)
        return fail(file, errno);
    const int descriptor = open(file->temporary->name, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail(file, errno);
    int error = fsync(descriptor) != 0 ? errno : 0;
    if (close(descriptor) != 0 && error == 0)
        error = errno;
    return error != 0 ? fail(file, error) : STATUS_OK;
}

exit_status safe_file_publish(safe_file *file) {
    if (rename(file->temporary->name, file->path) != 0)
        return fail(file, errno);
    temporary_file_remove(file->temporary);
    file->temporary = NULL; /* there is none any more to remove */
    safe_file_abort(file);
    return STATUS_OK;
}

void safe_file_abort(safe_file *file) {
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL) {
        unlink(file->temporary->name);
        temporary_file_remove(file->temporary);
    }
    free(file->path);
    *file = (safe_file){.stream = NULL};
}

exit_status safe_file_sync_path(const char *path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    /* Some file systems cannot, and say that the call is invalid. */
    const int error = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
    close(descriptor);
    return error != 0 ? complain(STATUS_FAILED, "%s: %s", path, strerror(error)) : STATUS_OK;
}

char *safe_file_folder(const char *path) {
    const char *const name = last_name(path);
    return name == path ? strdup(".") : strndup(path, (size_t)(name - path));
}

/* Whether an entry of a folder is the temporary of a file: ".name.pid.tmp". */
static bool is_temporary_of(const char *entry, const char *name) {
    const size_t length = strlen(name);
    if (entry[0] != '.' || strncmp(entry + 1, name, length) != 0 || entry[1 + length] != '.')
        return false;
    const char *const pid = entry + length + 2;
    const size_t digits = strspn(pid, "0123456789");
    return digits > 0 && strcmp(pid + digits, ".tmp") == 0;
}

void safe_file_remove_stale(const char *path) {
    char *const folder = safe_file_folder(path);
    DIR *const dir = folder == NULL ? NULL : opendir(folder);
    free(folder);
    if (dir == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        if (is_temporary_of(entry->d_name, last_name(path)))
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}
