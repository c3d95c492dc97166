/* Reads a data file of build/paising back. */
#include "result_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the columns of a data line. Returns whether it has them all, and nothing else. */
static bool read_row(const char *line, double x[RESULT_COLUMNS]) {
    for (int n = 0; n < RESULT_COLUMNS; n++) {
        char *end;
        x[n] = strtod(line, &end);
        if (end == line)
            return false;
        line = end;
    }
    return line[strspn(line, " \n")] == '\0';
}

/* Makes room for one more row. Returns whether there is memory. */
static bool grow(result_file *result, size_t *room) {
    if (result->rows < *room)
        return true;
    const size_t wanted = *room ? 2 * *room : 256;
    void *const grown = realloc(result->row, wanted * sizeof *result->row);
    if (!grown)
        return false;
    result->row = grown;
    *room = wanted;
    return true;
}

/* Sorts the lines of a file into header and rows. */
static exit_status read_lines(result_file *result, FILE *header, FILE *file, const char *path) {
    char *line = NULL;
    size_t size = 0, room = 0;
    ssize_t length;
    exit_status status = STATUS_OK;
    while (!status && (length = getline(&line, &size, file)) >= 0) {
        if (strlen(line) != (size_t)length)
            status = complain(STATUS_FAILED, "%s: not a result of paising: no text file", path);
        else if (line[0] == '#')
            fputs(line, header);
        else if (!grow(result, &room))
            status = complain(STATUS_FAILED, "%s: not enough memory", path);
        else if (!read_row(line, result->row[result->rows++]))
            status = complain(STATUS_FAILED,
                              "%s: not a result of paising: row %zu has not its %d numbers", path,
                              result->rows, RESULT_COLUMNS);
    }
    free(line);
    if (!status && !feof(file)) /* getline also ends without memory */
        status = complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (!status && result->rows == 0)
        status = complain(STATUS_FAILED, "%s: not a result of paising: no rows", path);
    return status;
}

exit_status result_file_read(result_file *result, const char *path) {
    *result = (result_file){0};
    FILE *const file = fopen(path, "r");
    if (!file)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    size_t length;
    FILE *const header = open_memstream(&result->header, &length);
    exit_status status = header ? read_lines(result, header, file, path) : STATUS_OK;
    const bool kept = header && !ferror(header);
    if ((header && fclose(header)) || !kept)
        status = complain(STATUS_FAILED, "%s: not enough memory", path);
    fclose(file);
    return status;
}

void result_file_free(result_file *result) {
    free(result->header);
    free(result->row);
    *result = (result_file){0};
}

const char *result_file_parameter(const result_file *result, const char *name,
                                  char value[RESULT_VALUE_SIZE]) {
    const size_t length = strlen(name);
    value[0] = '\0';
    for (const char *line = result->header; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, "# ", 2) && !strncmp(line + 2, name, length) &&
            line[2 + length] == ' ') {
            snprintf(value, RESULT_VALUE_SIZE, "%.*s", (int)strcspn(line + 3 + length, "\n"),
                     line + 3 + length);
            break;
        }
    }
    return value;
}

uint64_t result_file_number(const result_file *result, const char *name) {
    char value[RESULT_VALUE_SIZE];
    result_file_parameter(result, name, value);
    errno = 0;
    const uint64_t number = strtoull(value, NULL, 10);
    return errno == 0 && value[strspn(value, "0123456789")] == '\0' ? number : 0;
}
