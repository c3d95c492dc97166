/* What the lines of a file of bonds mean: dialect, first site, energies (bond_file.h). */
#include "bond_file.h"

#include "base/number.h"
#include "bond_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SITES (1u << 24) /* of a file that alone says how many there are */

static const char *const dialects[BOND_DIALECTS] = {"auto", "ours",          "rudy",
                                                    "coo",  "matrix-market", "isakov"};
static const char *const first_sites[FIRST_SITES] = {"auto", "0", "1"};

const char *bond_dialect_name(bond_dialect dialect) {
    return dialects[dialect];
}

const char *first_site_name(first_site first) {
    return first_sites[first];
}

/* A file, and what is known of it so far. */
typedef struct {
    bond_lines lines;
    bond_dialect dialect;
    uint32_t first, least,
        most; /* number of the first site; the smallest and largest in any line */
    uint64_t sites;
    bool like_ours; /* without header, and ours would give the same energies */
    char no_header
        [100]; /* what the first line would say if it was a header `n m 0`; empty: it is none */
} bond_source;

static bool refuse(bond_source *s, const char *what) {
    return line_file_refuse(&s->lines.file, "%s", what);
}

static void find_sites(bond_source *s) {
    s->least = UINT32_MAX;
    s->most = 0;
    for (size_t n = 0; n < s->lines.rows; n++) {
        const bond_line *const r = &s->lines.row[n];
        s->least = r->i < s->least ? r->i : s->least;
        s->most = r->j > s->most ? r->j : s->most;
    }
}

/* --- dialect --- */

/* Makes a first line `n m 0` the header of rudy, and not a bond of J = 0, in two cases: m lines follow, and n or m is the number of
 * no site; or m > n, and n is not smaller than the number of any site. */
static void find_header(bond_source *s) {
    bond_lines *const b = &s->lines;
    if (b->has_header || b->rows < 2 || b->row[0].number != 0 || b->has_name ||
        b->vartype != VARTYPE_NONE || s->dialect == BONDS_COO)
        return;
    const bond_line head = *b->row;
    b->row++; /* the lines behind it, for a moment */
    b->rows--;
    find_sites(s);
    const uint32_t n = head.lower ? head.j : head.i, m = head.lower ? head.i : head.j;
    const bool fits = n >= s->most, counts = m == b->rows;
    b->row--;
    b->rows++;
    if (n >= 2 && fits && !counts && m <= n)
        snprintf(s->no_header, sizeof s->no_header,
                 " (line %lu, as a header, says %u lines, and %zu follow)", head.line, (unsigned)m,
                 b->rows - 1);
    if (n < 2 || !(m > n ? fits || counts : fits && counts))
        return;
    b->has_header = true;
    b->header[0] = n;
    b->header[1] = m;
    b->header_line = head.line;
    memmove(b->row, b->row + 1, --b->rows * sizeof *b->row);
}

static uint32_t root_of(uint32_t *parent, uint32_t site) {
    while (parent[site] != site)
        site = parent[site] = parent[parent[site]];
    return site;
}

/* Whether the graph has two colours and no line i i. In a graph with twice as many sites each bond i j joins 2 i to 2 j + 1, and 2 i + 1
 * to 2 j: there are two colours where no 2 i is connected with 2 i + 1. True without memory. */
static bool is_bipartite(const bond_source *s) {
    const size_t size = 2 * ((size_t)s->most + 1);
    uint32_t *const parent = malloc(size * sizeof *parent);
    bool good = parent != NULL;
    for (size_t n = 0; good && n < size; n++)
        parent[n] = (uint32_t)n;
    for (size_t n = 0; good && n < s->lines.rows; n++) {
        const uint32_t i = s->lines.row[n].i, j = s->lines.row[n].j;
        if (s->lines.row[n].number == 0 && i != j)
            continue;
        const uint32_t up = root_of(parent, 2 * i), down = root_of(parent, 2 * i + 1);
        parent[up] = root_of(parent, 2 * j + 1);
        parent[down] = root_of(parent, 2 * j);
        good = i != j && root_of(parent, 2 * i) != root_of(parent, 2 * i + 1);
    }
    free(parent);
    return good;
}

