/* Claims about files of numbers against the inverse temperature (resample/profile.h), and the schedules made of them:
 *  - what is wrong with a file is said, with its option, name and line, and nothing is taken from it; nothing that
 *    stands in a line is passed over;
 *  - lines end with LF, CRLF or CR;
 *  - sweeps are those of the line at or before a temperature, or THETA times a time of relaxation, rounded up;
 *  - a search of a lattice of bonds J = 1 and -1 has few sweeps above the transition, another one theta everywhere;
 *  - a fingerprint is that of the numbers, not of how they are written, and another file is refused in its place;
 *  - a result of adaptive steps, annealed again by its own PA_schedule.dat, has the same rows. */
#include "settings/plans.h"
#include "validate/lib/command_line.h"
#include "validate/lib/whole_simulation.h"

#include <math.h>
#include <omp.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- refusals --- */

static void wrong_files_are_refused_by_line(void **state) {
    (void)state;
    static const struct {
        const char *option, *text, *says;
    } wrong[] = {
        {"--betas", "", "--betas f: no temperature stands there"},
        {"--betas", "# nothing\n\n", "--betas f: no temperature stands there"},
        {"--betas", "0\n0.1\nx\n", "--betas f, line 3: beta 'x' is not a number"},
        {"--betas", "0\n0.1\n0.1\n",
         "--betas f, line 3: beta = 0.1 does not exceed that of the line "
         "before, 0.1"},
        {"--betas", "# beta\n0.2\n0.1\n", "--betas f, line 3: beta = 0.1 does not exceed"},
        {"--betas", "0 0.1 0.2 0.5\n", "--betas f, line 1: '0.1 0.2 0.5' behind beta: allowed is"},
        {"--betas", "0\r0.1 abc !!\r", "--betas f, line 2: 'abc !!' behind beta: allowed is"},
        {"--betas", "0 1\n# beta theta\n0.5 1\n", "--betas f, line 1: '1' behind beta: allowed"},
        {"--betas", "# beta theta x\n0 1\n", "--betas f, line 2: '1' behind beta: allowed is"},
        {"--betas", "# beta theta\n0 1\n0.5\n", "--betas f, line 3: theta is missing"},
        {"--betas", "# beta theta\r\n0 1.5\r\n", "--betas f, line 2: theta = 1.5: the sweeps"},
        {"--betas", "# beta theta\n0 x\n", "--betas f, line 2: theta 'x' is not a number"},
        {"--betas", "# beta theta\n0 1 2\n", "--betas f, line 2: more than two columns"},
        {"--betas", "-0.1\n", "--betas f, line 1: beta = -0.1: allowed is from 0 to 1000"},
        {"--betas", "0\n1001\n", "--betas f, line 2: beta = 1001: allowed is from 0 to 1000"},
        {"--betas", "0\n1e999\n", "--betas f, line 2: beta '1e999' is not a number"},
        {"--betas", "nan\n", "--betas f, line 1: beta 'nan' is not a number"},
        {"--betas", "0.1.2\n", "--betas f, line 1: beta '0.1.2' is not a number"},
        {"--sweeps-file", "0 10\n0.5\n", "--sweeps-file f, line 2: theta is missing"},
        {"--sweeps-file", "0 0\n",
         "--sweeps-file f, line 1: theta = 0: the sweeps must be a whole"},
        {"--sweeps-file", "0 1.5\n", "--sweeps-file f, line 1: theta = 1.5: the sweeps must be a"},
        {"--sweeps-file", "0 1e10\n", "--sweeps-file f, line 1: theta = 10000000000: the sweeps"},
        {"--sweeps-file", "0 1 2\n", "--sweeps-file f, line 1: more than two columns"},
        {"--sweeps-file", "0 ten\n", "--sweeps-file f, line 1: theta 'ten' is not a number"},
        {"--relaxation", "0 1\n\n0.5 0\n",
         "--relaxation f, line 3: tau = 0: the time must be above"},
        {"--relaxation", "0 -1\n", "--relaxation f, line 1: tau = -1: the time must be above 0"},
        {"--relaxation", "0\n", "--relaxation f, line 1: tau is missing"}};
    for (size_t n = 0; n < COUNT(wrong); n++) {
        char line[100], output[1000], expected[200];
        parameters p;
        write_file("f", wrong[n].text);
        snprintf(line, sizeof line, "-D cpu %s f", wrong[n].option);
        const int status = parse_line(&p, line, STDERR_FILENO, output, sizeof output);
        snprintf(expected, sizeof expected, ": %s", wrong[n].says);
        if (status != STATUS_REFUSED || strstr(output, expected) == NULL)
            fail_msg("'%s' with '%s': status %d, %s", line, wrong[n].text, status, output);
    }
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    char output[1000];
    parameters p;
    assert_int_equal(parse_line(&p, "--betas /", STDERR_FILENO, output, sizeof output),
                     STATUS_REFUSED);
    assert_non_null(strstr(output, "--betas /: not a file"));
    assert_int_equal(parse_line(&p, "--betas none", STDERR_FILENO, output, sizeof output),
                     STATUS_REFUSED);
    assert_non_null(strstr(output, "--betas none: No such file"));
    FILE *const file = fopen("f", "wb");
    assert_true(file != NULL && fwrite("0\n0.1\0 7\n", 1, 9, file) == 9 && fclose(file) == 0);
    assert_int_equal(parse_line(&p, "--betas f", STDERR_FILENO, output, sizeof output),
                     STATUS_REFUSED);
    assert_non_null(strstr(output, "--betas f, line 2: a zero byte"));
}

