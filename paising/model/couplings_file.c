/* Couplings as text files: couplings_read, couplings_write (couplings.h). */
#include "couplings.h"

#include "base/commit.h"
#include "base/line_file.h"
#include "base/number.h"
#include "bond_file.h"
#include "lattice_fit.h"
#include "levels.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BY_DIRECTION 5 /* columns: x y z direction J */
#define MAX_COLUMNS  BY_DIRECTION

/* The state of reading one file. */
typedef struct {
    line_file file;
    couplings *c;
    couplings seen; /* bond b is marked as negative once its line was read */
    uint64_t found;
    uint32_t first; /* number of the first site in the file */
    bool real;      /* J is any number, rounded to a multiple of 1 / FINE_UNIT */
    uint64_t small; /* numbers other than 0 that were rounded to 0 */
} reader;

/* Parses a word as a whole number of at most 15 digits. */
static bool read_number(const char *word, size_t length, int64_t *number) {
    const int64_t limit = 1000000000000000;
    const bool minus = *word == '-';
    const size_t sign = *word == '-' || *word == '+' ? 1 : 0;
    int64_t n = 0;
    if (length == sign)
        return false;
    for (size_t digit = sign; digit < length; digit++) {
        if (!isdigit((unsigned char)word[digit]))
            return false;
        n = 10 * n + (word[digit] - '0');
        if (n >= limit)
            return false;
    }
    *number = minus ? -n : n;
    return true;
}

/* Rounds J to units of 1 / FINE_UNIT. Returns false beyond COUPLINGS_MOST. */
static bool round_coupling(reader *r, double j, int64_t *units) {
    if (!(fabs(j) <= COUPLINGS_MOST))
        return false;
    *units = (int64_t)floor(j * FINE_UNIT + 0.5);
    r->small += *units == 0 && fpclassify(j) != FP_ZERO;
    return true;
}

/* Parses a word as a decimal number, in those units. */
static bool read_real(reader *r, const char *word, size_t length, int64_t *units) {
    char *end;
    return strspn(word, "0123456789.eE+-") >= length &&
           round_coupling(r, number_read(word, &end), units) && end == word + length;
}

/* Splits a line into numbers. Returns their number, at most MAX_COLUMNS + 1; or -1, after a
 * message, if a word is no number. */
static int read_columns(reader *r, const char *line, int64_t column[MAX_COLUMNS]) {
    int count = 0;
    int64_t units;
    for (; *line != '\0' && count < MAX_COLUMNS; line += strspn(line, LINE_BLANKS)) {
        const size_t length = strcspn(line, LINE_BLANKS);
        const bool real = r->real && count == BY_DIRECTION - 1;
        if (real ? !read_real(r, line, length, &column[count++])
                 : !read_number(line, length, &column[count++])) {
            if (real)
                line_file_wrong(&r->file, "J = '%.*s' is not a number from -%d to %d",
                                length < 20 ? (int)length : 20, line, COUPLINGS_MOST,
                                COUPLINGS_MOST);
            else
                line_file_wrong(&r->file, "'%.*s' is not a whole number below 10^15%s",
                                length < 20 ? (int)length : 20, line,
                                count == BY_DIRECTION && read_real(r, line, length, &units)
                                    ? " (--couplings-type real)"
                                    : "");
            return -1;
        }
        line += length;
    }
    return count + (*line != '\0');
}

/* Finds the bond of x y z direction. Returns false after a message if there is none. */
static bool bond_by_direction(reader *r, const int64_t column[MAX_COLUMNS], uint64_t *found) {
    const couplings *const c = r->c;
    for (int d = 0; d < COUPLINGS_MAX_DIMENSION; d++)
        if (column[d] < 0 || column[d] >= c->edge[d])
            return line_file_wrong(&r->file, "%c = %lld is not from 0 to %u", "xyz"[d],
                                   (long long)column[d], (unsigned)(c->edge[d] - 1));
    if (column[3] < 0 || column[3] >= c->dimension)
        return line_file_wrong(&r->file, "direction %lld is not from 0 to %u", (long long)column[3],
                               (unsigned)(c->dimension - 1));
    const uint64_t row = (uint64_t)column[2] * c->edge[1] + (uint64_t)column[1];
    *found = (row * c->edge[0] + (uint64_t)column[0]) * c->dimension + (uint64_t)column[3];
    return true;
}