/* Decides the dialect by what stands in the file, where the options do not. */
static bool find_dialect(bond_source *s, first_site first, uint64_t sites) {
    const bond_lines *const b = &s->lines;
    const bool from_0 = b->rows > 0 && s->least == 0;
    s->dialect = b->has_banner                ? BONDS_MATRIX_MARKET
                 : b->vartype != VARTYPE_NONE ? BONDS_COO
                 : b->has_name                ? BONDS_ISAKOV
                 : b->has_header              ? BONDS_RUDY
                 : b->rows == 0 || from_0     ? BONDS_OURS
                 : first == FIRST_SITE_0      ? BONDS_OURS
                                              : BONDS_RUDY;
    if (s->dialect == BONDS_RUDY && b->has_header && (from_0 || first == FIRST_SITE_0))
        return refuse(s, "a header 'n m' as in rudy format, but sites from 0: --couplings-format "
                         "rudy --couplings-from 0 if E = sum w s s, --couplings-format ours if E = "
                         "-sum J s s");
    if (s->dialect == BONDS_OURS && b->rows > 0 && b->six_decimals)
        return refuse(s, "values with six decimals, as dimod writes them (coo), but no line '# "
                         "vartype=SPIN' or '# vartype=BINARY': add it, or --couplings-format ours "
                         "if E = -sum J s s");
    if (s->dialect != BONDS_RUDY || b->has_header)
        return true;
    /* Sites beyond all limits are refused by find_count. */
    s->like_ours = s->most > MOST_SITES + sites || is_bipartite(s);
    return s->like_ours ||
           line_file_refuse(
               &s->lines.file,
               "no header%s, and sites seem to be counted from 1: --couplings-format "
               "rudy if E = sum w s s, --couplings-format ours --couplings-from 1 if E "
               "= -sum J s s",
               s->no_header);
}

/* A dialect that was given must have what it needs. Rudy's weights may stand in a matrix. */
static bool check_dialect(bond_source *s) {
    const bond_lines *const b = &s->lines;
    if (s->dialect == BONDS_COO && b->vartype == VARTYPE_NONE)
        return refuse(s, "coo, but no line '# vartype=SPIN' or '# vartype=BINARY': add it");
    if (s->dialect == BONDS_COO && isnan(b->offset))
        return bond_lines_wrong(&s->lines, b->offset_line, "offset as in coo, but no number");
    if (b->has_header && !b->has_banner && s->dialect != BONDS_RUDY && s->dialect != BONDS_OURS)
        return bond_lines_wrong(&s->lines, b->header_line, "not 3 columns: %s has no header",
                                dialects[s->dialect]);
    return true;
}

/* --- sites --- */

/* Decides the number of the first site. */
static bool find_first(bond_source *s, first_site first, uint64_t sites) {
    const bool any = s->lines.rows > 0;
    if (first != FIRST_SITE_RECOGNISED)
        s->first = first == FIRST_SITE_1;
    else if (s->like_ours && (sites > 0 ? s->most < sites : s->least > 1))
        return refuse(s, "neither the first site is there, counted from 0, nor the last, counted "
                         "from 1: --couplings-from 0 or --couplings-from 1");
    else if (s->dialect == BONDS_RUDY || s->dialect == BONDS_MATRIX_MARKET)
        s->first = 1;
    else if (s->dialect == BONDS_ISAKOV && any && s->least == 1)
        s->first = 1;
    else if (any && s->least > 0)
        return refuse(s, s->least == 1 ? "sites seem to be counted from 1: --couplings-from 1, or "
                                         "--couplings-from 0 if site 0 is there and has no bond"
                                       : "no bond of the sites 0 and 1: --couplings-from 0 or "
                                         "--couplings-from 1");
    if (s->first == 1 && any && s->least == 0)
        return refuse(s, first == FIRST_SITE_1
                             ? "--couplings-from 1, but site 0 is there"
                             : "site 0 is there, but this format counts from 1: --couplings-from 0 "
                               "if so meant");
    return true;
}

