/* Claims about texts with a checksum (checked_text.c): what is printed reaches the other stream as it
 * is, followed by the CRC-32 of zlib; a text that was cut off at any byte, of which any byte is
 * another, or that goes on behind its end is known as such, and one whose lines end in another way is whole; a write that
 * fails is not missed. The first line of a table is the last one of its header, whatever the pieces in which it is written. */
#include "base/checked_text.h"
#include "validate/lib/scratch.h"

#include <errno.h>

/* The CRC-32 of "123456789" is a published known answer (the check value of CRC-32/ISO-HDLC). */
#define KNOWN "123456789"
#define ROWS  "# a header\n0 1 2\n\n0.5 3 nan\n1 4 5\n"

/* Writes text[size] as the file "text", with its checksum, in pieces. */
static void write_checked(const char *content, size_t size, size_t piece) {
    checked_text text;
    FILE *const to = fopen("text", "w");
    assert_non_null(to);
    assert_non_null(checked_text_begin(&text, to));
    for (size_t i = 0; i < size; i += piece) {
        const size_t length = piece < size - i ? piece : size - i;
        assert_int_equal(fwrite(content + i, 1, length, text.stream), length);
        fflush(text.stream);
    }
    assert_true(checked_text_end(&text));
    assert_true(checked_text_end(&text)); /* again: nothing */
    assert_int_equal(fclose(to), 0);
}

static checked_text_status verify(const char *path) {
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    const checked_text_status status = checked_text_verify(file);
    assert_int_equal(ftell(file), 0);
    fclose(file);
    return status;
}

static checked_text_status verify_bytes(const char *bytes, size_t size) {
    FILE *const file = fopen("bytes", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return verify("bytes");
}

static void test_known_answers(void **state) {
    (void)state;
    write_checked("", 0, 1);
    assert_string_equal(read_file("text"), "# crc32 00000000\n");
    assert_int_equal(verify("text"), CHECKED_TEXT_WHOLE);
    write_checked(KNOWN, strlen(KNOWN), 2);
    assert_string_equal(read_file("text"), KNOWN "# crc32 cbf43926\n");
    assert_int_equal(verify("text"), CHECKED_TEXT_WITHOUT_SUM); /* not of whole lines */
}

/* Sizes about those of the reader's and the C library's buffers, in pieces of other sizes. */
static void test_sizes(void **state) {
    (void)state;
    static char content[20000];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (char)(i % 7 ? 'a' + i % 26 : '\n');
    for (size_t size = 4000; size < 16500; size = size % 4200 ? size + 1 : size + 3900) {
        content[size - 1] = '\n';
        write_checked(content, size, 1 + size % 5000);
        assert_int_equal(verify("text"), CHECKED_TEXT_WHOLE);
    }
}

static void test_cut_off(void **state) {
    (void)state;
    char whole[200];
    write_checked(ROWS, strlen(ROWS), 5);
    strcpy(whole, read_file("text"));
    assert_int_equal(verify_bytes(whole, strlen(whole)), CHECKED_TEXT_WHOLE);
    size_t rows = 0;
    for (size_t size = 0; size < strlen(whole); size++) {
        if (verify_bytes(whole, size) != CHECKED_TEXT_WITHOUT_SUM)
            fail_msg("cut off after %zu bytes, and not found", size);
        rows += size > 0 && whole[size - 1] == '\n';
    }
    assert_int_equal(rows, 5); /* the cuts between rows were among them */
}

static void test_altered(void **state) {
    (void)state;
    char whole[200];
    write_checked(ROWS, strlen(ROWS), 100);
    strcpy(whole, read_file("text"));
    const size_t size = strlen(whole);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
        const checked_text_status status = verify_bytes(whole, size);
        if (status == CHECKED_TEXT_WHOLE ||
            (bit / 8 < strlen(ROWS) - 1 && status != CHECKED_TEXT_ALTERED))
            fail_msg("bit %zu of byte %zu is another: status %d", bit % 8, bit / 8, (int)status);
        whole[bit / 8] = (char)(whole[bit / 8] ^ 1 << bit % 8);
    }
}

/* Copies a text, with other ends of lines. Returns where the copy ends. */
static char *with_ends(char *to, const char *text, const char *end) {
    for (; *text != '\0'; text++)
        to += *text == '\n' ? sprintf(to, "%s", end) : sprintf(to, "%c", *text);
    return to;
}

/* A text longer than the reader's buffer, in which a CRLF is cut apart in one case or another. */
static void test_other_ends_of_lines(void **state) {
    (void)state;
    static char content[9000], other[2 * sizeof content + 100];
    for (size_t shift = 0; shift < 40; shift++) {
        size_t size = (size_t)sprintf(content, "%.*s\n", (int)shift,
                                      "----------------------------------------");
        while (size < 8500)
            size += (size_t)sprintf(content + size, "%zu\n\n", size);
        write_checked(content, size, 1000);
        const char *const text = read_file("text");
        assert_int_equal(verify_bytes(other, (size_t)(with_ends(other, text, "\r\n") - other)),
                         CHECKED_TEXT_WHOLE);
        assert_int_equal(verify_bytes(other, (size_t)(with_ends(other, text, "\r") - other)),
                         CHECKED_TEXT_WHOLE);
        /* negative control: an empty line more at each end of a line */
        assert_int_equal(verify_bytes(other, (size_t)(with_ends(other, text, "\r\r\n") - other)),
                         CHECKED_TEXT_WITHOUT_SUM);
    }
}

