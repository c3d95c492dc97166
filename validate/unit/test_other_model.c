/* Claims that the host knows nothing of a model but what the model says. An open chain with three gaps, an
 * odd lowest level, levels spaced by 2 and odd |M| (validate/lib/chain.h) goes through annealing, averages
 * over runs, the multi-histogram analysis and files, though the parameters go on naming a square lattice; and everything is held against the exact solution. Each claim is refuted by models that
 * say something else than what the engine simulates. */
#include "validate/lib/chain_simulation.h"
#include "validate/lib/result_file.h"
#include "validate/lib/statistics.h"

#include <math.h>

/* --- models that are wrong --- */

enum { WRONG_SPACING, WRONG_LOWEST, WRONG_ORDER_UNIT, WRONG_SITES, WRONG_GAP, FAULTS };
static const char *const fault_names[FAULTS] = {"levels spaced by 4", "an even lowest level",
                                                "an order unit of 2", "L^2 sites", "a gap of 3"};

/* Each but the last says what is true of the square lattice. */
static spin_model wrong_model(size_t fault) {
    spin_model model = chain_model(SITES);
    if (fault == WRONG_SPACING)
        model.levels.spacing = 4;
    if (fault == WRONG_LOWEST)
        model.levels.lowest--;
    if (fault == WRONG_ORDER_UNIT)
        model.order_unit = 2;
    if (fault == WRONG_SITES)
        model.sites = (uint64_t)given.size.edge[0] * given.size.edge[0];
    if (fault == WRONG_GAP)
        model.gap[2] = 3;
    return model;
}

static bool close_to(double x, double expected) {
    return fabs(x - expected) <= 1e-12 * fmax(1, fabs(expected));
}

/* --- simulations --- */

static result_file read_results(const char *folder, const char *name) {
    char path[100];
    result_file file;
    snprintf(path, sizeof path, "%s/PA_results_%s.dat", folder, name);
    assert_int_equal(result_file_read(&file, path), STATUS_OK);
    return file;
}

static result_file read_run(uint32_t run) {
    char name[20];
    snprintf(name, sizeof name, "run_%u", run);
    return read_results("out", name);
}

/* --- against the exact solution --- */

/* z of a number with the error that `runs` runs give it; one without error must be exact. */
static double z_of(double off, double error, double runs) {
    if (error < 1e-12)
        return fabs(off) < 1e-12 ? 0 : INFINITY;
    return z_of_student(off / error, runs - 1);
}

static double z_of_runs(const sample *s, double expected) {
    return z_of(s->mean - expected, sqrt(sample_variance(s) / s->n), s->n);
}

/* The last so many temperatures are looked at. */
enum { ALL_ROWS = 0, FEW_ROWS = 3 };

/* The averages over the runs, with their own errors, or that of the scatter of the runs where they have
 * none. */
static z_series weighted_against_exact(const char *name, size_t last_rows) {
    result_file all = read_results("out", "weighted");
    const size_t first = last_rows == ALL_ROWS ? 0 : all.rows - last_rows;
    sample *const m2 = calloc(all.rows, sizeof *m2), *const m4 = calloc(all.rows, sizeof *m4);
    assert_true(m2 != NULL && m4 != NULL);
    for (uint32_t run = 0; run < RUNS; run++) {
        result_file one = read_run(run);
        assert_int_equal(one.rows, all.rows);
        for (size_t i = 0; i < one.rows; i++) {
            sample_add(&m2[i], one.row[i][RESULT_M2]);
            sample_add(&m4[i], one.row[i][RESULT_M4]);
        }
        result_file_free(&one);
    }
    z_series z = z_begin(name, 6 * (all.rows - first));
    for (size_t i = first; i < all.rows; i++) {
        const double *const x = all.row[i], beta = x[RESULT_BETA];
        const observables exact = chain_exact(SITES, beta);
        z_add(&z, z_of(x[RESULT_E] - exact.e, x[RESULT_ERR_E], RUNS), "e at %g", beta);
        z_add(&z, z_of(x[RESULT_C] - exact.c, x[RESULT_ERR_C], RUNS), "C at %g", beta);
        z_add(&z, z_of(x[RESULT_ABS_M] - exact.abs_m, x[RESULT_ERR_ABS_M], RUNS), "|m| at %g",
              beta);
        z_add(&z, z_of(x[RESULT_BETA_F] - exact.beta_f / SITES, x[RESULT_ERR_BETA_F], RUNS),
              "betaF at %g", beta);
        z_add(&z, z_of_runs(&m2[i], exact.m2), "m2 at %g", beta);
        z_add(&z, z_of_runs(&m4[i], exact.m4), "m4 at %g", beta);
    }
    free(m2);
    free(m4);
    result_file_free(&all);
    return z;
}

