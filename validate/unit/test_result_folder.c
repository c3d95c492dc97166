/* Files and folders of a result: complete or not there, and never two results side by side. */
#include "files/result_folder.h"
#include "files/run_json.h"
#include "validate/lib/scratch.h"
#include "validate/lib/some_parameters.h"

#include <signal.h>
#include <sys/resource.h>

/* --- one file --- */

static void a_file_appears_when_it_is_complete(void **state) {
    (void)state;
    write_file("result", "old");
    safe_file file;
    assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
    fprintf(file.stream, "new\n");
    assert_string_equal(read_file("result"), "old");
    assert_int_equal(safe_file_close(&file), STATUS_OK);
    assert_string_equal(read_file("result"), "old");
    assert_int_equal(safe_file_publish(&file), STATUS_OK);
    assert_string_equal(read_file("result"), "new\n");
    assert_int_equal(count_files("."), 1);
    safe_file_abort(&file); /* does nothing */
    assert_int_equal(count_files("."), 1);
}

static void an_aborted_file_leaves_nothing(void **state) {
    (void)state;
    safe_file file;
    assert_int_equal(safe_file_open(&file, "./result"), STATUS_OK);
    fprintf(file.stream, "half");
    assert_int_equal(count_files("."), 1);
    safe_file_abort(&file);
    assert_int_equal(count_files("."), 0);
}

/* Few and many bytes: the write fails at the end, or in the middle of the printing. */
static void a_full_disk_is_an_error(void **state) {
    (void)state;
    const int lines[] = {1, 100000};
    for (size_t n = 0; n < 2; n++) {
        safe_file file;
        assert_int_equal(symlink("/dev/full", "result"), 0);
        assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
        for (int i = 0; i < lines[n]; i++)
            fprintf(file.stream, "%d\n", i);
        assert_int_equal(safe_file_close(&file), STATUS_FAILED);
        assert_int_equal(count_files("."), 1); /* the link, which stays */
        assert_int_equal(unlink("result"), 0);
    }
}

/* The limit holds while the file is printed, and not at the end any more, or at its end only. */
static void a_limit_on_file_sizes_is_an_error(void **state) {
    (void)state;
    struct rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit low = {1000, usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int while_printing = 0; while_printing < 2; while_printing++) {
        safe_file file;
        assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
        setrlimit(RLIMIT_FSIZE, while_printing ? &low : &usual);
        for (int i = 0; i < (while_printing ? 100000 : 1000); i++)
            fprintf(file.stream, "%d\n", i);
        setrlimit(RLIMIT_FSIZE, while_printing ? &usual : &low);
        const exit_status status = safe_file_close(&file);
        setrlimit(RLIMIT_FSIZE, &usual);
        assert_int_equal(status, STATUS_FAILED);
        assert_int_equal(count_files("."), 0);
    }
}

/* --- the folder --- */

static void the_folder_is_named_as_the_published_program_names_it(void **state) {
    (void)state;
    parameters p = some_parameters();
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_string_equal(folder.path, "dataMSC_L16_R1000_EqSw10_dB0.250000");
    assert_int_equal(count_files(folder.path), 0);
    result_folder_close(&folder);
    assert_int_equal(count_files("."), 0); /* new and empty: it goes again */

    p.coding = CODING_SSC;
    p.overlap = 0.8;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_string_equal(folder.path, "dataSSC_L16_R1000_EqSw10");
    result_folder_close(&folder);
}

static void an_unusable_folder_is_refused(void **state) {
    (void)state;
    write_file("file", "");
    assert_int_equal(mkdir("kept", 0777), 0);
    const char *const paths[] = {"file",      "file/x",  "missing/x",
                                 "/dev/full", "/proc/x", "/proc/self"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        parameters p = some_parameters();
        p.output = paths[i];
        result_folder folder;
        assert_int_equal(result_folder_open(&folder, &p), STATUS_REFUSED);
        assert_int_equal(count_files("."), 2);
    }
    parameters p = some_parameters();
    p.output = "kept"; /* it was there before, so that it stays although nothing is put into it */
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    result_folder_close(&folder);
    assert_int_equal(count_files("kept"), 0);
}

static void an_existing_result_is_kept_without_force(void **state) {
    (void)state;
    const char *const names[] = {"run.json", "PA_results_run_12.dat", "PA_results_weighted.dat",
                                 "PA_MHR_results_run_0.dat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[60];
        assert_int_equal(mkdir("out", 0777), 0);
        snprintf(path, sizeof path, "out/%s", names[i]);
        write_file(path, "old");
        parameters p = some_parameters();
        p.output = "out";
        result_folder folder;
        assert_int_equal(result_folder_open(&folder, &p), STATUS_REFUSED);
        assert_string_equal(read_file(path), "old");
        assert_int_equal(count_files("out"), 1);
        p.force = true;
        assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
        result_folder_close(&folder);
        assert_string_equal(read_file(path), "old"); /* nothing new, nothing replaced */
        unlink(path);
        rmdir("out");
    }
    /* Other files are nobody's result. */
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/PA_results_run_.dat", "");
    write_file("out/PA_results_run_1.dat.old", "");
    write_file("out/notes.txt", "");
    parameters p = some_parameters();
    p.output = "out";
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    result_folder_close(&folder);
    assert_int_equal(count_files("out"), 3);
}

