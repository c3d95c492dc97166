/* Claims about reading results back (result_file.c, files/data_columns.c): the parameters of the header and the rows are
 * what was written, and a file that is not such a result is refused, never read in part: one that was
 * cut off, at a row boundary too, or altered, or whose rows hold what no result does. A pipe is not
 * waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/checked_text.h"
#include "files/data_columns.h"
#include "validate/lib/capture.h"
#include "validate/lib/result_file.h"
#include "validate/lib/scratch.h"

#define NAMES                                                                                      \
    "# beta e C |m| m2 m4 betaF/N S/N R lnQ err_e err_C err_|m| err_betaF/N families rho_t R_eff " \
    "trusted err_m2 err_m4 err_S/N blocks"
#define HEADER                                                                                     \
    "# size 16\n# large 18446744073709551616\n# negative -5\n# blank  7\n# runs 3\n# rng "         \
    "shared-reorder\n# run-time 5\n" NAMES "\n"
#define FIRST_ROW "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 21\n"
#define NEXT_ROW  "0.5 1 -2e-3 3 4 5 6 7 8 9 nan 11 12 13 14 15 16 1 18 19 20 21\n"

/* Writes a file with its checksum. */
static void write_whole(const char *path, const char *text, size_t size) {
    checked_text whole;
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_non_null(checked_text_begin(&whole, file));
    fwrite(text, 1, size, whole.stream);
    assert_true(checked_text_end(&whole));
    assert_int_equal(fclose(file), 0);
}

static void test_reads(void **state) {
    (void)state;
    result_file r;
    char value[RESULT_VALUE_SIZE];
    write_whole("good", HEADER FIRST_ROW NEXT_ROW, strlen(HEADER FIRST_ROW NEXT_ROW));
    assert_int_equal(result_file_read(&r, "good"), STATUS_OK);
    assert_int_equal(r.rows, 2);
    assert_true(r.row[0][RESULT_TRUSTED] == 1);
    assert_true(r.row[1][RESULT_BETA] == 0.5);
    assert_true(r.row[1][RESULT_C] == -2e-3);
    assert_true(r.row[1][RESULT_ERR_E] != r.row[1][RESULT_ERR_E]);
    assert_int_equal(result_file_number(&r, "size"), 16);
    assert_int_equal(result_file_number(&r, "runs"), 3);
    assert_int_equal(result_file_number(&r, "run"), 0);
    assert_int_equal(result_file_number(&r, "large"), 0); /* found by fuzzing */
    assert_int_equal(result_file_number(&r, "negative"), 0);
    assert_int_equal(result_file_number(&r, "blank"), 0);
    assert_int_equal(result_file_number(&r, "rng"), 0);
    assert_string_equal(result_file_parameter(&r, "rng", value), "shared-reorder");
    assert_string_equal(result_file_parameter(&r, "coding", value), "");
    result_file_free(&r);
    /* Columns are found by their names: one more in front of the last, and one behind. */
    const char *const average =
        "# beta e C |q| q2 q4 betaF/N S/N R lnQ err_e err_C err_|q| err_betaF/N families rho_t "
        "R_eff trusted err_q2 err_q4 err_S/N more blocks trusting\n"
        "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 -7 21 2\n";
    write_whole("good", average, strlen(average));
    assert_int_equal(result_file_read(&r, "good"), STATUS_OK);
    assert_true(r.row[0][RESULT_BLOCKS] == 21 && r.row[0][RESULT_ABS_M] == 3);
    result_file_free(&r);
}

static const char *const other_ends[] = {"\r\n", "\r"};

/* Does to a file what another system does: its lines end in another way. */
static void end_lines(const char *path, const char *end) {
    static char text[2000];
    char *to = text;
    for (const char *from = read_file(path); *from != '\0'; from++)
        to += *from == '\n' ? sprintf(to, "%s", end) : sprintf(to, "%c", *from);
    write_file(path, text);
}

static void test_reads_other_ends_of_lines(void **state) {
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        result_file r;
        write_whole("good", HEADER FIRST_ROW NEXT_ROW, strlen(HEADER FIRST_ROW NEXT_ROW));
        end_lines("good", other_ends[n]);
        assert_int_equal(result_file_read(&r, "good"), STATUS_OK);
        assert_int_equal(r.rows, 2);
        assert_true(r.row[1][RESULT_BETA] == 0.5 && r.row[1][RESULT_BLOCKS] == 21);
        assert_int_equal(result_file_number(&r, "size"), 16);
        assert_int_equal(result_file_number(&r, "runs"), 3);
        result_file_free(&r);
    }
}

/* The names and the row of a result, but for one column. */
static const char *row_with(int column, const char *value) {
    static char row[400];
    strcpy(row, NAMES "\n");
    for (int n = 0; n < RESULT_COLUMNS; n++) {
        char number[20];
        snprintf(number, sizeof number, "%d", n == RESULT_TRUSTED ? 1 : n);
        strcat(strcat(row, n == column ? value : number), n < RESULT_COLUMNS - 1 ? " " : "\n");
    }
    return row;
}

/* Reads the file "bad": refused, by one line that says why. */
static void refuses_file(const char *why) {
    char said[1000];
    result_file r;
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = result_file_read(&r, "bad");
    capture_end(&c, said, sizeof said);
    result_file_free(&r);
    if (status != STATUS_FAILED || !strstr(said, "bad: ") || !strstr(said, why) ||
        strchr(said, '\n') != said + strlen(said) - 1)
        fail_msg("status %d instead of '%s', said: %s", (int)status, why, said);
}

static void refuses(const char *text, const char *why) {
    write_whole("bad", text, strlen(text));
    refuses_file(why);
}

