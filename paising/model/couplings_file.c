/* Couplings as text files: couplings_read, couplings_write (couplings.h). */
#include "couplings.h"

#include "base/commit.h"
#include "base/line_file.h"
#include "base/number.h"

#include <ctype.h>
#include <string.h>

#define BY_DIRECTION 5 /* columns: x y z direction J */
#define BY_PAIR      3 /* i j J */
#define MAX_COLUMNS  BY_DIRECTION

/* The state of reading one file. */
typedef struct {
    line_file file;
    int columns; /* in every line; 0 before the first */
    couplings *c;
    couplings seen; /* bond b is marked as negative once its line was read */
    uint64_t found;
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

/* Splits a line into numbers. Returns their number, at most MAX_COLUMNS + 1; or -1, after a
 * message, if a word is no number. */
static int read_columns(reader *r, const char *line, int64_t column[MAX_COLUMNS]) {
    int count = 0;
    for (; *line != '\0' && count < MAX_COLUMNS; line += strspn(line, LINE_BLANKS)) {
        const size_t length = strcspn(line, LINE_BLANKS);
        if (!read_number(line, length, &column[count++])) {
            line_file_wrong(&r->file, "'%.*s' is not a whole number below 10^15",
                            length < 20 ? (int)length : 20, line);
            return -1;
        }
        line += length;
    }
    return count + (*line != '\0');
}

/* Finds the bond of x y z direction. Returns false after a message if there is none. */
static bool bond_by_direction(reader *r, const int64_t column[MAX_COLUMNS], uint64_t *bond) {
    const couplings *const c = r->c;
    for (int d = 0; d < COUPLINGS_MAX_DIMENSION; d++)
        if (column[d] < 0 || column[d] >= c->edge[d])
            return line_file_wrong(&r->file, "%c = %lld is not from 0 to %u", "xyz"[d],
                                   (long long)column[d], (unsigned)(c->edge[d] - 1));
    if (column[3] < 0 || column[3] >= c->dimension)
        return line_file_wrong(&r->file, "direction %lld is not from 0 to %u", (long long)column[3],
                               (unsigned)(c->dimension - 1));
    const uint64_t row = (uint64_t)column[2] * c->edge[1] + (uint64_t)column[1];
    *bond = (row * c->edge[0] + (uint64_t)column[0]) * c->dimension + (uint64_t)column[3];
    return true;
}

/* Finds the bond between sites i and j. Returns false after a message if there is none. */
static bool bond_by_pair(reader *r, const int64_t column[MAX_COLUMNS], uint64_t *bond) {
    const couplings *const c = r->c;
    for (int n = 0; n < 2; n++)
        if (column[n] < 0 || (uint64_t)column[n] >= c->sites)
            return line_file_wrong(&r->file, "site %lld is not from 0 to %llu",
                                   (long long)column[n], (unsigned long long)(c->sites - 1));
    const uint64_t i = (uint64_t)column[0], j = (uint64_t)column[1];
    for (uint32_t d = 0; d < c->dimension; d++)
        if (couplings_neighbour(c, i, d) == j || couplings_neighbour(c, j, d) == i) {
            *bond = (couplings_neighbour(c, i, d) == j ? i : j) * c->dimension + d;
            return true;
        }
    return line_file_wrong(&r->file, "sites %llu and %llu are not neighbours",
                           (unsigned long long)i, (unsigned long long)j);
}

static bool take_line(reader *r, const char *line) {
    int64_t column[MAX_COLUMNS];
    const int columns = read_columns(r, line, column);
    if (columns < 0)
        return false;
    if (r->columns == 0 && columns != BY_DIRECTION && columns != BY_PAIR)
        return line_file_wrong(&r->file, "%s%d columns, allowed: x y z direction J, or i j J",
                               columns > MAX_COLUMNS ? "more than " : "",
                               columns > MAX_COLUMNS ? MAX_COLUMNS : columns);
    if (r->columns != 0 && columns != r->columns)
        return line_file_wrong(&r->file, "not %d columns as in the lines before", r->columns);
    r->columns = columns;
    uint64_t bond;
    if (!(columns == BY_PAIR ? bond_by_pair : bond_by_direction)(r, column, &bond))
        return false;
    const int64_t sign = column[columns - 1];
    if (sign < -1 || sign > 1)
        return line_file_wrong(&r->file, "J = %lld is none of 1, 0 and -1", (long long)sign);
    if (couplings_negative(&r->seen, bond))
        return line_file_wrong(&r->file, "this bond was given before");
    couplings_set(&r->seen, bond, true);
    couplings_set(r->c, bond, sign < 0);
    r->found++;
    return sign != 0 || couplings_remove(r->c, bond) ||
           line_file_wrong(&r->file, "no memory for missing bonds");
}

/* Takes the bonds without a line away, and says how many are missing. */
static bool remove_others(reader *r) {
    couplings *const c = r->c;
    bool good = true;
    if (r->found == 0)
        return line_file_refuse(&r->file, "no bonds in it");
    for (uint64_t bond = 0; good && r->found < c->bonds && bond < c->bonds; bond++)
        good = couplings_negative(&r->seen, bond) || couplings_remove(c, bond);
    if (!good)
        return line_file_refuse(&r->file, "no memory for %llu bonds", (unsigned long long)c->bonds);
    if (c->missing != NULL)
        warn("--couplings %s: %llu of %llu bonds are missing (J = 0, or no line)", r->file.path,
             (unsigned long long)(c->bonds - couplings_present(c)), (unsigned long long)c->bonds);
    return true;
}

static bool read_lines(reader *r) {
    bool good = true;
    for (const char *line; good && (line = line_file_next(&r->file)) != NULL;)
        good = take_line(r, line);
    return good && !r->file.failed && remove_others(r);
}

exit_status couplings_read(couplings *c, uint32_t dimension,
                           const uint32_t edge[COUPLINGS_MAX_DIMENSION], const char *path) {
    reader r = {.c = c};
    *c = (couplings){0};
    if (!line_file_open(&r.file, "--couplings", path))
        return STATUS_REFUSED;
    bool good = couplings_create(c, dimension, edge) && couplings_create(&r.seen, dimension, edge);
    if (good)
        good = read_lines(&r);
    else
        line_file_refuse(&r.file, "no memory for %llu bonds", (unsigned long long)c->bonds);
    line_file_close(&r.file);
    couplings_destroy(&r.seen);
    if (!good)
        couplings_destroy(c);
    return good ? STATUS_OK : STATUS_REFUSED;
}

/* Writes numbers as text, each followed by a space. Returns the end. */
static char *put_columns(char *to, const int64_t column[], int count) {
    for (int n = 0; n < count; n++) {
        to = number_put_whole(to, column[n]);
        *to++ = ' ';
    }
    return to;
}

/* Prints the lines of all bonds of a site, which have the same first columns. printf would be slow
 * for the many bonds of a lattice. */
static void print_bonds(FILE *stream, const couplings *c, const int64_t site[3], uint64_t bond) {
    char begin[3 * NUMBER_TEXT_SIZE];
    char line[COUPLINGS_MAX_DIMENSION * BY_DIRECTION * NUMBER_TEXT_SIZE], *end = line;
    const size_t length = (size_t)(put_columns(begin, site, 3) - begin);
    for (uint32_t direction = 0; direction < c->dimension; direction++) {
        const bool negative = couplings_negative(c, bond + direction);
        if (!couplings_has(c, bond + direction))
            continue;
        memcpy(end, begin, length);
        end = put_columns(end + length, (const int64_t[]){direction, negative ? -1 : 1}, 2);
        end[-1] = '\n';
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
    fprintf(stream, "# %llu of %llu bonds with J = -1, crc32 %08x\n# x y z direction J\n",
            (unsigned long long)couplings_count_negative(c), (unsigned long long)c->bonds,
            (unsigned)couplings_fingerprint(c));
    if (c->missing != NULL)
        fprintf(stream, "# %llu of %llu bonds are missing: those without a line\n",
                (unsigned long long)(c->bonds - couplings_present(c)),
                (unsigned long long)c->bonds);
    uint64_t bond = 0;
    for (uint32_t z = 0; z < c->edge[2]; z++)
        for (uint32_t y = 0; y < c->edge[1]; y++)
            for (uint32_t x = 0; x < c->edge[0]; x++, bond += c->dimension)
                print_bonds(stream, c, (const int64_t[]){x, y, z}, bond);
}
