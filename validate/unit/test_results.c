/* What stands in the files of a result: the documented columns and headers, and valid JSON. The table of columns
 * (estimate/columns.h) is one of the test's own, so that a new column of the program changes nothing here. */
#include "base/commit.h"
#include "files/data_columns.h"
#include "files/json.h"
#include "files/results.h"
#include "files/run_json.h"
#include "validate/lib/scratch.h"
#include "validate/lib/some_parameters.h"

#include <math.h>

static double susceptibility(const moments *a) {
    return a->beta * a->spins * (a->m2 - a->abs_m * a->abs_m);
}

static double binder_parameter(const moments *a) {
    return 1 - a->m4 / (3 * a->m2 * a->m2);
}

const moment_column moment_columns[] = {
    {"chi", "susceptibility", "1/J", susceptibility, true},
    {"U4", "Binder parameter", NULL, binder_parameter, true},
};
const size_t moment_columns_count = 2;

/* --- data files --- */

static const observables some_rows[2] = {{.beta = 0,
                                          .overlap = 1,
                                          .e = -0.0,
                                          .m2 = 0.5,
                                          .m4 = 0.375,
                                          .population = 1000,
                                          .beta_f = -256 * 0.6875,
                                          .families = 1000,
                                          .rho_t = 1,
                                          .error_e = 0.5,
                                          .error_of = {0, 0.125},
                                          .r_eff = 900,
                                          .blocks = 256,
                                          .trusted = true},
                                         {.beta = 0.25,
                                          .overlap = 0.5,
                                          .e = -1.5,
                                          .c = 0.125,
                                          .abs_m = 0.5,
                                          .m2 = 0.3125,
                                          .m4 = 1.0 / 3,
                                          .beta_f = -256 * 0.75,
                                          .ln_q = 12.5,
                                          .population = 123456789,
                                          .error_e = 0.01,
                                          .error_c = 0.02,
                                          .error_abs_m = 0.03,
                                          .error_m2 = 0.05,
                                          .error_m4 = 0.06,
                                          .error_beta_f = 256 * 0.04,
                                          .error_s = 0.07,
                                          .error_of = {0.08, 0.09},
                                          .blocks = 16,
                                          .families = 321,
                                          .rho_t = 3.5,
                                          .r_eff = 777.25}};

/* Rows of the runs: both trust the first row, one of them the second. */
static observables rows_of_runs[3][2] = {{{.trusted = true}, {.trusted = true}},
                                         {{.trusted = true}, {.trusted = false}}};

static exit_status write_files(result_folder *folder, void *state) {
    const parameters *const p = state;
    const spin_model model = parameters_model(p);
    const trust_verdict t = trust_of_rows(some_rows, 2);
    const run_report report = {.engine = "a \"quoted\" engine",
                               .threads = 2,
                               .temperatures = 3,
                               .spin_flips = 2e9,
                               .seconds = {1, 2, NAN, 8, 12, 16},
                               .ranks = 3,
                               .phase_seconds = {32, 64, 128},
                               .total_seconds = 4};
    const weighted_average runs = {.row = *rows_of_runs, .runs = p->runs, .temperatures = 2};
    const run_weights w = {.runs = p->runs, .variance = 0.25, .variance_at = 0.5};
    const result_rows rows = {&model, some_rows, NULL, 2};
    const bool failed = results_write_run(folder, p, 0, "", &rows) ||
                        results_write_run(folder, p, 1, "a remark", &rows) ||
                        results_write_weighted(folder, p, &runs, &w, &rows) ||
                        results_write_reweighted(folder, p, &model, 1, &t, some_rows, 2) ||
                        results_write_reweighted_average(folder, p, &model, 2, &t, some_rows, 2) ||
                        run_json_write(folder, p, &report);
    return failed ? STATUS_FAILED : STATUS_OK;
}

/* Writes one result of two runs with some_rows everywhere into "out". */
static void write_result(const parameters *given) {
    parameters p = *given;
    p.output = "out";
    p.force = true;
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_files, &p, false), STATUS_OK);
    result_folder_close(&folder);
}