static void test_continued(void **state) {
    (void)state;
    static const char *const behind[] = {"\n", "#\n", "1 4 5\n", "# crc32 00000000\n", "x"};
    char text[200];
    write_checked(ROWS, strlen(ROWS), 100);
    const size_t size = strlen(strcpy(text, read_file("text")));
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        strcpy(text + size, behind[i]);
        assert_int_not_equal(verify_bytes(text, strlen(text)), CHECKED_TEXT_WHOLE);
    }
    /* Two texts, one behind the other; capital digits; a line that only ends like a checksum. */
    strcpy(text + size, ROWS "# crc32 00000000\n");
    assert_int_equal(verify_bytes(text, strlen(text)), CHECKED_TEXT_ALTERED);
    assert_int_equal(verify_bytes("123456789# crc32 CBF43926\n", 26), CHECKED_TEXT_WITHOUT_SUM);
    assert_int_equal(verify_bytes("\n# crc32 32D70693\n", 18), CHECKED_TEXT_WITHOUT_SUM);
}

/* A destination whose first writes fail. */
static ssize_t fail_first(void *cookie, const char *data, size_t size) {
    int *const failures = cookie;
    (void)data;
    return *failures > 0 && (*failures)-- ? 0 : (ssize_t)size;
}

static void test_write_errors(void **state) {
    (void)state;
    for (int buffered = 0; buffered < 2; buffered++) {
        checked_text text;
        FILE *const to = fopen("/dev/full", "w");
        assert_non_null(to);
        if (!buffered)
            setbuf(to, NULL);
        assert_non_null(checked_text_begin(&text, to));
        fputs(ROWS, text.stream);
        assert_int_equal(checked_text_end(&text), buffered);
        assert_int_equal(text.error, buffered ? 0 : ENOSPC);
        assert_true(ferror(to) || fflush(to) != 0);
        fclose(to);
    }
    /* What has failed once is missing, though later writes succeed: as seen when flushed, and at the
     * end. */
    for (int flushed = 0; flushed < 2; flushed++) {
        checked_text text;
        int failures = 1;
        FILE *const to = fopencookie(&failures, "w", (cookie_io_functions_t){.write = fail_first});
        assert_non_null(to);
        setbuf(to, NULL);
        assert_non_null(checked_text_begin(&text, to));
        fputs(ROWS, text.stream);
        if (flushed)
            fflush(text.stream);
        assert_false(checked_text_end(&text));
        assert_true(ferror(to));
        fclose(to);
    }
}

static void test_tables(void **state) {
    (void)state;
    static char large[30000]; /* a header of more than a buffer */
    for (size_t n = 0; n < sizeof large - 1; n++)
        large[n] = n % 50 == 49 ? '\n' : '#';
    large[sizeof large - 2] = '\n';
    const struct {
        const char *text, *names;
    } tables[] = {{"# a\n# b c\n1 2\n3 4\n", "# b c\n"},
                  {"# b c\n1 2\n# d\n3 4\n", "# b c\n"},
                  {"# a\n# b c\n", "# b c\n"},
                  {"# a\n# b c\n\n\n1 2\n", "# b c\n"},
                  {"1 2\n# b\n", ""},
                  {"", ""},
                  {large, large + sizeof large - 1 - 49}};
    static const size_t pieces[] = {1, 3, 30000};
    for (size_t n = 0; n < 3 * sizeof tables / sizeof *tables; n++) {
        const char *const rest = tables[n / 3].text;
        checked_text text;
        FILE *const to = fopen("text", "w");
        assert_non_null(to);
        assert_non_null(checked_table_begin(&text, to));
        for (size_t i = 0; i < strlen(rest); i += pieces[n % 3]) {
            fprintf(text.stream, "%.*s", (int)pieces[n % 3], rest + i);
            fflush(text.stream);
        }
        assert_true(checked_text_end(&text));
        assert_int_equal(fclose(to), 0);
        const char *const content = read_file("text");
        const size_t length = strlen(tables[n / 3].names);
        assert_memory_equal(content, tables[n / 3].names, length);
        assert_memory_equal(content + length, rest, strlen(rest));
        assert_string_equal(strchr(content + length + strlen(rest), '#'),
                            strstr(content, "# crc32"));
        assert_int_equal(verify("text"), CHECKED_TEXT_WHOLE);
    }
    checked_text text;
    FILE *const full = fopen("/dev/full", "w");
    assert_non_null(full);
    setbuf(full, NULL);
    assert_non_null(checked_table_begin(&text, full));
    fputs(ROWS, text.stream);
    assert_false(checked_text_end(&text));
    assert_int_equal(text.error, ENOSPC);
    fclose(full);
}

static void test_unreadable(void **state) {
    (void)state;
    FILE *const folder = fopen(".", "r");
    assert_non_null(folder);
    assert_int_equal(checked_text_verify(folder), CHECKED_TEXT_UNREADABLE);
    fclose(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(test_known_answers), TEST_IN_SCRATCH(test_sizes),
        TEST_IN_SCRATCH(test_cut_off),       TEST_IN_SCRATCH(test_altered),
        TEST_IN_SCRATCH(test_continued),     TEST_IN_SCRATCH(test_other_ends_of_lines),
        TEST_IN_SCRATCH(test_write_errors),  TEST_IN_SCRATCH(test_unreadable),
        TEST_IN_SCRATCH(test_tables),
    };
    return cmocka_run_group_tests_name("checked texts", tests, NULL, NULL);
}