static void a_forced_result_replaces_the_whole_older_one(void **state) {
    (void)state;
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/PA_results_run_0.dat", "old");
    write_file("out/PA_results_run_5.dat", "old");
    write_file("out/run.json", "old");
    write_file("out/notes.txt", "mine");
    parameters p = some_parameters();
    p.output = "out";
    p.force = true;
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    fputs("new", result_folder_begin(&folder, "PA_results_run_0.dat"));
    fputs("new", result_folder_begin(&folder, "run.json"));
    assert_string_equal(read_file("out/PA_results_run_5.dat"), "old");
    assert_int_equal(result_folder_publish(&folder), STATUS_OK);
    result_folder_close(&folder);
    assert_string_equal(read_file("out/PA_results_run_0.dat"), "new");
    assert_string_equal(read_file("out/run.json"), "new");
    assert_string_equal(read_file("out/notes.txt"), "mine");
    assert_int_equal(count_files("out"), 3);
}

static void a_failed_write_leaves_the_older_result(void **state) {
    (void)state;
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/PA_results_run_0.dat", "old");
    assert_int_equal(symlink("/dev/full", "out/run.json"), 0);
    parameters p = some_parameters();
    p.output = "out";
    p.force = true;
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    fputs("new", result_folder_begin(&folder, "PA_results_run_0.dat"));
    fputs("new", result_folder_begin(&folder, "run.json"));
    assert_int_equal(result_folder_publish(&folder), STATUS_FAILED);
    result_folder_close(&folder);
    assert_string_equal(read_file("out/PA_results_run_0.dat"), "old");
    assert_int_equal(count_files("out"), 2);
}

static void a_result_that_appeared_meanwhile_is_kept(void **state) {
    (void)state;
    parameters p = some_parameters();
    p.output = "out";
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    fputs("mine", result_folder_begin(&folder, "run.json"));
    write_file("out/run.json", "theirs");
    assert_int_equal(result_folder_publish(&folder), STATUS_FAILED);
    result_folder_close(&folder);
    assert_string_equal(read_file("out/run.json"), "theirs");
    assert_int_equal(count_files("out"), 1);
}

/* --- what a resumed run may replace --- */

/* Whether a run that is resumed may put its result into the folder, where run.json says this. */
static bool is_replaced_with(const char *text, size_t size) {
    parameters p = some_parameters();
    p.output = "out";
    p.resume = "ck";
    result_folder folder;
    FILE *const file = fopen("out/run.json", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    const exit_status status = result_folder_open(&folder, &p);
    result_folder_close(&folder);
    assert_true(status == STATUS_OK || status == STATUS_REFUSED);
    return status == STATUS_OK;
}

static bool is_replaced(const char *text) {
    return is_replaced_with(text, strlen(text));
}

/* run.json as the program writes it. */
static const char *written(bool interrupted) {
    parameters p = some_parameters();
    p.output = "out";
    p.force = true;
    const run_report report = {.engine = "\"interrupted\": true", .interrupted = interrupted};
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(run_json_write(&folder, &p, &report), STATUS_OK);
    assert_int_equal(result_folder_publish(&folder), STATUS_OK);
    result_folder_close(&folder);
    return read_file("out/run.json");
}

static void an_interrupted_run_is_known_however_its_file_is_laid_out(void **state) {
    (void)state;
    assert_int_equal(mkdir("out", 0777), 0);
    assert_true(is_replaced(written(true)));
    assert_false(is_replaced(written(false)));
    static const char *const interrupted[] = {
        "{\n    \"parts\": 1,\n    \"interrupted\": true,\n    \"seconds\": {\n    }\n}\n",
        "{\n    \"seconds\": [1, {}],\n    \"interrupted\": true\n}\n",
        "{\"interrupted\":true,\"parts\":1}",
        "{\"a\":\"\\\\\",\r\n\t\"interrupted\"\r\n:\r\n\ttrue}",
        "{\"a\": \"interrupted\", \"interrupted\": true}",
    };
    static const char *const whole[] = {
        "{\"interrupted\": false}",
        "{\"interrupted\": \"true\"}",
        "{\"parts\": 1}",
        "{\"parameters\": {\"interrupted\": true}}",
        "{\"engine\": \"\\\"interrupted\": true\", \"interrupted\": false}",
        "{\"interrupted_not\": true}",
        "{\"interrupt\": true}",
        "{\"a\": \"interrupted\"}",
        "{\"interrupted\"",
        "{\"interrupted\": tr",
        "\"",
        "",
    };
    for (size_t n = 0; n < sizeof interrupted / sizeof *interrupted; n++)
        if (!is_replaced(interrupted[n]))
            fail_msg("not known as interrupted: %s", interrupted[n]);
    for (size_t n = 0; n < sizeof whole / sizeof *whole; n++)
        if (is_replaced(whole[n]))
            fail_msg("taken for interrupted: %s", whole[n]);
    /* What a sanitizer sees: a name that goes on behind its end. */
    static const char longer[] = "{\"interrupted\0\0\0\": true}";
    assert_false(is_replaced_with(longer, sizeof longer - 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_file_appears_when_it_is_complete),
        TEST_IN_SCRATCH(an_aborted_file_leaves_nothing),
        TEST_IN_SCRATCH(a_full_disk_is_an_error),
        TEST_IN_SCRATCH(a_limit_on_file_sizes_is_an_error),
        TEST_IN_SCRATCH(the_folder_is_named_as_the_published_program_names_it),
        TEST_IN_SCRATCH(an_unusable_folder_is_refused),
        TEST_IN_SCRATCH(an_existing_result_is_kept_without_force),
        TEST_IN_SCRATCH(a_forced_result_replaces_the_whole_older_one),
        TEST_IN_SCRATCH(a_failed_write_leaves_the_older_result),
        TEST_IN_SCRATCH(a_result_that_appeared_meanwhile_is_kept),
        TEST_IN_SCRATCH(an_interrupted_run_is_known_however_its_file_is_laid_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