/* What stands between the header and the checksum. */
static const char *data_of(const char *path) {
    const char *line = read_file(path);
    while (*line == '#')
        line = strchr(line, '\n') + 1;
    char *const sum = strstr(line, "# crc32 ");
    assert_non_null(sum);
    *sum = '\0';
    return line;
}

static void columns_stand_in_the_documented_order(void **state) {
    (void)state;
    const parameters p = some_parameters();
    write_result(&p);
#define FIRST_ROW "0 0 0 0 0.5 0.375 -0.6875 0.6875 1000 0 0.5 0 0 0 1000 1 900 1 0 0 0 256"
#define SECOND_ROW                                                                                 \
    "0.25 -1.5 0.125 0.5 0.3125 0.333333 -0.75 0.375 123456789 12.5 0.01 0.02 0.03 0.04 321 3.5 "  \
    "777.25 0 0.05 0.06 0.07 16"
/* chi = beta N (m2 - |m|^2) and U4 = 1 - m4 / (3 m2^2), behind all others. */
#define FIRST_MORE  " 0 0 0.5 0.125\n"
#define SECOND_MORE " 4 0.08 -0.137778 0.09\n"
    assert_string_equal(data_of("out/PA_results_run_0.dat"),
                        FIRST_ROW FIRST_MORE SECOND_ROW SECOND_MORE);
    assert_string_equal(data_of("out/PA_results_weighted.dat"),
                        FIRST_ROW " 2" FIRST_MORE SECOND_ROW " 1" SECOND_MORE);
    const char *const reweighted =
        "0 0 0 -0.6875 0 0.5 0.375 0.5 0 0 0 0 0 256" FIRST_MORE
        "0.25 -1.5 0.125 -0.75 0.5 0.3125 0.333333 0.01 0.02 0.04 0.03 0.05 0.06 16" SECOND_MORE;
    assert_string_equal(data_of("out/PA_MHR_results_run_1.dat"), reweighted);
    assert_string_equal(data_of("out/PA_MHR_results_weighted.dat"), reweighted);
    assert_int_equal(count_files("out"), 6);
}

/* --- of a glass --- */

#define GLASS_2D 2 /* in model_kinds; 16 x 16 sites */

static const overlap_row some_overlaps[1] = {
    {.value = {0.5, 0.25, 0.125, -0.75, 0.0625, 1, 0, 0, 0.375, 64, 0.875},
     .error = {0.03125, 0.046875, 0.015625, 0.09375, 0.0234375, 0, 0, 0, 0.078125, 12, 0.109375},
     .pairs = 480,
     .blocks = 32,
     .family_entropy = 4.5,
     .rho_s = 11,
     .lowest = -300},
};

/* Columns, and what they have in the row at beta = 0.25. */
static const struct {
    const char *name;
    double value;
    bool is_error;
} of_glass[] = {
    {"beta", 0.25, false},      {"e", -1.5, false},
    {"C", 0.125, false},        {"|q|", 0.5, false},
    {"q2", 0.25, false},        {"q4", 0.125, false},
    {"betaF/N", -0.75, false},  {"S/N", 0.375, false},
    {"R", 123456789, false},    {"lnQ", 12.5, false},
    {"err_e", 0.01, true},      {"err_C", 0.02, true},
    {"err_|q|", 0.03125, true}, {"err_betaF/N", 0.04, true},
    {"families", 321, false},   {"rho_t", 3.5, false},
    {"R_eff", 777.25, true},    {"err_q2", 0.046875, true},
    {"err_q4", 0.015625, true}, {"err_S/N", 0.07, true},
    {"Binder", 0.375, false},   {"err_Binder", 0.078125, true},
    {"q_l", -0.75, false},      {"err_q_l", 0.09375, true},
    {"chi_SG", 64, false},      {"err_chi_SG", 12, true},
    {"xi/L", 0.875, false},     {"err_xi/L", 0.109375, true},
    {"chi(k)", 16, false},      {"err_chi(k)", 6, true},
    {"S_f", 4.5, false},        {"rho_s", 11, false},
    {"pairs", 480, false},      {"E_min", -300, false},
};