/* Columns of PA_MHR_results_run_K.dat. */
enum {
    MHR_BETA,
    MHR_E,
    MHR_C,
    MHR_BETA_F,
    MHR_ABS_M,
    MHR_M2,
    MHR_M4,
    MHR_ERRORS, /* of e, C, betaF/N, |m|, m2, m4 */
    MHR_RUNS = MHR_ERRORS + 6,
    MHR_COLUMNS
};
#define MHR_ROWS 21

static void read_reweighted(const char *name, double x[MHR_ROWS][MHR_COLUMNS]) {
    char line[1000];
    size_t rows = 0;
    FILE *const file = fopen(name, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        assert_true(rows < MHR_ROWS);
        const char *from = line;
        for (size_t n = 0; n < MHR_COLUMNS; n++) {
            char *end;
            x[rows][n] = strtod(from, &end);
            assert_true(end > from);
            from = end;
        }
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, MHR_ROWS);
}

/* The errors of a run are the scatter of the runs, and those of their average smaller, about like those of a
 * mean: it has weights. */
static void check_scatter(double x[MHR_ROWS][MHR_COLUMNS], sample of[MHR_ROWS][MHR_COLUMNS]) {
    double average[MHR_ROWS][MHR_COLUMNS];
    read_reweighted("out/PA_MHR_results_weighted.dat", average);
    for (size_t i = 0; i < MHR_ROWS; i++) {
        assert_true(x[i][MHR_RUNS] == RUNS && average[i][MHR_RUNS] == RUNS);
        for (size_t n = 0; n < 6; n++) {
            const double scatter = sqrt(sample_variance(&of[i][MHR_E + n]));
            const double of_mean = average[i][MHR_ERRORS + n] * sqrt(RUNS);
            assert_true(fabs(x[i][MHR_ERRORS + n] - scatter) <= 1e-6 * scatter + 1e-15);
            assert_true(fabs(average[i][MHR_E + n] - of[i][MHR_E + n].mean) <= 0.5 * scatter);
            assert_true(of_mean >= 0.7 * scatter && of_mean <= 1.5 * scatter + 1e-15);
        }
    }
}

/* The multi-histogram analyses of the runs, with the error of their scatter. */
static z_series reweighted_against_exact(const char *name, size_t last_rows) {
    const size_t first = last_rows == ALL_ROWS ? 0 : MHR_ROWS - last_rows;
    double x[MHR_ROWS][MHR_COLUMNS];
    sample of[MHR_ROWS][MHR_COLUMNS] = {{{0}}};
    for (uint32_t run = 0; run < RUNS; run++) {
        char path[60];
        snprintf(path, sizeof path, "out/PA_MHR_results_run_%u.dat", run);
        read_reweighted(path, x);
        for (size_t i = 0; i < MHR_ROWS; i++)
            for (size_t n = 0; n < MHR_COLUMNS; n++)
                sample_add(&of[i][n], x[i][n]);
    }
    check_scatter(x, of);
    z_series z = z_begin(name, 6 * (MHR_ROWS - first));
    for (size_t i = first; i < MHR_ROWS; i++) {
        const double beta = x[i][MHR_BETA];
        const observables exact = chain_exact(SITES, beta);
        z_add(&z, z_of_runs(&of[i][MHR_E], exact.e), "e at %g", beta);
        z_add(&z, z_of_runs(&of[i][MHR_C], exact.c), "C at %g", beta);
        z_add(&z, z_of_runs(&of[i][MHR_BETA_F], exact.beta_f / SITES), "betaF at %g", beta);
        z_add(&z, z_of_runs(&of[i][MHR_ABS_M], exact.abs_m), "|m| at %g", beta);
        z_add(&z, z_of_runs(&of[i][MHR_M2], exact.m2), "m2 at %g", beta);
        z_add(&z, z_of_runs(&of[i][MHR_M4], exact.m4), "m4 at %g", beta);
    }
    return z;
}

