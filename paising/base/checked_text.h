/* Text files that say whether they are whole: their last line is the CRC-32 of all that stands before
 * it,
 *
 *     # crc32 89abcdef
 *
 * so that a file that was cut off, between two rows too, or changed is known as such. Ends of lines count as LF: a file
 * that another system gave CRLF or CR is still whole. */
#ifndef PAISING_CHECKED_TEXT_H
#define PAISING_CHECKED_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* to print to, between begin and end */
    FILE *to;
    uint32_t crc; /* of what has reached `to` */
    int error;    /* why the first thing that did not could not; 0: everything did */
} checked_text;

/* Begins a text, of whole lines, that goes to another stream. Returns the stream to print it to, of
 * which no errors need to be checked, or NULL without memory. *text stays where it is until the end. */
FILE *checked_text_begin(checked_text *text, FILE *to);

/* Ends the text with the line of its checksum, and leaves `to` open. Returns false, without that
 * line, if something was not written, text->error says why; `to` may still hold what fails when it is flushed. Does nothing
 * for a text that was not begun. */
bool checked_text_end(checked_text *text);

typedef enum {
    CHECKED_TEXT_WHOLE,
    CHECKED_TEXT_WITHOUT_SUM, /* the last line is none: it is cut off, or continued */
    CHECKED_TEXT_ALTERED,     /* the checksum is another */
    CHECKED_TEXT_UNREADABLE   /* errno says why */
} checked_text_status;

/* Reads a file from its beginning to its end, and leaves it at its beginning. */
checked_text_status checked_text_verify(FILE *file);

#endif
