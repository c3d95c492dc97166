/* The signals that end a program early. The first one asks it to end at the next opportunity. A
 * second SIGINT or SIGTERM ends it at once, and temporary files are removed. */
#ifndef PAISING_SIGNALS_H
#define PAISING_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A file, or an empty folder, that must not outlive the program. */
typedef struct temporary_file {
    struct temporary_file *before, *after; /* links of the list */
    char name[];
} temporary_file;

/* Catches SIGINT and SIGTERM, and the signals of terminals and batch systems: SIGHUP, SIGXCPU,
 * SIGUSR1 and SIGUSR2. Signals that were ignored at the start stay ignored. Broken pipes and file
 * size limits become write errors (SIGPIPE, SIGXFSZ are ignored). Called by the main thread before
 * there are others. */
void signals_catch(void);

/* Sets the text that the first signal prints on stderr at once: what happens after the current
 * temperature, such as "it ends with a checkpoint". The expected time is added if known. NULL, the
 * default: no text. The text must stay valid. */
void signals_announce(const char *what);

/* The first signal caught; 0: none. */
int signals_pending(void);

/* Where it is written at which signal the step under way is to be given up; 0: at none. A step is given up that would take longer
 * than ten seconds, or nobody knows how long; and in a program that calls the library, any. */
const int *signals_stop(void);

/* Between these, in any thread, a step is under way that can be given up. */
void signals_enter_step(void);
void signals_leave_step(void);

/* Treats a signal that another process of the same program caught as caught here; 0: none. */
void signals_take(int number);

/* Taken when --time-limit is over. The program does not die of it. */
#define SIGNAL_OF_TIME_LIMIT SIGALRM

/* Its name, such as "SIGTERM"; "stopped" where a program that called the library has stopped its handle. */
const char *signals_name(int number);

/* Between hold and release signals wait, in any thread, and so does the end of the program by a
 * second signal. Calls may be nested. */
void signals_hold(void);
void signals_release(void);

/* Ends the program as if the signal had not been caught. Returns only if this is impossible, with
 * the equivalent exit status, 128 + number. */
int signals_die(int number);

/* Creates and removes the entry of a temporary file. When a signal or exit() ends the program,
 * files with entries are removed, the newest first. temporary_file_add returns NULL without memory. */
temporary_file *temporary_file_add(const char *name);
void temporary_file_remove(temporary_file *file);

/* Creates a folder with its entry; removes an empty folder with its entry. Signals are held in
 * between. The first returns NULL with errno set, and leaves no folder; the second returns false
 * with errno set if the folder remains. */
temporary_file *temporary_folder_make(const char *name);
bool temporary_folder_remove(temporary_file *folder);

#endif