/* Takes J of a bond. Returns what is wrong with it, in what[size], or NULL. */
static const char *take_bond(reader *r, uint64_t number, int64_t value, char *what, size_t size) {
    if (!r->real && (value < -1 || value > 1)) {
        snprintf(what, size, "J = %lld is none of 1, 0 and -1 (--couplings-type real)",
                 (long long)value);
        return what;
    }
    if (couplings_negative(&r->seen, number))
        return "this bond was given before";
    couplings_set(&r->seen, number, true);
    if (r->real)
        couplings_set_value(r->c, number, (int32_t)value);
    else
        couplings_set(r->c, number, value < 0);
    r->found++;
    return value != 0 || couplings_remove(r->c, number) ? NULL : "no memory for missing bonds";
}

static bool take_line(reader *r, const char *line) {
    int64_t column[MAX_COLUMNS];
    const int columns = read_columns(r, line, column);
    char what[60];
    uint64_t number = 0;
    if (columns < 0)
        return false;
    if (columns != BY_DIRECTION)
        return line_file_wrong(&r->file, "not %d columns as in the lines before", BY_DIRECTION);
    if (!bond_by_direction(r, column, &number))
        return false;
    const char *const wrong = take_bond(r, number, column[4], what, sizeof what);
    return wrong == NULL || line_file_wrong(&r->file, "%s", wrong);
}

/* Takes the bonds without a line away, and says how many are missing. */
static bool remove_others(reader *r) {
    couplings *const c = r->c;
    bool good = true;
    char small[120] = "";
    if (r->found == 0)
        return line_file_refuse(&r->file, "no bonds in it");
    for (uint64_t n = 0; good && r->found < c->bonds && n < c->bonds; n++)
        good = couplings_negative(&r->seen, n) || couplings_remove(c, n);
    if (!good)
        return line_file_refuse(&r->file, "no memory for %llu bonds", (unsigned long long)c->bonds);
    if (r->small > 0)
        snprintf(small, sizeof small, ", %llu of them with a J below its unit, 2^-20",
                 (unsigned long long)r->small);
    if (c->missing != NULL)
        warn("--couplings %s: %llu of %llu bonds are missing (J = 0, or no line)%s", r->file.path,
             (unsigned long long)(c->bonds - couplings_present(c)), (unsigned long long)c->bonds,
             small);
    return true;
}

/* Reads a file of five columns. */
static bool read_directions(reader *r) {
    bool good = true;
    for (const char *line; good && (line = line_file_next(&r->file)) != NULL;)
        good = take_line(r, line);
    return good && !r->file.failed && remove_others(r);
}

/* Whether the first line with text has five columns, of which the first is a number. Leaves the file at its beginning. */
static bool has_directions(line_file *f) {
    const char *line = line_file_next(f);
    const bool number = line != NULL && isdigit((unsigned char)*line);
    int columns = 0;
    for (; line != NULL && *line != '\0'; columns++) {
        line += strcspn(line, LINE_BLANKS);
        line += strspn(line, LINE_BLANKS);
    }
    rewind(f->file);
    f->line = 0;
    return number && columns == BY_DIRECTION;
}

/* Finds the bond between sites i and j. */
static bool find_bond(const couplings *c, uint64_t i, uint64_t j, uint64_t *found) {
    for (uint32_t d = 0; d < c->dimension; d++)
        if (couplings_neighbour(c, i, d) == j || couplings_neighbour(c, j, d) == i) {
            *found = (couplings_neighbour(c, i, d) == j ? i : j) * c->dimension + d;
            return true;
        }
    return false;
}

