/* Tables of measured speeds (baseline.h). */
#include "baseline.h"
#include "base/ieee_math.h"
#include "base/text_line.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ON, CODING, SIZE, POPULATION, THETA, MODE, STAGES_COLUMN, T_SF, COLUMNS };
static const char *const column_names[COLUMNS] = {"device", "coding", "L",      "R",
                                                  "theta",  "mode",   "stages", "t_SF/ps"};

#define LINE_SIZE  1024
#define MAX_WORDS  64
#define MAX_TABLES 256

/* Splits a line into words. Returns their number, at most MAX_WORDS. */
static size_t split(char *line, char *words[MAX_WORDS]) {
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word != NULL && count < MAX_WORDS;
         word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    return count;
}

/* Finds the positions of the columns from the line that names them, which begins with "#". Returns
 * the number of names in it; 0 if a column is missing. */
static size_t find_columns(char *line, size_t place[COLUMNS]) {
    char *words[MAX_WORDS];
    const size_t count = split(line, words);
    for (size_t c = 0; c < COLUMNS; c++) {
        place[c] = MAX_WORDS;
        for (size_t i = 1; i < count; i++)
            if (strcmp(words[i], column_names[c]) == 0)
                place[c] = i - 1;
        if (place[c] == MAX_WORDS)
            return 0;
    }
    return count - 1;
}

/* The number in a cell; nan if the cell holds something else, which in a table means no value. */
static double number_in(const char *cell) {
    char *end;
    const double number = strtod(cell, &end);
    return *end == '\0' ? number : NAN;
}

/* Whether a row was measured in the same way. All rows are of the square model, and of local updates by the checkerboard. */
static bool is_comparable(char *const cell[COLUMNS], bool gpu, const parameters *p) {
    return p->model == 0 && update_kinds[p->update]->clusters == CLUSTERS_NONE &&
           update_kinds[p->update]->order == VISIT_CHECKERBOARD &&
           strcmp(cell[ON], gpu ? "gpu" : "cpu") == 0 &&
           strcmp(cell[CODING], coding_name(p->coding)) == 0 &&
           (p->coding == CODING_SSC || strcmp(cell[MODE], rng_name(p->rng)) == 0) &&
           (!gpu || strcmp(cell[STAGES_COLUMN], stages_name(p->stages)) == 0);
}

/* The distance between a measured point and the parameters; infinite if the point has no speed. */
static double distance(const baseline_point *b, const parameters *p) {
    if (!(b->t_sf_ps > 0 && b->size > 0 && b->population > 0 && b->theta > 0))
        return INFINITY;
    return fabs(ieee_log(b->size / p->size.edge[0])) + fabs(ieee_log(b->theta / p->sweeps)) +
           fabs(ieee_log(b->population / (double)p->population));
}

/* Searches a table for the nearest point; *best is the least distance so far. Returns false after
 * an error. */
static bool read_table(FILE *file, const char *name, const char *device, bool gpu,
                       const parameters *p, baseline_point *nearest, double *best) {
    char *line = NULL;
    bool of_device = false;
    size_t size = 0, columns = 0, place[COLUMNS];
    ssize_t length;
    while ((length = text_line(&line, &size, file)) > 0) {
        char *words[MAX_WORDS], *cell[COLUMNS];
        if (strncmp(line, "# device ", 9) == 0) {
            line[strcspn(line, "\n")] = '\0';
            of_device = strcmp(line + 9, device) == 0;
        } else if (strncmp(line, "# id ", 5) == 0) {
            columns = find_columns(line, place);
        } else if (line[0] != '#' && of_device && columns > 0) {
            if (split(line, words) != columns)
                continue;
            for (size_t c = 0; c < COLUMNS; c++)
                cell[c] = words[place[c]];
            if (!is_comparable(cell, gpu, p))
                continue;
            baseline_point b = {number_in(cell[T_SF]), number_in(cell[SIZE]),
                                number_in(cell[THETA]), number_in(cell[POPULATION]), ""};
            if (distance(&b, p) < *best) {
                *best = distance(&b, p);
                snprintf(b.file, sizeof b.file, "%s", name);
                *nearest = b;
            }
        }
    }
    free(line);
    return length == 0;
}

/* Opens a table of the folder. Returns NULL if the file is no table. */
static FILE *open_table(const char *folder, const char *file) {
    char path[4096];
    const size_t length = strlen(file);
    if (length < 4 || strcmp(file + length - 4, ".dat") != 0 ||
        snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return NULL;
    return fopen(path, "r");
}

bool baseline_find(const char *folder, const char *device, bool gpu, const parameters *p,
                   baseline_point *nearest) {
    double best = INFINITY;
    bool good = true;
    DIR *const dir = opendir(folder);
    if (dir == NULL)
        return false;
    for (const struct dirent *entry = readdir(dir); good && entry != NULL; entry = readdir(dir)) {
        FILE *const file = open_table(folder, entry->d_name);
        if (file == NULL)
            continue;
        good = read_table(file, entry->d_name, device, gpu, p, nearest, &best);
        fclose(file);
    }
    closedir(dir);
    return good && isfinite(best);
}

/* Reads the header of a table. Returns whether it names a device. */
static bool read_head(FILE *file, baseline_device *device) {
    char *line = NULL;
    size_t size = 0;
    *device = (baseline_device){.memory = UINT64_MAX};
    while (text_line(&line, &size, file) > 0 && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "# device ", 9) == 0 && device->name[0] == '\0')
            snprintf(device->name, sizeof device->name, "%.255s", line + 9);
        else if (strncmp(line, "# memory ", 9) == 0 && device->memory == UINT64_MAX)
            sscanf(line + 9, "%" SCNu64, &device->memory);
    }
    free(line);
    return device->name[0] != '\0';
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the tables of a folder, and reads the device of the one called `name`. If that is found, it
 * is the last in the list. Returns the length of the list, whose names the caller frees. */
static size_t read_heads(const char *folder, const char *name, char *names[MAX_TABLES],
                         baseline_device *device, bool *found) {
    size_t count = 0;
    *found = false;
    DIR *const dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && !*found && count < MAX_TABLES && (entry = readdir(dir)) != NULL) {
        FILE *const file = open_table(folder, entry->d_name);
        if (file == NULL)
            continue;
        const size_t length = strlen(entry->d_name) - 4; /* without ".dat" */
        if (read_head(file, device) && (names[count] = strndup(entry->d_name, length)) != NULL)
            *found = strcmp(names[count++], name) == 0;
        fclose(file);
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

exit_status baseline_like(const char *folder, const char *name, baseline_device *device) {
    char *names[MAX_TABLES], list[LINE_SIZE] = "";
    bool found;
    const size_t count = read_heads(folder, name, names, device, &found);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
        free(names[i]);
    }
    if (found)
        return STATUS_OK;
    return complain(STATUS_REFUSED, "--like %.100s: no table of this name in %s; there %s%s", name,
                    folder, count > 0 ? "are: " : "are none", list);
}