/* Decides how many sites there are: what the header says, or else `sites`, or more if the file has larger numbers. */
static bool find_count(bond_source *s, uint64_t sites) {
    bond_lines *const b = &s->lines;
    const size_t lines = b->rows;
    if (b->has_header && (uint64_t)b->header[1] != lines)
        return bond_lines_wrong(b, b->header_line, "the header says %lld lines, %zu follow%s",
                                (long long)b->header[1], lines,
                                (uint64_t)b->header[1] > lines ? ": cut off?" : "");
    const uint64_t there = lines > 0 ? (uint64_t)s->most + 1 - s->first : 0,
                   limit = sites > MOST_SITES ? sites : MOST_SITES;
    s->sites = b->has_header ? (uint64_t)b->header[0] : sites > there ? sites : there;
    if (s->sites == 0)
        return line_file_refuse(&b->file, "no line i j J, and no header that says how many sites");
    if (s->sites > limit || s->sites >= UINT32_MAX)
        return line_file_refuse(&b->file, "%llu sites, allowed are at most %llu",
                                (unsigned long long)s->sites, (unsigned long long)limit);
    for (size_t n = 0; n < lines; n++) {
        const uint32_t i = b->row[n].i, j = b->row[n].j,
                       wrong = i < s->first || i - s->first >= s->sites ? i : j;
        if (wrong < s->first || wrong - s->first >= s->sites)
            return bond_lines_wrong(
                b, b->row[n].line, "site %u is not from %u to %llu%s", (unsigned)wrong,
                (unsigned)s->first, (unsigned long long)(s->sites - 1 + s->first),
                n == 0 && !b->has_header ? " (a header? that of rudy format is n m)" : "");
    }
    return true;
}

/* --- bonds --- */

