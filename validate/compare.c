/* build/compare FOLDER: holds a result of build/paising against the exact solution.
 *
 * Prints, for each temperature of FOLDER/PA_results_weighted.dat, the measured e, C and betaF/N,
 * the exact values of the same lattice, and z, the difference in units of the error; and a verdict
 * on the trusted rows, which lib/comparison.h explains. Status 0: agrees; 1: disagrees, which a right
 * result does with the probability FALSE_ALARM at most, or a data file of FOLDER is not whole; 2: a bad command
 * line; 3: not judged. */
#include "base/message.h"
#include "base/npz.h"
#include "base/usage.h"
#include "files/result_names.h"
#include "validate/lib/comparison.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FALSE_ALARM 1e-4

static const char usage[] =
    "usage: compare FOLDER\n"
    "Holds the result of paising in FOLDER, its PA_results_weighted.dat, against the exact "
    "solution\n"
    "of the finite lattice: a row for each temperature, and a verdict. A right result disagrees "
    "with\n"
    "the probability 1e-4 at most.\n"
    "\n"
    "Status 0: agrees; 1: disagrees, or there is no result that is whole; 2: a bad command line;\n"
    "3: not judged: interrupted in its first run, no row is trusted, fewer than 9 digits, or so "
    "few\n"
    "runs that their errors let any value pass.\n";

/* Whether a file of a folder is there. */
static bool is_there(const char *folder, const char *name) {
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           (access(path, F_OK) == 0 || errno != ENOENT);
}

static exit_status verify_archive(const char *path) {
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    const npz_look look = npz_look_at(file);
    fclose(file);
    free(look.text);
    return look.whole ? STATUS_OK : complain(STATUS_FAILED, "%s: the archive is not whole", path);
}

/* Sees that every data file of the result is whole, those of runs and of multi-histogram analysis too. */
static exit_status verify_all(const char *folder) {
    DIR *const dir = opendir(folder);
    exit_status status = STATUS_OK;
    const char *name;
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder, strerror(errno));
    while (!status && (name = result_name_next(dir)) != NULL) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
            continue;
        if (result_name_is_data(name))
            status = result_file_verify(path);
        else if (result_name_is_archive(name))
            status = verify_archive(path);
    }
    closedir(dir);
    return status;
}

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc != 2 || argv[1][0] == '-')
        return complain(STATUS_REFUSED, "allowed: FOLDER, the folder of a result, or --help");
    char path[4096];
    if (snprintf(path, sizeof path, "%s/" WEIGHTED_FILE, argv[1]) >= (int)sizeof path)
        return complain(STATUS_REFUSED, "FOLDER: its name may have %zu letters at most",
                        sizeof path - sizeof "/" WEIGHTED_FILE);
    comparison_verdict verdict = COMPARISON_NOT_JUDGED;
    if (verify_all(argv[1])) {
        verdict = COMPARISON_DISAGREES;
    } else if (!is_there(argv[1], WEIGHTED_FILE) && is_there(argv[1], "PA_results_run_0.dat")) {
        printf("# not judged: no averages, %s was interrupted in its first run\n", argv[1]);
    } else {
        result_file result;
        verdict = result_file_read(&result, path)
                      ? COMPARISON_DISAGREES
                      : compare_with_exact(&result, path, FALSE_ALARM, stdout);
        result_file_free(&result);
    }
    const exit_status printed = close_stdout();
    return printed ? (int)printed : (int)verdict;
}
