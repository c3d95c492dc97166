/* Splits a file of bonds into numbers, and says what a line looks like that has none (bond_lines.h). */
#include "bond_lines.h"

#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BANNER       "%%MatrixMarket"
#define VARTYPE      "vartype"
#define OFFSET       "offset"
#define MOST_COLUMNS 5
#define LARGEST      1000000000000000 /* 10^15: numbers are smaller */
#define EXPONENT     40               /* numbers with larger ones are refused */

/* A word as a number. */
typedef struct {
    int64_t number;
    int decimals; /* value = number / 10^decimals, without zeros at the end; 0 or more */
    int written;  /* decimals that are written */
    int cut;      /* the first decimal that is left out; 0: none is */
    bool rounded; /* it had more decimals than BOND_DECIMALS */
    bool small;   /* it is not 0, but would be, rounded */
} decimal;

/* 10^n, or 10^18 if that is smaller. */
static int64_t power_of_10(int n) {
    int64_t power = 1;
    for (n = n < 18 ? n : 18; n > 0; n--)
        power *= 10;
    return power;
}

/* Reads digits up to a word's end or exponent. Zeros at the end of a fraction do not count, and of a longer one some 15 digits alone.
 * Returns their end, or NULL if there are too many, or none. */
static const char *read_digits(const char *at, const char *end, decimal *d) {
    bool any = false, point = false;
    int zeros = 0; /* of the fraction, which count if another digit follows */
    for (; at < end && (isdigit((unsigned char)*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        d->written += point;
        zeros++;
        if (point && *at == '0')
            continue;
        if (d->cut == 0 && point && d->decimals + zeros > BOND_DECIMALS &&
            d->number >= LARGEST / power_of_10(zeros))
            d->cut = d->decimals + zeros;
        if (d->cut > 0)
            continue;
        for (d->decimals += point ? zeros : 0; zeros > 0; zeros--) {
            d->number = 10 * d->number + (zeros == 1 ? *at - '0' : 0);
            if (d->number >= LARGEST)
                return NULL;
        }
    }
    return any ? at : NULL;
}

/* Reads the exponent behind an e, 0 without one. Returns false if it is none. */
static bool read_exponent(const char *at, const char *end, int *exponent) {
    *exponent = 0;
    if (at == end)
        return true;
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    const bool minus = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (!isdigit((unsigned char)*at) || *exponent > EXPONENT)
            return false;
        *exponent = 10 * *exponent + (*at - '0');
    }
    *exponent = minus ? -*exponent : *exponent;
    return true;
}

/* Rounds to BOND_DECIMALS decimals, halves away from 0. Returns false if nothing is left. */
static bool round_decimals(decimal *d) {
    const int more = d->decimals - BOND_DECIMALS;
    d->rounded = true;
    d->decimals = BOND_DECIMALS;
    d->number = more > 15 ? 0 : (d->number + power_of_10(more) / 2) / power_of_10(more);
    d->small = d->number == 0;
    return !d->small;
}

/* Reads a word as a decimal number below 10^15, rounded to BOND_DECIMALS decimals. One that is too small for them is refused. */
static bool read_decimal(const char *word, size_t length, decimal *d) {
    const char *const end = word + length;
    const bool minus = *word == '-';
    int exponent;
    *d = (decimal){0};
    const char *const digits = read_digits(word + (*word == '-' || *word == '+'), end, d);
    if (digits == NULL || !read_exponent(digits, end, &exponent))
        return false;
    if (d->number == 0)
        exponent = d->decimals = 0;
    for (d->decimals -= exponent; d->decimals < 0; d->decimals++) {
        d->number *= 10;
        if (d->number >= LARGEST)
            return false;
    }
    d->rounded = d->cut > 0;
    d->small = d->cut > 0 && d->number == 0;
    if (d->cut > 0 && (d->small || d->cut - exponent <= BOND_DECIMALS))
        return false;
    if (d->decimals > BOND_DECIMALS && !round_decimals(d))
        return false;
    for (; d->decimals > 0 && d->number % 10 == 0; d->decimals--)
        d->number /= 10;
    d->number = minus ? -d->number : d->number;
    return true;
}

/* Reads a word as the number of a site. */
static bool read_site(const char *word, size_t length, uint32_t *site) {
    decimal d;
    if (!read_decimal(word, length, &d) || d.rounded || d.decimals > 0 || d.number < 0 ||
        d.number >= UINT32_MAX)
        return false;
    *site = (uint32_t)d.number;
    return true;
}

/* The words of a line. */
typedef struct {
    int count; /* at most MOST_COLUMNS + 1 */
    const char *word[MOST_COLUMNS + 1];
    size_t length[MOST_COLUMNS + 1];
} words;

static words words_of(const char *line) {
    words w = {.count = 0};
    line += strspn(line, LINE_BLANKS);
    for (; *line != '\0' && w.count <= MOST_COLUMNS; line += strspn(line, LINE_BLANKS)) {
        w.word[w.count] = line;
        w.length[w.count] = strcspn(line, LINE_BLANKS);
        line += w.length[w.count++];
    }
    return w;
}

/* How much of a word a message shows. */
static int shown_length(const words *w, int n) {
    return w->length[n] < 25 ? (int)w->length[n] : 25;
}

/* Says what a word that is no number looks like. Returns false. */
static bool no_number(bond_lines *b, const words *w, int n, const char *what) {
    const char *const line = w->word[0];
    const int shown = shown_length(w, n);
    if (strpbrk(line, "()[]{}:\"") != NULL)
        return line_file_wrong(&b->file,
                               "'%.*s' looks like a list of a programming language: allowed are "
                               "columns separated by blanks, such as 0 1 -1",
                               shown, w->word[n]);
    if (strpbrk(line, ",;") != NULL)
        return line_file_wrong(
            &b->file, "columns seem to be separated by '%c': allowed are blanks, such as 0 1 -1",
            *strpbrk(line, ",;"));
    if (strncasecmp(line, BANNER, strlen(BANNER)) == 0)
        return line_file_wrong(&b->file, "the banner of Matrix Market: --couplings-format "
                                         "matrix-market, or none");
    if ((w->length[0] == 1 && strchr("cpe", *line) != NULL))
        return line_file_wrong(&b->file,
                               "'%c' looks like DIMACS format of other graphs (c, p, e): allowed "
                               "are lines i j w without a letter, such as 1 2 1, behind n m",
                               *line);
    return line_file_wrong(&b->file, "'%.*s' is not a %s%s", shown, w->word[n], what,
                           b->has_name ? " (line 1 was taken for the name of isakov format)" : "");
}

static bool add(bond_lines *b, const words *w) {
    bond_line row = {.line = b->file.line, .number = 1};
    decimal d = {.number = 1};
    if (!read_site(w->word[0], w->length[0], &row.i))
        return no_number(b, w, 0, "site: a whole number from 0 and below 2^32 - 1");
    if (!read_site(w->word[1], w->length[1], &row.j))
        return no_number(b, w, 1, "site: a whole number from 0 and below 2^32 - 1");
    if (!b->pattern && !read_decimal(w->word[2], w->length[2], &d))
        return d.small
                   ? line_file_wrong(&b->file,
                                     "'%.*s' is not 0, but would be to %d decimals: multiply all "
                                     "numbers by a factor, and divide beta by it",
                                     shown_length(w, 2), w->word[2], BOND_DECIMALS)
                   : no_number(b, w, 2, "number below 10^15 with at most 8 decimals");
    if (b->rows == b->room) {
        const size_t room = b->room ? 2 * b->room : 256;
        bond_line *const more = realloc(b->row, room * sizeof *more);
        if (more == NULL)
            return line_file_refuse(&b->file, "no memory for more than %zu lines", b->rows);
        b->row = more;
        b->room = room;
    }
    if (row.i > row.j) {
        const uint32_t larger = row.i;
        row.i = row.j;
        row.j = larger;
        row.lower = true;
    }
    row.number = d.number;
    row.decimals = (uint8_t)d.decimals;
    b->rounded += d.rounded;
    b->six_decimals = b->six_decimals && d.written == 6;
    b->decimals = b->decimals < row.decimals ? row.decimals : b->decimals;
    b->row[b->rows++] = row;
    return true;
}

/* --- first lines --- */

/* Reads whole numbers of a header. */
static bool take_header(bond_lines *b, const words *w, const int place[2]) {
    for (int n = 0; n < 2; n++) {
        decimal d;
        if (!read_decimal(w->word[place[n]], w->length[place[n]], &d) || d.rounded ||
            d.decimals > 0 || d.number < 0)
            return no_number(b, w, place[n], "whole number below 10^15");
        b->header[n] = d.number;
    }
    b->has_header = true;
    b->header_line = b->file.line;
    return true;
}

static bool word_is(const words *w, int n, const char *text) {
    return n < w->count && strlen(text) == w->length[n] &&
           strncasecmp(w->word[n], text, w->length[n]) == 0;
}

/* Reads the banner of Matrix Market: object, format, field, symmetry. */
static bool take_banner(bond_lines *b, const char *line) {
    const words w = words_of(line);
    b->has_banner = true;
    b->pattern = word_is(&w, 3, "pattern");
    b->symmetric = word_is(&w, 4, "symmetric");
    if (w.count == MOST_COLUMNS && word_is(&w, 1, "matrix") && word_is(&w, 2, "coordinate") &&
        (b->pattern || word_is(&w, 3, "real") || word_is(&w, 3, "integer")) &&
        (b->symmetric || word_is(&w, 4, "general")))
        return true;
    return line_file_wrong(&b->file, "allowed are matrices of Matrix Market that are coordinate; "
                                     "real, integer or pattern; symmetric or general");
}

/* Reads the size of a matrix: rows, columns, entries. */
static bool take_size(bond_lines *b, const words *w) {
    if (w->count != 3)
        return line_file_wrong(&b->file, "not the size of a matrix: rows, columns, entries");
    int64_t columns;
    if (!take_header(b, w, (const int[]){1, 2}))
        return false;
    columns = b->header[0];
    if (!take_header(b, w, (const int[]){0, 2}))
        return false;
    return columns == b->header[0] ||
           line_file_wrong(&b->file, "%lld rows and %lld columns: the matrix must be square",
                           (long long)b->header[0], (long long)columns);
}

/* Whether the first line is a name: it has letters, and does not begin with two numbers, or as other formats do. */
static bool is_name(const words *w) {
    bool letters = false;
    decimal d;
    for (const char *c = w->count > 0 ? w->word[0] : ""; *c != '\0'; c++)
        letters = letters || isalpha((unsigned char)*c);
    return letters && strchr("({[\"", *w->word[0]) == NULL &&
           !(w->length[0] == 1 && strchr("cp", *w->word[0]) != NULL) &&
           !(w->count > 1 && read_decimal(w->word[0], w->length[0], &d) &&
             read_decimal(w->word[1], w->length[1], &d));
}

/* Whether three words are titles such as i j J. */
static bool are_titles(const words *w) {
    static const char *const titles[] = {"j",        "w",    "v",   "weight", "value",
                                         "coupling", "bias", "jij", "j_ij",   "val"};
    bool found = false;
    for (size_t n = 0; n < sizeof titles / sizeof *titles && w->count == 3; n++)
        found = found || word_is(w, 2, titles[n]);
    return found;
}

/* The type of the variables of coo by a comment that says it, as vartype=SPIN or vartype : binary. */
static bond_vartype vartype_of(const char *comment) {
    const char *at = strcasestr(comment, VARTYPE);
    if (at == NULL)
        return VARTYPE_NONE;
    at += strlen(VARTYPE);
    at += strspn(at, LINE_BLANKS);
    if (*at != '=' && *at != ':')
        return VARTYPE_NONE;
    at += 1 + strspn(at + 1, LINE_BLANKS);
    return strncasecmp(at, "SPIN", 4) == 0     ? VARTYPE_SPIN
           : strncasecmp(at, "BINARY", 6) == 0 ? VARTYPE_BINARY
                                               : VARTYPE_OTHER;
}

/* The number of coo's constant by a comment that says it, as offset=2.5 or offset: 2.5; NAN: it says something else there. Returns
 * whether a comment says one. */
static bool offset_of(const char *comment, double *offset) {
    const char *at = strcasestr(comment, OFFSET);
    if (at == NULL || (at[-1] != '#' && strchr(LINE_BLANKS, at[-1]) == NULL))
        return false;
    at += strlen(OFFSET);
    at += strspn(at, LINE_BLANKS);
    if (*at != '=' && *at != ':')
        return false;
    at += 1 + strspn(at + 1, LINE_BLANKS);
    char *end;
    *offset = number_read(at, &end);
    end += strspn(end, LINE_BLANKS "\r\n");
    if (end == at || *end != '\0' || !isfinite(*offset))
        *offset = NAN;
    return true;
}

/* Takes the type and the constant that a comment says into account. */
static bool take_comment(bond_lines *b, const char *comment) {
    const bond_vartype said = vartype_of(comment);
    if (offset_of(comment, &b->offset))
        b->offset_line = b->file.line;
    b->vartype = said != VARTYPE_NONE ? said : b->vartype;
    return said != VARTYPE_OTHER ||
           line_file_wrong(&b->file, VARTYPE " as in coo, but neither SPIN nor BINARY");
}

/* Reads a line with numbers. */
static bool take(bond_lines *b, const words *w) {
    const bool first = b->rows == 0 && !b->has_header;
    const int columns = b->pattern ? 2 : 3;
    if (first && b->has_banner)
        return take_size(b, w);
    if (first && w->count == 2 && !b->has_name)
        return take_header(b, w, (const int[]){0, 1});
    if (w->count == columns)
        return add(b, w);
    for (int n = 0; n < w->count; n++) {
        decimal d;
        if (!read_decimal(w->word[n], w->length[n], &d))
            return no_number(b, w, n, "number");
    }
    if (!first)
        return line_file_wrong(
            &b->file, "not %d columns as in the lines before%s", columns,
            w->count == 2 && columns == 3
                ? ": a weight seems to be missing; lines are i j J (1, where all are the same)"
                : "");
    return line_file_wrong(
        &b->file, "%s%d columns, allowed: i j J, or of a lattice x y z direction J%s",
        w->count > MOST_COLUMNS ? "more than " : "",
        w->count > MOST_COLUMNS ? MOST_COLUMNS : w->count,
        w->count == 1 ? "; a first line with a name: --couplings-format isakov" : "");
}

/* Reads a line of any kind. */
static bool take_line(bond_lines *b, bond_dialect dialect, char *line) {
    const bool any = dialect == BONDS_RECOGNISED;
    char *const text = line + strspn(line, LINE_BLANKS);
    if (b->file.line == 1 && (any || dialect == BONDS_MATRIX_MARKET || dialect == BONDS_RUDY) &&
        strncasecmp(text, BANNER, strlen(BANNER)) == 0)
        return take_banner(b, text);
    if (dialect == BONDS_MATRIX_MARKET && !b->has_banner)
        return line_file_wrong(&b->file,
                               "not the banner of Matrix Market, " BANNER " matrix coordinate ...");
    if (dialect == BONDS_ISAKOV && b->file.line == 1)
        return b->has_name = true;
    if (b->has_banner && *text == '%')
        return true;
    if ((any || dialect == BONDS_COO) && *text == '#' && !take_comment(b, text))
        return false;
    text[strcspn(text, "#")] = '\0';
    const words w = words_of(text);
    if (w.count == 0)
        return true;
    if (any && b->file.line == 1 && are_titles(&w) && is_name(&w))
        return line_file_wrong(&b->file, "looks like titles of columns: # must stand before them");
    if (any && b->file.line == 1 && is_name(&w))
        return b->has_name = true;
    return take(b, &w);
}

bool bond_lines_read(bond_lines *b, const char *option, bond_dialect dialect, const char *path) {
    *b = (bond_lines){.six_decimals = true};
    if (!line_file_open(&b->file, option, path))
        return false;
    for (char *line; !b->file.failed && (line = line_file_any(&b->file)) != NULL;)
        if (!take_line(b, dialect, line))
            break;
    line_file_close(&b->file);
    if (b->file.failed)
        bond_lines_destroy(b);
    return !b->file.failed;
}

void bond_lines_destroy(bond_lines *b) {
    free(b->row);
    b->row = NULL;
}