static exit_status write_glass(result_folder *folder, void *state) {
    const parameters *const p = state;
    const spin_model model = parameters_model(p);
    const run_weights w = {.runs = p->runs};
    const weighted_average runs = {.row = *rows_of_runs, .runs = p->runs, .temperatures = 2};
    const result_rows rows = {&model, some_rows + 1, some_overlaps, 1};
    const run_report report = {.engine = "none"};
    return results_write_run(folder, p, 0, "", &rows) ||
                   results_write_weighted(folder, p, &runs, &w, &rows)
               ? STATUS_FAILED
               : run_json_write(folder, p, &report);
}

/* Every column, and none of the magnetisation; the errors of one run are nan where they mean nothing. */
static void assert_glass(const char *path, bool errors_known) {
    for (size_t n = 0; n < sizeof of_glass / sizeof *of_glass; n++) {
        data_columns d;
        assert_int_equal(data_columns_read(&d, path, &of_glass[n].name, 1), STATUS_OK);
        assert_int_equal(d.rows, 1);
        const bool known = errors_known || !of_glass[n].is_error;
        if (known ? !(fabs(d.value[0] - of_glass[n].value) < 1e-9) : !isnan(d.value[0]))
            fail_msg("%s: %s is %.17g, not %.17g", path, of_glass[n].name, d.value[0],
                     known ? of_glass[n].value : NAN);
        free(d.value);
    }
    assert_null(strstr(read_file(path), " chi "));
    assert_null(strstr(read_file(path), "column 23: U4"));
}

static void columns_of_a_glass_have_its_overlaps(void **state) {
    (void)state;
    parameters p = some_parameters();
    p.model = GLASS_2D;
    p.disorder = 1;
    p.precision = 17;
    p.output = "glass";
    p.force = true;
    for (int shared = 0; shared < 2; shared++) {
        result_folder folder;
        p.rng = shared ? RNG_SHARED : RNG_INDEPENDENT;
        assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
        assert_int_equal(result_folder_put(&folder, write_glass, &p, false), STATUS_OK);
        result_folder_close(&folder);
        assert_glass("glass/PA_results_run_0.dat", !shared);
        assert_glass("glass/PA_results_weighted.dat", true);
    }
}

