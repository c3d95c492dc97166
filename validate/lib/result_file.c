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

/* Names of the columns, and of those that a glass has in their places. */
static const char *const column_names[RESULT_COLUMNS][2] = {
    [RESULT_BETA] = {"beta"},
    [RESULT_E] = {"e"},
    [RESULT_C] = {"C"},
    [RESULT_ABS_M] = {"|m|", "|q|"},
    [RESULT_M2] = {"m2", "q2"},
    [RESULT_M4] = {"m4", "q4"},
    [RESULT_BETA_F] = {"betaF/N"},
    [RESULT_S] = {"S/N"},
    [RESULT_R] = {"R"},
    [RESULT_LN_Q] = {"lnQ"},
    [RESULT_ERR_E] = {"err_e"},
    [RESULT_ERR_C] = {"err_C"},
    [RESULT_ERR_ABS_M] = {"err_|m|", "err_|q|"},
    [RESULT_ERR_BETA_F] = {"err_betaF/N"},
    [RESULT_FAMILIES] = {"families"},
    [RESULT_RHO_T] = {"rho_t"},
    [RESULT_R_EFF] = {"R_eff"},
    [RESULT_TRUSTED] = {"trusted"},
    [RESULT_ERR_M2] = {"err_m2", "err_q2"},
    [RESULT_ERR_M4] = {"err_m4", "err_q4"},
    [RESULT_ERR_S] = {"err_S/N"},
    [RESULT_BLOCKS] = {"blocks"},
};

/* Where the columns stand in a row. */
typedef struct {
    int numbers; /* in a row; 0: no line with their names yet */
    int place[RESULT_COLUMNS];
} row_layout;

/* Whether a word of `length` characters is the name of a column. */
static bool is_name(const char *word, size_t length, const char *name) {
    return name != NULL && strlen(name) == length && memcmp(word, name, length) == 0;
}

/* Takes a line of the header that begins with "# beta " and names all columns; passes over others. */
static void take_names(row_layout *layout, const char *line) {
    static const char begin[] = "# beta ";
    row_layout found = {0};
    int known = 0;
    if (strncmp(line, begin, sizeof begin - 1) != 0)
        return;
    for (const char *word = line + 2; *word != '\0' && *word != '\n'; found.numbers++) {
        const size_t length = strcspn(word, " \n");
        for (int n = 0; n < RESULT_COLUMNS; n++)
            if (is_name(word, length, column_names[n][0]) ||
                is_name(word, length, column_names[n][1])) {
                found.place[n] = found.numbers;
                known++;
            }
        word += length + (word[length] == ' ');
    }
    if (known == RESULT_COLUMNS)
        *layout = found;
}

/* Reads the columns of a data line, and passes over the others. Returns whether it has a number for
 * each name, a blank between two, and nothing else. */
static bool read_row(const char *line, const row_layout *layout, double x[RESULT_COLUMNS]) {
    int at = 0;
    char end_of_number = ' ';
    for (; end_of_number == ' ' && at < layout->numbers; at++) {
        char *end;
        const double number = strtod(line, &end);
        for (int n = 0; n < RESULT_COLUMNS; n++)
            if (layout->place[n] == at)
                x[n] = number;
        end_of_number = *end;
        if (end == line || isspace((unsigned char)*line))
            return false;
        line = end + 1;
    }
    return at > 0 && at == layout->numbers && end_of_number == '\n' && *line == '\0';
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
static exit_status take_row(result_file *result, size_t *room, const char *line,
                            const row_layout *layout, const char *path) {
    if (!grow(result, room))
        return complain(STATUS_FAILED, "%s: not enough memory", path);
    double *const row = result->row[result->rows++];
    if (layout->numbers == 0)
        return complain(
            STATUS_FAILED,
            "%s: not a result of paising: no line of the header has the names of its columns",
            path);
    if (!read_row(line, layout, row))
        return complain(STATUS_FAILED,
                        "%s: not a result of paising: row %zu has not its %d numbers", path,
                        result->rows, layout->numbers);
    const double *const before = result->rows > 1 ? result->row[result->rows - 2] : NULL;
    const char *const wrong = wrong_in_row(row, before);
    return wrong ? complain(STATUS_FAILED, "%s: not a result of paising: row %zu: %s", path,
                            result->rows, wrong)
                 : STATUS_OK;
}

/* Sorts the lines of a file into header and rows. */
static exit_status read_lines(result_file *result, FILE *header, FILE *file, const char *path) {
    char *line = NULL;
    size_t size = 0, room = 0, lines = 0;
    row_layout layout = {0};
    ssize_t length;
    exit_status status = STATUS_OK;
    while (!status && (length = text_line(&line, &size, file)) > 0) {
        if (strlen(line) != (size_t)length)
            status = complain(STATUS_FAILED, "%s: not a result of paising: no text file", path);
        else if (line[0] == '#') {
            take_names(&layout, line);
            if (lines++ > 0 ||
                layout.numbers == 0) /* the names of the columns stand on top as well */
                fputs(line, header);
        } else
            status = take_row(result, &room, line, &layout, path);
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
