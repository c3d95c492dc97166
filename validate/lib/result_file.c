/* Reads a data file of build/paising back. */
#include "result_file.h"
#include "base/checked_text.h"
#include "base/text_line.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Columns behind those of every file: a glass may have some, and an average over several runs may have more. */
static bool are_others(int columns, bool average) {
    return columns == 0 || columns == RESULT_GLASS_COLUMNS ||
           (average && (columns == RESULT_AVERAGE_COLUMNS ||
                        columns == RESULT_GLASS_COLUMNS + RESULT_AVERAGE_COLUMNS));
}

/* Reads the columns of a data line, and passes over the others. Returns whether it has them all, a blank between two,
 * and nothing else. */
static bool read_row(const char *line, bool average, double x[RESULT_COLUMNS]) {
    const int most = RESULT_COLUMNS + RESULT_GLASS_COLUMNS + RESULT_AVERAGE_COLUMNS;
    int n = 0;
    char end_of_number = ' ';
    for (; end_of_number == ' ' && n < most; n++) {
        char *end;
        const double number = strtod(line, &end);
        if (n < RESULT_COLUMNS)
            x[n] = number;
        end_of_number = *end;
        if (end == line || isspace((unsigned char)*line))
            return false;
        line = end + 1;
    }
    return n >= RESULT_COLUMNS && are_others(n - RESULT_COLUMNS, average) &&
           end_of_number == '\n' && *line == '\0';
}

/* Whether a line of the header says that the rows are averages over several runs. */
static bool says_average(const char *line) {
    static const char words[] = "# averages over ";
    return strncmp(line, words, sizeof words - 1) == 0 &&
           strtoul(line + sizeof words - 1, NULL, 10) > 1;
}

/* What no row of a result holds, or NULL. before: the row before it, if there is one. */
static const char *wrong_in_row(const double x[RESULT_COLUMNS], const double *before) {
    if (!(x[RESULT_BETA] >= 0) || isinf(x[RESULT_BETA]))
        return "beta is not a finite number of 0 or more";
    if (before && !(x[RESULT_BETA] > before[RESULT_BETA]))
        return "beta is not larger than in the row before";
    for (int n = RESULT_ERR_E; n <= RESULT_ERR_S; n++)
        if ((n <= RESULT_ERR_BETA_F || n >= RESULT_ERR_M2) && x[n] < 0)
            return "an error is negative";
    if (!(x[RESULT_R] >= 1) || !(x[RESULT_RHO_T] > 0))
        return "there is no population of such R and rho_t";
    if (x[RESULT_TRUSTED] != 0 && x[RESULT_TRUSTED] != 1)
        return "`trusted` is neither 0 nor 1";
    return NULL;
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

/* Takes a data line. */
static exit_status take_row(result_file *result, size_t *room, const char *line, bool average,
                            const char *path) {
    if (!grow(result, room))
        return complain(STATUS_FAILED, "%s: not enough memory", path);
    double *const row = result->row[result->rows++];
    if (!read_row(line, average, row))
        return complain(STATUS_FAILED,
                        "%s: not a result of paising: row %zu has not its %d numbers", path,
                        result->rows, RESULT_COLUMNS);
    const double *const before = result->rows > 1 ? result->row[result->rows - 2] : NULL;
    const char *const wrong = wrong_in_row(row, before);
    return wrong ? complain(STATUS_FAILED, "%s: not a result of paising: row %zu: %s", path,
                            result->rows, wrong)
                 : STATUS_OK;
}

/* Sorts the lines of a file into header and rows. */
static exit_status read_lines(result_file *result, FILE *header, FILE *file, const char *path) {
    char *line = NULL;
    size_t size = 0, room = 0;
    bool average = false;
    ssize_t length;
    exit_status status = STATUS_OK;
    while (!status && (length = text_line(&line, &size, file)) > 0) {
        if (strlen(line) != (size_t)length)
            status = complain(STATUS_FAILED, "%s: not a result of paising: no text file", path);
        else if (line[0] == '#') {
            fputs(line, header);
            average = average || says_average(line);
        } else
            status = take_row(result, &room, line, average, path);
    }
    free(line);
    if (!status && !feof(file)) /* text_line also ends without memory */
        status = complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (!status && result->rows == 0)
        status = complain(STATUS_FAILED, "%s: not a result of paising: no rows", path);
    return status;
}

/* Opens a file, which no pipe or device may be: it would have to be waited for. Returns NULL after a
 * line on stderr. */
static FILE *open_file(const char *path) {
    struct stat about;
    FILE *file = NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &about) == 0 && !S_ISREG(about.st_mode))
        complain(STATUS_FAILED, "%s: not a result of paising: only files are read, no %s", path,
                 S_ISDIR(about.st_mode) ? "folders" : "pipes or devices");
    else if (descriptor < 0 || (file = fdopen(descriptor, "r")) == NULL)
        complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

/* Sees that the file is all that was written. */
static exit_status verify(FILE *file, const char *path) {
    switch (checked_text_verify(file)) {
    case CHECKED_TEXT_WHOLE:
        return STATUS_OK;
    case CHECKED_TEXT_WITHOUT_SUM:
        return complain(STATUS_FAILED,
                        "%s: not a whole result of paising: its last line must be its checksum, "
                        "'# crc32' and eight digits",
                        path);
    case CHECKED_TEXT_ALTERED:
        return complain(STATUS_FAILED,
                        "%s: not a result of paising: it was altered, its checksum is another",
                        path);
    case CHECKED_TEXT_UNREADABLE:
        break;
    }
    return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
}

/* Reads a file that is whole. */
static exit_status read_whole(result_file *result, FILE *file, const char *path) {
    size_t length;
    FILE *const header = open_memstream(&result->header, &length);
    if (!header)
        return complain(STATUS_FAILED, "%s: not enough memory", path);
    const exit_status status = read_lines(result, header, file, path);
    const bool kept = !ferror(header);
    if ((fclose(header) || !kept || !result->header) && !status)
        return complain(STATUS_FAILED, "%s: not enough memory", path);
    return status;
}

exit_status result_file_verify(const char *path) {
    FILE *const file = open_file(path);
    if (!file)
        return STATUS_FAILED;
    const exit_status status = verify(file, path);
    fclose(file);
    return status;
}

exit_status result_file_read(result_file *result, const char *path) {
    *result = (result_file){0};
    FILE *const file = open_file(path);
    if (!file)
        return STATUS_FAILED;
    exit_status status = verify(file, path);
    if (!status)
        status = read_whole(result, file, path);
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
