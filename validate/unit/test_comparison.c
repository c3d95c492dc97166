/* Claims about holding a result against the exact solution (comparison.c), on rows that are drawn: a
 * right result disagrees with the probability that is stated, for every number of runs or blocks, and with less
 * where its values depend on each other; a value that is 12 of its errors off is found among 600; what is
 * not finite, or off without an error, disagrees; what cannot be judged is said to be so. Seeds are
 * fixed; the rates of false alarms are z-scores held against the limit of statistics.h, and errors that
 * are too small by a third are its negative control. */
#include "reference/exact.h"
#include "validate/lib/capture.h"
#include "validate/lib/comparison.h"
#include "validate/lib/statistics.h"

#include <stdbool.h>
#include <string.h>

#define SIZE 4
#define ROWS 200
#define HEAD "# paising 1.0.0: population annealing of the 2D Ising model\n"

static double rows[ROWS][RESULT_COLUMNS];
static char header[300];

/* How many parts the errors of row i come from. */
static unsigned averaged_runs, few_blocks = 16, many_blocks = 16;

static unsigned parts_of_row(size_t i) {
    return averaged_runs > 1 ? averaged_runs : i % 2 ? few_blocks : many_blocks;
}

/* A result of `count` rows, in part of those runs that were asked for. */
static result_file result_of(size_t count, unsigned runs, unsigned asked) {
    averaged_runs = runs;
    snprintf(header, sizeof header,
             HEAD "# averages over %u runs, weighted\n# size %d\n# runs %u\n# precision 17\n", runs,
             SIZE, asked);
    return (result_file){header, count, rows};
}

/* Compares, and keeps what is printed. */
static char printed[1 << 16];

static comparison_verdict verdict_of(const result_file *result, double false_alarm) {
    FILE *const out = fmemopen(printed, sizeof printed, "w");
    assert_non_null(out);
    for (size_t i = 0; i < result->rows; i++)
        rows[i][RESULT_BLOCKS] = parts_of_row(i);
    printed[0] = '\0';
    const comparison_verdict verdict = compare_with_exact(result, "drawn", false_alarm, out);
    assert_int_equal(fclose(out), 0);
    return verdict;
}

static bool says(const char *text) {
    return strstr(printed, text) != NULL;
}

/* --- Rows that are drawn --- */