/* beta = 0 counts, whether the file has it or not. */
static void more_temperatures_than_a_schedule_holds_are_refused(void **state) {
    (void)state;
    char output[1000];
    parameters p;
    for (int first = 0; first <= 1; first++) {
        FILE *const file = fopen("f", "w");
        assert_non_null(file);
        for (int n = 0; n < SCHEDULE_MAX_TEMPERATURES; n++)
            fprintf(file, "%de-6\n", first + n);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(parse_line(&p, "--betas f", STDERR_FILENO, output, sizeof output),
                         first > 0 ? STATUS_REFUSED : STATUS_OK);
    }
    assert_non_null(strstr(output, "--betas f, line 1000000: more than 1000000 temperatures"));
}

static void options_that_exclude_each_other_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"--betas f -d 0.1",
                                        "--betas f -b 0",
                                        "--betas f -f 1",
                                        "--betas f -a 0.8",
                                        "--culling 0.1 -a 0.8",
                                        "--culling 0.1 -d 0.1",
                                        "--energy-step 1 --betas f",
                                        "--energy-step 1 --culling 0.5",
                                        "--sweeps-file f -t 10",
                                        "--sweeps-file f --relaxation f",
                                        "--sweeps-file f --adaptive-sweeps 0.5",
                                        "--relaxation f --adaptive-sweeps 0.5",
                                        "--adaptive-sweeps 0",
                                        "--adaptive-sweeps 1.1",
                                        "--adaptive-sweeps -0.5",
                                        "--adaptive-sweeps 0.5 -R 49",
                                        "--adaptive-sweeps 0.5 -g shared",
                                        "--adaptive-sweeps 0.5 -g shared-reorder",
                                        "--adaptive-sweeps 0.5 --plan 10s",
                                        "--culling 0",
                                        "--culling 1",
                                        "--energy-step 0",
                                        "--energy-step -1",
                                        "--culling 0.1 -R 10",
                                        "--energy-step 1 -R 10"};
    char output[1000];
    parameters p;
    write_file("f", "# beta theta\n0 1\n1 2\n");
    for (size_t n = 0; n < COUNT(lines); n++)
        if (parse_line(&p, lines[n], STDERR_FILENO, output, sizeof output) != STATUS_REFUSED)
            fail_msg("'%s' should be refused", lines[n]);
    assert_int_equal(
        parse_line(&p, "--betas f --sweeps-file f", STDERR_FILENO, output, sizeof output),
        STATUS_OK);
    assert_true(p.beta_start == 0 && p.beta_end == 1);
}

/* --- values --- */

