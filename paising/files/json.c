/* JSON output with fprintf. */
#include "json.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>

/* The length of the UTF-8 character at c (RFC 3629, Sec. 4); 0 if it is invalid. */
static size_t character_bytes(const unsigned char *c) {
    static const struct {
        unsigned char first, last; /* range of the first byte */
        unsigned char low, high;   /* range of the second byte; further bytes are 80 to bf */
        size_t bytes;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (*c < rows[i].first || *c > rows[i].last)
            continue;
        for (size_t n = 1; n < rows[i].bytes; n++)
            if (c[n] < (n == 1 ? rows[i].low : 0x80) || c[n] > (n == 1 ? rows[i].high : 0xbf))
                return 0;
        return rows[i].bytes;
    }
    return 0;
}

void json_string(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const size_t bytes = character_bytes(c);
        if (bytes == 0)
            fputs("\\ufffd", stream);
        else if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7f)
            fprintf(stream, "\\u%04x", *c);
        else
            fwrite(c, 1, bytes, stream);
        c += bytes > 0 ? bytes : 1;
    }
    fputc('"', stream);
}

void json_number(FILE *stream, double x) {
    char text[NUMBER_TEXT_SIZE];
    fputs(isfinite(x) ? number_text(text, x) : "null", stream);
}
