/* Claims: bonds are numbered as couplings.h says, and lead where it says; what is written is read back to the
 * same bits, in two and three dimensions; the pairs i j J of the same bonds, in any order, give the same; bonds of J = 0 or without a line are missing; every
 * malformed line is refused with its number and what is wrong, and so is what is no text file; couplings or lattices
 * that differ have fingerprints that differ. */
#include "model/couplings.h"

#include <string.h>
#include <sys/stat.h>

#include "base/line_file.h"

#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"

#define FILE_NAME "couplings"

static const struct {
    uint32_t dimension, edge[COUPLINGS_MAX_DIMENSION];
} lattices[] = {{2, {4, 4, 1}}, {2, {4, 6, 1}}, {2, {8, 4, 1}}, {3, {4, 4, 4}}, {3, {6, 4, 8}}};
#define LATTICES (sizeof lattices / sizeof *lattices)

/* The couplings of a lattice, with some bonds -1. */
static couplings some_couplings(size_t lattice) {
    couplings c;
    assert_true(couplings_create(&c, lattices[lattice].dimension, lattices[lattice].edge));
    uint32_t number = 12345;
    for (uint64_t bond = 0; bond < c.bonds; bond++) {
        number = number * 1664525u + 1013904223u;
        couplings_set(&c, bond, number >> 31);
    }
    return c;
}

static void assert_same(const couplings *a, const couplings *b) {
    assert_int_equal(a->bonds, b->bonds);
    for (uint64_t bond = 0; bond < a->bonds; bond++)
        assert_int_equal(couplings_negative(a, bond), couplings_negative(b, bond));
    assert_int_equal(couplings_fingerprint(a), couplings_fingerprint(b));
}

static exit_status read_couplings(couplings *c, size_t lattice) {
    return couplings_read(c, lattices[lattice].dimension, lattices[lattice].edge, (bond_reading){0},
                          FILE_NAME);
}

static void bonds_lead_to_the_next_site(void **state) {
    (void)state;
    for (size_t n = 0; n < LATTICES; n++) {
        couplings c = some_couplings(n);
        uint64_t site = 0;
        const uint32_t *const edge = c.edge;
        for (uint32_t z = 0; z < edge[2]; z++)
            for (uint32_t y = 0; y < edge[1]; y++)
                for (uint32_t x = 0; x < edge[0]; x++, site++) {
                    const uint64_t next[] = {(z * edge[1] + y) * edge[0] + (x + 1) % edge[0],
                                             (z * edge[1] + (y + 1) % edge[1]) * edge[0] + x,
                                             ((z + 1) % edge[2] * edge[1] + y) * edge[0] + x};
                    for (uint32_t d = 0; d < c.dimension; d++) {
                        assert_int_equal(couplings_neighbour(&c, site, d), next[d]);
                        assert_int_equal(couplings_sign(&c, site, d),
                                         couplings_negative(&c, site * c.dimension + d) ? -1 : 1);
                    }
                }
        assert_int_equal(c.sites, site);
        assert_int_equal(c.bonds, site * c.dimension);
        couplings_destroy(&c);
    }
}

static void bits_are_set_and_counted_one_by_one(void **state) {
    (void)state;
    couplings c;
    assert_true(couplings_create(&c, 3, (uint32_t[]){4, 6, 4}));
    const uint32_t none = couplings_fingerprint(&c);
    assert_int_equal(couplings_count_negative(&c), 0);
    for (uint64_t bond = 0; bond < c.bonds; bond++) {
        couplings_set(&c, bond, true);
        assert_int_equal(couplings_count_negative(&c), 1);
        assert_true(couplings_negative(&c, bond));
        assert_int_not_equal(couplings_fingerprint(&c), none);
        couplings_set(&c, bond, false);
        assert_int_equal(couplings_fingerprint(&c), none);
    }
    assert_true(couplings_remove(&c, 5)); /* of J = +1 */
    const uint32_t one = couplings_fingerprint(&c);
    assert_int_not_equal(one, none);
    assert_true(couplings_remove(&c, 6));
    assert_int_not_equal(couplings_fingerprint(&c), one);
    couplings_destroy(&c);
}

/* The same bits of lattices with the same sites, whichever edge differs; and a known answer: zlib.crc32 of thirteen 64-bit
 * numbers, the dimension, the edges and the bits. */
