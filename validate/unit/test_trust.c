/* Claims about warnings (trust.c): rows without enough families, or with steps too large, are counted
 * and placed; what is said names the option that helps; a sound result is not warned of; a row is trusted
 * if it and the next have families enough. The relation
 * of overlap and weights that the limit rests on holds for Gaussian energies. */
#include "estimate/trust.h"
#include "resample/resampling.h"
#include "validate/lib/scratch.h"

#include <math.h>

static const steps_advice fixed = {"smaller steps (-d)", false, true},
                          adaptive = {"a larger overlap (-a)", true, true},
                          annealed = {"smaller steps (-d)", false, false};

/* What the header of a data file would say. */
static const char *header_of(const observables *rows, size_t count, steps_advice steps) {
    FILE *const file = fopen("header", "w");
    assert_non_null(file);
    const trust_verdict t = trust_of_rows(rows, count);
    trust_print(file, &t, steps);
    assert_int_equal(fclose(file), 0);
    return read_file("header");
}

static void assert_says(const char *text, const char *words) {
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, text);
}

static void a_sound_result_has_no_warning(void **state) {
    (void)state;
    const observables rows[] = {
        {.beta = 0, .overlap = 1, .trusted = true},
        {.beta = 0.1, .overlap = (1 - 1e-9) * TRUSTED_OVERLAP, .trusted = true}};
    assert_string_equal(header_of(rows, 2, fixed), "");
}

static void few_families_are_counted(void **state) {
    (void)state;
    const observables rows[] = {{.beta = 0, .overlap = 1, .trusted = true},
                                {.beta = 0.25, .overlap = 0.5},
                                {.beta = 0.5, .overlap = 0.5, .trusted = true},
                                {.beta = 0.75, .overlap = 0.5}};
    const char *const text = header_of(rows, 4, fixed);
    assert_says(text, "# warning: 2 of 4 temperatures, the first beta = 0.25,");
    assert_says(text, "(-R)");
    assert_says(text, "(-d)");
    assert_says(text, "(-t)");
    assert_null(strstr(text, "overlap"));
    assert_says(header_of(rows, 4, adaptive), "(-a)");
    assert_says(header_of(rows, 4, annealed), "no row is trusted: without resampling");
    const observables computed[] = {{.beta = 3 * 0.05, .overlap = 0.5}}; /* 0.15000000000000002 */
    assert_says(header_of(computed, 1, fixed), "the first beta = 0.15, ");
}

static void large_steps_are_placed(void **state) {
    (void)state;
    const observables rows[] = {{.beta = 0, .overlap = 1, .trusted = true},
                                {.beta = 0.25, .overlap = 0.0999, .trusted = true},
                                {.beta = 0.5, .overlap = 0.03, .trusted = true},
                                {.beta = 0.75, .overlap = 0.06, .trusted = true}};
    const char *const text = header_of(rows, 4, fixed);
    assert_says(text, "# warning: steps are too large from beta = 0.25 on");
    assert_says(text, "0.03 only");
    assert_says(text, "(-d)");
    assert_null(strstr(text, "families"));
    assert_null(strstr(header_of(rows, 4, adaptive), "(-d)"));
}

/* A row stands and falls with the next one; the last alone. */
static void the_next_row_decides_too(void **state) {
    (void)state;
    observables rows[] = {{.effective_families = 500},
                          {.effective_families = 100},
                          {.effective_families = 99.9},
                          {.effective_families = 300},
                          {.effective_families = 100}};
    const bool expected[] = {true, false, false, true, true};
    for (int again = 0; again < 2; again++) {
        trust_judge(rows, 5);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(rows[i].trusted, expected[i]);
    }
    trust_judge(rows, 2);
    assert_true(rows[0].trusted && rows[1].trusted);
    trust_judge(rows, 0);
}

/* Energies of a Gaussian density on 2001 levels, +-8 standard deviations; dbeta is such that s = 3.29,
 * where the overlap is 0.1 and the mean square weight exp(s^2) = 5e4. */
static void overlap_and_weights_of_gaussian_energies(void **state) {
    (void)state;
    const spin_model model = {.levels = {-8000, 8, 2001, 1}, .order_unit = 1};
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    for (size_t n = 0; n < 2001; n++) {
        const double x = (double)level_energy(h.levels, n) / 1000;
        h.level[n].replicas = (uint64_t)(1e18 * 0.008 * exp(-x * x / 2) / sqrt(2 * M_PI) + 0.5);
        h.population += h.level[n].replicas;
    }
    h.end = 2001;
    const double s = 3.2897, dbeta = s / 1000;
    assert_true(fabs(resampling_overlap(&h, dbeta) - 0.1) < 1e-4);
    const double ln_square = resampling_ln_q(&h, 2 * dbeta) - 2 * resampling_ln_q(&h, dbeta);
    assert_true(fabs(ln_square - s * s) < 0.1); /* the eight standard deviations cut it off */
    assert_true(exp(ln_square) > 45000 && exp(ln_square) < 55000);
    histogram_destroy(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_sound_result_has_no_warning),
        TEST_IN_SCRATCH(few_families_are_counted),
        TEST_IN_SCRATCH(large_steps_are_placed),
        cmocka_unit_test(the_next_row_decides_too),
        cmocka_unit_test(overlap_and_weights_of_gaussian_energies),
    };
    return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
