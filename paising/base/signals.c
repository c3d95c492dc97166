/* Signals that end the program (signals.h). */
#include "signals.h"

#include "caller.h"

#include "work_clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
    bool insists; /* a second one of these ends the program at once */
} caught[] = {{SIGINT, "SIGINT", true},    {SIGTERM, "SIGTERM", true},
              {SIGHUP, "SIGHUP", false},   {SIGXCPU, "SIGXCPU", false},
              {SIGUSR1, "SIGUSR1", false}, {SIGUSR2, "SIGUSR2", false}};
#define CAUGHT (sizeof caught / sizeof *caught)

/* GNU timeout and batch systems signal both a process and its group. A second signal within this
 * time counts as the same. */
#define SAME_SIGNAL_NS 300000000

/* A step that ends within as many seconds is waited for. */
#define STEP_SECONDS_WAITED 10

static atomic_int pending;
static atomic_uint steps; /* under way, that can be given up */
static int stopped; /* the signal at which it is; 0: none. Read and written by __atomic functions */
static struct timespec asked; /* time of the first insisting signal */
static bool insisted;
static pthread_t main_thread;
static bool to_terminal;             /* whether stderr is a terminal */
static const char *volatile promise; /* text printed at a signal; NULL: none */

/* The list of temporary files. It is changed with signals held, by one thread at a time. */
static temporary_file *first, *last;
static atomic_flag listing = ATOMIC_FLAG_INIT;

/* The number of threads that hold signals; and whether the program is ending by a signal, after
 * which no thread may begin to hold them. */
static atomic_uint holders;
static atomic_bool ending;
static _Thread_local unsigned depth;  /* nested holds of this thread */
static _Thread_local sigset_t unheld; /* signal mask before the first of them */

static void take_list(void) {
    while (atomic_flag_test_and_set_explicit(&listing, memory_order_acquire))
        ;
}

static void leave_list(void) {
    atomic_flag_clear_explicit(&listing, memory_order_release);
}

static void remove_temporary_files(void) {
    for (const temporary_file *file = last; file != NULL; file = file->before)
        if (unlink(file->name) != 0)
            rmdir(file->name);
}

/* Removes the temporary files at exit. */
static void remove_at_exit(void) {
    signals_hold();
    take_list();
    remove_temporary_files();
    leave_list();
    signals_release();
}

/* Removes them from a handler, once no other thread holds signals. No thread holds them afterwards. */
static void remove_for_good(void) {
    atomic_store(&ending, true);
    while (atomic_load(&holders) > 0)
        ;
    remove_temporary_files();
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

static bool insists(int number) {
    for (size_t i = 0; i < CAUGHT; i++)
        if (caught[i].number == number)
            return caught[i].insists;
    return false;
}

/* Whether an insisting signal is a second one. */
static bool is_second(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!insisted) {
        insisted = true;
        asked = now;
        return false;
    }
    return (now.tv_sec - asked.tv_sec) * 1000000000 + now.tv_nsec - asked.tv_nsec >= SAME_SIGNAL_NS;
}

/* --- the message at a signal; the handler uses async-signal-safe functions only (signal-safety(7))
 * --- */

#define LINE_SIZE 400

/* Appends a text to a line, truncated to the line's size. */
static void append(char line[LINE_SIZE], const char *text) {
    const size_t length = strlen(line), room = LINE_SIZE - 1 - length, added = strlen(text);
    memcpy(line + length, text, added < room ? added : room);
}

static void append_seconds(char line[LINE_SIZE], int64_t seconds) {
    char digits[24] = "", *number = digits + sizeof digits - 1;
    do
        *--number = (char)('0' + seconds % 10);
    while ((seconds /= 10) > 0);
    append(line, ", in about ");
    append(line, number);
    append(line, " s, ");
}

/* left: seconds of the step under way, -1: not known; stops: it is given up. Prints nothing if stderr would block on a full
 * pipe. */
