/* Claims: the energies of a file are those of its dialect, by enumeration of graphs that are not bipartite, with fields and
 * fractions; one graph is the same list in all dialects; a header is no bond, and what is no header stays a bond; what
 * could be of two dialects is refused, and what is of none is refused by a message that says what it looks like. */
#include "model/bond_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/lattice_fit.h"

#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"

#define FILE_NAME "bonds"
#define SITES     5

static exit_status read_as(bond_list *list, bond_origin *origin, bond_dialect dialect,
                           first_site first, uint64_t sites) {
    return bond_file_read(list, origin, NULL, "--couplings", (bond_reading){dialect, first}, sites,
                          FILE_NAME);
}

/* Energy of a list in units of J; bit i of `state` is set for s_i = +1. */
static double energy_of(const bond_list *list, const bond_origin *origin, uint32_t state) {
    int64_t energy = 0;
    for (size_t n = 0; n < list->bonds; n++) {
        const bool same = (state >> list->bond[n].i & 1) == (state >> list->bond[n].j & 1);
        energy -= same ? list->bond[n].value : -list->bond[n].value;
    }
    for (uint32_t i = 0; list->field != NULL && i < list->sites; i++)
        energy -= state >> i & 1 ? list->field[i] : -list->field[i];
    return (double)energy / list->unit + origin->offset;
}

/* A complete graph by the numbers that a file has for it: v[i][j] of bonds i < j, and of sites v[i][i]. */
typedef double numbers[SITES][SITES];

/* The energy that the author of the file means: sign * sum v x_i x_j + sign * sum v x_i, x = s or, of binary variables,
 * 0 or 1. */
static double meant(numbers v, double sign, bool binary, uint32_t state) {
    double energy = 0;
    for (uint32_t i = 0; i < SITES; i++)
        for (uint32_t j = i; j < SITES; j++) {
            const double x = state >> i & 1 ? 1 : binary ? 0 : -1;
            const double y = state >> j & 1 ? 1 : binary ? 0 : -1;
            energy += sign * v[i][j] * (i == j ? x : x * y);
        }
    return energy;
}

/* A dialect as its files are: what stands before the lines. */
typedef struct {
    const char *name, *head;
    uint32_t first;
    double sign;
    bool binary, both_triangles, fields;
} style;

static const style styles[] = {
    {"ours", "# i j J\n", 0, -1, false, false, true},
    {"rudy", "5 10\n", 1, 1, false, false, false},
    {"DIMACS", "5 10 0\n", 1, 1, false, false, false},
    {"coo", "# vartype=SPIN\n", 0, 1, false, false, true},
    {"binary", "# vartype: BINARY\n", 0, 1, true, false, true},
    {"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n% x\n5 5 15\n", 1, -1, false,
     false, true},
    {"general", "%%matrixmarket matrix coordinate real general\n%\n5 5 25\n", 1, -1, false, true,
     true},
    {"isakov", "K5, number 1\n", 0, 1, false, false, true},
    {"isakov from 1", "instance # 1\n", 1, 1, false, false, true},
};
#define STYLES (sizeof styles / sizeof *styles)

static void write_style(const style *s, numbers v) {
    FILE *const file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    fputs(s->head, file);
    for (uint32_t i = 0; i < SITES; i++)
        for (uint32_t j = 0; j < SITES; j++)
            if ((i < j || (i > j && s->both_triangles) || (i == j && s->fields)))
                fprintf(file, "%u %u %.*f\n", i + s->first, j + s->first, s->sign > 0 ? 6 : 2,
                        v[i < j ? i : j][i < j ? j : i]);
    assert_int_equal(fclose(file), 0);
}

/* Whole numbers and quarters, from -3 to 3. */
static void fill_numbers(numbers v, uint32_t seed, bool quarters) {
    for (uint32_t i = 0; i < SITES; i++)
        for (uint32_t j = i; j < SITES; j++) {
            seed = seed * 1664525u + 1013904223u;
            const double n = (double)(seed >> 16) / 65536 * 24.999 - 12;
            v[i][j] = quarters ? round(n) / 4 : round(n / 4);
        }
}