static void averages_are_exact_within_their_errors(void **state) {
    (void)state;
    const spin_model model = chain_model(SITES);
    simulate(&given, &model);
    const z_series averages = weighted_against_exact("averages over runs", ALL_ROWS);
    assert_true(z_passed(&averages));
    const z_series between = reweighted_against_exact("multi-histogram analysis", ALL_ROWS);
    assert_true(z_passed(&between));
}

static void adaptive_steps_are_exact_too(void **state) {
    (void)state;
    const spin_model model = chain_model(SITES);
    parameters p = given;
    p.overlap = 0.7;
    simulate(&p, &model);
    const z_series averages = weighted_against_exact("adaptive steps", ALL_ROWS);
    assert_true(z_passed(&averages));
}

static void what_the_model_says_matters(void **state) {
    (void)state;
    parameters p = given;
    p.force = true;
    for (size_t fault = 0; fault < FAULTS; fault++) {
        const spin_model model = wrong_model(fault);
        simulate(&p, &model);
        const z_series averages = weighted_against_exact(fault_names[fault], FEW_ROWS);
        const z_series between = reweighted_against_exact(fault_names[fault], FEW_ROWS);
        assert_true(z_detected(&averages));
        assert_true(z_detected(&between));
    }
}

/* --- files --- */

/* Whether the rows count `sites` spins: betaF = -N ln 2 - sum ln Q, and S = beta E - beta F. */
static bool rows_count(const result_file *file, double sites) {
    bool good = true;
    double beta_f = -sites * log(2);
    for (size_t i = 0; i < file->rows; i++) {
        const double *const x = file->row[i];
        beta_f -= x[RESULT_LN_Q];
        good = good && close_to(x[RESULT_BETA_F] * sites, beta_f) &&
               close_to(x[RESULT_S], x[RESULT_BETA] * x[RESULT_E] - beta_f / sites);
    }
    return good && close_to(file->row[0][RESULT_S], log(2));
}

/* ln of the product of R_k / R up to temperature i (weighted.h). */
static double ln_growth(const result_file *run, size_t i) {
    double sum = 0;
    for (size_t k = 1; k <= i; k++)
        sum += log(run->row[k][RESULT_R] / (double)given.population);
    return sum;
}

/* Whether the averaged C of temperature i is that of `sites` spins: the mean over the runs, and the variance
 * of their e (weighted.h). */
static bool average_counts(const result_file *average, const result_file run[RUNS], size_t i,
                           double sites) {
    const double beta = average->row[i][RESULT_BETA], beta_f = average->row[i][RESULT_BETA_F];
    double sum = 0, e = 0, e2 = 0, c = 0;
    for (size_t n = 0; n < RUNS; n++) {
        const double *const x = run[n].row[i];
        const double weight = exp(SITES * (beta_f - x[RESULT_BETA_F]) + ln_growth(&run[n], i));
        sum += weight;
        e += weight * x[RESULT_E];
        e2 += weight * x[RESULT_E] * x[RESULT_E];
        c += weight * x[RESULT_C];
    }
    e /= sum;
    return close_to(average->row[i][RESULT_E], e) &&
           close_to(average->row[i][RESULT_C], c / sum + beta * beta * sites * (e2 / sum - e * e));
}

static double spin_flips_of_run_json(void) {
    const char *const member = strstr(read_file("out/run.json"), "\"spin_flips\": ");
    assert_non_null(member);
    return strtod(strchr(member, ':') + 1, NULL);
}

static void files_count_the_sites_of_the_model(void **state) {
    (void)state;
    const spin_model model = chain_model(SITES);
    const double wrong_sites = given.size.edge[0] * given.size.edge[0];
    char title[100];
    double updates = 0; /* of replicas, in all runs */
    result_file run[RUNS];
    simulate(&given, &model);
    snprintf(title, sizeof title, ": population annealing of %s\n", model.title);
    for (uint32_t n = 0; n < RUNS; n++) {
        run[n] = read_run(n); /* which has 18 columns */
        const char *const found = strstr(run[n].header, title);
        assert_true(found != NULL && found < strchr(run[n].header, '\n'));
        assert_int_equal(run[n].rows, 11);
        assert_true(rows_count(&run[n], SITES));
        assert_false(rows_count(&run[n], wrong_sites));
        for (size_t i = 1; i < run[n].rows; i++)
            updates += run[n].row[i][RESULT_R] * given.sweeps;
    }
    result_file average = read_results("out", "weighted");
    for (size_t i = 1; i < average.rows; i++) {
        assert_true(average_counts(&average, run, i, SITES));
        assert_false(average_counts(&average, run, i, wrong_sites));
    }
    assert_true(spin_flips_of_run_json() == SITES * updates);
    result_file_free(&average);
    for (size_t n = 0; n < RUNS; n++)
        result_file_free(&run[n]);
}

