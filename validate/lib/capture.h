/* What is written to a descriptor for a while, for tests. */
#ifndef PAISING_CAPTURE_H
#define PAISING_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    int descriptor, saved;
    FILE *file;
} capture;

/* Begins to keep what goes to a descriptor, STDOUT_FILENO or STDERR_FILENO. */
static inline capture capture_begin(int descriptor) {
    capture c = {.descriptor = descriptor, .file = tmpfile()};
    assert_non_null(c.file);
    fflush(NULL);
    c.saved = dup(descriptor);
    dup2(fileno(c.file), descriptor);
    return c;
}

/* Ends that; the first size - 1 bytes are in text[size]. */
static inline void capture_end(capture *c, char *text, size_t size) {
    fflush(NULL);
    dup2(c->saved, c->descriptor);
    close(c->saved);
    rewind(c->file);
    text[fread(text, 1, size - 1, c->file)] = '\0';
    fclose(c->file);
}

#endif