static double uniform(void) {
    static uint64_t state = 2017;
    uint64_t x = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return ((double)((x ^ x >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double gaussian(void) {
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* A deviation, and the error that n + 1 parts give themselves. */
typedef struct {
    double off, error;
} deviate;

static deviate draw(double sigma, unsigned n) {
    double squares = 0;
    for (unsigned i = 0; i < n; i++) {
        const double g = gaussian();
        squares += g * g;
    }
    return (deviate){sigma * gaussian(), sigma * sqrt(squares / n)};
}

static const struct {
    int value, error;
    double sigma;
} compared[3] = {{RESULT_E, RESULT_ERR_E, 2e-4},
                 {RESULT_C, RESULT_ERR_C, 1e-4},
                 {RESULT_BETA_F, RESULT_ERR_BETA_F, 1e-5}};

/* The exact row i of `count`, with errors. */
static void make_row(size_t i, size_t count) {
    const double beta = 0.1 + 0.4 * (double)i / (double)count;
    const exact_result exact = exact_thermodynamics(SIZE, beta);
    double *const x = rows[i];
    memset(x, 0, sizeof rows[i]);
    x[RESULT_BETA] = beta;
    x[RESULT_E] = exact.e;
    x[RESULT_C] = exact.c;
    x[RESULT_BETA_F] = exact.beta_f;
    for (int n = 0; n < 3; n++)
        x[compared[n].error] = compared[n].sigma;
    x[RESULT_R] = 1e6;
    x[RESULT_RHO_T] = x[RESULT_TRUSTED] = 1;
}

static void make_rows(size_t count) {
    for (size_t i = 0; i < count; i++)
        make_row(i, count);
}

/* --- False alarms --- */

#define DRAWS      5000
#define FEW_ROWS   2
#define FEW_VALUES (3 * FEW_ROWS)

/* How many of DRAWS results disagree, whose errors are too small by a factor. */
static unsigned count_alarms(unsigned runs, double false_alarm, double factor, bool dependent) {
    double exact[FEW_ROWS][RESULT_COLUMNS];
    const result_file result = result_of(FEW_ROWS, runs, runs);
    unsigned alarms = 0;
    make_rows(FEW_ROWS);
    memcpy(exact, rows, sizeof exact);
    for (unsigned i = 0; i < DRAWS; i++) {
        deviate d = {0, 0};
        for (int n = 0; n < FEW_VALUES; n++) {
            if (n == 0 || !dependent)
                d = draw(1, parts_of_row((size_t)n / 3) - 1);
            const double sigma = compared[n % 3].sigma;
            rows[n / 3][compared[n % 3].value] =
                exact[n / 3][compared[n % 3].value] + sigma * d.off;
            rows[n / 3][compared[n % 3].error] = sigma * factor * d.error;
        }
        alarms += verdict_of(&result, false_alarm) == COMPARISON_DISAGREES;
    }
    return alarms;
}

/* z of a number of alarms that each draw gives with this probability. */
static double z_of_alarms(unsigned alarms, double probability) {
    return (alarms - DRAWS * probability) / sqrt(DRAWS * probability * (1 - probability));
}

static void test_false_alarms(void **state) {
    (void)state;
    static const unsigned runs[] = {1, 2, 3, 16};
    static const double rates[] = {0.05, 0.01};
    z_series z = z_begin("false alarms", 17), wrong = z_begin("errors too small by a third", 1);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        for (size_t a = 0; a < 2; a++) {
            const double each = rates[a] / FEW_VALUES, all = 1 - pow(1 - each, FEW_VALUES);
            z_add(&z, z_of_alarms(count_alarms(runs[r], rates[a], 1, false), all),
                  "%u runs, rate %g", runs[r], rates[a]);
            z_add(&z, z_of_alarms(count_alarms(runs[r], rates[a], 1, true), each),
                  "%u runs, rate %g, dependent", runs[r], rates[a]);
        }
    many_blocks = 256;
    few_blocks = 4;
    z_add(&z,
          z_of_alarms(count_alarms(1, 0.05, 1, false), 1 - pow(1 - 0.05 / FEW_VALUES, FEW_VALUES)),
          "rows of 4 and of 256 blocks");
    many_blocks = few_blocks = 16;
    z_add(&wrong, z_of_alarms(count_alarms(1, 0.01, 2.0 / 3, false), 0.01), "control");
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* --- One value that is off --- */

static void test_one_value(void **state) {
    (void)state;
    const result_file result = result_of(ROWS, 1, 1);
    make_rows(ROWS);
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
    assert_true(says(
        "# agrees with the exact solution: largest |z| 0.00 of 600 values, 0.00 of its limit at "
        "most, false alarm 0.0001\n"));
    assert_true(says("# limit: Student's t with 15 degrees of freedom"));
    for (int n = 0; n < 3; n++)
        for (size_t i = 0; i < ROWS; i += 33)
            for (int sign = -1; sign <= 1; sign += 2) {
                double *const value = &rows[i][compared[n].value], exact = *value;
                *value = exact + sign * 12 * compared[n].sigma;
                assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_DISAGREES);
                assert_true(says("# DISAGREES with the exact solution: largest |z| 12.00 of 600"));
                rows[i][RESULT_TRUSTED] = 0;
                assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
                rows[i][RESULT_TRUSTED] = 1;
                *value = exact + sign * 9 * compared[n].sigma;
                assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
                *value = exact;
            }
}

/* --- What is not finite, and errors of 0 --- */

static void test_not_finite(void **state) {
    (void)state;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    const result_file result = result_of(3, 1, 1);
    make_rows(3);
    for (int n = RESULT_E; n < RESULT_BLOCKS; n++) {
        if (n == RESULT_R || n == RESULT_RHO_T ||
            n == RESULT_TRUSTED) /* result_file.c refuses them */
            continue;
        const double right = rows[1][n];
        for (size_t w = 0; w < 3; w++) {
            rows[1][n] = wrong[w];
            if ((verdict_of(&result, 1e-4) == COMPARISON_DISAGREES) != (n != RESULT_R_EFF))
                fail_msg("column %d of %g: %s", n + 1, wrong[w], printed);
            assert_true(n != RESULT_E ||
                        says("# DISAGREES with the exact solution: largest |z| inf"));
            rows[1][RESULT_TRUSTED] = 0;
            assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
            rows[1][RESULT_TRUSTED] = 1;
        }
        rows[1][n] = right;
    }
}

static void test_no_error(void **state) {
    (void)state;
    const result_file result = result_of(3, 1, 1);
    for (int n = 0; n < 3; n++) {
        make_rows(3);
        rows[1][compared[n].error] = 0;
        rows[1][compared[n].value] *= 1 + 5e-13; /* no more than the exact one is off */
        assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
        rows[1][compared[n].value] *= 1 + 1e-9;
        assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_DISAGREES);
    }
}

/* A population in the ground state has no error, of e and C; one that should be there and is not is
 * found. At infinite temperature C and betaF are known. */
static void test_ends(void **state) {
    (void)state;
    const result_file result = result_of(2, 1, 1);
    make_rows(2);
    const exact_result cold = exact_thermodynamics(SIZE, 3);
    rows[0][RESULT_BETA] = rows[0][RESULT_C] = rows[0][RESULT_E] = 0;
    rows[0][RESULT_BETA_F] = -0.69314718055994531;
    rows[0][RESULT_ERR_C] = rows[0][RESULT_ERR_BETA_F] = 0;
    rows[1][RESULT_BETA] = 3;
    rows[1][RESULT_E] = -2;
    rows[1][RESULT_C] = rows[1][RESULT_ERR_E] = rows[1][RESULT_ERR_C] = 0;
    rows[1][RESULT_BETA_F] = cold.beta_f;
    rows[1][RESULT_R_EFF] = NAN;
    rows[1][RESULT_R] = 1000;
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_AGREES);
    rows[1][RESULT_E] = -1.5;
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_DISAGREES);
    rows[1][RESULT_E] = -2;
    rows[0][RESULT_BETA_F] *= 1 + 1e-9;
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_DISAGREES);
}

/* --- What is not judged, and what is refused --- */

static void test_not_judged(void **state) {
    (void)state;
    result_file result = result_of(3, 2, 2);
    make_rows(3);
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_NOT_JUDGED);
    assert_true(says("# not judged: with errors from 2 parts"));
    assert_false(says("agrees"));
    rows[1][RESULT_E] += 1;
    rows[1][RESULT_ERR_E] = 1e-6;
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_DISAGREES);

    make_rows(3);
    rows[2][RESULT_ERR_BETA_F] = 1e200; /* within which everything is */
    result = result_of(3, 1, 1);
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_NOT_JUDGED);

    make_rows(3);
    for (int i = 0; i < 3; i++) /* as with -g shared */
        rows[i][RESULT_TRUSTED] = 0, rows[i][RESULT_ERR_E] = NAN;
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_NOT_JUDGED);
    assert_true(says("# not judged: no row is trusted"));

    make_rows(3);
    result = result_of(3, 16, 16);
    *strstr(header, "precision 17") = ' ';
    strcpy(strstr(header, " recision"), "precision 8\n");
    assert_int_equal(verdict_of(&result, 1e-4), COMPARISON_NOT_JUDGED);
    assert_true(says("numbers of 8 digits"));
}

