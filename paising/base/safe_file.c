/* Files that are either complete or absent (safe_file.h). */
#include "safe_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Aborts the file and reports `error`. */
static exit_status fail(safe_file *file, int error) {
    complain(STATUS_FAILED, "%s: %s", file->path, strerror(error));
    safe_file_abort(file);
    return STATUS_FAILED;
}

/* The part of a path behind the last slash. */
static const char *last_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Creates a new file and its entry, with signals held in between. Returns its descriptor; or -1
 * with errno set. */
static int make_temporary(safe_file *file, const char *name) {
    signals_hold();
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = errno;
    file->temporary = descriptor >= 0 ? temporary_file_add(name) : NULL;
    if (descriptor >= 0 && file->temporary == NULL) {
        error = ENOMEM;
        unlink(name);
        close(descriptor);
        descriptor = -1;
    }
    signals_release();
    errno = error;
    return descriptor;
}

/* The same with the name ".name.pid.tmp" beside the final one, or with the next free number for
 * pid. */
static int open_temporary(safe_file *file) {
    const char *const path = file->path, *const name = last_name(path);
    int descriptor = -1;
    errno = EEXIST;
    for (long number = getpid(); descriptor < 0 && errno == EEXIST; number++) {
        char *temporary;
        if (asprintf(&temporary, "%.*s.%s.%ld.tmp", (int)(name - path), path, name, number) < 0) {
            errno = ENOMEM;
            return -1;
        }
        descriptor = make_temporary(file, temporary);
        const int error = errno;
        free(temporary);
        errno = error;
    }
    return descriptor;
}

exit_status safe_file_open(safe_file *file, const char *path) {
    *file = (safe_file){.path = strdup(path)};
    if (file->path == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    const int descriptor = open_temporary(file);
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
        error = EIO; /* the reason is lost */
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
    file->temporary = NULL; /* the name no longer exists */
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
    /* Some file systems do not support fsync of a folder, and return EINVAL. */
    const int error = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
    close(descriptor);
    return error != 0 ? complain(STATUS_FAILED, "%s: %s", path, strerror(error)) : STATUS_OK;
}

char *safe_file_folder(const char *path) {
    const char *const name = last_name(path);
    return name == path ? strdup(".") : strndup(path, (size_t)(name - path));
}

/* Whether an entry of a folder is a temporary name of a file: ".name.pid.tmp". */
static bool is_temporary_of(const char *entry, const char *name) {
    const size_t length = strlen(name);
    if (entry[0] != '.' || strncmp(entry + 1, name, length) != 0 || entry[1 + length] != '.')
        return false;
    const char *const pid = entry + length + 2;
    const size_t digits = strspn(pid, "0123456789");
    return digits > 0 && strcmp(pid + digits, ".tmp") == 0;
}

/* Whether an entry of a folder is a regular file without another name, and equal to start[size] as
 * far as it goes. */
static bool begins_with(int folder, const char *entry, const char *start, size_t size) {
    struct stat s;
    char found[32];
    const int descriptor = openat(folder, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const ssize_t length = fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink <= 1
                               ? read(descriptor, found, size < sizeof found ? size : sizeof found)
                               : -1;
    close(descriptor);
    return length >= 0 && memcmp(found, start, (size_t)length) == 0;
}

bool safe_file_remove_stale(const char *path, const char *start, size_t size,
                            char foreign[NAME_MAX + 1]) {
    char *const folder = safe_file_folder(path);
    DIR *const dir = folder == NULL ? NULL : opendir(folder);
    free(folder);
    foreign[0] = '\0';
    if (dir == NULL)
        return true;
    const struct dirent *entry;
    while (foreign[0] == '\0' && (entry = readdir(dir)) != NULL) {
        if (!is_temporary_of(entry->d_name, last_name(path)))
            continue;
        if (begins_with(dirfd(dir), entry->d_name, start, size))
            unlinkat(dirfd(dir), entry->d_name, 0);
        else
            snprintf(foreign, NAME_MAX + 1, "%s", entry->d_name);
    }
    closedir(dir);
    return foreign[0] == '\0';
}
