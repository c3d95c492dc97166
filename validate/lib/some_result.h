/* A small result of one data file, for tests of the folders that take it. */
#ifndef PAISING_SOME_RESULT_H
#define PAISING_SOME_RESULT_H

#include "capture.h"
#include "files/publication.h"
#include "files/result_folder.h"
#include "files/result_header.h"
#include "files/run_json.h"
#include "scratch.h"
#include "some_parameters.h"

/* What a result of these tests says, and how it is written. */
typedef struct {
    const char *text;
    bool interrupted;
    int failures; /* so many attempts to write it fail */
    const parameters *given;
} some_result;

static inline exit_status write_result(result_folder *folder, void *state) {
    some_result *const result = state;
    FILE *const file = result_folder_begin(folder, "PA_results_run_0.dat");
    if (file == NULL || result->failures-- > 0)
        return STATUS_FAILED;
    const spin_model model = parameters_model(result->given);
    result_header_print_title(file, result->given, &model);
    result_header_print_parameters(file, result->given);
    fprintf(file, "%s\n", result->text);
    const run_report report = {.engine = "\"interrupted\": true",
                               .missing = result->interrupted ? "the rest" : NULL};
    return run_json_write(folder, result->given, &report);
}

/* Puts a result into p->output, and what is said into said[]. */
static inline exit_status put(const parameters *p, some_result result, char said[1000]) {
    result_folder folder;
    result.given = p;
    capture c = capture_begin(STDERR_FILENO);
    exit_status status = result_folder_open(&folder, p);
    if (!status) {
        status = result_folder_put(&folder, write_result, &result, result.interrupted);
        result_folder_close(&folder);
    }
    capture_end(&c, said, 1000);
    return status;
}

static inline void assert_put(const parameters *p, some_result result) {
    char said[1000];
    if (put(p, result, said) != STATUS_OK || said[0] != '\0')
        fail_msg("not put: %s", said);
}

/* Claims that the folder holds this result and nothing else. */
static inline void assert_holds(const char *folder, const char *text) {
    const char *const content = read_file(path_in(folder, "PA_results_run_0.dat").text);
    if (strstr(content, text) == NULL || strstr(content, "\n# crc32 ") == NULL)
        fail_msg("%s holds another result: %s", folder, content);
    assert_int_equal(count_files(folder), 2);
}

static inline parameters parameters_for(const char *output) {
    parameters p = some_parameters();
    p.output = output;
    return p;
}

/* Opens and closes the folder. */
static inline exit_status open_once(const parameters *p, bool *there, char said[1000]) {
    result_folder folder;
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = result_folder_open(&folder, p);
    *there = status == STATUS_OK && folder.there;
    if (!status)
        result_folder_close(&folder);
    capture_end(&c, said, 1000);
    return status;
}

static inline exit_status try_folder(const parameters *p, char said[1000]) {
    bool there;
    return open_once(p, &there, said);
}

static inline void assert_refused(const parameters *p, const char *says) {
    char said[1000];
    const exit_status status = try_folder(p, said);
    if (status != STATUS_REFUSED || strstr(said, says) == NULL)
        fail_msg("status %d, not refused with '%s': %s", status, says, said);
}

/* Whether the folder may be used; or has the whole result of what is to be resumed. */
static inline void assert_used(const parameters *p, bool expected_there) {
    char said[1000];
    bool there;
    if (open_once(p, &there, said) != STATUS_OK)
        fail_msg("refused: %s", said);
    assert_int_equal(there, expected_there);
}

static inline void assert_allowed(const parameters *p) {
    assert_used(p, false);
}

#endif