static int compare(const void *a, const void *b) {
    const bond_line *const x = a, *const y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    if (x->j != y->j)
        return x->j < y->j ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Sorts the lines by pairs of sites, and refuses pairs that stand there twice. Of a general matrix with both triangles the
 * second of two equal entries is taken out; where only some pairs are in both, it is refused. */
static bool sort(bond_source *s) {
    bond_lines *const b = &s->lines;
    const bool general = s->lines.has_banner && !s->lines.symmetric;
    size_t kept = 0, pairs = 0, folded = 0;
    bool both = false; /* the pair at hand was seen in both triangles */
    if (b->rows > 0)
        qsort(b->row, b->rows, sizeof *b->row, compare);
    for (size_t n = 0; n < b->rows; n++) {
        const bond_line r = b->row[n], *const before = kept > 0 ? &b->row[kept - 1] : NULL;
        if (before == NULL || before->i != r.i || before->j != r.j) {
            pairs += r.i != r.j;
            b->row[kept++] = r;
            both = false;
            continue;
        }
        if (!general || both || before->lower == r.lower)
            return bond_lines_wrong(
                b, r.line,
                "this bond was given before, in line %lu%s: a pair of sites has one line",
                before->line, s->no_header);
        if (before->number != r.number || before->decimals != r.decimals)
            return bond_lines_wrong(
                b, r.line, "not the value of line %lu: the matrix is not symmetric", before->line);
        both = true;
        folded++;
    }
    b->rows = kept;
    return folded == 0 || folded == pairs ||
           line_file_refuse(&b->file,
                            "%zu of %zu pairs of sites stand in both triangles of the matrix: all "
                            "must, or none",
                            folded, pairs);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Divides numbers and unit by what they have in common, and takes a field away that is 0 everywhere. */
static void reduce(bond_list *list) {
    uint64_t common = list->unit;
    bool any = false;
    for (size_t n = 0; n < list->bonds; n++)
        common = common_divisor(common, (uint64_t)llabs(list->bond[n].value));
    for (uint32_t i = 0; list->field != NULL && i < list->sites; i++) {
        common = common_divisor(common, (uint64_t)llabs(list->field[i]));
        any = any || list->field[i] != 0;
    }
    for (size_t n = 0; n < list->bonds; n++)
        list->bond[n].value /= (int64_t)common;
    for (uint32_t i = 0; list->field != NULL && i < list->sites; i++)
        list->field[i] /= (int64_t)common;
    list->unit /= (uint32_t)common;
    if (!any) {
        free(list->field);
        list->field = NULL;
    }
}

/* The value of a line in units of 10^-decimals, where that is below 2^61 over the number of lines. */
static bool scale(bond_source *s, const bond_line *r, int64_t *value) {
    const int64_t most = (INT64_C(1) << 61) / (int64_t)s->lines.rows;
    *value = r->number;
    for (uint32_t d = r->decimals; d < s->lines.decimals && llabs(*value) <= most; d++)
        *value *= 10;
    return llabs(*value) <= most ||
           bond_lines_wrong(
               &s->lines, r->line,
               "this number is too large for a file of %zu lines: allowed is 2^61 over it",
               s->lines.rows);
}

/* Adds a line to the list, whose unit is that of E = -sum J s s - sum h s, and its constant to *offset. Binary variables:
 * with x = (1 + s) / 2, q x_i x_j = q (1 + s_i + s_j + s_i s_j) / 4 and a x_i = (2 a + 2 a s_i) / 4. */
static bool put(bond_source *s, const bond_line *r, bond_list *list, int64_t *offset) {
    const uint32_t i = r->i - s->first, j = r->j - s->first;
    const bool minus = s->dialect == BONDS_OURS || s->dialect == BONDS_MATRIX_MARKET;
    const bool binary = s->dialect == BONDS_COO && s->lines.vartype == VARTYPE_BINARY;
    int64_t v;
    if (i == j && s->dialect == BONDS_RUDY)
        return bond_lines_wrong(&s->lines, r->line,
                                "an edge from site %u to itself: a cut has none (a field, in other "
                                "formats: --couplings-format)",
                                (unsigned)r->i);
    if (!scale(s, r, &v))
        return false;
    v = minus ? v : -v;
    bool stored = true;
    if (binary) {
        *offset -= i == j ? 2 * v : v;
        stored = bond_list_add_field(list, i, i == j ? 2 * v : v) &&
                 (i == j || bond_list_add_field(list, j, v));
    } else if (i == j) {
        stored = bond_list_add_field(list, i, v);
    }
    if (stored && i != j)
        stored = bond_list_add(list, i, j, v);
    return stored || refuse(s, "no memory for its bonds");
}

/* Fills the list and, unless it is NULL, the lines of its bonds. */
static bool fill(bond_source *s, bond_list *list, bond_origin *origin, unsigned long **line) {
    const bond_lines *const b = &s->lines;
    int64_t constant = 0, weight = 0;
    const double given = s->dialect == BONDS_COO ? b->offset : 0;
    *list = bond_list_of((uint32_t)s->sites);
    for (uint32_t d = 0; d < b->decimals; d++)
        list->unit *= 10;
    if (s->dialect == BONDS_COO && b->vartype == VARTYPE_BINARY)
        list->unit *= 4;
    const double unit = list->unit;
    if (line != NULL && (*line = malloc((b->rows + 1) * sizeof **line)) == NULL)
        return refuse(s, "no memory for its bonds");
    for (size_t n = 0; n < b->rows; n++) {
        if (!put(s, &b->row[n], list, &constant))
            return false;
        if (line != NULL && b->row[n].i != b->row[n].j)
            (*line)[list->bonds - 1] = b->row[n].line;
    }
    for (size_t n = 0; n < list->bonds; n++)
        weight -= list->bond[n].value;
    reduce(list);
    *origin = (bond_origin){.first = s->first,
                            .is_cut = s->dialect == BONDS_RUDY,
                            .weight = s->dialect == BONDS_RUDY ? (double)weight / unit : 0,
                            .offset = (double)constant / unit + given,
                            .rounded = b->rounded};
    return true;
}

/* Says in a line what was read. */
static void describe(const bond_source *s, bond_origin *origin) {
    static const char *const shown[BOND_DIALECTS] = {[BONDS_OURS] =
                                                         "format of this program (i j J)",
                                                     [BONDS_RUDY] = "rudy format",
                                                     [BONDS_COO] = "COO format of dimod",
                                                     [BONDS_MATRIX_MARKET] = "Matrix Market format",
                                                     [BONDS_ISAKOV] = "isakov format"};
    const bool binary = s->dialect == BONDS_COO && s->lines.vartype == VARTYPE_BINARY;
    char offset[NUMBER_TEXT_SIZE], constant[NUMBER_TEXT_SIZE + 3] = "", rounded[60] = "";
    if (s->lines.rounded > 0)
        snprintf(rounded, sizeof rounded, ", %zu number%s rounded to %d decimals", s->lines.rounded,
                 s->lines.rounded == 1 ? "" : "s", BOND_DECIMALS);
    if (origin->offset != 0)
        snprintf(constant, sizeof constant, " %s %s", origin->offset < 0 ? "-" : "+",
                 number_short_text(offset, origin->offset < 0 ? -origin->offset : origin->offset));
    snprintf(
        origin->text, sizeof origin->text, "%s%s, %llu site%s from %u, %s%s%s%s", shown[s->dialect],
        s->dialect == BONDS_RUDY && s->lines.has_banner ? " in Matrix Market" : "",
        (unsigned long long)s->sites, s->sites == 1 ? "" : "s", (unsigned)s->first,
        s->dialect == BONDS_RUDY             ? "E = sum w s s, cut = (W - E) / 2"
        : binary && s->lines.offset_line > 0 ? "x = (1 + s) / 2, sum q x x + sum a x + offset = E"
        : binary                             ? "x = (1 + s) / 2, sum q x x + sum a x = E"
        : s->dialect == BONDS_OURS || s->dialect == BONDS_MATRIX_MARKET ? "E = -sum J s s - sum h s"
        : s->lines.offset_line > 0 ? "sum J s s + sum h s + offset = E"
                                   : "E = sum J s s + sum h s",
        constant, s->like_ours ? " (no header; --couplings-format ours has the same energies)" : "",
        rounded);
}

static bool understand(bond_source *s, bond_reading how, uint64_t sites) {
    find_header(s);
    find_sites(s);
    if (s->dialect == BONDS_RECOGNISED && !find_dialect(s, how.first, sites))
        return false;
    return check_dialect(s) && find_first(s, how.first, sites) && find_count(s, sites) && sort(s);
}

exit_status bond_file_read(bond_list *list, bond_origin *origin, unsigned long **line,
                           const char *option, bond_reading how, uint64_t sites, const char *path) {
    bond_source s = {.dialect = how.dialect};
    *list = bond_list_of(0);
    *origin = (bond_origin){.is_cut = false};
    if (line != NULL)
        *line = NULL;
    if (!bond_lines_read(&s.lines, option, how.dialect, path))
        return STATUS_REFUSED;
    const bool good = understand(&s, how, sites) && fill(&s, list, origin, line);
    if (good) {
        describe(&s, origin);
    } else {
        bond_list_destroy(list);
        if (line != NULL) {
            free(*line);
            *line = NULL;
        }
    }
    bond_lines_destroy(&s.lines);
    return good ? STATUS_OK : STATUS_REFUSED;
}