static void sweeps_follow_the_file(void **state) {
    (void)state;
    beta_profile p;
    write_file("f", "0.1 3 # comment\n\t0.3  7\r\n1e0 11\n");
    assert_int_equal(profile_read(&p, PROFILE_SWEEPS, "f"), STATUS_OK);
    assert_int_equal(p.count, 3);
    const double betas[] = {0, 0.1, 0.2, 0.3, 0.3 - 0x1p-54, 0.3 - 1e-9, 0.999, 1, 5};
    const uint32_t theta[] = {3, 3, 3, 7, 7, 3, 7, 11, 11};
    for (size_t n = 0; n < COUNT(betas); n++)
        assert_int_equal(profile_sweeps(&p, 100, betas[n]), theta[n]);
    profile_destroy(&p);
    assert_int_equal(profile_sweeps(&p, 100, 0.5), 100);

    write_file("f", "0.1 0.01\n0.3 1\n0.5 9\n");
    assert_int_equal(profile_read(&p, PROFILE_RELAXATION, "f"), STATUS_OK);
    const double at[] = {0, 0.1, 0.2, 0.3, 3 * 0.1, 0.4, 0.45, 0.5, 9};
    const uint32_t times_10[] = {1, 1, 6, 10, 10, 50, 70, 90, 90}; /* 0.505 * 10 = 5.05 */
    for (size_t n = 0; n < COUNT(at); n++)
        assert_int_equal(profile_sweeps(&p, 10, at[n]), times_10[n]);
    profile_destroy(&p);

    /* Below its first line, where a straight line through the first two would fall to one sweep, as at that line. */
    write_file("f", "0.2 1\n0.4 3\n");
    assert_int_equal(profile_read(&p, PROFILE_RELAXATION, "f"), STATUS_OK);
    const double outside[] = {0, 0.1, 0.2, 0.4, 0.6};
    const uint32_t there[] = {10, 10, 10, 30, 30};
    for (size_t n = 0; n < COUNT(outside); n++)
        assert_int_equal(profile_sweeps(&p, 10, outside[n]), there[n]);
    profile_destroy(&p);
}

/* The fingerprint of a text as --betas. */
static uint32_t fingerprint_of(const char *text) {
    beta_profile p;
    write_file("f", text);
    assert_int_equal(profile_read(&p, PROFILE_BETAS, "f"), STATUS_OK);
    const uint32_t fingerprint = p.fingerprint;
    profile_destroy(&p);
    return fingerprint;
}

static void all_ends_of_lines_are_read(void **state) {
    (void)state;
    const uint32_t expected = fingerprint_of("0\n0.5\n1\n");
    assert_int_equal(fingerprint_of("# \r\n0\r\n0.5\r\n1\r\n"), expected);
    assert_int_equal(fingerprint_of("# \r0\r0.5 # a half\r1\r"), expected);
    assert_int_equal(fingerprint_of("0\r\r\n0.5\n\r1"), expected);
    assert_int_equal(fingerprint_of("# paising\r# beta theta\r0 1\r0.5 2\r1 3"), expected);
    assert_int_not_equal(fingerprint_of("0\r0.5\r"), expected); /* negative control */
}

static void a_schedule_has_the_temperatures_and_sweeps_of_its_files(void **state) {
    (void)state;
    char output[1000];
    parameters p;
    schedule_plan plan;
    beta_schedule s;
    double sweeps;
    write_file("f", "# beta theta\n0.25 4\n0.375 5\n0.5 6\n");
    assert_int_equal(
        parse_line(&p, "--betas f --sweeps-file f", STDERR_FILENO, output, sizeof output),
        STATUS_OK);
    assert_true(p.beta_start == 0.25 && p.beta_end == 0.5);
    assert_int_equal(parameters_temperatures(&p, &sweeps), 4);
    assert_true(sweeps == 15);
    assert_int_equal(parameters_schedule(&p, &plan), STATUS_OK);
    assert_int_equal(schedule_create(&s, &plan), SCHEDULE_NEXT);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.first_row, 1);
    const double betas[] = {0, 0.25, 0.375, 0.5};
    const uint32_t theta[] = {4, 4, 5, 6};
    for (size_t i = 0; i < 4; i++)
        assert_true(s.beta[i] == betas[i] && s.sweeps[i] == theta[i]);
    assert_int_equal(schedule_next(&s, 2, NULL), SCHEDULE_NEXT);
    assert_int_equal(schedule_next(&s, 3, NULL), SCHEDULE_END);
    schedule_destroy(&s);

    /* The same numbers, written otherwise, and others. */
    write_file("f", "# beta theta\n# again\n2.5e-1 4\n0.3750 5\n0.5 6\n");
    assert_int_equal(parameters_schedule(&p, &plan), STATUS_OK);
    profile_destroy(&plan.betas);
    profile_destroy(&plan.sweeps_at);
    write_file("f", "# beta theta\n0.25 4\n0.375 5\n0.5 7\n");
    assert_int_equal(parameters_schedule(&p, &plan), STATUS_REFUSED);
}

