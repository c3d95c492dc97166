/* Help and manual name every option of the table of settings, and the manual every file of a
 * result and every column. */
#include "command/manual.h"
#include "estimate/columns.h"
#include "files/result_names.h"
#include "settings/settings.h"
#include "validate/lib/command_line.h"

static void help_and_manual_name_every_option(void **state) {
    (void)state;
    static char help[1 << 14], manual[1 << 15];
    parameters p;
    parse_line(&p, "--help", STDOUT_FILENO, help, sizeof help);
    FILE *const file = fmemopen(manual, sizeof manual, "w");
    manual_print(file);
    fclose(file);
    for (size_t i = 0; i < settings_count; i++) {
        char named[64], option[64] = "\\fB\\-\\-", *end = option + strlen(option);
        for (const char *c = settings[i].name; *c != '\0'; c++)
            end += sprintf(end, *c == '-' ? "\\-" : "%c", *c);
        strcpy(end, "\\fR");
        if (settings[i].help == NULL)
            continue;
        snprintf(named, sizeof named, " --%s", settings[i].name);
        assert_non_null(strstr(help, named));
        assert_non_null(strstr(manual, option));
    }
}

static void manual_names_every_file_of_a_result(void **state) {
    (void)state;
    static const char *const names[] = {WEIGHTED_FILE,
                                        COUPLINGS_FILE,
                                        SCHEDULE_FILE,
                                        DISORDER_FILE,
                                        DISORDER_OVERLAP_FILE,
                                        SAMPLES_FILE,
                                        OVERLAP_FILE,
                                        REWEIGHTED_FILE,
                                        "PA_results_run_K.dat",
                                        "PA_overlap_run_K.dat",
                                        "PA_MHR_results_run_K.dat",
                                        "PA_ground_state_run_K.dat",
                                        GROUND_FILE,
                                        GROUND_SAMPLES_FILE,
                                        "run.json",
                                        "sample_N"};
    static char manual[1 << 15];
    FILE *const file = fmemopen(manual, sizeof manual, "w");
    manual_print(file);
    fclose(file);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char item[64];
        snprintf(item, sizeof item, "\n.B %s\n", names[n]);
        if (strstr(manual, item) == NULL)
            fail_msg("the manual does not know %s", names[n]);
    }
}

static void manual_names_every_column(void **state) {
    (void)state;
    static const char *const names[] = {"beta",    "betaF/N",  "families", "rho_t", "R_eff",
                                        "trusted", "trusting", "Binder",   "q_l",   "chi_SG",
                                        "xi/L",    "S_f",      "rho_s",    "E_min"};
    static char manual[1 << 15];
    FILE *const file = fmemopen(manual, sizeof manual, "w");
    manual_print(file);
    fclose(file);
    const char *const columns = strstr(manual, ".SH COLUMNS");
    assert_non_null(columns);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        assert_non_null(strstr(columns, names[n]));
    for (size_t n = 0; n < moment_columns_count; n++)
        assert_non_null(strstr(columns, moment_columns[n].name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_manual_name_every_option),
        cmocka_unit_test(manual_names_every_file_of_a_result),
        cmocka_unit_test(manual_names_every_column),
    };
    return cmocka_run_group_tests_name("manual", tests, NULL, NULL);
}