/* --- sums --- */

/* The level sums of a population, from its spins; M^4 in the two parts of a report. */
static void sum_spins(engine *e, uint64_t replicas, uint32_t low_bits, level_sums sums[]) {
    const size_t bytes = model_packed_bytes(&e->model);
    uint8_t *const spins = malloc(replicas * bytes);
    uint32_t *const families = malloc(replicas * sizeof *families);
    assert_true(spins != NULL && families != NULL);
    assert_int_equal(e->verbs->read(e, 0, replicas, spins, families), ENGINE_OK);
    const energy_levels levels = chain_model(SITES).levels;
    for (uint64_t k = 0; k < replicas; k++) {
        const int64_t energy = chain_energy(spins + k * bytes, SITES);
        const uint64_t m = (uint64_t)llabs(chain_magnetisation(spins + k * bytes, SITES));
        level_sums *const level = &sums[(energy - levels.lowest) / levels.spacing];
        level->replicas++;
        level->abs_m += m;
        level->m2 += m * m;
        level->q_low += m * m * m * m % (1u << low_bits);
        level->q_high += m * m * m * m >> low_bits;
    }
    free(spins);
    free(families);
}

/* Whether the row of a population is that of its spins, energies included. */
static bool row_is_of(const observables *row, const level_sums sums[], uint32_t low_bits,
                      double replicas) {
    double e = 0, e2 = 0, abs_m = 0, m2 = 0, m4 = 0;
    const energy_levels levels = chain_model(SITES).levels;
    for (size_t n = 0; n < levels.count; n++) {
        const double energy = (double)level_energy(levels, n) / SITES;
        e += energy * (double)sums[n].replicas / replicas;
        e2 += energy * energy * (double)sums[n].replicas / replicas;
        abs_m += (double)sums[n].abs_m / SITES / replicas;
        m2 += (double)sums[n].m2 / pow(SITES, 2) / replicas;
        m4 += ((double)sums[n].q_low + ldexp((double)sums[n].q_high, (int)low_bits)) /
              pow(SITES, 4) / replicas;
    }
    return close_to(row->e, e) && close_to(row->e2, e2) && close_to(row->abs_m, abs_m) &&
           close_to(row->m2, m2) && close_to(row->m4, m4);
}

/* Runs to the temperature of half a run, and compares the last row with the spins. */
static bool sums_are_those_of_the_spins(const spin_model *model) {
    engine *const e = engine_of(&given, model);
    batch_pauses pauses = {.every = {.steps = 5}};
    level_sums sums[100] = {{0}};
    simulation s;
    bool paused;
    assert_int_equal(simulation_begin(&s, &given, &e, 1, clock_seconds()), STATUS_OK);
    assert_true(batch_add(&s.flight, 0));
    batch_run(&s.flight, &pauses, &paused);
    assert_true(paused);
    batch_add_rows(&s.flight);
    const annealing *const a = s.flight.member;
    const histogram *const h = &a->steps.report;
    sum_spins(e, h->population, h->low_bits, sums);
    const bool good =
        row_is_of(&a->rows.row[a->rows.count - 1], sums, h->low_bits, (double)h->population) &&
        memcmp(h->level, sums, model->levels.count * sizeof *sums) == 0;
    simulation_end(&s);
    e->verbs->destroy(e);
    return good;
}

static void sums_of_odd_magnetisations_are_exact(void **state) {
    (void)state;
    const spin_model model = chain_model(SITES);
    assert_true(sums_are_those_of_the_spins(&model));
    for (size_t fault = WRONG_SPACING; fault <= WRONG_ORDER_UNIT; fault++) {
        const spin_model wrong = wrong_model(fault);
        assert_false(sums_are_those_of_the_spins(&wrong));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(averages_are_exact_within_their_errors),
        TEST_IN_SCRATCH(adaptive_steps_are_exact_too),
        TEST_IN_SCRATCH(what_the_model_says_matters),
        TEST_IN_SCRATCH(files_count_the_sites_of_the_model),
        cmocka_unit_test(sums_of_odd_magnetisations_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