static void energies_are_those_of_the_dialect(void **state) {
    (void)state;
    for (uint32_t graph = 0; graph < 10; graph++)
        for (size_t n = 0; n < STYLES; n++) {
            numbers v;
            bond_list list;
            bond_origin origin;
            fill_numbers(v, graph, graph % 2);
            for (uint32_t i = 0; i < SITES && !styles[n].fields; i++)
                v[i][i] = 0;
            write_style(&styles[n], v);
            assert_int_equal(read_as(&list, &origin, BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 0),
                             STATUS_OK);
            assert_int_equal(list.sites, SITES);
            for (uint32_t s = 0; s < 1u << SITES; s++) {
                const double energy = energy_of(&list, &origin, s),
                             right = meant(v, styles[n].sign, styles[n].binary, s);
                if (fabs(energy - right) > 1e-12)
                    fail_msg("%s, state %u: %g instead of %g", styles[n].name, s, energy, right);
                if (!origin.is_cut)
                    continue;
                double cut = 0;
                for (uint32_t i = 0; i < SITES; i++)
                    for (uint32_t j = i + 1; j < SITES; j++)
                        cut += (s >> i & 1) != (s >> j & 1) ? v[i][j] : 0;
                assert_true(fabs(bond_origin_cut(&origin, energy) - cut) < 1e-12);
            }
            assert_int_equal(origin.is_cut, !styles[n].fields);
            bond_list_destroy(&list);
        }
}

/* A triangle with all J = +1 and a field +1 on the first site; rudy has no field. */
static void a_triangle_is_the_same_in_all_dialects(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
        double offset;
        bool field;
    } files[] = {
        {"0 1 1\n1 2 1\n2 0 1\n0 0 1\n", "format of this program (i j J), 3 sites from 0", 0, true},
        {"0\t1 +1\r\n1 2 01\r\n02 0 1.0\r\n0 0 1e0", "3 sites from 0", 0, true},
        {"# vartype=SPIN\n0 0 -1.000000\n0 1 -1.000000\n0 2 -1.000000\n1 2 -1.000000\n",
         "COO format of dimod, 3 sites from 0, E = sum J s s + sum h s", 0, true},
        {"# vartype=BINARY\n0 0 2\n1 1 4\n2 2 4\n0 1 -4\n0 2 -4\n1 2 -4\n",
         "3 sites from 0, x = (1 + s) / 2", 2, true},
        {"# vartype=SPIN\n# offset=-1.5\n0 0 -1\n0 1 -1\n0 2 -1\n1 2 -1\n",
         "3 sites from 0, sum J s s + sum h s + offset = E - 1.5", -1.5, true},
        {"0 0 2\n1 1 4\n2 2 4\n0 1 -4\n0 2 -4\n1 2 -4\n#Offset : 2.5e-1 \r\n# vartype=BINARY\n",
         "x = (1 + s) / 2, sum q x x + sum a x + offset = E + 2.25", 2.25, true},
        {"# offset: of no number, and the_offset=2\n# vartype=SPIN, the_offset=3\n0 0 -1\n0 1 "
         "-1\n0 2 "
         "-1\n1 2 -1\n# offset=0\n",
         "offset = E", 0, true},
        {"# offset=many\n0 1 1\n1 2 1\n2 0 1\n0 0 1\n", "format of this program", 0, true},
        {"%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 1\n3 1 1\n3 2 1\n",
         "Matrix Market format, 3 sites from 1, E = -sum J s s", 0, true},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 4\n1 1\n2 1\n3 1\n3 2\n",
         "Matrix Market format, 3 sites from 1", 0, true},
        {"%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1.0e+00\n1 2 1\n1 3 1\n2 3 1\n",
         "Matrix Market format, 3 sites from 1", 0, true},
        {"a triangle\n0 0 -1\n0 1 -1\n0 2 -1\n1 2 -1\n", "isakov format, 3 sites from 0", 0, true},
        {"triangle\n1 1 -1\n1 2 -1\n1 3 -1\n2 3 -1\n", "isakov format, 3 sites from 1", 0, true},
        {"3 3\n1 2 -1\n1 3 -1\n2 3 -1\n", "rudy format, 3 sites from 1, E = sum w s s", 0, false},
        {"3 3 0\n1 2 -1\n1 3 -1\n2 3 -1\n", "rudy format, 3 sites from 1", 0, false},
        {"0 1 1\n1 2 1\n2 0 1\n", "3 sites from 0", 0, false},
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        bond_list list;
        bond_origin origin;
        write_file(FILE_NAME, files[n].text);
        assert_int_equal(read_as(&list, &origin, BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 0),
                         STATUS_OK);
        if (strstr(origin.text, files[n].said) == NULL)
            fail_msg("'%s' is said to be '%s'", files[n].text, origin.text);
        assert_int_equal(list.sites, 3);
        assert_int_equal(list.bonds, 3);
        assert_int_equal(list.unit, 1);
        for (size_t b = 0; b < 3; b++) {
            assert_int_equal(list.bond[b].value, 1);
            assert_int_equal(list.bond[b].i, b / 2);
            assert_int_equal(list.bond[b].j, b == 0 ? 1 : 2);
        }
        assert_int_equal(list.field != NULL, files[n].field);
        for (uint32_t i = 0; list.field != NULL && i < 3; i++)
            assert_int_equal(list.field[i], i == 0);
        assert_true(origin.offset == files[n].offset);
        assert_true(origin.weight == (origin.is_cut ? -3 : 0));
        bond_list_destroy(&list);
    }
}

