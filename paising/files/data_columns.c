/* Reading headers and columns of data files. The last line of the header contains the names of columns; every other line
 * is a row. */
#include "data_columns.h"

#include "base/checked_text.h"
#include "base/number.h"
#include "base/text_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 64

/* Splits a line into words. Returns their number, at most MOST_COLUMNS. */
static size_t split(char *line, char *word[MOST_COLUMNS]) {
    size_t count = 0;
    for (char *c = line; *c != '\0' && count < MOST_COLUMNS;) {
        char *const begin = c;
        while (*c != ' ' && *c != '\n' && *c != '\0')
            c++;
        if (c > begin)
            word[count++] = begin;
        if (*c != '\0')
            *c++ = '\0';
    }
    return count;
}

/* Finds the positions of the columns in a header line, "# NAME NAME ...". Returns the number of
 * names in the line; 0 if a column is missing. */
static size_t find_places(char *line, const char *const name[], size_t columns, size_t place[]) {
    char *word[MOST_COLUMNS];
    const size_t words = split(line, word);
    for (size_t n = 0; n < columns; n++) {
        size_t at = 1;
        while (at < words && strcmp(word[at], name[n]) != 0)
            at++;
        if (at >= words)
            return 0;
        place[n] = at - 1;
    }
    return words - 1;
}

/* Adds a row. Returns false without memory, or unless the line has exactly `named` numbers. */
static bool add_row(data_columns *d, char *line, size_t named, const size_t place[],
                    size_t columns) {
    char *word[MOST_COLUMNS];
    if (split(line, word) != named)
        return false;
    double *const grown = realloc(d->value, (d->rows + 1) * columns * sizeof *grown);
    if (grown == NULL)
        return false;
    d->value = grown;
    for (size_t n = 0; n < columns; n++) {
        char *end = NULL;
        d->value[d->rows * columns + n] = number_read(word[place[n]], &end);
        if (*end != '\0')
            return false;
    }
    d->rows++;
    return true;
}

static bool read_lines(data_columns *d, FILE *file, const char *const name[], size_t columns) {
    char *line = NULL;
    size_t size = 0, place[MOST_COLUMNS], named = 0;
    ssize_t length = 0;
    bool good = true;
    while (good && (length = text_line(&line, &size, file)) > 0) {
        if (line[0] != '#')
            good = named > 0 && add_row(d, line, named, place, columns);
        else if (d->rows == 0)
            named = find_places(line, name, columns, place);
    }
    free(line);
    return good && d->rows > 0 && length == 0;
}

exit_status data_columns_read(data_columns *d, const char *path, const char *const name[],
                              size_t columns) {
    *d = (data_columns){.value = NULL};
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    const bool good =
        checked_text_verify(file) == CHECKED_TEXT_WHOLE && read_lines(d, file, name, columns);
    fclose(file);
    if (good)
        return STATUS_OK;
    free(d->value);
    return complain(STATUS_FAILED,
                    "%s: the file is not whole, or its columns are not the expected ones", path);
}

/* Takes the numbers that a header line has. */
static void take_numbers(const char *line, const char *const behind[], double value[], bool found[],
                         size_t count) {
    for (size_t n = 0; n < count; n++) {
        const char *const at = strstr(line, behind[n]);
        if (found[n] || at == NULL)
            continue;
        char *end;
        value[n] = number_read(at + strlen(behind[n]), &end);
        found[n] = end > at + strlen(behind[n]);
    }
}

exit_status data_header_read(const char *path, const char *const behind[], double value[],
                             size_t count) {
    bool found[MOST_COLUMNS] = {false};
    size_t size = 0, missing = 0;
    char *line = NULL;
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (checked_text_verify(file) == CHECKED_TEXT_WHOLE)
        while (text_line(&line, &size, file) > 0 && line[0] == '#')
            take_numbers(line, behind, value, found, count);
    free(line);
    fclose(file);
    for (size_t n = 0; n < count; n++)
        missing += !found[n];
    return missing == 0
               ? STATUS_OK
               : complain(STATUS_FAILED,
                          "%s: the file is not whole, or its lines are not the expected ones",
                          path);
}