static void lattices_have_fingerprints_of_their_own(void **state) {
    (void)state;
    static const uint32_t edges[][3] = {{4, 6, 8}, {4, 8, 6},  {6, 4, 8},  {6, 8, 4}, {8, 4, 6},
                                        {8, 6, 4}, {4, 4, 12}, {4, 12, 4}, {12, 4, 4}};
    enum { ORDERS = sizeof edges / sizeof *edges };
    uint32_t print[ORDERS];
    for (size_t n = 0; n < ORDERS; n++) {
        couplings c;
        assert_true(couplings_create(&c, 3, edges[n]));
        couplings_set(&c, 63, true);
        couplings_set(&c, 512, true);
        print[n] = couplings_fingerprint(&c);
        for (size_t m = 0; m < n; m++)
            assert_int_not_equal(print[m], print[n]);
        couplings_destroy(&c);
    }
    assert_int_equal(print[0], 0xa47e1b59);
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    for (size_t n = 0; n < LATTICES; n++) {
        couplings c = some_couplings(n), again;
        FILE *const file = fopen(FILE_NAME, "w");
        assert_non_null(file);
        couplings_write(&c, file, "glass", "disorder seed 7");
        assert_int_equal(fclose(file), 0);
        assert_non_null(strstr(read_file(FILE_NAME), "model glass, "));
        assert_non_null(strstr(read_file(FILE_NAME), "\n# origin: disorder seed 7\n"));
        assert_int_equal(read_couplings(&again, n), STATUS_OK);
        assert_same(&again, &c);
        couplings_set(&again, 5, !couplings_negative(&again, 5)); /* negative control */
        assert_int_not_equal(couplings_fingerprint(&again), couplings_fingerprint(&c));
        couplings_destroy(&again);
        couplings_destroy(&c);
    }
}

/* Bonds from the last to the first, every other pair the other way round, signs and ends of lines as people write them. */
static void pairs_give_the_same_bonds(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t n = 0; n < LATTICES; n++) {
        couplings c = some_couplings(n), again;
        FILE *const file = fopen(FILE_NAME, "w");
        assert_non_null(file);
        fprintf(file, "# i j J%s\n", ends[n % 3]);
        for (uint64_t bond = c.bonds; bond-- > 0;) {
            const uint64_t i = bond / c.dimension;
            const uint64_t j = couplings_neighbour(&c, i, (uint32_t)(bond % c.dimension));
            const char *const sign = couplings_negative(&c, bond) ? "-1"
                                     : bond % 3 == 0              ? "+1"
                                                                  : "1";
            fprintf(file, " %llu\t%llu %s # %s%s", (unsigned long long)(bond % 2 ? i : j),
                    (unsigned long long)(bond % 2 ? j : i), sign, "a bond", ends[n % 3]);
        }
        assert_int_equal(fclose(file), 0);
        assert_int_equal(read_couplings(&again, n), STATUS_OK);
        assert_same(&again, &c);
        couplings_destroy(&again);
        couplings_destroy(&c);
    }
}

/* Reads a text as the couplings of a lattice: it must be refused by a line that ends in `what`. */
static void assert_refused(size_t lattice, const char *text, const char *what) {
    char said[1000];
    write_file(FILE_NAME, text);
    couplings c;
    capture stderr_now = capture_begin(STDERR_FILENO);
    const exit_status status = read_couplings(&c, lattice);
    capture_end(&stderr_now, said, sizeof said);
    assert_int_equal(status, STATUS_REFUSED);
    assert_null(c.negative);
    if (strlen(said) == 0 || strstr(said, what) == NULL)
        fail_msg("'%s' is refused by '%s', not by '%s'", text, said, what);
}

