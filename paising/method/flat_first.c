/* The first weights of a flat-histogram method (--weights): W = 1 / g, with ln g of FH_density.dat of an earlier run of this lattice. With
 * --iterations 0 they are those of production. */
#include "flat.h"

#include "base/line_file.h"
#include "base/number.h"
#include "files/result_header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of the file. */
#define NAMES "# E ln_g "

/* Where ln f of Wang-Landau begins: its steps are not larger then than the errors of weights that are known. */
#define FIRST_LN_F 0x1p-7

/* Whether a line is one of those in headers that say which lattice it is. */
static bool names_lattice(const char *line) {
    static const char *const names[] = {"# model ",         "# size ",          "# states ",
                                        "# crystal-field ", "# disorder ",      "# sample ",
                                        "# boundary ",      "# ferromagnetic ", "# fingerprint ",
                                        "# graph-",         "# field",          "# random-field "};
    bool found = false;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        found = found || strncmp(line, names[n], strlen(names[n])) == 0;
    return found;
}

/* How many such lines a header has. */
static size_t count_names(const char *header) {
    size_t count = 0;
    for (const char *at = header; *at != '\0'; at = strchr(at, '\n') + 1)
        count += names_lattice(at);
    return count;
}

/* The header of this run, which the caller frees; NULL without memory. */
static char *header_of(const parameters *p) {
    char *header = NULL;
    size_t size;
    FILE *const text = open_memstream(&header, &size);
    if (text == NULL)
        return NULL;
    result_header_print_parameters(text, p);
    if (fclose(text) == 0)
        return header;
    free(header);
    return NULL;
}

/* Takes a line of a header, which must be of this lattice. */
static bool take_header(line_file *file, const char *header, const char *line) {
    const char *const own = strstr(header, line);
    if (!names_lattice(line) || (own != NULL && own[strlen(line)] == '\n'))
        return true;
    return line_file_wrong(file, "'%.60s': not the lattice of this run", line + 2);
}

/* Takes a row, whose energy must be a level of the model. ln_g[levels] */
static bool take_row(const flat *f, line_file *file, const char *line, double *ln_g) {
    const spin_model *const m = &f->steps.engine->model;
    char *behind_e, *behind_g;
    const double e = number_read(line, &behind_e), x = number_read(behind_e, &behind_g);
    if (behind_e == line || behind_g == behind_e || !isfinite(e) || !isfinite(x))
        return line_file_wrong(file, "not an energy and its ln g");
    const walk_range level = walk_range_between(m, (walk_range){0, m->levels.count}, e, e);
    if (level.count == 0 || !f->occurs[level.lowest])
        return line_file_wrong(file, "%.15g J is not an energy of this lattice", e);
    ln_g[level.lowest] = x;
    return true;
}

/* Reads ln g of the levels that the file has; of the others ln_g[levels] stays. */
static bool read_states(const flat *f, const char *header, double *ln_g) {
    line_file file;
    if (!line_file_open(&file, "--weights", f->given->weights))
        return false;
    const char *line = line_file_any(&file);
    if (!file.failed && (line == NULL || strncmp(line, NAMES, strlen(NAMES)) != 0))
        line_file_refuse(&file, "not a file FH_density.dat: columns E and ln_g are missing");
    size_t named = 0, rows = 0;
    while (!file.failed && (line = line_file_any(&file)) != NULL) {
        named += names_lattice(line);
        if (line[0] == '#')
            take_header(&file, header, line);
        else if (take_row(f, &file, line, ln_g))
            rows++;
    }
    if (!file.failed && named != count_names(header))
        line_file_refuse(&file, "not of the lattice of this run");
    else if (!file.failed && rows == 0)
        line_file_refuse(&file, "no energy and ln g");
    line_file_close(&file);
    return !file.failed;
}

/* The level nearest to each that the file has, the lower one of two: nearest[levels]. There is one at least. */
static void find_nearest(const double *ln_g, uint32_t levels, uint32_t *nearest) {
    uint32_t at = levels;
    for (uint32_t n = 0; n < levels; n++)
        nearest[n] = at = isnan(ln_g[n]) ? at : n;
    for (uint32_t n = levels; n-- > 0;) {
        at = isnan(ln_g[n]) ? at : n;
        if (nearest[n] == levels || (at >= n && at - n < n - nearest[n]))
            nearest[n] = at;
    }
}

/* Levels that the file has count as seen: the weights wait for them. */
static void set_weights(const flat *f, const double *ln_g, const uint32_t *nearest) {
    for (size_t k = 0; k < f->windows; k++) {
        flat_window *const w = &f->window[k];
        for (uint32_t n = 0; n < w->levels; n++) {
            w->ln_w[n] = -ln_g[nearest[w->lowest + n]];
            w->seen[n] = !isnan(ln_g[w->lowest + n]);
        }
        w->ln_f = FIRST_LN_F;
        w->ready = f->given->iterations == 0;
        flat_make_thresholds(f, w);
    }
}

exit_status flat_take_weights(flat *f) {
    const uint32_t levels = f->steps.engine->model.levels.count;
    char *const header = header_of(f->given);
    double *const ln_g = malloc(levels * sizeof *ln_g);
    uint32_t *const nearest = malloc(levels * sizeof *nearest);
    exit_status status = STATUS_REFUSED;
    for (uint32_t n = 0; n < levels && ln_g != NULL; n++)
        ln_g[n] = NAN;
    if (header == NULL || ln_g == NULL || nearest == NULL)
        complain(STATUS_REFUSED, "--weights: not enough memory");
    else if (read_states(f, header, ln_g)) {
        find_nearest(ln_g, levels, nearest);
        set_weights(f, ln_g, nearest);
        f->found = f->given->iterations == 0;
        status = STATUS_OK;
    }
    free(header);
    free(ln_g);
    free(nearest);
    return status;
}