static void headers_name_columns_and_parameters(void **state) {
    (void)state;
    parameters p = some_parameters();
    p.rng = RNG_LCG;
    write_result(&p);
    const char *const lines[] = {
        "# paising " PAISING_VERSION ": ",
        "\n# run 1\n",
        "\n# size 16\n",
        "\n# population 1000\n",
        "\n# sweeps 10\n",
        "\n# beta-start 0\n",
        "\n# beta-end 0.5\n",
        "\n# dbeta 0.25\n",
        "\n# runs 2\n",
        "\n# seed 7\n",
        "\n# precision 6\n",
        "\n# coding msc\n",
        "\n# word 32\n",
        "\n# rng lcg\n",
        "\n# beta e C |m| m2 m4 betaF/N S/N R lnQ err_e err_C err_|m| err_betaF/N families rho_t "
        "R_eff trusted err_m2 err_m4 err_S/N blocks chi err_chi U4 err_U4\n0 ",
        "\n# column 23: chi, susceptibility, in 1/J\n"
        "# column 24: err_chi, error of chi\n",
        "\n# column 25: U4, Binder parameter\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strstr(read_file("out/PA_results_run_1.dat"), lines[i]) == NULL)
            fail_msg("no '%s' in\n%s", lines[i], read_file("out/PA_results_run_1.dat"));
    assert_null(strstr(read_file("out/PA_results_run_1.dat"), "nan"));
    assert_non_null(strstr(
        read_file("out/PA_MHR_results_run_1.dat"),
        "\n# beta e C betaF/N |m| m2 m4 err_e err_C err_betaF/N err_|m| err_m2 err_m4 runs chi "
        "err_chi U4 err_U4\n0 "));
}

/* The flag of an average is not that of one run: the file of several runs says so, and that of one does not. */
static void an_average_says_what_its_flag_means(void **state) {
    (void)state;
    const char *const of_a_run = "# column 18: trusted, 1 if families enough can be relied on, "
                                 "here and at the next beta; if 0";
    const char *const of_an_average = "next beta, each run's with its weight; if 0";
    parameters p = some_parameters();
    write_result(&p);
    assert_non_null(strstr(read_file("out/PA_results_run_0.dat"), of_a_run));
    assert_non_null(strstr(read_file("out/PA_results_weighted.dat"), of_an_average));
    p.runs = 1;
    write_result(&p);
    assert_non_null(strstr(read_file("out/PA_results_weighted.dat"), of_a_run));
}

/* Of an average over several runs the file says how many of them trust each row, and where these are few; with
 * numbers that replicas share, none does. That of one run says nothing of the kind. */
static void an_average_says_how_many_runs_trust_a_row(void **state) {
    (void)state;
    static const char few[] = "fewer than half of the runs trust ";
    parameters p = some_parameters();
    write_result(&p);
    assert_non_null(strstr(read_file("out/PA_results_weighted.dat"), "# column 23: trusting, "));
    assert_non_null(strstr(read_file("out/PA_results_weighted.dat"),
                           " blocks trusting chi err_chi U4 err_U4\n0 "));
    assert_null(strstr(read_file("out/PA_results_weighted.dat"), few)); /* one of two is half */
    assert_null(strstr(read_file("out/PA_results_run_0.dat"), "trusting chi"));
    p.runs = 3; /* the last one died out before the first row */
    write_result(&p);
    assert_non_null(strstr(read_file("out/PA_results_weighted.dat"),
                           "\n# fewer than half of the runs trust 1 of 2 rows, the first at beta = "
                           "0.25 (column trusting)\n"));
    p.rng = RNG_SHARED;
    write_result(&p);
    assert_non_null(strstr(data_of("out/PA_results_weighted.dat"), " 0" FIRST_MORE "0.25 "));
    assert_null(strstr(read_file("out/PA_results_weighted.dat"), few));
    p.runs = 1;
    write_result(&p);
    assert_null(strstr(read_file("out/PA_results_weighted.dat"), "trusting chi"));
}

static void precision_is_that_of_the_parameters(void **state) {
    (void)state;
    parameters p = some_parameters();
    p.precision = 17;
    write_result(&p);
    assert_non_null(strstr(data_of("out/PA_results_run_0.dat"), " 0.33333333333333331 "));
    p.precision = 1;
    write_result(&p);
    assert_non_null(strstr(data_of("out/PA_results_run_0.dat"), " 0.3 "));
    assert_non_null(strstr(data_of("out/PA_results_run_0.dat"), " 123456789 "));
}

/* Replicas of a word that share their numbers are correlated: one run does not know its errors,
 * several do. */
static void shared_numbers_have_no_errors_within_a_run(void **state) {
    (void)state;
    for (rng_mode mode = RNG_SHARED; mode <= RNG_SHARED_REORDER; mode++) {
        parameters p = some_parameters();
        p.rng = mode;
        write_result(&p);
        const char *const errors =
            " 1000 0 nan nan nan nan 1000 1 nan 0 nan nan nan 0 0 nan 0.5 nan\n";
        assert_non_null(strstr(data_of("out/PA_results_run_0.dat"), errors));
        assert_non_null(strstr(read_file("out/PA_results_run_0.dat"), "# The errors are nan: "));
        assert_null(strstr(read_file("out/PA_results_weighted.dat"), "nan"));
        p.runs = 1;
        write_result(&p);
        assert_non_null(strstr(data_of("out/PA_results_weighted.dat"), errors));
    }
}

static void data_do_not_depend_on_where_they_come_from(void **state) {
    (void)state;
    parameters p = some_parameters();
    write_result(&p);
    assert_int_equal(rename("out", "first"), 0);
    p.device = DEVICE_CPU;
    p.stages = STAGES_APART;
    p.force = true;
    p.output = "./out";
    write_result(&p);
    assert_int_equal(system("cmp out/PA_results_run_0.dat first/PA_results_run_0.dat &&"
                            "cmp out/PA_results_weighted.dat first/PA_results_weighted.dat"),
                     0);
}

/* --- run.json --- */

static void json_has_the_report_and_the_parameters(void **state) {
    (void)state;
    const parameters p = some_parameters();
    write_result(&p);
    const char *const members[] = {"{\n  \"program\": \"paising\",\n",
                                   "\n  \"version\": \"" PAISING_VERSION "\",\n",
                                   "\n  \"commit\": \"",
                                   "\n  \"date\": \"2",
                                   "\n  \"host\": \"",
                                   "\n  \"engine\": \"a \\\"quoted\\\" engine\",\n",
                                   "\n  \"driver\": null,\n",
                                   "\n  \"threads\": 2,\n",
                                   "\n    \"seed\": 7,\n",
                                   "\n    \"overlap\": null,\n",
                                   "\n    \"dbeta\": 0.25,\n",
                                   "\n    \"output\": \"out\",\n",
                                   "\n    \"adaptive-sweeps\": null,\n",
                                   "\n    \"stages\": null,\n",
                                   "\n    \"resample\": 1,\n    \"sweep\": 2,\n"
                                   "    \"measure\": null,\n    \"step\": 8,\n"
                                   "    \"overlaps\": 12,\n    \"round_trip\": 16,\n",
                                   "\n  },\n  \"data_files\": 5,\n",
                                   "\n  \"spin_flips\": 2e+09,\n",
                                   "\n  \"ranks\": {\n    \"count\": 3,\n    \"exchange\": 32,\n"
                                   "    \"wait\": 64,\n    \"reduce\": 128\n  },\n",
                                   "\n  \"t_SF_ns\": 2\n}\n"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strstr(read_file("out/run.json"), members[i]) == NULL)
            fail_msg("no '%s' in\n%s", members[i], read_file("out/run.json"));
}

static void json_escapes_what_it_must(void **state) {
    (void)state;
    FILE *const file = fopen("json", "w");
    assert_non_null(file);
    json_string(file, "a\"b\\c\n\x01\x7f \xc3\xa9/");
    json_string(file, "\xff_\xc3_\xe0\x80\x80_\xed\xa0\x80_\xf4\x8f\xbf\xbf_\xe2\x82");
    json_number(file, -INFINITY);
    json_number(file, NAN);
    json_number(file, 0.1);
    fclose(file);
    assert_string_equal(read_file("json"),
                        "\"a\\\"b\\\\c\\u000a\\u0001\\u007f \xc3\xa9/\""
                        "\"\\ufffd_\\ufffd_\\ufffd\\ufffd\\ufffd_\\ufffd\\ufffd\\ufffd_"
                        "\xf4\x8f\xbf\xbf_\\ufffd\\ufffd\"nullnull0.1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(columns_stand_in_the_documented_order),
        TEST_IN_SCRATCH(columns_of_a_glass_have_its_overlaps),
        TEST_IN_SCRATCH(headers_name_columns_and_parameters),
        TEST_IN_SCRATCH(an_average_says_what_its_flag_means),
        TEST_IN_SCRATCH(an_average_says_how_many_runs_trust_a_row),
        TEST_IN_SCRATCH(precision_is_that_of_the_parameters),
        TEST_IN_SCRATCH(shared_numbers_have_no_errors_within_a_run),
        TEST_IN_SCRATCH(data_do_not_depend_on_where_they_come_from),
        TEST_IN_SCRATCH(json_has_the_report_and_the_parameters),
        TEST_IN_SCRATCH(json_escapes_what_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