static void malformed_lines_are_refused(void **state) {
    (void)state;
    assert_refused(0, "0 0 0 0",
                   "line 1: 4 columns, allowed: i j J, or of a lattice x y z direction J");
    assert_refused(0, "#\n7\n", "line 2: 1 columns");
    assert_refused(0, "1 1 1 1 1 1\n", "line 1: more than 5 columns");
    assert_refused(0, "0 1 1\n0 0 0 0 1\n", "line 2: not 3 columns as in the lines before");
    assert_refused(0, "0 0 0 0 1\n0 0 0 1 # 1\n", "line 2: not 5 columns as in the lines before");
    assert_refused(0, "0 0 0 0 1\n0 0 0 x 1\n", "line 2: 'x' is not a whole number");
    assert_refused(0, "0 0 0 0 0.37\n",
                   "line 1: '0.37' is not a whole number below 10^15 (--couplings-type real)");
    assert_refused(0, "0 0.5 0 0 1\n", "line 1: '0.5' is not a whole number below 10^15\n");
    assert_refused(0, "0 0 0 0 -\n", "line 1: '-' is not a whole number");
    assert_refused(0, "0 0 0 0 +-1\n", "line 1: '+-1' is not a whole number");
    assert_refused(0, "0 0 0 0 18446744073709551617\n",
                   "line 1: '18446744073709551617' is not a whole number below 10^15");
    assert_refused(0, "4 0 0 0 1\n", "line 1: x = 4 is not from 0 to 3");
    assert_refused(1, "3 6 0 0 1\n", "line 1: y = 6 is not from 0 to 5");
    assert_refused(0, "0 -1 0 0 1\n", "line 1: y = -1 is not from 0 to 3");
    assert_refused(0, "0 0 1 0 1\n", "line 1: z = 1 is not from 0 to 0");
    assert_refused(3, "0 0 4 0 1\n", "line 1: z = 4 is not from 0 to 3");
    assert_refused(0, "0 0 0 2 1\n", "line 1: direction 2 is not from 0 to 1");
    assert_refused(3, "0 0 0 3 1\n", "line 1: direction 3 is not from 0 to 2");
    assert_refused(0, "0 0 0 0 2\n", "line 1: J = 2 is none of 1, 0 and -1");
    assert_refused(0, "0 0 0 0 -2\n", "line 1: J = -2 is none of 1, 0 and -1");
    assert_refused(0, "0 0 0 0 0\n0 0 0 0 1\n", "line 2: this bond was given before");
    assert_refused(0, "999999999999999 0 0 0 1\n", "line 1: x = 999999999999999 is not from");
    assert_refused(0, "1000000000000000 1 1\n", "line 1: '1000000000000000' is not a site");
    assert_refused(0, "0 16 1\n", "line 1: site 16 is not from 0 to 15");
    assert_refused(0, "-1 0 1\n", "line 1: '-1' is not a site");
    assert_refused(
        0, "0 5 1\n",
        "line 1: sites 0 and 5 are not neighbours, nor are all on any other lattice of 16 sites");
    assert_refused(0, "0 0 1\n", "couplings: it has fields, and this model has none");
    assert_refused(0, "12 24\n", "line 1: the header says 24 lines, 0 follow: cut off?");
    assert_refused(0, "12 2\n1 10 1\n1 3 1\n", "12 sites, the lattice has 16: all are with -L 3x4");
    assert_refused(0, "20 2\n1 17 1\n2 3 1\n",
                   "line 2: site 17 is not from 1 to 16: all are with -L 4x5");
    assert_refused(0, "# x\n0 1 1\n1 16 1\n",
                   "line 3: site 16 is not from 0 to 15, nor are all on any other lattice of 17");
    assert_refused(0, "0 1 0.5\n0 4 1\n", "neither 1 nor -1 throughout, but in steps of 1/2");
    assert_refused(3, "# x\n0 1 1\n3 4 1\n",
                   "line 3: sites 3 and 4 are not neighbours: all are with -L 8x8, -L 16x4");
    assert_refused(0, "0 0 0 1 1\n0 0 0 1 -1\n", "line 2: this bond was given before");
    assert_refused(0, "0 3 1\n# twice\n3 0 1\n", "line 3: this bond was given before, in line 1");
}

/* Reads a text as the couplings of lattice 0, which may be; says what is said. */
static couplings couplings_of_text(const char *text, char *said, size_t size) {
    couplings c;
    write_file(FILE_NAME, text);
    capture stderr_now = capture_begin(STDERR_FILENO);
    const exit_status status = read_couplings(&c, 0);
    capture_end(&stderr_now, said, size);
    assert_int_equal(status, STATUS_OK);
    return c;
}

/* Bonds 13 and 30, without a line or with J = 0: two files of the same couplings. */
static void missing_bonds_are_taken_away_and_counted(void **state) {
    (void)state;
    char text[2][4096] = {"", ""}, said[1000];
    assert_refused(0, "", "no bonds in it");
    for (uint32_t bond = 0; bond < 32; bond++)
        for (int zero = 0; zero < 2; zero++)
            if (zero || (bond != 13 && bond != 30))
                sprintf(text[zero] + strlen(text[zero]), "%u %u 0 %u %d\n", bond / 2 % 4, bond / 8,
                        bond % 2,
                        bond == 13 || bond == 30 ? 0
                        : bond % 3               ? -1
                                                 : 1);
    for (int zero = 0; zero < 2; zero++) {
        couplings c = couplings_of_text(text[zero], said, sizeof said);
        assert_non_null(strstr(said, "2 of 32 bonds are missing (J = 0, or no line)"));
        assert_int_equal(couplings_present(&c), 30);
        for (uint64_t bond = 0; bond < 32; bond++) {
            const int j = bond == 13 || bond == 30 ? 0 : bond % 3 ? -1 : 1;
            assert_int_equal(couplings_has(&c, bond), j != 0);
            assert_int_equal(couplings_sign(&c, bond / 2, bond % 2), j);
        }
        couplings_destroy(&c);
    }
}

