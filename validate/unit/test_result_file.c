/* Claims about reading results back (result_file.c): the parameters of the header and the rows are
 * what was written, and a file that is not such a result is refused, never read in part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/lib/result_file.h"
#include "validate/lib/scratch.h"

#define HEADER                                                                                     \
    "# size 16\n# large 18446744073709551616\n# negative -5\n# blank  7\n# runs 3\n# rng "         \
    "shared-reorder\n# run-time 5\n# beta e C\n"
#define FIRST_ROW "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
#define NEXT_ROW  "0.5 1 -2e-3 3 4 5 6 7 8 9 nan 11 12 13 14 15 16 17\n"

static void test_reads(void **state) {
    (void)state;
    result_file r;
    char value[RESULT_VALUE_SIZE];
    write_file("good", HEADER FIRST_ROW NEXT_ROW);
    assert_int_equal(result_file_read(&r, "good"), STATUS_OK);
    assert_int_equal(r.rows, 2);
    assert_true(r.row[0][RESULT_TRUSTED] == 17);
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
}

static void refuses(const char *text) {
    result_file r;
    write_file("bad", text);
    if (result_file_read(&r, "bad") != STATUS_FAILED)
        fail_msg("accepted: %s", text);
    result_file_free(&r);
}

static void test_refuses(void **state) {
    (void)state;
    result_file r;
    refuses("");
    refuses(HEADER);
    refuses(HEADER FIRST_ROW "0.5 1 2 3\n");
    refuses(HEADER "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n");
    refuses(HEADER "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 x\n");
    refuses(HEADER "\n" FIRST_ROW);
    /* Found by fuzzing: what stands behind a zero byte was passed over. */
    static const char zeros[2][80] = {"# size 16\0 17\n" FIRST_ROW, FIRST_ROW "\0 and more"};
    for (size_t i = 0; i < 2; i++) {
        FILE *const file = fopen("bad", "w");
        assert_non_null(file);
        assert_int_equal(fwrite(zeros[i], 1, sizeof zeros[i] - 1, file), sizeof zeros[i] - 1);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(result_file_read(&r, "bad"), STATUS_FAILED);
        result_file_free(&r);
    }
    assert_int_equal(result_file_read(&r, "absent"), STATUS_FAILED);
    result_file_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(test_reads),
        TEST_IN_SCRATCH(test_refuses),
    };
    return cmocka_run_group_tests_name("result files", tests, NULL, NULL);
}