/* What is read, by its number of bonds, sites and the first J; or refused, by its message. */
typedef struct {
    const char *text;
    bond_dialect dialect;
    first_site first;
    uint64_t lattice; /* sites that there must be; 0: any */
    const char *what; /* the message, or the end of the line about what was read */
    size_t bonds;     /* 0: refused */
    int64_t value;
} reading;

static void assert_reading(const reading *r) {
    char said[1000];
    bond_list list;
    bond_origin origin;
    write_file(FILE_NAME, r->text);
    capture stderr_now = capture_begin(STDERR_FILENO);
    const exit_status status = read_as(&list, &origin, r->dialect, r->first, r->lattice);
    capture_end(&stderr_now, said, sizeof said);
    if (status != (r->bonds > 0 ? STATUS_OK : STATUS_REFUSED))
        fail_msg("'%s': status %d, '%s%s'", r->text, (int)status, said, origin.text);
    if (strstr(r->bonds > 0 ? origin.text : said, r->what) == NULL)
        fail_msg("'%s': '%s%s', not '%s'", r->text, said, origin.text, r->what);
    if (r->bonds > 0) {
        assert_int_equal(list.bonds, r->bonds);
        assert_int_equal(list.bond[0].value, r->value);
    }
    bond_list_destroy(&list);
}

#define AUTO   BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 0
#define OURS   BONDS_OURS, FIRST_SITE_RECOGNISED, 0
#define RUDY   BONDS_RUDY, FIRST_SITE_RECOGNISED, 0
#define MATRIX "%%MatrixMarket matrix coordinate "

