/* SIGINT and SIGTERM. */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t pending;
static pthread_t main_thread;
static bool to_terminal; /* stderr is one */

/* The list, changed by the main thread with both signals blocked, and read by its handler. */
static temporary_file *first, *last;

static void remove_temporary_files(void) {
    for (const temporary_file *file = first; file != NULL; file = file->after)
        unlink(file->name);
}

int signals_die(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigaction(number, &usual, NULL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL); /* a handler runs with its signal blocked */
    return 128 + number;
}

/* Only functions that are safe in a handler (signal-safety(7)). */
static void handle(int number) {
    const int error = errno;
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
    } else if (pending != 0) {
        remove_temporary_files();
        _exit(signals_die(number));
    } else {
        static const char line[] =
            "\r\033[Kpaising: ending after this temperature; a second signal "
            "ends at once\n";
        pending = number;
        if (to_terminal && write(STDERR_FILENO, line, sizeof line - 1) < 0)
            to_terminal = false; /* it is gone */
    }
    errno = error;
}

static sigset_t both_signals(void) {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    return both;
}

void signals_catch(void) {
    const int numbers[] = {SIGINT, SIGTERM};
    main_thread = pthread_self();
    to_terminal = isatty(STDERR_FILENO) == 1;
    for (size_t i = 0; i < 2; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = handle, .sa_flags = SA_RESTART};
        action.sa_mask = both_signals();
        sigaction(numbers[i], &action, NULL);
    }
}

int signals_pending(void) {
    return pending;
}

/* --- temporary files --- */

temporary_file *temporary_file_add(const char *name) {
    temporary_file *const file = malloc(sizeof *file + strlen(name) + 1);
    if (file == NULL)
        return NULL;
    strcpy(file->name, name);
    const sigset_t both = both_signals();
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &both, &before);
    file->before = last;
    file->after = NULL;
    *(last != NULL ? &last->after : &first) = file;
    last = file;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return file;
}

void temporary_file_remove(temporary_file *file) {
    const sigset_t both = both_signals();
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &both, &before);
    *(file->before != NULL ? &file->before->after : &first) = file->after;
    *(file->after != NULL ? &file->after->before : &last) = file->before;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(file);
}
