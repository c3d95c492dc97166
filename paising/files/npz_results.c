/* Data files as archives (npz_results.h). */
#include "npz_results.h"

#include "base/checked_text.h"
#include "base/npz.h"
#include "base/number.h"
#include "base/text_line.h"
#include "result_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 100

/* A data file. */
typedef struct {
    FILE *stream;  /* of the header, */
    char *header;  /* its lines but for the checksum; those between rows too */
    size_t length; /* of the header */
    char *names;   /* its last line before the rows */
    double *value; /* [rows][columns] */
    size_t columns, rows, room;
} table;

/* --- reading --- */

static bool add_header_line(table *t, const char *line) {
    if (checked_text_is_sum(line))
        return true;
    if (t->rows == 0) {
        free(t->names);
        t->names = strdup(line);
    }
    return t->names != NULL && fputs(line, t->stream) >= 0;
}

/* The number of words of a line behind its `#`. */
static size_t count_names(const char *line) {
    size_t count = 0;
    for (const char *c = line + 1; *c != '\0'; c++)
        count += *c != ' ' && *c != '\n' && (c[1] == ' ' || c[1] == '\n');
    return count;
}

/* Adds a row, which has a number for each name. */
static bool add_row(table *t, const char *line) {
    if (t->rows == 0)
        t->columns = count_names(t->names);
    if (t->columns == 0 || t->columns > MOST_COLUMNS)
        return false;
    if (t->rows == t->room) {
        const size_t room = 2 * t->room + 64;
        double *const grown = realloc(t->value, room * t->columns * sizeof *grown);
        if (grown == NULL)
            return false;
        t->value = grown;
        t->room = room;
    }
    for (size_t n = 0; n < t->columns; n++) {
        char *end;
        t->value[t->rows * t->columns + n] = number_read(line, &end);
        if (end == line || *end != (n + 1 < t->columns ? ' ' : '\n'))
            return false;
        line = end + 1;
    }
    t->rows++;
    return *line == '\0';
}

static bool read_table(table *t, FILE *text) {
    char *line = NULL;
    size_t size = 0;
    ssize_t length = 0;
    bool good = true;
    while (good && (length = text_line(&line, &size, text)) > 0)
        good = line[0] == '#'    ? add_header_line(t, line)
               : line[0] == '\n' ? true
                                 : t->names != NULL && add_row(t, line);
    free(line);
    if (good && t->rows == 0 && t->names != NULL)
        t->columns = count_names(t->names);
    return good && length == 0 && t->columns > 0 && t->columns <= MOST_COLUMNS;
}

/* --- types --- */

/* Columns of whole numbers, in all files that have them. R is the mean over the runs in averages. */
static bool is_whole(const char *file, const char *column) {
    static const char *const names[] = {"families",
                                        "trusted",
                                        "blocks",
                                        "pairs",
                                        "trusting",
                                        "runs",
                                        "kind",
                                        "count",
                                        "theta",
                                        "x",
                                        "y",
                                        "z",
                                        "spin",
                                        "direction",
                                        "J",
                                        "run",
                                        "counts",
                                        "replicas",
                                        "doubt",
                                        "step",
                                        "attempts",
                                        "equilibrated",
                                        "sample",
                                        "couplings",
                                        "temperatures",
                                        "replicas_0",
                                        "families_0",
                                        "hits",
                                        "site"};
    if (strcmp(column, "R") == 0)
        return strcmp(file, WEIGHTED_FILE) != 0 && strcmp(file, SAMPLES_FILE) != 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(column, names[n]) == 0)
            return true;
    return false;
}

/* Fills the array of a column, whose numbers have eight bytes each. */
static npz_array array_of(const table *t, size_t column, const char *file, const char *name,
                          void *numbers) {
    int64_t *const whole = numbers;
    double *const real = numbers;
    bool is = is_whole(file, name);
    for (size_t i = 0; i < t->rows && is; i++) {
        const double x = t->value[i * t->columns + column];
        is = x > -0x1p53 && x < 0x1p53 && x == (double)(int64_t)x; /* one that is not known: nan */
    }
    for (size_t i = 0; i < t->rows; i++)
        if (is)
            whole[i] = (int64_t)t->value[i * t->columns + column];
        else
            real[i] = t->value[i * t->columns + column];
    npz_array array = {name, {NPY_DOUBLE, t->rows, 0}, numbers};
    if (is)
        strcpy(array.shape.type, NPY_INT64);
    return array;
}

/* --- writing --- */

static bool write_table(FILE *npz, table *t, const char *file) {
    npz_array array[MOST_COLUMNS + 1] = {
        {"header", {.type = NPY_BYTE, .rows = t->length}, t->header}};
    char *numbers = malloc(t->rows * t->columns * sizeof(double) + 1), *rest = NULL,
         *name = strtok_r(t->names + 1, " \n", &rest);
    for (size_t n = 0; n < t->columns && numbers != NULL && name != NULL;
         n++, name = strtok_r(NULL, " \n", &rest))
        array[n + 1] = array_of(t, n, file, name, numbers + n * t->rows * sizeof(double));
    const bool good = numbers != NULL && npz_write(npz, array, t->columns + 1);
    free(numbers);
    return good;
}

exit_status npz_results_write(FILE *npz, FILE *text, const char *name) {
    table t = {.header = NULL};
    t.stream = open_memstream(&t.header, &t.length);
    bool good = t.stream != NULL && read_table(&t, text);
    if (t.stream != NULL)
        good = fclose(t.stream) == 0 && t.header != NULL && good; /* as in npz.c */
    good = good && write_table(npz, &t, name);
    free(t.header);
    free(t.names);
    free(t.value);
    return good ? STATUS_OK
                : complain(STATUS_FAILED,
                           "%s as .npz: no memory or no room for it, or 4 GiB or more", name);
}