static void headers_are_told_from_bonds(void **state) {
    (void)state;
    static const reading files[] = {
        {"3 2 0\n1 2 5\n2 3 5\n", AUTO, "rudy", 2, -5},
        {"4 5 0\n1 2 5\n2 3 5\n", AUTO, "line 1: the header says 5 lines, 2 follow: cut off?", 0,
         0},
        {"2 3 0\n0 1 5\n1 3 5\n", AUTO, "format of this program", 3, 5}, /* site 3 is there */
        {"0 1 0\n1 2 5\n", AUTO, "format of this program", 2, 0},
        {"3 3 1\n1 2 5\n1 3 5\n2 3 5\n", OURS, "sites seem to be counted from 1", 0, 0},
        {"4 3\n1 2 5\n2 3 5\n3 4 5\n", AUTO, "rudy format, 4 sites from 1", 3, -5},
        {"9 3\n1 2 5\n2 3 5\n3 4 5\n", AUTO, "rudy format, 9 sites from 1", 3, -5},
        {"3 3\n1 2 5\n2 3 5\n3 4 5\n", AUTO, "line 4: site 4 is not from 1 to 3", 0, 0},
        {"4 4\n1 2 5\n2 3 5\n3 4 5\n", AUTO, "line 1: the header says 4 lines, 3 follow", 0, 0},
        {"4 3\n0 1 5\n1 2 5\n2 3 5\n", AUTO,
         "--couplings-format rudy --couplings-from 0 if E = sum w s s, --couplings-format ours", 0,
         0},
        {"4 3\n0 1 5\n1 2 5\n2 3 5\n", OURS, "4 sites from 0, E = -sum J s s", 3, 5},
        {"4 3\n0 1 5\n1 2 5\n2 3 5\n", BONDS_RUDY, FIRST_SITE_0, 0, "rudy format, 4 sites from 0",
         3, -5},
        {"4 3\n0 1 5\n1 2 5\n2 3 5\n", RUDY, "site 0 is there, but this format counts from 1", 0,
         0},
        {"3 2 0\n1 2 1\n2 3 1\n1 3 1\n", AUTO,
         "no header (line 1, as a header, says 2 lines, and 3 follow), and sites seem to be", 0, 0},
        {"3 2 0\n1 2 1\n2 3 1\n1 3 1\n", RUDY,
         "line 3: this bond was given before, in line 1 (line 1, as a header, says 2 lines", 0, 0},
        {"x\n4 3\n1 2 5\n", AUTO, "line 2: 2 columns, allowed: i j J", 0, 0},
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        assert_reading(&files[n]);
}

static void what_is_ambiguous_is_refused(void **state) {
    (void)state;
    static const reading files[] = {
        /* no header, from 1: a square has the same energies with both signs, a triangle not */
        {"1 2 1\n2 3 1\n3 4 1\n1 4 1\n", AUTO, "--couplings-format ours has the same energies", 4,
         -1},
        {"1 2 1\n2 3 1\n1 3 1\n", AUTO,
         "sites seem to be counted from 1: --couplings-format rudy if E = sum w s s, "
         "--couplings-format ours --couplings-from 1 if",
         0, 0},
        {"1 2 1\n2 3 1\n1 3 0\n", AUTO, "the same energies", 3, -1},
        {"1 2 1\n2 2 1\n", AUTO, "sites seem to be counted from 1: --couplings-format rudy", 0, 0},
        {"1 2 1\n2 3 1\n1 3 1\n", RUDY, "rudy format, 3 sites from 1", 3, -1},
        {"1 2 1\n2 3 1\n1 3 1\n", BONDS_OURS, FIRST_SITE_1, 0, "3 sites from 1, E = -sum J", 3, 1},
        {"1 2 1\n2 3 1\n1 3 1\n", OURS, "sites seem to be counted from 1: --couplings-from 1", 0,
         0},
        {"1 2 1\n2 3 1\n1 3 1\n", BONDS_OURS, FIRST_SITE_0, 0, "4 sites from 0", 3, 1},
        {"1 2 1\n2 3 1\n1 3 1\n", BONDS_RECOGNISED, FIRST_SITE_0, 0, "4 sites from 0, E = -sum", 3,
         1},
        {"1 2 1\n", BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 16,
         "neither the first site is there, counted from 0, nor the last", 0, 0},
        {"2 3 1\n", AUTO, "neither the first site is there", 0, 0},
        {"1 2 1\n2 16 1\n", BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 16, "rudy", 2, -1},
        {"0 1 1\n", BONDS_RECOGNISED, FIRST_SITE_1, 0, "--couplings-from 1, but site 0 is there", 0,
         0},
        {"name\n2 3 1\n", AUTO, "no bond of the sites 0 and 1", 0, 0},
        {"# vartype=SPIN\n1 2 1\n", AUTO, "sites seem to be counted from 1", 0, 0},
        /* dimod's files without their header */
        {"0 1 1.000000\n1 2 -1.000000\n", AUTO, "values with six decimals, as dimod writes", 0, 0},
        {"0 1 1.000000\n1 2 -1.000000\n", OURS, "format of this program", 2, 1},
        {"0 1 1.000000\n", BONDS_COO, FIRST_SITE_RECOGNISED, 0, "coo, but no line '# vartype", 0,
         0},
        /* other ways to write it, which must not change the sign of the energy */
        {"# Vartype = spin\n0 1 1\n", AUTO, "COO format of dimod, 2 sites from 0", 1, -1},
        {"# vartype=SPIN\n#offset=2x\n0 1 1\n", AUTO, "line 2: offset as in coo, but no number", 0,
         0},
        {"# vartype=DISCRETE\n0 1 1\n", AUTO, "line 1: vartype as in coo, but neither SPIN nor", 0,
         0},
        {"# vartype=DISCRETE\n0 1 1\n", OURS, "format of this program", 1, 1},
        /* an edge of a cut to itself */
        {"3 2\n1 2 1\n2 2 1\n", AUTO, "line 3: an edge from site 2 to itself", 0, 0},
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        assert_reading(&files[n]);
}

static void matrices_are_symmetric(void **state) {
    (void)state;
    static const reading files[] = {
        {MATRIX "real general\n2 2 2\n1 2 3\n2 1 3\n", AUTO, "Matrix Market", 1, 3},
        {MATRIX "real general\n2 2 2\n1 2 3\n2 1 4\n", AUTO,
         "line 4: not the value of line 3: the matrix is not symmetric", 0, 0},
        {MATRIX "real general\n3 3 3\n1 2 3\n2 1 3\n1 3 3\n", AUTO,
         "1 of 2 pairs of sites stand in both triangles", 0, 0},
        {MATRIX "real general\n2 2 3\n1 2 3\n2 1 3\n2 1 3\n", AUTO,
         "line 5: this bond was given before, in line 3", 0, 0},
        {MATRIX "real general\n2 2 2\n1 2 3\n1 2 3\n", AUTO, "line 4: this bond was given before",
         0, 0},
        {MATRIX "real symmetric\n2 2 2\n1 2 3\n2 1 3\n", AUTO, "line 4: this bond was given", 0, 0},
        {MATRIX "integer symmetric\n2 2 1\n2 1 3\n", RUDY, "rudy format in Matrix Market, 2 sites",
         1, -3},
        {MATRIX "real symmetric\n2 3 1\n2 1 3\n", AUTO, "line 2: 2 rows and 3 columns", 0, 0},
        {MATRIX "real symmetric\n2 2 2\n2 1 3\n", AUTO, "line 2: the header says 2 lines, 1", 0, 0},
        {MATRIX "complex symmetric\n2 2 1\n", AUTO, "allowed are matrices of Matrix Market", 0, 0},
        {MATRIX "real skew-symmetric\n2 2 1\n", AUTO, "allowed are matrices", 0, 0},
        {"%%MatrixMarket matrix array real general\n2 2\n", AUTO, "allowed are matrices", 0, 0},
        {MATRIX "real general\n2 2 1\n1 2 3\n", OURS, "line 1: the banner of Matrix Market", 0, 0},
        {"2 2 1\n1 2 3\n", BONDS_MATRIX_MARKET, FIRST_SITE_RECOGNISED, 0, "line 1: not the banner",
         0, 0},
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        assert_reading(&files[n]);
}

static void what_is_of_no_dialect_is_described(void **state) {
    (void)state;
    static const reading files[] = {
        {"\xef\xbb\xbf"
         "0 1 1\n",
         AUTO, "line 1: a byte order mark", 0, 0},
        {"0,1,1\n", AUTO, "line 1: columns seem to be separated by ','", 0, 0},
        {"0 1 1\n0;2;1\n", AUTO, "line 2: columns seem to be separated by ';'", 0, 0},
        {"(0, 1): 1\n", AUTO, "line 1: '(0,' looks like a list of a programming language", 0, 0},
        {"{\"0\": 1}\n", AUTO, "line 1: '{\"0\":' looks like a list of a programming", 0, 0},
        {"i j J\n0 1 1\n", AUTO, "line 1: looks like titles of columns: # must stand before", 0, 0},
        {"p edge 3 3\ne 1 2\n", AUTO, "i j w without a letter, such as 1 2 1, behind n m", 0, 0},
        {"a name\n0 1 1\nend\n", AUTO, "(line 1 was taken for the name of isakov format)", 0, 0},
        {"0 1\n", AUTO, "line 1: the header says 1 lines, 0 follow", 0, 0},
        {"0 1\n1 2\n", AUTO, "to be missing; lines are i j J (1, where all are the same)", 0, 0},
        {"# nothing\n", AUTO, "no line i j J, and no header", 0, 0},
        {"3\n0 1 1\n", AUTO, "a first line with a name: --couplings-format isakov", 0, 0},
        {"3\n0 1 1\n", BONDS_ISAKOV, FIRST_SITE_RECOGNISED, 0, "isakov format, 2 sites", 1, -1},
        {"0 1 1\n1.5 2 1\n", AUTO, "line 2: '1.5' is not a site", 0, 0},
        {"0 1 1\n-1 2 1\n", AUTO, "line 2: '-1' is not a site", 0, 0},
        {"0 4294967295 1\n", AUTO, "line 1: '4294967295' is not a site", 0, 0},
        {"0 99999999 1\n", AUTO, "100000000 sites, allowed are at most 16777216", 0, 0},
        {"1 4e8 4\n", AUTO, "400000000 sites, allowed are at most 16777216", 0, 0},
        {"0 1 x\n", AUTO, "line 1: 'x' is not a number below 10^15", 0, 0},
        {"0 1 1e\n", AUTO, "line 1: '1e' is not a number", 0, 0},
        {"0 1 .\n", AUTO, "line 1: '.' is not a number", 0, 0},
        {"0 1 1.2.3\n", AUTO, "line 1: '1.2.3' is not a number", 0, 0},
        {"0 1 nan\n", AUTO, "line 1: 'nan' is not a number", 0, 0},
        {"0 1 1e15\n", AUTO, "line 1: '1e15' is not a number below 10^15", 0, 0},
        {"0 1 1e-9\n", AUTO, "'1e-9' is not 0, but would be to 8 decimals", 0, 0},
        {"0 1 0.00000000000000000000001\n", AUTO, "01' is not 0, but would be", 0, 0},
        {"0 1 12345678901.23456789012\n", AUTO, "with at most 8 decimals", 0, 0},
        {"0 1 1.2345678901234567e10\n", AUTO, "with at most 8 decimals", 0, 0},
        {"0.0000000001 1 1\n", AUTO, "line 1: '0.0000000001' is not a site", 0, 0},
        {"0 1 0.30000000000000004\n", AUTO, ", 1 number rounded to 8 decimals", 1, 3},
        {"0 1 3.000000000000000444e-01\n", AUTO, ", 1 number rounded to 8 decimals", 1, 3},
        {"0 1 -0.123456785\n1 2 1e-8\n", AUTO, ", 1 number rounded", 2, -12345679},
        {"0 1 0.9999999999\n1 2 1.123456784999999999\n", AUTO, ", 2 numbers", 2,
         50000000}, /* in units of 2e-8 */
        {"0 1 1234567.000000004\n", AUTO, ", 1 number rounded to 8 decimals", 1, 1234567},
        {"0 1 99999999999999\n0 2 1e-8\n", AUTO, "line 1: this number is too large", 0, 0},
        {"0 1 1\n1 0 1\n", AUTO, "given before, in line 1: a pair of sites has one line", 0, 0},
        {"0 0 1\n0 1 1\n0 0 1\n", AUTO, "line 3: this bond was given before, in line 1", 0, 0},
        {"0 1 1 1 1\n", AUTO, "line 1: 5 columns, allowed: i j J, or of a lattice x y", 0, 0},
        {"0 1 -0.25\n1 2 1\n0 2 0.5\n", AUTO, "format of this program", 3, -1}, /* in quarters */
        {"0 1 1e3\n1 2 -2.50e+1\n", AUTO, "format of this program", 2, 1000},
        {"0 1 99999999999999.0000000000\n", AUTO, "of this program", 1, 99999999999999},
    };
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        assert_reading(&files[n]);
}

static void fractions_have_the_largest_unit(void **state) {
    (void)state;
    bond_list list;
    bond_origin origin;
    write_file(FILE_NAME, "0 1 -0.25\n1 2 1\n0 2 0.5\n");
    assert_int_equal(read_as(&list, &origin, BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 0),
                     STATUS_OK);
    assert_int_equal(list.unit, 4);
    assert_int_equal(list.bond[1].value, 2); /* 0 2 */
    assert_int_equal(list.bond[2].value, 4); /* 1 2 */
    bond_list_destroy(&list);
    write_file(FILE_NAME, "0 1 1.050\n1 2 -0.001\n0 2 10.00\n0 3 0.010e+2\n");
    assert_int_equal(read_as(&list, &origin, BONDS_RECOGNISED, FIRST_SITE_RECOGNISED, 0),
                     STATUS_OK);
    assert_int_equal(list.unit, 1000);
    static const int64_t values[] = {1050, 10000, 1000, -1}; /* 0 1, 0 2, 0 3, 1 2 */
    for (size_t n = 0; n < 4; n++)
        assert_int_equal(list.bond[n].value, values[n]);
    bond_list_destroy(&list);
}

/* Lines are those of the sorted bonds. */
static void bonds_know_their_lines(void **state) {
    (void)state;
    bond_list list;
    bond_origin origin;
    unsigned long *line;
    write_file(FILE_NAME, "# x\n2 1 1\n0 0 1\n\n0 2 1\n1 0 1\n");
    assert_int_equal(
        bond_file_read(&list, &origin, &line, "--couplings", (bond_reading){0, 0}, 0, FILE_NAME),
        STATUS_OK);
    assert_int_equal(line[0], 6);
    assert_int_equal(line[1], 5);
    assert_int_equal(line[2], 2);
    free(line);
    bond_list_destroy(&list);
}

/* All bonds of a periodic lattice fit it, its smaller edges being unlike; and one more bond fits none. */
static void the_lattice_that_fits_is_named(void **state) {
    (void)state;
    static const uint32_t edges[][3] = {{8, 5, 1}, {5, 8, 1}, {3, 4, 5}, {5, 3, 4}};
    static const char *const names[] = {": all are with -L 8x5", ": all are with -L 5x8",
                                        ": all are with -L 3x4x5", ": all are with -L 5x3x4"};
    for (size_t n = 0; n < sizeof edges / sizeof *edges; n++) {
        const uint32_t *const e = edges[n], sites = e[0] * e[1] * e[2];
        bond_list list = bond_list_of(sites);
        char text[LATTICE_FIT_SIZE];
        for (uint32_t i = 0; i < sites; i++) {
            const uint32_t x = i % e[0], y = i / e[0] % e[1], z = i / e[0] / e[1];
            const uint32_t to[] = {(z * e[1] + y) * e[0] + (x + 1) % e[0],
                                   (z * e[1] + (y + 1) % e[1]) * e[0] + x,
                                   ((z + 1) % e[2] * e[1] + y) * e[0] + x};
            for (int d = 0; d < (e[2] > 1 ? 3 : 2); d++)
                assert_true(bond_list_add(&list, i, to[d], 1));
        }
        assert_string_equal(lattice_fit(&list, text), names[n]);
        assert_true(bond_list_add(&list, 0, e[0] + 1, 1));
        assert_non_null(strstr(lattice_fit(&list, text), "nor are all on any other lattice of"));
        bond_list_destroy(&list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(energies_are_those_of_the_dialect),
        TEST_IN_SCRATCH(a_triangle_is_the_same_in_all_dialects),
        TEST_IN_SCRATCH(headers_are_told_from_bonds),
        TEST_IN_SCRATCH(what_is_ambiguous_is_refused),
        TEST_IN_SCRATCH(matrices_are_symmetric),
        TEST_IN_SCRATCH(what_is_of_no_dialect_is_described),
        TEST_IN_SCRATCH(fractions_have_the_largest_unit),
        TEST_IN_SCRATCH(bonds_know_their_lines),
        cmocka_unit_test(the_lattice_that_fits_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
