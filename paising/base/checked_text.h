/* Text files with a checksum. The last line is the CRC-32 of everything before it,
 *
 *     # crc32 89abcdef
 *
 * so that a changed file is detected, and also one that was cut off between two rows. Ends of lines
 * count as LF: a file that was converted to CRLF or CR is still whole. */
#ifndef PAISING_CHECKED_TEXT_H
#define PAISING_CHECKED_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* to print to, between begin and end */
    FILE *to;
    uint32_t crc; /* of the bytes that have reached `to` */
    int error;    /* errno of the first failed write; 0: none */
    bool holds;   /* a table, of which no row is there yet: */
    char *header; /* [held] its lines so far, of which `lines` bytes are whole */
    size_t held, lines;
} checked_text;

/* Begins a text, of whole lines, that is written to another stream. Returns the stream to print to,
 * or NULL without memory. Errors of that stream need not be checked. *text must not move until the
 * end. */
FILE *checked_text_begin(checked_text *text, FILE *to);

/* The same for a table: lines that begin with `#`, the last of which names the columns, and then rows. That line is repeated as the
 * first one of the text, where numpy.genfromtxt(file, names=True) looks for the names. */
FILE *checked_table_begin(checked_text *text, FILE *to);

/* Ends the text with the checksum line, and leaves `to` open but not flushed. If a write has
 * failed, returns false without that line; text->error is the reason. Does nothing for a text that
 * was not begun. */
bool checked_text_end(checked_text *text);

typedef enum {
    CHECKED_TEXT_WHOLE,
    CHECKED_TEXT_WITHOUT_SUM, /* no checksum line at the end: the file was cut off or continued */
    CHECKED_TEXT_ALTERED,     /* the checksum differs */
    CHECKED_TEXT_UNREADABLE   /* errno is the reason */
} checked_text_status;

/* Whether a line, with its end, is a checksum line. */
bool checked_text_is_sum(const char *line);

/* Reads a file from beginning to end, and rewinds it. */
checked_text_status checked_text_verify(FILE *file);

#endif