/* Theta at the temperatures 0.1, 0.35, 0.6 and 0.85 of steps of 0.25. */
static void expect_search_sweeps(const char *options, const uint32_t theta[4]) {
    char line[300], output[1000];
    parameters p;
    schedule_plan plan;
    beta_schedule s;
    snprintf(line, sizeof line, "-b 0.1 -f 0.85 -d 0.25 -t 100 --ground-states %s", options);
    assert_int_equal(parse_line(&p, line, STDERR_FILENO, output, sizeof output), STATUS_OK);
    assert_int_equal(parameters_schedule(&p, &plan), STATUS_OK);
    assert_int_equal(schedule_create(&s, &plan), SCHEDULE_NEXT);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(s.sweeps[1 + i], theta[i]);
    schedule_destroy(&s);
}

static void a_search_has_few_sweeps_above_the_transition(void **state) {
    (void)state;
    const uint32_t few[] = {5, 10, 75, 100}, all[] = {100, 100, 100, 100}, file[] = {7, 7, 7, 7};
    expect_search_sweeps("--model glass3d -L 4", few);
    expect_search_sweeps("--model glass2d -L 4", few);
    expect_search_sweeps("--model glass3d -L 4 -c ssc --couplings-type gaussian", all);
    expect_search_sweeps("--model glass2d -L 4 -c ssc --field 1/2", all);
    write_file("f", "0 0.07\n");
    expect_search_sweeps("--model glass3d -L 4 --relaxation f", file);
}

/* --- read back --- */

/* The rows of a run, without the lines of its header. */
static void read_rows(const char *path, char *rows, size_t size) {
    char line[1024];
    size_t length = 0;
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#') {
            assert_true(length + strlen(line) < size);
            length += (size_t)sprintf(rows + length, "%s", line);
        }
    rows[length] = '\0';
    fclose(file);
}

static void a_schedule_is_read_back(void **state) {
    (void)state;
    static const char *const steps[] = {"-t 2 -a 0.85",
                                        "-t 2 --culling 0.2",
                                        "-t 2 --energy-step 0.7",
                                        "-t 2 --relaxation f -d 0.07",
                                        "--sweeps-file f -d 0.1",
                                        "-t 20 -a 0.85 --adaptive-sweeps 0.1",
                                        "-t 20 -d 0.05 --adaptive-sweeps 0.1"};
    static char rows[3][1 << 16];
    write_file("f", "0 1\n0.2 2\n0.4 3.5\n");
    for (size_t n = 0; n < COUNT(steps); n++) {
        char line[200], output[1000];
        parameters p;
        if (n == 4)
            write_file("f", "0 1\n0.2 2\n0.4 3\n");
        snprintf(line, sizeof line, "-D cpu -L 16 -R 300 -f 0.5 -o first --force %s", steps[n]);
        assert_int_equal(parse_line(&p, line, STDERR_FILENO, output, sizeof output), STATUS_OK);
        make_result(&p);
        read_rows("first/PA_results_run_0.dat", rows[0], sizeof rows[0]);
        snprintf(line, sizeof line,
                 "-D cpu -L 16 -R 300 -o again --force --betas first/PA_schedule.dat --sweeps-file "
                 "first/PA_schedule.dat");
        assert_int_equal(parse_line(&p, line, STDERR_FILENO, output, sizeof output), STATUS_OK);
        make_result(&p);
        read_rows("again/PA_results_run_0.dat", rows[1], sizeof rows[1]);
        assert_string_equal(rows[0], rows[1]);
        /* Negative control: other sweeps. */
        snprintf(line, sizeof line,
                 "-D cpu -L 16 -R 300 -o again --force --betas first/PA_schedule.dat -t 9");
        assert_int_equal(parse_line(&p, line, STDERR_FILENO, output, sizeof output), STATUS_OK);
        make_result(&p);
        read_rows("again/PA_results_run_0.dat", rows[2], sizeof rows[2]);
        assert_string_not_equal(rows[0], rows[2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(wrong_files_are_refused_by_line),
        TEST_IN_SCRATCH(what_is_no_file_is_refused),
        TEST_IN_SCRATCH(more_temperatures_than_a_schedule_holds_are_refused),
        TEST_IN_SCRATCH(options_that_exclude_each_other_are_refused),
        TEST_IN_SCRATCH(sweeps_follow_the_file),
        TEST_IN_SCRATCH(all_ends_of_lines_are_read),
        TEST_IN_SCRATCH(a_schedule_has_the_temperatures_and_sweeps_of_its_files),
        TEST_IN_SCRATCH(a_search_has_few_sweeps_above_the_transition),
        TEST_IN_SCRATCH(a_schedule_is_read_back),
    };
    omp_set_num_threads(1); /* the simulations are small */
    return cmocka_run_group_tests_name("profiles", tests, NULL, NULL);
}
