/* Lines of a text file, of bounded length (line_file.h). */
#include "line_file.h"

#include "input_file.h"
#include "message.h"
#include "text_line.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Prints a message behind the option, the file and `where`. */
static void say(line_file *f, const char *where, const char *format, va_list arguments) {
    char what[300];
    vsnprintf(what, sizeof what, format, arguments);
    complain(STATUS_REFUSED, "%s %.200s%s: %s", f->option, f->path, where, what);
    f->failed = true;
}

bool line_file_wrong(line_file *f, const char *format, ...) {
    char where[40];
    snprintf(where, sizeof where, ", line %lu", f->line);
    va_list arguments;
    va_start(arguments, format);
    say(f, where, format, arguments);
    va_end(arguments);
    return false;
}

bool line_file_refuse(line_file *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(f, "", format, arguments);
    va_end(arguments);
    return false;
}

bool line_file_open(line_file *f, const char *option, const char *path) {
    const char *why;
    *f = (line_file){.option = option, .path = path};
    f->file = input_file_open(path, &why);
    return f->file != NULL || line_file_refuse(f, "%s", why);
}

/* Reads a line into f->text. Returns false at the end of the file and on failure. */
static bool read_line(line_file *f) {
    size_t length = 0;
    int c;
    f->line++;
    while ((c = text_getc(f->file)) != EOF && c != '\n') {
        if (c == '\0')
            return line_file_wrong(f, "a zero byte: not a text file");
        if (length + 1 == sizeof f->text)
            return line_file_wrong(f, "longer than %zu characters", length);
        f->text[length++] = (char)c;
        if (f->line == 1 && length == 3 && memcmp(f->text, "\xef\xbb\xbf", 3) == 0)
            return line_file_wrong(f, "a byte order mark: allowed is plain text without one");
    }
    f->text[length] = '\0';
    if (ferror(f->file))
        return line_file_refuse(f, "%s", strerror(errno));
    return c != EOF || length > 0;
}

/* Whether a comment is the heading, apart from blanks around it. */
static bool is_heading(const line_file *f, const char *comment) {
    if (f->heading == NULL)
        return false;
    const size_t length = strlen(f->heading);
    comment += strspn(comment, LINE_BLANKS);
    return strncmp(comment, f->heading, length) == 0 &&
           comment[length + strspn(comment + length, LINE_BLANKS)] == '\0';
}

char *line_file_any(line_file *f) {
    return read_line(f) ? f->text : NULL;
}

char *line_file_next(line_file *f) {
    for (char *line; (line = line_file_any(f)) != NULL;) {
        char *const word = line + strspn(line, LINE_BLANKS);
        if (*word == '#')
            f->headed = f->headed || is_heading(f, word + 1);
        word[strcspn(word, "#")] = '\0';
        if (*word == '\0')
            continue;
        f->heading = NULL;
        return word;
    }
    return NULL;
}

void line_file_close(line_file *f) {
    if (f->file != NULL)
        fclose(f->file);
    f->file = NULL;
}