static void announce(int number, int64_t left, bool stops) {
    struct pollfd to = {.fd = STDERR_FILENO, .events = POLLOUT};
    char line[LINE_SIZE] = "";
    if (promise == NULL || poll(&to, 1, 0) != 1 || !(to.revents & POLLOUT))
        return;
    if (to_terminal)
        append(line, "\r\033[K"); /* replaces the progress line */
    append(line, "paising: ");
    append(line, signals_name(number));
    append(line, stops ? ": the step under way would take long, and is given up: "
                       : ": after the step under way");
    if (!stops && left >= 0)
        append_seconds(line, left);
    else if (!stops)
        append(line, " (how long it takes is not known yet), ");
    append(line, promise);
    append(line, "; a second signal ends it at once\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        promise = NULL; /* stderr is closed */
}

/* Whether a step under way is given up, which would take so many seconds; -1: not known. */
static bool gives_up(int64_t left) {
    return steps > 0 && (left < 0 || left > STEP_SECONDS_WAITED);
}

static void handle(int number) {
    const int error = errno;
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
    } else if (insists(number) && is_second()) {
        remove_for_good();
        _exit(signals_die(number));
    } else if (pending == 0) {
        const int64_t left = work_seconds_left();
        const bool stops = gives_up(left);
        pending = number;
        if (stops)
            __atomic_store_n(&stopped, number, __ATOMIC_RELAXED);
        announce(number, left, stops);
    }
    errno = error;
}

static sigset_t all_signals(void) {
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < CAUGHT; i++)
        sigaddset(&all, caught[i].number);
    return all;
}

void signals_catch(void) {
    main_thread = pthread_self();
    to_terminal = isatty(STDERR_FILENO) == 1;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    atexit(remove_at_exit); /* libraries may end the program too: libgomp does without threads */
    for (size_t i = 0; i < CAUGHT; i++) {
        struct sigaction action;
        if (sigaction(caught[i].number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = handle, .sa_flags = SA_RESTART};
        action.sa_mask = all_signals();
        sigaction(caught[i].number, &action, NULL);
    }
}

void signals_announce(const char *what) {
    promise = what;
}

int signals_pending(void) {
    caller *const c = caller_here();
    return c != NULL ? __atomic_load_n(&c->stop, __ATOMIC_RELAXED) : pending;
}

const int *signals_stop(void) {
    const caller *const c = caller_here();
    return c != NULL ? &c->stop : &stopped;
}

void signals_enter_step(void) {
    atomic_fetch_add(&steps, 1);
}

void signals_leave_step(void) {
    atomic_fetch_sub(&steps, 1);
}

/* The end of the time gives up no step. */
void signals_take(int number) {
    if (pending != 0 || number == 0)
        return;
    pending = number;
    if (number != SIGNAL_OF_TIME_LIMIT && gives_up(work_seconds_left()))
        __atomic_store_n(&stopped, number, __ATOMIC_RELAXED);
}

const char *signals_name(int number) {
    if (number == SIGNAL_OF_TIME_LIMIT)
        return "--time-limit";
    if (caller_here() != NULL)
        return "stopped";
    for (size_t i = 0; i < CAUGHT; i++)
        if (caught[i].number == number)
            return caught[i].name;
    return "a signal";
}

/* Counts this thread as one that holds signals; waits forever if the program is ending. */
static void enter(void) {
    for (;;) {
        while (atomic_load(&ending))
            ;
        atomic_fetch_add(&holders, 1);
        if (!atomic_load(&ending))
            return;
        atomic_fetch_sub(&holders, 1);
    }
}

void signals_hold(void) {
    const sigset_t all = all_signals();
    if (depth == 0) {
        pthread_sigmask(SIG_BLOCK, &all, &unheld);
        enter();
    }
    depth++;
}

void signals_release(void) {
    if (--depth > 0)
        return;
    atomic_fetch_sub(&holders, 1);
    pthread_sigmask(SIG_SETMASK, &unheld, NULL);
}

/* --- temporary files --- */

temporary_file *temporary_file_add(const char *name) {
    temporary_file *const file = malloc(sizeof *file + strlen(name) + 1);
    if (file == NULL)
        return NULL;
    strcpy(file->name, name);
    signals_hold();
    take_list();
    file->before = last;
    file->after = NULL;
    *(last != NULL ? &last->after : &first) = file;
    last = file;
    leave_list();
    signals_release();
    return file;
}

void temporary_file_remove(temporary_file *file) {
    signals_hold();
    take_list();
    *(file->before != NULL ? &file->before->after : &first) = file->after;
    *(file->after != NULL ? &file->after->before : &last) = file->before;
    leave_list();
    signals_release();
    free(file);
}

temporary_file *temporary_folder_make(const char *name) {
    temporary_file *folder = NULL;
    signals_hold();
    if (mkdir(name, 0777) == 0) {
        folder = temporary_file_add(name);
        if (folder == NULL) {
            rmdir(name);
            errno = ENOMEM;
        }
    }
    const int error = errno;
    signals_release();
    errno = error;
    return folder;
}

bool temporary_folder_remove(temporary_file *folder) {
    signals_hold();
    const bool gone = rmdir(folder->name) == 0;
    const int error = errno;
    temporary_file_remove(folder);
    signals_release();
    errno = error;
    return gone;
}
