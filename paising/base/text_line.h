/* Lines of text files from any system: LF, CRLF and CR end a line and are read as '\n'. */
#ifndef PAISING_TEXT_LINE_H
#define PAISING_TEXT_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The next character, or EOF. No other thread may use the file. */
int text_getc(FILE *file);

/* Reads the next line, like getline. Returns its length; 0 at the end of the file; -1 after an
 * error with errno set. */
ssize_t text_line(char **line, size_t *size, FILE *file);

/* Converts the line ends in the next bytes of a text to '\n', in place. *after_cr is false at the
 * beginning of the text, and carries state from piece to piece. Returns the new number of bytes. */
size_t text_unify(char *data, size_t size, bool *after_cr);

#endif