/* Refuses a list whose number of sites is not that of the lattice. */
static bool check_sites(reader *r, const bond_list *list, const unsigned long line[]) {
    char shape[LATTICE_FIT_SIZE];
    const unsigned long long sites = r->c->sites;
    for (size_t n = 0; n < list->bonds; n++)
        if (list->bond[n].j >= sites) {
            r->file.line = line[n];
            return line_file_wrong(&r->file, "site %llu is not from %u to %llu%s",
                                   (unsigned long long)list->bond[n].j + r->first,
                                   (unsigned)r->first, sites - 1 + r->first,
                                   lattice_fit(list, shape));
        }
    return list->sites == sites ||
           line_file_refuse(&r->file, "%u sites, the lattice has %llu%s", (unsigned)list->sites,
                            sites, lattice_fit(list, shape));
}

/* Takes bonds of pairs of sites, which the lattice must have. */
static bool take_pairs(reader *r, const bond_list *list, const unsigned long line[]) {
    char what[LATTICE_FIT_SIZE + 100], shape[LATTICE_FIT_SIZE];
    if (!check_sites(r, list, line))
        return false;
    if (list->field != NULL)
        return line_file_refuse(&r->file, "it has fields, and this model has none");
    if (list->unit != 1 && !r->real)
        return line_file_refuse(&r->file,
                                "J is neither 1 nor -1 throughout, but in steps of 1/%u "
                                "(--couplings-type real)",
                                (unsigned)list->unit);
    for (size_t n = 0; n < list->bonds; n++) {
        const bond *const b = &list->bond[n];
        uint64_t number = 0;
        const char *wrong = what;
        int64_t value = b->value;
        if (r->real && !round_coupling(r, (double)value / list->unit, &value))
            snprintf(what, sizeof what, "|J| is above %d", COUPLINGS_MOST);
        else if (find_bond(r->c, b->i, b->j, &number))
            wrong = take_bond(r, number, value, what, sizeof what);
        else
            snprintf(what, sizeof what, "sites %u and %u are not neighbours%s",
                     (unsigned)(b->i + r->first), (unsigned)(b->j + r->first),
                     lattice_fit(list, shape));
        r->file.line = line[n];
        if (wrong != NULL)
            return line_file_wrong(&r->file, "%s", wrong);
    }
    return remove_others(r);
}

/* Reads a file of pairs of sites. */
static bool read_pairs(reader *r, bond_reading how) {
    bond_list list;
    unsigned long *line;
    if (bond_file_read(&list, &r->c->origin, &line, r->file.option, how, r->c->sites,
                       r->file.path) != STATUS_OK)
        return false;
    r->first = r->c->origin.first;
    const bool good = take_pairs(r, &list, line);
    if (good)
        warn("%s %s: %s", r->file.option, r->file.path, r->c->origin.text);
    bond_list_destroy(&list);
    free(line);
    return good;
}

static exit_status read_file(couplings *c, uint32_t dimension,
                             const uint32_t edge[COUPLINGS_MAX_DIMENSION], bond_reading how,
                             bool real, const char *path) {
    reader r = {.c = c, .real = real};
    *c = (couplings){0};
    if (!line_file_open(&r.file, "--couplings", path))
        return STATUS_REFUSED;
    bool good = couplings_create(c, dimension, edge) &&
                couplings_create(&r.seen, dimension, edge) &&
                (!real || couplings_allocate_values(c));
    if (!good)
        line_file_refuse(&r.file, "no memory for %llu bonds", (unsigned long long)c->bonds);
    else if (how.dialect <= BONDS_OURS && how.first != FIRST_SITE_1 && has_directions(&r.file))
        good = read_directions(&r);
    else
        good = !r.file.failed && read_pairs(&r, how);
    line_file_close(&r.file);
    couplings_destroy(&r.seen);
    if (!good)
        couplings_destroy(c);
    return good ? STATUS_OK : STATUS_REFUSED;
}

exit_status couplings_read(couplings *c, uint32_t dimension,
                           const uint32_t edge[COUPLINGS_MAX_DIMENSION], bond_reading how,
                           const char *path) {
    return read_file(c, dimension, edge, how, false, path);
}

exit_status couplings_read_real(couplings *c, uint32_t dimension,
                                const uint32_t edge[COUPLINGS_MAX_DIMENSION], bond_reading how,
                                const char *path) {
    return read_file(c, dimension, edge, how, true, path);
}

