/* build/compare FOLDER: holds a result of build/paising against the exact solution.
 *
 * Prints, for each temperature of FOLDER/PA_results_weighted.dat, the measured e, C and betaF/N,
 * the exact values of the same lattice, and z, the difference in units of the error. A last line
 * gives the verdict on the trusted rows. Rows of one simulation are correlated, and an error from
 * 16 blocks has the tails of Student's t with 15 degrees of freedom: |z| > 9 then has a probability
 * of 2e-7, so that 1000 values raise a false alarm in 1 of 5000 comparisons at most. The errors of
 * 2 to 15 runs have heavier tails, and no verdict is given. Status 1: a trusted |z| is larger than
 * 9, or the file cannot be read; 2: a bad command line. */
#include "base/message.h"
#include "model/model.h"
#include "reference/exact.h"
#include "validate/lib/result_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define LARGEST_Z   9.0
#define FEWEST_RUNS 16

/* What the comparisons of one quantity have in common. */
typedef struct {
    const char *name;
    double largest;    /* |z| of the trusted rows */
    double sum_square; /* of z over them */
    size_t count;
} verdict;

/* Difference in units of the error; 0 where both vanish, as at beta = 0. */
static double z_score(double measured, double exact, double error) {
    return measured == exact ? 0 : (measured - exact) / error;
}

static void judge(verdict *v, double z) {
    v->count++;
    v->sum_square += z * z;
    if (!(fabs(z) <= v->largest))
        v->largest = fabs(z);
}

static void compare_row(uint32_t size, const double x[RESULT_COLUMNS], verdict verdicts[3]) {
    const exact_result exact = exact_thermodynamics(size, x[RESULT_BETA]);
    const double z[3] = {z_score(x[RESULT_E], exact.e, x[RESULT_ERR_E]),
                         z_score(x[RESULT_C], exact.c, x[RESULT_ERR_C]),
                         z_score(x[RESULT_BETA_F], exact.beta_f, x[RESULT_ERR_BETA_F])};
    printf("%-7.5g %10.6f %10.6f %6.2f %10.6f %10.6f %6.2f %10.6f %10.6f %6.2f %7.0f %d\n",
           x[RESULT_BETA], x[RESULT_E], exact.e, z[0], x[RESULT_C], exact.c, z[1], x[RESULT_BETA_F],
           exact.beta_f, z[2], x[RESULT_R] / x[RESULT_RHO_T], (int)x[RESULT_TRUSTED]);
    /* At beta = 0 nothing is compared: C and betaF are known there. */
    if (x[RESULT_TRUSTED] > 0 && x[RESULT_BETA] > 0)
        for (int n = 0; n < 3; n++)
            judge(&verdicts[n], z[n]);
}

/* Compares the rows of a result. Returns the exit status. */
static exit_status compare(const result_file *result, const char *path) {
    verdict verdicts[3] = {{.name = "e"}, {.name = "C"}, {.name = "betaF/N"}};
    const uint64_t size = result_file_number(result, "size");
    const uint64_t runs = result_file_number(result, "runs");
    if (size < EXACT_MIN_SIZE || size > SQUARE_MAX_EDGE || size % 2)
        return complain(STATUS_FAILED, "%s: not a result of paising: no such size", path);
    printf("# beta          e    exact e    z_e          C    exact C    z_C    betaF/N  exact bF/N"
           "   z_bF R/rho_t trusted\n");
    for (size_t i = 0; i < result->rows; i++)
        compare_row((uint32_t)size, result->row[i], verdicts);
    bool agrees = true;
    for (int n = 0; n < 3; n++) {
        const verdict *const v = &verdicts[n];
        printf("# %s: %zu trusted rows, largest |z| %.2f, root mean square z %.2f\n", v->name,
               v->count, v->largest, v->count ? sqrt(v->sum_square / (double)v->count) : 0);
        agrees = agrees && v->largest <= LARGEST_Z;
    }
    if (runs > 1 && runs < FEWEST_RUNS) {
        printf("# not judged: the errors of %" PRIu64 " runs have heavy tails\n", runs);
        return STATUS_OK;
    }
    if (verdicts[0].count == 0)
        printf("# nothing to judge: no row is trusted\n");
    else
        printf("# %s\n",
               agrees ? "agrees with the exact solution" : "DISAGREES with the exact solution");
    return agrees ? STATUS_OK : STATUS_FAILED;
}

int main(int argc, char **argv) {
    char path[4096];
    if (argc != 2 ||
        snprintf(path, sizeof path, "%s/PA_results_weighted.dat", argv[1]) >= (int)sizeof path)
        return complain(STATUS_REFUSED, "usage: compare FOLDER, the folder of a result");
    result_file result;
    exit_status status = result_file_read(&result, path);
    if (!status)
        status = compare(&result, path);
    result_file_free(&result);
    const exit_status printed = close_stdout();
    return (int)(status ? status : printed);
}
