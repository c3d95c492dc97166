/* Text files that users write, read line by line (text_line.h says how lines end). # begins a comment. What is wrong with a line is said with its number;
 * what is no file that can be read again (a pipe, a folder, a device), a zero byte and a line without end are
 * refused. */
#ifndef PAISING_LINE_FILE_H
#define PAISING_LINE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* What separates words, besides the ends of lines. */
#define LINE_BLANKS " \t\v\f"

#define LINE_FILE_WIDTH 4096

/* A file while it is read. */
typedef struct {
    const char *option, *path; /* what names it */
    const char *heading; /* a comment to look for before the first line with more; NULL: none */
    bool headed;         /* it was there */
    unsigned long line;  /* the one at hand, from 1 */
    bool failed;         /* something was wrong, and has been said */
    FILE *file;
    char text[LINE_FILE_WIDTH];
} line_file;

/* Opens the file that an option names; both texts are kept. Returns false after a line on stderr. */
bool line_file_open(line_file *f, const char *option, const char *path);

/* The next line that has more than a comment: from its first word on, without the comment. NULL at the end of the
 * file, and when something failed. */
char *line_file_next(line_file *f);

/* Says what is wrong with the line at hand. Returns false. */
bool line_file_wrong(line_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of the file as a whole. */
bool line_file_refuse(line_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

void line_file_close(line_file *f);

#endif