static void test_interrupted(void **state) {
    (void)state;
    static const struct {
        unsigned runs;
        const char *says;
        comparison_verdict verdict;
    } cases[] = {
        {1, "averages over 1 of 64 runs\n", COMPARISON_AGREES},
        {2, "# not judged: with errors from 2 parts", COMPARISON_NOT_JUDGED},
        {3, "# limit: Student's t with 2 degrees of freedom", COMPARISON_AGREES},
        {63, "# limit: Student's t with 62 degrees of freedom", COMPARISON_AGREES},
    };
    make_rows(3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const result_file result = result_of(3, cases[i].runs, 64);
        assert_int_equal(verdict_of(&result, 1e-4), cases[i].verdict);
        assert_true(says("# interrupted: "));
        assert_true(says(cases[i].says));
    }
}

static void test_refuses(void **state) {
    (void)state;
    static char wrong[][150] = {
        "# size 4\n# runs 1\n# precision 11\n# averages over 1 runs\n",
        "# paising 1.0.0: population annealing of the 2D Ising model on a cube\n# size 4\n# runs "
        "1\n"
        "# precision 11\n# averages over 1 runs\n",
        HEAD "# size 4\n# runs 1\n# precision 11\n",
        HEAD "# size 4\n# precision 11\n# averages over 1 runs\n",
        HEAD "# size 4\n# runs 1\n# precision 11\n# averages over 0 runs\n",
        HEAD "# size 4\n# runs 1\n# precision 11\n# averages over 2 runs\n",
        HEAD "# size 4\n# runs 1\n# precision 11\n# averages over -1 runs\n",
        HEAD "# size 5\n# runs 1\n# precision 11\n# averages over 1 runs\n",
        HEAD "# size 2\n# runs 1\n# precision 11\n# averages over 1 runs\n",
        HEAD "# size 4294967300\n# runs 1\n# precision 11\n# averages over 1 runs\n",
        HEAD "# runs 1\n# precision 11\n# averages over 1 runs\n",
    };
    char said[1000];
    make_rows(3);
    for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
        const bool few = i == sizeof wrong / sizeof *wrong; /* families */
        const result_file result = few ? result_of(3, 1, 1) : (result_file){wrong[i], 3, rows};
        rows[2][RESULT_RHO_T] = few ? 10102 : 1;
        capture c = capture_begin(STDERR_FILENO);
        const comparison_verdict verdict = verdict_of(&result, 1e-4);
        capture_end(&c, said, sizeof said);
        if (verdict != COMPARISON_DISAGREES || printed[0] != '\0' || !strstr(said, "drawn: not "))
            fail_msg("%zu: verdict %d, %s, said %s", i, (int)verdict, printed, said);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_no_error),
        cmocka_unit_test(test_ends),         cmocka_unit_test(test_not_judged),
        cmocka_unit_test(test_interrupted),  cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("comparisons", tests, NULL, NULL);
}
