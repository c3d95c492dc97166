/* Lines of texts, which may have come by another system: LF, CRLF and CR end a line, and are read as '\n'. */
#ifndef PAISING_TEXT_LINE_H
#define PAISING_TEXT_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The next character, or EOF. The file belongs to this thread. */
int text_getc(FILE *file);

/* The next line, as getline gives it. Returns its length, 0 at the end of the file, or -1 after an error with errno set. */
ssize_t text_line(char **line, size_t *size, FILE *file);

/* Makes the ends of lines in the next bytes of a text '\n'. *after_cr, false at the beginning of the text, stays from one
 * piece to the next. Returns how many bytes are left. */
size_t text_unify(char *data, size_t size, bool *after_cr);

#endif
