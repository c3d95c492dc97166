/* Text files with a checksum (checked_text.h). */
#include "checked_text.h"

#include "text_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#define SUM_BEGINS "# crc32 "
#define SUM_FORMAT SUM_BEGINS "%08" PRIx32 "\n"
#define SUM_LENGTH 17

/* --- Writing --- */

/* Writes bytes to the other stream. Returns how many. */
static size_t put(checked_text *text, const char *data, size_t size) {
    const size_t written = fwrite(data, 1, size, text->to);
    if (written < size && text->error == 0)
        text->error = errno;
    text->crc = (uint32_t)crc32_z(text->crc, (const Bytef *)data, written);
    return written;
}

/* Adds bytes to the header of a table. Returns false without memory. */
static bool hold(checked_text *text, const char *data, size_t size) {
    char *const grown = realloc(text->header, text->held + size + 1);
    if (grown == NULL) {
        text->error = text->error != 0 ? text->error : ENOMEM;
        return false;
    }
    memcpy(grown + text->held, data, size);
    text->header = grown;
    text->held += size;
    return true;
}

/* Whether the header has ended: a line behind its whole ones does not begin with `#`. */
static bool header_ends(checked_text *text) {
    const char *end;
    while (text->lines < text->held && text->header[text->lines] == '#' &&
           (end = memchr(text->header + text->lines, '\n', text->held - text->lines)) != NULL)
        text->lines = (size_t)(end + 1 - text->header);
    return text->lines < text->held && text->header[text->lines] != '#';
}

/* Writes what was held, and its last whole line before it. Returns false if not all could be written. */
static bool let_go(checked_text *text) {
    size_t last = text->lines > 0 ? text->lines - 1 : 0;
    while (last > 0 && text->header[last - 1] != '\n')
        last--;
    text->holds = false;
    const size_t names = text->lines - last;
    const bool good = put(text, text->header + last, names) == names &&
                      put(text, text->header, text->held) == text->held;
    free(text->header);
    text->header = NULL;
    return good;
}

static ssize_t pass_on(void *cookie, const char *data, size_t size) {
    checked_text *const text = cookie;
    if (!text->holds)
        return (ssize_t)put(text, data, size);
    return hold(text, data, size) && (!header_ends(text) || let_go(text)) ? (ssize_t)size : 0;
}

FILE *checked_text_begin(checked_text *text, FILE *to) {
    *text = (checked_text){.to = to};
    text->stream = fopencookie(text, "w", (cookie_io_functions_t){.write = pass_on});
    return text->stream;
}

FILE *checked_table_begin(checked_text *text, FILE *to) {
    FILE *const stream = checked_text_begin(text, to);
    text->holds = stream != NULL;
    return stream;
}

bool checked_text_end(checked_text *text) {
    if (text->stream == NULL)
        return true;
    const bool failed_before = ferror(text->stream);
    bool passed_on = fclose(text->stream) == 0 && !failed_before;
    text->stream = NULL;
    passed_on = (!text->holds || text->held == 0 || let_go(text)) && passed_on;
    return passed_on && fprintf(text->to, SUM_FORMAT, text->crc) == SUM_LENGTH;
}

/* --- Reading --- */

bool checked_text_is_sum(const char *line) {
    const size_t begins = strlen(SUM_BEGINS);
    return strncmp(line, SUM_BEGINS, begins) == 0 &&
           strspn(line + begins, "0123456789abcdef") == SUM_LENGTH - 1 - begins &&
           line[SUM_LENGTH - 1] == '\n';
}

/* The status of a file whose last line is last[] and whose bytes before it have this CRC. */
static checked_text_status status_of(const char last[SUM_LENGTH + 1], uint32_t crc) {
    char expected[SUM_LENGTH + 1];
    snprintf(expected, sizeof expected, SUM_FORMAT, crc);
    if (!checked_text_is_sum(last))
        return CHECKED_TEXT_WITHOUT_SUM;
    return strcmp(last, expected) == 0 ? CHECKED_TEXT_WHOLE : CHECKED_TEXT_ALTERED;
}

checked_text_status checked_text_verify(FILE *file) {
    char data[SUM_LENGTH + 4096];
    size_t held = 0, got; /* bytes in data[] that may be the last line */
    uint32_t crc = 0;
    char before = '\n'; /* the last byte that was summed */
    bool after_cr = false;
    rewind(file);
    while ((got = fread(data + held, 1, sizeof data - held, file)) > 0) {
        held += text_unify(data + held, got, &after_cr);
        if (held <= SUM_LENGTH)
            continue;
        const size_t summed = held - SUM_LENGTH;
        crc = (uint32_t)crc32_z(crc, (const Bytef *)data, summed);
        before = data[summed - 1];
        held = SUM_LENGTH;
        memmove(data, data + summed, held);
    }
    if (ferror(file))
        return CHECKED_TEXT_UNREADABLE;
    rewind(file);
    if (held < SUM_LENGTH || before != '\n')
        return CHECKED_TEXT_WITHOUT_SUM;
    data[SUM_LENGTH] = '\0';
    return status_of(data, crc);
}
