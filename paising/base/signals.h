/* The signals that end a program before its end. The first one asks it to end at the next opportunity;
 * a second SIGINT or SIGTERM ends it at once, and what stands under temporary names is removed. */
#ifndef PAISING_SIGNALS_H
#define PAISING_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A file, or an empty folder, that must not outlive the program. */
typedef struct temporary_file {
    struct temporary_file *before, *after; /* in the list of all */
    char name[];
} temporary_file;

/* Begins to catch SIGINT and SIGTERM, and what terminals and batch systems send before they end a job:
 * SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2; but not those that the program was started with ignored. A pipe
 * that nobody reads and a file that grows too large are failed writes from here on (SIGPIPE, SIGXFSZ).
 * To be called by the main thread, before there are others. */
void signals_catch(void);

/* Says what happens behind the temperature at hand when a signal asks for an end, as "it ends with a checkpoint": the first
 * signal prints it at once on stderr, with the time that this takes, as far as it is known. NULL, as before the first call:
 * nothing is said. The text must stay. */
void signals_announce(const char *what);

/* The first signal that was caught; 0 without one. */
int signals_pending(void);

/* Takes a signal that came to another process of the same program for one that came here; 0 is none. */
void signals_take(int number);

/* Its name: "SIGTERM". */
const char *signals_name(int number);

/* Keeps all of them waiting from the first call to the second, also the end of the program by a second signal, in any
 * thread; pairs of calls may stand in one another. */
void signals_hold(void);
void signals_release(void);

/* Ends the program by a signal, as if it had not been caught. Returns only if that is impossible, the
 * exit status that says the same, 128 + signal. */
int signals_die(int number);

/* Makes the entry of a temporary file, which is removed when a signal or exit() ends the program, the
 * last one first, and takes it out again. The first returns NULL without memory. */
temporary_file *temporary_file_add(const char *name);
void temporary_file_remove(temporary_file *file);

/* Makes a folder with its entry, and takes an empty one away with it: no signal comes between the two. The first returns
 * NULL with errno set, and there is no folder then; the second whether it is gone, if not with errno set. */
temporary_file *temporary_folder_make(const char *name);
bool temporary_folder_remove(temporary_file *folder);

#endif