/* Writes numbers as text, each followed by a space. Returns the end. */
static char *put_columns(char *to, const int64_t column[], int count) {
    for (int n = 0; n < count; n++) {
        to = number_put_whole(to, column[n]);
        *to++ = ' ';
    }
    return to;
}

/* Digits of J with which it reads as the same multiple of 1 / FINE_UNIT. */
#define DIGITS_OF_VALUE 12

/* Prints the lines of all bonds of a site, which have the same first columns. printf would be slow
 * for the many bonds of a lattice. */
static void print_bonds(FILE *stream, const couplings *c, const int64_t site[3], uint64_t first) {
    char begin[3 * NUMBER_TEXT_SIZE];
    char line[COUPLINGS_MAX_DIMENSION * BY_DIRECTION * NUMBER_TEXT_SIZE], *end = line;
    const size_t length = (size_t)(put_columns(begin, site, 3) - begin);
    for (uint32_t direction = 0; direction < c->dimension; direction++) {
        const uint64_t number = first + direction;
        if (!couplings_has(c, number))
            continue;
        memcpy(end, begin, length);
        end = put_columns(end + length, (const int64_t[]){direction}, 1);
        end = c->value != NULL
                  ? number_put(end, (double)c->value[number] / FINE_UNIT, DIGITS_OF_VALUE)
                  : number_put_whole(end, couplings_negative(c, number) ? -1 : 1);
        *end++ = '\n';
    }
    fwrite(line, 1, (size_t)(end - line), stream);
}

/* Whether all bonds around the edge of a direction are missing. */
static bool is_open(const couplings *c, uint32_t direction) {
    uint64_t site = 0;
    while (site < c->sites && (couplings_neighbour(c, site, direction) > site ||
                               !couplings_has(c, site * c->dimension + direction)))
        site++;
    return site == c->sites;
}

static void print_boundaries(const couplings *c, FILE *stream) {
    bool special = false;
    for (uint32_t d = 0; d < c->dimension; d++)
        special = special || is_open(c, d) || c->antiperiodic[d];
    fprintf(stream, special ? ", boundaries" : ", periodic boundaries");
    for (uint32_t d = 0; special && d < c->dimension; d++)
        fprintf(stream, "%s%s", d == 0 ? " " : ",",
                is_open(c, d)        ? "open"
                : c->antiperiodic[d] ? "antiperiodic"
                                     : "periodic");
    fprintf(stream, "\n");
}

void couplings_write(const couplings *c, FILE *stream, const char *model, const char *origin) {
    fprintf(stream, "# couplings (paising " PAISING_VERSION "): model %s, %u x %u", model,
            (unsigned)c->edge[0], (unsigned)c->edge[1]);
    if (c->dimension == COUPLINGS_MAX_DIMENSION)
        fprintf(stream, " x %u", (unsigned)c->edge[2]);
    print_boundaries(c, stream);
    if (origin != NULL)
        fprintf(stream, "# origin: %s\n", origin);
    fprintf(stream, "# E = -sum J s s; direction 0, 1, 2 leads from x y z to x + 1, y + 1, z + 1; "
                    "site = (z Ly + y) Lx + x, from 0\n");
    fprintf(stream, "# %llu of %llu bonds with J %s, crc32 %08x\n",
            (unsigned long long)couplings_count_negative(c), (unsigned long long)c->bonds,
            c->value != NULL ? "< 0" : "= -1", (unsigned)couplings_fingerprint(c));
    if (c->value != NULL)
        fprintf(stream, "# J is a multiple of 2^-20, here to 12 digits\n");
    if (c->missing != NULL)
        fprintf(stream, "# %llu of %llu bonds are missing: those without a line\n",
                (unsigned long long)(c->bonds - couplings_present(c)),
                (unsigned long long)c->bonds);
    fputs("# x y z direction J\n", stream);
    uint64_t number = 0;
    for (uint32_t z = 0; z < c->edge[2]; z++)
        for (uint32_t y = 0; y < c->edge[1]; y++)
            for (uint32_t x = 0; x < c->edge[0]; x++, number += c->dimension)
                print_bonds(stream, c, (const int64_t[]){x, y, z}, number);
}