static void test_refuses(void **state) {
    (void)state;
    refuses("", "no rows");
    refuses(HEADER, "no rows");
    refuses(HEADER FIRST_ROW "0.5 1 2 3\n", "row 2 has not its 22");
    refuses(HEADER "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 21 22\n", "row 1 has not");
    refuses("# size 16\n" FIRST_ROW, "no line of the header has the names");
    refuses("# beta e C\n" FIRST_ROW, "no line of the header has the names");
    refuses(HEADER "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 x\n", "row 1 has not");
    refuses(HEADER "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16-1 18 19 20 21\n", "row 1 has not");
    refuses(HEADER "0  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 21\n", "row 1 has not");
    refuses(HEADER " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 18 19 20 21\n", "row 1 has not");
    refuses(HEADER "\n" FIRST_ROW, "row 1 has not");
    /* Found by fuzzing: what stands behind a zero byte was passed over. */
    static const char zeros[2][300] = {"# size 16\0 17\n" FIRST_ROW,
                                       NAMES "\n" FIRST_ROW "\0 and more\n"};
    static const size_t length[2] = {13 + sizeof FIRST_ROW, sizeof NAMES + sizeof FIRST_ROW + 10};
    for (size_t i = 0; i < 2; i++) {
        write_whole("bad", zeros[i], length[i]);
        refuses_file("no text file");
    }
}

static void test_refuses_rows(void **state) {
    (void)state;
    static const struct {
        int column;
        const char *value, *why;
    } wrong[] = {
        {RESULT_BETA, "-0.1", "beta is not"},   {RESULT_BETA, "nan", "beta is not"},
        {RESULT_BETA, "inf", "beta is not"},    {RESULT_ERR_E, "-1e-9", "error is negative"},
        {RESULT_ERR_C, "-1", "error is"},       {RESULT_ERR_ABS_M, "-inf", "error is"},
        {RESULT_ERR_BETA_F, "-1", "error is"},  {RESULT_R, "0", "no population"},
        {RESULT_R, "nan", "no population"},     {RESULT_RHO_T, "0", "no population"},
        {RESULT_RHO_T, "nan", "no population"}, {RESULT_TRUSTED, "2", "`trusted` is neither"},
        {RESULT_TRUSTED, "0.5", "`trusted`"},   {RESULT_TRUSTED, "-1", "`trusted`"},
        {RESULT_TRUSTED, "nan", "`trusted`"},   {RESULT_ERR_M2, "-1", "error is"},
        {RESULT_ERR_S, "-1e-9", "error is"},
    };
    result_file r;
    write_whole("good", row_with(0, "0"), strlen(row_with(0, "0")));
    assert_int_equal(result_file_read(&r, "good"), STATUS_OK);
    result_file_free(&r);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses(row_with(wrong[i].column, wrong[i].value), wrong[i].why);
    refuses(HEADER FIRST_ROW FIRST_ROW, "row 2: beta is not larger");
    refuses(HEADER NEXT_ROW FIRST_ROW, "row 2: beta is not larger");
}

static void test_refuses_parts(void **state) {
    (void)state;
    char whole[1000];
    const char text[] = HEADER FIRST_ROW NEXT_ROW;
    write_whole("good", text, strlen(text));
    strcpy(whole, read_file("good"));
    for (size_t size = strlen(whole); size-- > 0;) {
        const char last = whole[size];
        whole[size] = '\0';
        write_file("bad", whole);
        refuses_file("checksum");
        whole[size] = last;
    }
    *strstr(whole, "-2e-3") = ' ';
    write_file("bad", whole);
    refuses_file("altered");
}

static void test_refuses_others(void **state) {
    (void)state;
    refuses_file("No such file");
    assert_int_equal(mkdir("bad", 0700), 0);
    refuses_file("no folders");
    assert_int_equal(rmdir("bad"), 0);
    assert_int_equal(mkfifo("bad", 0600), 0);
    refuses_file("no pipes");
    assert_int_equal(unlink("bad"), 0);
    assert_int_equal(symlink("/dev/zero", "bad"), 0);
    refuses_file("no pipes or devices");
}

/* Reads two columns of "columns" by their names. */
static exit_status read_columns(data_columns *d) {
    char said[1000];
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = data_columns_read(d, "columns", (const char *[]){"e", "beta"}, 2);
    capture_end(&c, said, sizeof said);
    return status;
}

static void test_columns(void **state) {
    (void)state;
    static const char good[] = "# beta e C\n0 1 2\n0.5 3 nan\n";
    static const char *const bad[] = {
        "# beta e C\n0 1 2\n0.5 3\n", "# beta e C\n0 1 2\n0.5 3 4 5\n",
        "# beta e C\n0 1 2\n0.5 3x 4\n", "# beta C\n0 1\n", "# beta e\n"};
    data_columns d;
    for (size_t n = 0; n < 3; n++) {
        write_whole("columns", good, sizeof good - 1);
        if (n > 0)
            end_lines("columns", other_ends[n - 1]);
        assert_int_equal(read_columns(&d), STATUS_OK);
        assert_true(d.rows == 2 && d.value[2] == 3 && d.value[3] == 0.5);
        free(d.value);
    }
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        write_whole("columns", bad[n], strlen(bad[n]));
        if (read_columns(&d) != STATUS_FAILED)
            fail_msg("not refused: %s", bad[n]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(test_reads),
        TEST_IN_SCRATCH(test_refuses),
        TEST_IN_SCRATCH(test_reads_other_ends_of_lines),
        TEST_IN_SCRATCH(test_columns),
        TEST_IN_SCRATCH(test_refuses_rows),
        TEST_IN_SCRATCH(test_refuses_parts),
        TEST_IN_SCRATCH(test_refuses_others),
    };
    return cmocka_run_group_tests_name("result files", tests, NULL, NULL);
}
