/* A program that calls the library: what it has, in the thread that simulates, in place of stderr, stdout and signals. */
#ifndef PAISING_CALLER_H
#define PAISING_CALLER_H

#include <stdarg.h>

typedef struct {
    char *text; /* what would have been said on stderr, a line each; NULL: nothing */
    int stop; /* the signal that stands for the wish to end; 0: none. Read and written by __atomic functions */
    void (*progress)(void *state, double beta); /* NULL: none */
    void *state;
} caller;

/* That of this thread; NULL: the program is the command. */
caller *caller_here(void);
void caller_set(caller *c);

/* Adds a line to the caller's text; without memory the line is lost. */
void caller_keep(caller *c, const char *line);

#endif
