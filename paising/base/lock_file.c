/* Locks on files. */
#include "lock_file.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whether the open file is the one that has this name. */
static bool has_name(int descriptor, const char *path) {
    struct stat open_one, named;
    return fstat(descriptor, &open_one) == 0 && lstat(path, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* Whether a process of this host that has ended wrote this. */
static bool is_of_ended(const char *holder) {
    long process;
    char host[256], here[256] = "unknown";
    gethostname(here, sizeof here - 1);
    return sscanf(holder, "process %ld on %255s", &process, host) == 2 && strcmp(host, here) == 0 &&
           kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Who holds the file: "process 123 on host". What stands there may be older than the lock, of a process that was
 * killed; the one that has it now is given a moment to write its name. */
static void read_holder(int descriptor, char holder[LOCK_HOLDER_SIZE]) {
    const struct timespec moment = {0, 1000000};
    for (int turn = 0; turn < 100; turn++) {
        const ssize_t length = pread(descriptor, holder, LOCK_HOLDER_SIZE - 1, 0);
        holder[length > 0 ? length : 0] = '\0';
        holder[strcspn(holder, "\n")] = '\0';
        if (holder[0] != '\0' && !is_of_ended(holder))
            return;
        nanosleep(&moment, NULL);
    }
    strcpy(holder, "another process");
}

/* A full disk takes no name; the lock holds without it. */
static void write_holder(int descriptor) {
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    if (ftruncate(descriptor, 0) == 0)
        dprintf(descriptor, "process %ld on %s\n", (long)getpid(), host);
}

/* Opens the file and locks it once. Returns LOCK_FAILED with errno 0 when it lost its name meanwhile. */
static lock_status try_once(int *descriptor, const char *path, char holder[LOCK_HOLDER_SIZE]) {
    *descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (*descriptor < 0)
        return LOCK_FAILED;
    lock_status status = LOCK_TAKEN;
    if (flock(*descriptor, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_UNSUPPORTED;
    if (status == LOCK_HELD)
        read_holder(*descriptor, holder);
    if (status != LOCK_HELD && has_name(*descriptor, path))
        return status;
    close(*descriptor);
    *descriptor = -1;
    errno = 0;
    return status == LOCK_HELD ? LOCK_HELD : LOCK_FAILED;
}

/* As lock_file_take, while signals wait. */
static lock_status take(lock_file *lock, const char *path, char holder[LOCK_HOLDER_SIZE]) {
    *lock = (lock_file){.descriptor = -1};
    lock_status status;
    do
        status = try_once(&lock->descriptor, path, holder);
    while (status == LOCK_FAILED && errno == 0);
    if (status == LOCK_FAILED || status == LOCK_HELD)
        return status;
    write_holder(lock->descriptor);
    lock->file = temporary_file_add(path);
    if (lock->file != NULL)
        return status;
    unlink(path);
    close(lock->descriptor);
    lock->descriptor = -1;
    errno = ENOMEM;
    return LOCK_FAILED;
}

lock_status lock_file_take(lock_file *lock, const char *path, char holder[LOCK_HOLDER_SIZE]) {
    signals_hold();
    const lock_status status = take(lock, path, holder);
    const int error = errno;
    signals_release();
    errno = error;
    return status;
}

bool lock_file_stands(const lock_file *lock) {
    return lock->descriptor >= 0 && has_name(lock->descriptor, lock->file->name);
}

void lock_file_release(lock_file *lock) {
    if (lock->descriptor < 0)
        return;
    if (lock_file_stands(lock) && unlink(lock->file->name) != 0)
        warn("%s: cannot be removed: %s", lock->file->name, strerror(errno));
    temporary_file_remove(lock->file);
    close(lock->descriptor);
    lock->descriptor = -1;
}
