/* Files that are either complete or not there. */
#include "safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gives the file up because of `error` and says so. */
static exit_status fail(safe_file *file, int error) {
    complain(STATUS_FAILED, "%s: %s", file->path, strerror(error));
    safe_file_abort(file);
    return STATUS_FAILED;
}

bool safe_file_is_device(int folder, const char *name) {
    struct stat s;
    return fstatat(folder, name, &s, 0) == 0 &&
           (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode) || S_ISFIFO(s.st_mode));
}

/* ".name.pid.tmp" beside the final name; NULL without memory. */
static char *temporary_name(const char *path) {
    const char *const slash = strrchr(path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash + 1 - path);
    char *name;
    return asprintf(&name, "%.*s.%s.%ld.tmp", folder, path, path + folder, (long)getpid()) < 0
               ? NULL
               : name;
}

exit_status safe_file_open(safe_file *file, const char *path) {
    *file = (safe_file){.path = strdup(path)};
    if (file->path == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    int descriptor;
    if (safe_file_is_device(AT_FDCWD, path)) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        file->temporary = temporary_name(path);
        if (file->temporary == NULL)
            return fail(file, ENOMEM);
        /* Only a process that is gone can have left one of this name. */
        unlink(file->temporary);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
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
    if (file->temporary == NULL)
        return STATUS_OK;
    const int descriptor = open(file->temporary, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail(file, errno);
    int error = fsync(descriptor) != 0 ? errno : 0;
    if (close(descriptor) != 0 && error == 0)
        error = errno;
    return error != 0 ? fail(file, error) : STATUS_OK;
}

exit_status safe_file_publish(safe_file *file) {
    if (file->temporary != NULL && rename(file->temporary, file->path) != 0)
        return fail(file, errno);
    free(file->temporary);
    file->temporary = NULL; /* there is none any more to remove */
    safe_file_abort(file);
    return STATUS_OK;
}

void safe_file_abort(safe_file *file) {
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (safe_file){.stream = NULL};
}

exit_status safe_file_sync_folder(const char *folder) {
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return complain(STATUS_FAILED, "%s: %s", folder, strerror(errno));
    /* Some file systems cannot, and say that the call is invalid. */
    const int error = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
    close(descriptor);
    return error != 0 ? complain(STATUS_FAILED, "%s: %s", folder, strerror(error)) : STATUS_OK;
}
