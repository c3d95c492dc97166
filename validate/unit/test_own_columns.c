/* Claims about a table of columns that is not the program's but stands here (estimate/columns.h): a column is a line of the
 * table, and appears in results of runs, averages over runs, multi-histogram analyses and averages over samples. The
 * fourth cumulant of the energy is exact within the errors of averages; a single run says nan where blocks do not know the
 * means; columns made of the magnetisation are absent from glasses. The seed is fixed, the false-alarm probability is that
 * of statistics.h; the cumulant without its factor 3 is the negative control. */
#include "estimate/columns.h"
#include "files/data_columns.h"
#include "files/result_names.h"
#include "method/samples.h"
#include "reference/transfer_matrix.h"
#include "validate/lib/capture.h"
#include "validate/lib/whole_simulation.h"

#include "validate/lib/statistics.h"

static double cumulant(const moments *a) {
    return 1 - a->e4 / (3 * a->e2 * a->e2);
}

static double magnetisation(const moments *a) {
    return a->abs_m;
}

const moment_column moment_columns[] = {
    {"V4", "fourth cumulant of the energy, 1 - <E^4> / (3 <E^2>^2)", NULL, cumulant, false},
    {"again", "|m| once more", NULL, magnetisation, true},
};
const size_t moment_columns_count = 2;

#define RUNS    16
#define GLASS   3 /* in model_kinds */
#define SAMPLES 3

static data_columns read_columns(const char *path, const char *const names[], size_t count) {
    data_columns d;
    assert_int_equal(data_columns_read(&d, path, names, count), STATUS_OK);
    return d;
}

/* V4 of the 4 x 4 lattice, wrong with another factor than 3. */
static double exact(const state_counts *counts, double beta, double factor) {
    long double z = 0, e2 = 0, e4 = 0;
    for (uint32_t pairs = 0; pairs <= counts->bonds / 2; pairs++)
        for (uint32_t up = 0; up <= counts->sites; up++) {
            const long double e = 4.0L * pairs - counts->bonds,
                              weight = (long double)state_count(counts, pairs, up) *
                                       expl(-beta * (e + counts->bonds));
            z += weight;
            e2 += weight * e * e;
            e4 += weight * e * e * e * e;
        }
    return (double)(1 - e4 * z / (factor * e2 * e2));
}

static void a_line_makes_a_column_of_a_ferromagnet(void **state) {
    (void)state;
    static const char *const names[] = {"beta", "V4",        "err_V4", "again",
                                        "|m|",  "err_again", "err_|m|"};
    static const char *const files[] = {"out/PA_results_weighted.dat",
                                        "out/PA_MHR_results_weighted.dat",
                                        "out/PA_results_run_0.dat", "out/PA_MHR_results_run_0.dat"};
    parameters p = {.stripes = 1,
                    .size = {{4}},
                    .population = 1000,
                    .sweeps = 10,
                    .beta_end = 0.6,
                    .dbeta = 0.1,
                    .runs = RUNS,
                    .seed = 46,
                    .precision = 17,
                    .coding = CODING_SSC,
                    .device = DEVICE_CPU,
                    .reweight = true,
                    .reweight_step = 0.15,
                    .output = "out"};
    state_counts counts;
    z_series z = z_begin("V4", 7 + 5), wrong = z_begin("V4 without the factor 3", 7 + 5);
    assert_int_equal(state_counts_create(&counts, 4), 0);
    make_result(&p);
    for (size_t n = 0; n < 4; n++) {
        const data_columns d = read_columns(files[n], names, 7);
        for (size_t i = 0; i < d.rows; i++) {
            const double *const x = d.value + 7 * i;
            assert_true(x[3] == x[4] && fabs(x[5] / x[6] - 1) < 1e-9);
            assert_true(n == 2 ? isnan(x[2]) : x[2] > 0);
            if (n >= 2)
                continue;
            z_add(&z, z_of_student((x[1] - exact(&counts, x[0], 3)) / x[2], RUNS - 1), "beta = %g",
                  x[0]);
            z_add(&wrong, z_of_student((x[1] - exact(&counts, x[0], 1)) / x[2], RUNS - 1),
                  "beta = %g", x[0]);
        }
        free(d.value);
    }
    state_counts_destroy(&counts);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

static void a_line_makes_a_column_of_averages_over_samples(void **state) {
    (void)state;
    static const char *const names[] = {"beta", "V4", "err_V4"};
    char said[2000], shown[600], path[80], name[SAMPLE_NAME_SIZE];
    int number;
    parameters p = {.stripes = 1,
                    .model = GLASS,
                    .size = {{4}},
                    .population = 300,
                    .sweeps = 2,
                    .beta_end = 1,
                    .dbeta = 0.25,
                    .runs = 2,
                    .seed = 11,
                    .precision = 17,
                    .output = "all",
                    .coding = CODING_MSC,
                    .device = DEVICE_CPU,
                    .word = 32,
                    .disorder = 3,
                    .ferromagnetic = 0.5,
                    .samples = SAMPLES};
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    const exit_status status = samples_make(&p, &number);
    capture_end(&err, said, sizeof said);
    capture_end(&out, shown, sizeof shown);
    assert_int_equal(status, STATUS_OK);
    const data_columns all = read_columns("all/" DISORDER_FILE, names, 3);
    sample of[5] = {{0}};
    for (uint32_t s = 0; s < SAMPLES; s++) {
        snprintf(path, sizeof path, "all/%s/" WEIGHTED_FILE, result_name_of_sample(name, s));
        const data_columns one = read_columns(path, names, 3);
        assert_int_equal(one.rows, 5);
        for (size_t i = 0; i < 5; i++)
            sample_add(&of[i], one.value[3 * i + 1]);
        free(one.value);
        assert_null(strstr(read_file(path), "again"));
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(fabs(all.value[3 * i + 1] - of[i].mean) < 1e-14);
        assert_true(of[i].squares > 0);
        assert_true(fabs(all.value[3 * i + 2] - sqrt(sample_variance(&of[i]) / SAMPLES)) < 1e-12);
    }
    free(all.value);
    const char *const header = read_file("all/" DISORDER_FILE);
    assert_null(strstr(header, "again"));
    assert_non_null(strstr(header, " equilibrated V4 err_V4 E_min err_E_min rho_s err_rho_s\n"));
    assert_non_null(strstr(header, ": V4, mean over the samples: fourth cumulant of the energy"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_line_makes_a_column_of_a_ferromagnet),
        TEST_IN_SCRATCH(a_line_makes_a_column_of_averages_over_samples),
    };
    return cmocka_run_group_tests_name("own columns", tests, NULL, NULL);
}
