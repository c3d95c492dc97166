/* Lines of text with any kind of line end (text_line.h). */
#include "text_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 256

int text_getc(FILE *file) {
    const int c = getc_unlocked(file);
    if (c != '\r')
        return c;
    const int next = getc_unlocked(file);
    if (next != '\n' && next != EOF)
        ungetc(next, file);
    return '\n';
}

/* Makes room for one more character and a '\0'. Returns false without memory. */
static bool grow(char **line, size_t *size, size_t length) {
    if (*line != NULL && length + 1 < *size)
        return true;
    const size_t wanted = *line != NULL && *size >= FIRST_SIZE ? 2 * *size : FIRST_SIZE;
    char *const grown = realloc(*line, wanted);
    if (grown == NULL) {
        errno = ENOMEM;
        return false;
    }
    *line = grown;
    *size = wanted;
    return true;
}

ssize_t text_line(char **line, size_t *size, FILE *file) {
    size_t length = 0;
    int c = 0;
    while (c != '\n' && (c = text_getc(file)) != EOF) {
        if (!grow(line, size, length))
            return -1;
        (*line)[length++] = (char)c;
    }
    if (ferror(file))
        return -1;
    if (length > 0)
        (*line)[length] = '\0';
    return (ssize_t)length;
}

size_t text_unify(char *data, size_t size, bool *after_cr) {
    if (!*after_cr && memchr(data, '\r', size) == NULL)
        return size;
    size_t left = 0;
    for (size_t n = 0; n < size; n++) {
        const char c = data[n];
        if (c != '\n' || !*after_cr)
            data[left++] = c == '\r' ? '\n' : c;
        *after_cr = c == '\r';
    }
    return left;
}
