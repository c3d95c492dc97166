/* SIGINT and SIGTERM: the first one asks the program to end at the next opportunity, a second one
 * ends it at once, and what was written under temporary names is removed. */
#ifndef PAISING_SIGNALS_H
#define PAISING_SIGNALS_H

/* A file that must not outlive the program. */
typedef struct temporary_file {
    struct temporary_file *before, *after; /* in the list of all */
    char name[];
} temporary_file;

/* Begins to catch both signals, unless the program was started with a signal ignored. To be called
 * by the main thread, before there are others. */
void signals_catch(void);

/* The first signal that was caught; 0 without one. */
int signals_pending(void);

/* Ends the program by a signal, as if it had not been caught. Returns only if that is impossible, the
 * exit status that says the same, 128 + signal. */
int signals_die(int number);

/* Makes the entry of a temporary file, which is removed when a signal ends the program, and takes it
 * out again. Called by the main thread. The first returns NULL without memory. */
temporary_file *temporary_file_add(const char *name);
void temporary_file_remove(temporary_file *file);

#endif
