/* A program that calls the library (caller.h). */
#include "caller.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local caller *here;

caller *caller_here(void) {
    return here;
}

void caller_set(caller *c) {
    here = c;
}

void caller_keep(caller *c, const char *line) {
    const size_t before = c->text != NULL ? strlen(c->text) : 0, more = strlen(line);
    char *const text = realloc(c->text, before + more + 2);
    if (text == NULL)
        return;
    memcpy(text + before, line, more);
    memcpy(text + before + more, "\n", 2);
    c->text = text;
}
