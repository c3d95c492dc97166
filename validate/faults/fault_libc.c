/* Calls of the C library that fail on demand (fault.h), as a library to be preloaded:
 *
 *   LD_PRELOAD=build/fault.so FAULT=write:3:ENOSPC build/paising ...
 *
 * Calls are counted from main on. The C library writes a stream without calling write() where it
 * could be replaced, so that fdopen gives a stream whose writing is done here. */
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Declares `next`, the function that this one stands before. */
#define FIND_NEXT(name)                                                                            \
    static __typeof__(&name) next;                                                                 \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* --- memory --- */

#define MOST_FRAMES 64
static int places = -1; /* the file that FAULT_PLACES names */

/* Writes the place of a call as a line: a hash of the frames above it, each relative to where its file was loaded. */
static void write_place(void) {
    void *frame[MOST_FRAMES];
    const int frames = backtrace(frame, MOST_FRAMES);
    uint64_t hash = 0;
    for (int n = 0; n < frames; n++) {
        Dl_info file = {.dli_fbase = NULL};
        dladdr(frame[n], &file);
        hash = (hash ^ ((uintptr_t)frame[n] - (uintptr_t)file.dli_fbase)) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    char line[32];
    const int length = snprintf(line, sizeof line, "%016" PRIx64 "\n", hash);
    if (syscall(SYS_write, places, line, length) != length)
        _exit(99);
}

static bool memory_fails(void) {
    if (places >= 0)
        write_place();
    return fault_due(FAULT_MALLOC) != 0;
}

/* What backtrace allocates it does when it is first called. */
static void open_places(const char *path) {
    void *frame;
    if (backtrace(&frame, 1) == 0)
        _exit(99);
    places =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (places < 0)
        _exit(99);
}

void *malloc(size_t size) {
    FIND_NEXT(malloc);
    return memory_fails() ? NULL : next(size);
}

void *calloc(size_t count, size_t size) {
    FIND_NEXT(calloc);
    return memory_fails() ? NULL : next(count, size);
}

void *realloc(void *old, size_t size) {
    FIND_NEXT(realloc);
    return memory_fails() ? NULL : next(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    FIND_NEXT(aligned_alloc);
    return memory_fails() ? NULL : next(alignment, size);
}

/* --- files --- */

int open(const char *path, int flags, ...) {
    FIND_NEXT(open);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fault_due(FAULT_OPEN) ? -1 : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    FIND_NEXT(fopen);
    return fault_due(FAULT_OPEN) ? NULL : next(path, mode);
}

DIR *opendir(const char *path) {
    FIND_NEXT(opendir);
    return fault_due(FAULT_OPEN) ? NULL : next(path);
}

int mkstemp(char *path) {
    FIND_NEXT(mkstemp);
    return fault_due(FAULT_OPEN) ? -1 : next(path);
}

ssize_t write(int file, const void *data, size_t size) {
    FIND_NEXT(write);
    return fault_due(FAULT_WRITE) ? -1 : next(file, data, size);
}

int fsync(int file) {
    FIND_NEXT(fsync);
    const int status = fault_due(FAULT_FSYNC) ? -1 : next(file);
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (status == 0 && length >= 0) {
        path[length] = '\0';
        fault_log("fsync", path, NULL);
    }
    return status;
}

/* The descriptor is gone even if closing it failed. */
int close(int file) {
    FIND_NEXT(close);
    const int closed = next(file);
    return fault_due(FAULT_CLOSE) ? -1 : closed;
}

int rename(const char *from, const char *to) {
    FIND_NEXT(rename);
    const int status = fault_due(FAULT_RENAME) ? -1 : next(from, to);
    if (status == 0)
        fault_log("rename", from, to);
    return status;
}

int unlink(const char *path) {
    FIND_NEXT(unlink);
    const int status = fault_due(FAULT_UNLINK) ? -1 : next(path);
    if (status == 0)
        fault_log("unlink", path, NULL);
    return status;
}

int rmdir(const char *path) {
    FIND_NEXT(rmdir);
    return fault_due(FAULT_UNLINK) ? -1 : next(path);
}

int mkdir(const char *path, mode_t mode) {
    FIND_NEXT(mkdir);
    return fault_due(FAULT_MKDIR) ? -1 : next(path, mode);
}

struct dirent *readdir(DIR *dir) {
    FIND_NEXT(readdir);
    return fault_due(FAULT_READDIR) ? NULL : next(dir);
}

/* --- streams --- */

static ssize_t stream_write(void *stream, const char *data, size_t size) {
    size_t written = 0;
    while (written < size) {
        const ssize_t n = write((int)(intptr_t)stream, data + written, size - written);
        if (n < 0)
            break;
        written += (size_t)n;
    }
    return (ssize_t)written;
}

static int stream_close(void *stream) {
    return close((int)(intptr_t)stream);
}

FILE *fdopen(int file, const char *mode) {
    FIND_NEXT(fdopen);
    if (mode[0] == 'r')
        return next(file, mode);
    return fopencookie((void *)(intptr_t)file, mode,
                       (cookie_io_functions_t){.write = stream_write, .close = stream_close});
}

/* --- threads --- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    FIND_NEXT(pthread_create);
    const int error = fault_due(FAULT_THREAD);
    return error ? error : next(thread, attributes, run, argument);
}

/* --- the beginning --- */

typedef int main_function(int, char **, char **);
static main_function *program_main;

static int begin_main(int argc, char **argv, char **environment) {
    const char *const path = getenv("FAULT_PLACES");
    if (path != NULL && path[0] != '\0')
        open_places(path);
    fault_begin();
    return program_main(argc, argv, environment);
}

/* What the start of a program calls with its main. */
int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    FIND_NEXT(__libc_start_main);
    program_main = program;
    return next(begin_main, argc, argv, init, fini, loader_fini, stack_end);
}
