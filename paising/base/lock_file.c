/* Locks on files (lock_file.h). */
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

/* Whether `path` still names the open file. */
static bool has_name(int descriptor, const char *path) {
    struct stat open_one, named;
    return fstat(descriptor, &open_one) == 0 && lstat(path, &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* The process that holds a lock, as the line in the file names it. */
typedef struct {
    long process;
    char host[256];
} lock_holder;

static void print_holder(char text[LOCK_HOLDER_SIZE], const lock_holder *holder) {
    snprintf(text, LOCK_HOLDER_SIZE, "process %ld on %s\n", holder->process, holder->host);
}

static lock_holder this_process(void) {
    lock_holder holder = {.process = (long)getpid()};
    gethostname(holder.host, sizeof holder.host - 1);
    if (holder.host[0] == '\0')
        strcpy(holder.host, "unknown");
    return holder;
}

/* Reads the line. Returns whether the file contains it and nothing else. */
static bool read_line(int descriptor, char text[LOCK_HOLDER_SIZE], lock_holder *holder) {
    char expected[LOCK_HOLDER_SIZE];
    const ssize_t length = pread(descriptor, text, LOCK_HOLDER_SIZE - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "process %ld on %255[^\n]", &holder->process, holder->host) != 2)
        return false;
    print_holder(expected, holder);
    return strcmp(text, expected) == 0 && (size_t)length == strlen(expected);
}

/* Whether the open file may be left over from a killed process: a file without another name that is
 * empty or names its holder. */
static bool is_lock(int descriptor) {
    struct stat s;
    char text[LOCK_HOLDER_SIZE];
    lock_holder holder;
    return fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink <= 1 &&
           (s.st_size == 0 || read_line(descriptor, text, &holder));
}

/* Whether the process is known to have ended: it ran on this host, and is gone. */
static bool has_ended(const lock_holder *holder) {
    return strcmp(holder->host, this_process().host) == 0 && kill((pid_t)holder->process, 0) != 0 &&
           errno == ESRCH;
}

/* Writes the holder to holder[], as "process 123 on host". The line may still be that of an earlier
 * process that was killed; the new holder gets a moment to write its own. */
static void read_holder(int descriptor, char holder[LOCK_HOLDER_SIZE]) {
    const struct timespec moment = {0, 1000000};
    for (int turn = 0; turn < 100; turn++) {
        lock_holder known;
        if (read_line(descriptor, holder, &known) && !has_ended(&known)) {
            holder[strcspn(holder, "\n")] = '\0';
            return;
        }
        nanosleep(&moment, NULL);
    }
    strcpy(holder, "another process");
}

/* If the disk is full the line is not written; the lock holds without it. */
static void write_holder(int descriptor) {
    const lock_holder holder = this_process();
    char text[LOCK_HOLDER_SIZE];
    print_holder(text, &holder);
    if (ftruncate(descriptor, 0) == 0)
        dprintf(descriptor, "%s", text);
}

/* Why the file could not be opened: LOCK_FOREIGN if something else has the name, else LOCK_FAILED
 * with errno. */
static lock_status explain_failure(const char *path) {
    const int error = errno;
    struct stat s;
    const bool in_the_way =
        lstat(path, &s) == 0 && (!S_ISREG(s.st_mode) || error == EACCES || error == EPERM);
    errno = error;
    return in_the_way ? LOCK_FOREIGN : LOCK_FAILED;
}

/* Opens the file and locks it, once. Returns LOCK_FAILED with errno 0 if the file lost its name in
 * between. */
static lock_status try_once(int *descriptor, const char *path, char holder[LOCK_HOLDER_SIZE]) {
    *descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (*descriptor < 0)
        return explain_failure(path);
    lock_status status = LOCK_TAKEN;
    if (flock(*descriptor, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_UNSUPPORTED;
    if (status == LOCK_HELD)
        read_holder(*descriptor, holder);
    else if (!has_name(*descriptor, path))
        status = LOCK_FAILED;
    else if (is_lock(*descriptor))
        return status;
    else
        status = LOCK_FOREIGN;
    close(*descriptor);
    *descriptor = -1;
    errno = 0;
    return status;
}

/* lock_file_take, with signals held. */
static lock_status take(lock_file *lock, const char *path, char holder[LOCK_HOLDER_SIZE]) {
    *lock = (lock_file){.descriptor = -1};
    lock_status status;
    do
        status = try_once(&lock->descriptor, path, holder);
    while (status == LOCK_FAILED && errno == 0);
    if (lock->descriptor < 0)
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
