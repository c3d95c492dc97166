/* Command lines given as one text, for tests. */
#ifndef PAISING_COMMAND_LINE_H
#define PAISING_COMMAND_LINE_H

#include "command/options.h"
#include "validate/lib/capture.h"

#include <string.h>

#define COMMAND_LINE_WORDS 48

/* Parses a command line, its words separated by single blanks. What goes to `descriptor` meanwhile
 * ends up in output[size]. Texts of *p stand until the next call. */
static inline int parse_line(parameters *p, const char *options, int descriptor, char *output,
                             size_t size) {
    static char line[1024];
    char program[] = "paising", *word[COMMAND_LINE_WORDS] = {program};
    int words = 1;
    assert_true(strlen(options) < sizeof line);
    strcpy(line, options);
    for (char *rest = line, *next; *options != '\0' && (next = strsep(&rest, " ")) != NULL;) {
        assert_true(words < COMMAND_LINE_WORDS - 1);
        word[words++] = next;
    }

    capture c = capture_begin(descriptor);
    const int status = parameters_parse(p, words, word);
    capture_end(&c, output, size);
    return status;
}

#endif
