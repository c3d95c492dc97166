/* Which call is to fail, or to be met by a signal: the environment variable FAULT, read once. */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kinds, and the errors that they fail with unless FAULT names another. CUDA's are those of
 * cudaError: out of memory, launch failure, illegal address, device lost. */
static const struct {
    const char *name;
    int error;
} kinds[FAULT_KINDS] = {
    {"malloc", ENOMEM}, {"open", EMFILE},   {"write", ENOSPC},  {"fsync", EIO},
    {"close", EIO},     {"rename", EIO},    {"unlink", EIO},    {"mkdir", EACCES},
    {"readdir", EIO},   {"thread", EAGAIN}, {"cuda-malloc", 2}, {"cuda-launch", 719},
    {"cuda-copy", 700}, {"cuda-wait", 700}, {"cuda-query", 46}, {"cuda-any", 46}};

static const struct {
    const char *name;
    int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
              {"EROFS", EROFS},   {"EACCES", EACCES}, {"EFBIG", EFBIG}};
static const struct {
    const char *name;
    int number;
} signals[] = {{"SIGKILL", SIGKILL}, {"SIGTERM", SIGTERM}, {"SIGINT", SIGINT},
               {"SIGHUP", SIGHUP},   {"SIGUSR1", SIGUSR1}, {"SIGXCPU", SIGXCPU}};

static atomic_long calls[FAULT_KINDS], failures[FAULT_KINDS];
static bool begun;
static struct {
    fault_kind kind; /* FAULT_KINDS: nothing fails */
    long number;
    bool all_later;
    int error;
    int signal; /* instead; 0: none */
} plan = {.kind = FAULT_KINDS};

/* A FAULT that cannot be read must not pass for one that did nothing. */
static void reject(const char *text) {
    fprintf(stderr, "FAULT=%s: not understood\n", text);
    _exit(99);
}

static void read_plan(const char *text) {
    const size_t length = strcspn(text, ":");
    for (fault_kind k = 0; k < FAULT_KINDS; k++)
        if (strlen(kinds[k].name) == length && strncmp(text, kinds[k].name, length) == 0)
            plan.kind = k;
    if (plan.kind == FAULT_KINDS || text[length] != ':')
        reject(text);
    char *end;
    plan.number = strtol(text + length + 1, &end, 10);
    plan.error = kinds[plan.kind].error;
    plan.all_later = *end == '+';
    end += plan.all_later;
    if (*end == ':') {
        plan.error = (int)strtol(end + 1, NULL, 10);
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
            if (strcmp(end + 1, errors[i].name) == 0)
                plan.error = errors[i].number;
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            if (strcmp(end + 1, signals[i].name) == 0)
                plan.signal = signals[i].number;
    } else if (*end != '\0') {
        reject(text);
    }
    if (plan.number < 1 || (plan.error < 1 && plan.signal == 0))
        reject(text);
}

void fault_begin(void) {
    const char *const text = getenv("FAULT");
    if (text != NULL)
        read_plan(text);
    begun = true;
}

int fault_due(fault_kind kind) {
    if (!begun)
        return 0;
    const long n = atomic_fetch_add(&calls[kind], 1) + 1;
    if (kind != plan.kind || n < plan.number || (n > plan.number && !plan.all_later))
        return 0;
    atomic_fetch_add(&failures[kind], 1);
    if (plan.signal != 0) {
        if (n == plan.number + 1)
            usleep(400000); /* so soon it would be the same signal again (base/signals.c) */
        kill(getpid(), plan.signal);
        return 0;
    }
    errno = plan.error;
    return plan.error;
}

/* By system calls, as below: the functions of the C library are what fails here. A log that cannot be written must not pass
 * for one of no calls. */
void fault_log(const char *call, const char *path, const char *to) {
    const char *const log = getenv("FAULT_LOG");
    if (!begun || log == NULL)
        return;
    char line[2 * PATH_MAX + 20];
    const int length = snprintf(line, sizeof line, "%s %s%s%s\n", call, path, to != NULL ? " " : "",
                                to != NULL ? to : "");
    const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (syscall(SYS_write, file, line, length) != length)
        _exit(99);
    syscall(SYS_close, file);
}

__attribute__((destructor)) static void write_counts(void) {
    const char *const path = getenv("FAULT_COUNTS");
    if (!begun || path == NULL)
        return;
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (fault_kind k = 0; k < FAULT_KINDS && file >= 0; k++) {
        char line[80];
        const int length =
            snprintf(line, sizeof line, "%s %ld %ld\n", kinds[k].name, calls[k], failures[k]);
        syscall(SYS_write, file, line, length);
    }
    syscall(SYS_close, file);
}