/* A J that is not 0 and rounded to 0, in files of both forms. */
static void bonds_below_the_unit_are_missing_and_said(void **state) {
    (void)state;
    const char *const text[] = {"0 0 0 0 1e-8\n0 0 0 1 0\n1 0 0 0 1e-6\n", "0 1 1e-8\n0 4 1\n"};
    for (int form = 0; form < 2; form++) {
        char said[1000];
        couplings c;
        write_file(FILE_NAME, text[form]);
        capture stderr_now = capture_begin(STDERR_FILENO);
        const exit_status status =
            couplings_read_real(&c, 2, (uint32_t[]){4, 4, 1}, (bond_reading){0}, FILE_NAME);
        capture_end(&stderr_now, said, sizeof said);
        assert_int_equal(status, STATUS_OK);
        assert_non_null(strstr(
            said,
            "31 of 32 bonds are missing (J = 0, or no line), 1 of them with a J below its unit"));
        couplings_destroy(&c);
    }
}

/* Of some lattices with missing bonds, written and read. They differ from the same couplings with all bonds there. */
static void missing_bonds_are_written_and_read_back(void **state) {
    (void)state;
    for (size_t n = 0; n < LATTICES; n++) {
        char said[1000];
        couplings c = some_couplings(n), again;
        const uint32_t whole = couplings_fingerprint(&c);
        for (uint64_t bond = n; bond < c.bonds; bond += 5)
            assert_true(couplings_remove(&c, bond));
        assert_int_not_equal(couplings_fingerprint(&c), whole);
        FILE *const file = fopen(FILE_NAME, "w");
        assert_non_null(file);
        couplings_write(&c, file, "glass", NULL);
        assert_int_equal(fclose(file), 0);
        assert_non_null(strstr(read_file(FILE_NAME), " bonds are missing: those without a line\n"));
        capture stderr_now = capture_begin(STDERR_FILENO);
        assert_int_equal(read_couplings(&again, n), STATUS_OK);
        capture_end(&stderr_now, said, sizeof said);
        assert_int_equal(couplings_present(&again), c.bonds - (c.bonds - n + 4) / 5);
        assert_same(&again, &c);
        couplings_destroy(&again);
        couplings_destroy(&c);
    }
}

static void files_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    static const struct {
        const char *path, *what;
    } files[] = {{"nothing", "--couplings nothing: No such file"},
                 {".", "--couplings .: not a file"},
                 {"/dev/zero", "--couplings /dev/zero: not a file"},
                 {"pipe", "--couplings pipe: not a file; what a pipe gives must stand in one"}};
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        char said[1000];
        couplings c;
        capture stderr_now = capture_begin(STDERR_FILENO);
        assert_int_equal(couplings_read(&c, 2, lattices[0].edge, (bond_reading){0}, files[n].path),
                         STATUS_REFUSED);
        capture_end(&stderr_now, said, sizeof said);
        assert_non_null(strstr(said, files[n].what));
        assert_null(c.negative);
    }
}

static void what_is_no_text_is_refused(void **state) {
    (void)state;
    char text[LINE_FILE_WIDTH + 1000] = "# all bonds, and a line that is too long\n";
    for (uint32_t bond = 0; bond < 32; bond++)
        sprintf(text + strlen(text), "%u %u 0 %u 1\n", bond / 2 % 4, bond / 8, bond % 2);
    const size_t length = strlen(text);
    memset(text + length, ' ', LINE_FILE_WIDTH);
    text[length + LINE_FILE_WIDTH - 1] = '\0'; /* the longest line that there may be */
    write_file(FILE_NAME, text);
    couplings c;
    assert_int_equal(read_couplings(&c, 0), STATUS_OK);
    couplings_destroy(&c);
    text[length + LINE_FILE_WIDTH - 1] = '#'; /* one more */
    assert_refused(0, text, "line 34: longer than 4095 characters");
    FILE *const file = fopen(FILE_NAME, "wb");
    assert_true(file != NULL && fwrite("# \0\n", 1, 4, file) == 4 && fclose(file) == 0);
    capture stderr_now = capture_begin(STDERR_FILENO);
    const exit_status status = read_couplings(&c, 0);
    char said[1000];
    capture_end(&stderr_now, said, sizeof said);
    assert_int_equal(status, STATUS_REFUSED);
    assert_non_null(strstr(said, "line 1: a zero byte"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bonds_lead_to_the_next_site),
        cmocka_unit_test(bits_are_set_and_counted_one_by_one),
        cmocka_unit_test(lattices_have_fingerprints_of_their_own),
        TEST_IN_SCRATCH(what_is_written_is_read_back),
        TEST_IN_SCRATCH(pairs_give_the_same_bonds),
        TEST_IN_SCRATCH(malformed_lines_are_refused),
        TEST_IN_SCRATCH(missing_bonds_are_taken_away_and_counted),
        TEST_IN_SCRATCH(bonds_below_the_unit_are_missing_and_said),
        TEST_IN_SCRATCH(missing_bonds_are_written_and_read_back),
        TEST_IN_SCRATCH(files_that_cannot_be_read_are_refused),
        TEST_IN_SCRATCH(what_is_no_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
