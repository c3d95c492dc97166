/* Text files written by users, read line by line (text_line.h defines the ends of lines). # begins
 * a comment. Messages about a line contain its number. Refused are files that cannot be read twice
 * (pipes, folders, devices), zero bytes and overlong lines. */
#ifndef PAISING_LINE_FILE_H
#define PAISING_LINE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Characters that separate words within a line. */
#define LINE_BLANKS " \t\v\f"

#define LINE_FILE_WIDTH 4096

/* The state of reading one file. */
typedef struct {
    const char *option, *path; /* both names appear in messages */
    const char *heading; /* comment to look for before the first line with other text; NULL: none */
    bool headed;         /* the heading was found */
    unsigned long line;  /* number of the current line, from 1 */
    bool failed;         /* an error was found and reported */
    FILE *file;
    char text[LINE_FILE_WIDTH];
} line_file;

/* Opens the file that an option names. Keeps pointers to both texts. Returns false after a message
 * on stderr. */
bool line_file_open(line_file *f, const char *option, const char *path);

/* The next line with text besides a comment, from its first word on and without the comment. NULL
 * at the end of the file and on failure. */
char *line_file_next(line_file *f);

/* The next line as it stands, which may be empty. NULL at the end of the file and on failure. */
char *line_file_any(line_file *f);

/* Reports an error in the current line. Returns false. */
bool line_file_wrong(line_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports an error in the file as a whole. Returns false. */
bool line_file_refuse(line_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

void line_file_close(line_file *f);

#endif
