/* Claims about the files over samples of the disorder, on the 4 x 4 lattice, all states of which are known:
 *  - averages of P(q) and P(q_l) count every sample alike, have the error of the scatter of the samples, and that of
 *    counting where pairs are few or samples agree; samples and runs without pairs are left out;
 *  - those of PA_disorder_overlap.dat are the means of the samples' own files, of one run and of several, and agree with
 *    the enumeration of these samples, within the errors of the samples; at another temperature they do not;
 *  - averages over runs have the weights of the runs;
 *  - a row of PA_samples.dat has the last row of the sample's averages, the energy of its ground states, its partition
 *    function and the fingerprint of its couplings, by enumeration;
 *  - [E_min] and its error are those of these rows;
 *  - digits that do not tell bins apart make no histograms.
 * Statistical tests have fixed seeds and the false-alarm probability of statistics.h. */
#include "base/checked_text.h"
#include "estimate/overlap_average.h"
#include "estimate/overlap_record.h"
#include "files/data_columns.h"
#include "files/result_names.h"
#include "method/samples.h"
#include "settings/plans.h"
#include "validate/lib/all_states.h"
#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"
#include "validate/lib/statistics.h"

#include <inttypes.h>

#define GLASS_2D 2 /* in model_kinds */
#define SAMPLES  8
#define FIRST    3 /* number of the first sample */
#define ROWS     11
#define BINS     (2 * (ALL_SITES + 1))

static const parameters given = {.stripes = 1,
                                 .model = GLASS_2D,
                                 .size = {{ALL_EDGE, ALL_EDGE}},
                                 .population = 4000,
                                 .sweeps = 10,
                                 .beta_end = 1,
                                 .dbeta = 0.1,
                                 .runs = 1,
                                 .seed = 5,
                                 .precision = 11,
                                 .output = "all",
                                 .coding = CODING_SSC,
                                 .device = DEVICE_CPU,
                                 .disorder = 9,
                                 .ferromagnetic = 0.5,
                                 .sample = FIRST,
                                 .samples = SAMPLES};

/* --- sums --- */

#define FEW 3

/* Shares of three samples with very different numbers of pairs, in five bins. */
static const double pairs[FEW] = {1000, 2000, 100000},
                    counts[FEW][5] = {{100, 0, 500, 1, 1000},
                                      {800, 0, 1000, 0, 2000},
                                      {30000, 0, 50000, 0, 100000}};

static void fill(overlap_average *a, const size_t order[], size_t samples) {
    assert_int_equal(overlap_average_create(a, 1, 5), 0);
    for (size_t k = 0; k < samples; k++) {
        const size_t s = order[k];
        overlap_share share[5] = {{0}};
        for (size_t n = 0; n < 5; n++)
            share[n] = (overlap_share){.count = counts[s][n], .share = counts[s][n] / pairs[s]};
        overlap_average_add(a, 0, (uint64_t)pairs[s], share);
    }
}

static void samples_count_alike(void **state) {
    (void)state;
    overlap_average a, b;
    overlap_share share[5], other[5];
    fill(&a, (const size_t[]){0, 1, 2}, FEW);
    fill(&b, (const size_t[]){2, 0, 1}, FEW);
    overlap_average_add(&a, 0, 0, NULL); /* a sample without pairs */
    overlap_average_shares(&a, 0, share);
    overlap_average_shares(&b, 0, other);
    assert_memory_equal(share, other, sizeof share);
    assert_true(a.row[0].samples == 3 && a.row[0].pairs == 103000);
    const double p[FEW] = {0.1, 0.4, 0.3}, mean = 0.8 / 3, counted = 1.545 / 103000;
    double squares = 0;
    for (size_t s = 0; s < FEW; s++)
        squares += (p[s] - mean) * (p[s] - mean);
    assert_true(share[0].count == 30900 && fabs(share[0].share - mean) < 1e-11);
    assert_true(fabs(share[0].share - 30900 / 103000.0) >
                0.03); /* control: not of all pairs together */
    assert_true(fabs(share[0].error - sqrt(squares / 6)) < 1e-11);
    assert_true(share[1].count == 0 && share[1].share == 0);
    assert_true(fabs(share[1].error / counted - 1) < 1e-9);
    assert_true(fabs(share[2].error / counted - 1) < 1e-9); /* samples agree by half */
    assert_true(fabs(share[3].error - hypot(0.001 / 3, counted)) < 1e-11);
    assert_true(share[4].share == 1 && fabs(share[4].error / counted - 1) < 1e-9);
    overlap_average_destroy(&a);
    overlap_average_destroy(&b);
    fill(&a, (const size_t[]){1}, 1);
    overlap_average_shares(&a, 0, share);
    assert_true(fabs(share[0].share - 0.4) < 1e-11 && isnan(share[0].error));
    overlap_average_destroy(&a);
}

/* Four threads add samples at the same temperature: none is lost. */
static void threads_add_together(void **state) {
    (void)state;
    enum { WIDE = 500, ADDED = 60000 };
    overlap_average a;
    overlap_share share[WIDE];
    for (size_t n = 0; n < WIDE; n++)
        share[n] = (overlap_share){.count = 1, .share = 0.5};
    assert_int_equal(overlap_average_create(&a, 1, WIDE), 0);
#pragma omp parallel for num_threads(4)
    for (size_t k = 0; k < ADDED; k++)
        overlap_average_add(&a, 0, WIDE, share);
    assert_true(a.row[0].samples == ADDED && a.row[0].pairs == ADDED * WIDE);
    for (size_t n = 0; n < WIDE; n++)
        assert_true(a.bin[n].count == ADDED && a.bin[n].share == (uint64_t)ADDED << 39);
    overlap_average_destroy(&a);
}

/* Runs of weights 1, 3 and 4 with 10, 20 and 20 pairs, one that died out, and a heavy one without pairs. */
static void runs_have_their_weights(void **state) {
    (void)state;
    enum { RUNS = 5 };
    static const double weight[RUNS] = {1, 3, 4, 0, 100}, of_run[RUNS] = {10, 20, 20, 0, 0};
    static const uint32_t in_first[RUNS] = {5, 4, 20, 0, 0};
    const spin_model model = parameters_model(&given);
    weighted_average w;
    overlap_record r;
    overlap_share share[BINS];
    double all;
    size_t runs;
    weighted_start(&w);
    overlap_record_start(&r, &model);
    assert_int_equal(r.bins, BINS);
    for (size_t run = 0; run < RUNS; run++) {
        const observables row = {.beta_f = -log(weight[run]), .population = 100};
        overlap_row *const overlaps = calloc(1, sizeof *overlaps);
        overlap_record one = {BINS, overlaps, calloc(BINS, sizeof *one.bin), weight[run] > 0, 1};
        overlaps->pairs = of_run[run];
        one.bin[0].count = in_first[run];
        one.bin[1].count = (uint32_t)of_run[run] - in_first[run];
        assert_int_equal(weighted_add(&w, &row, weight[run] > 0, 1), 0);
        assert_int_equal(overlap_record_append(&r, &one, 1), 0);
        overlap_record_end(&one);
    }
    assert_int_equal(overlap_record_shares(&r, &w, 0, share, &all, &runs), 0);
    assert_true(all == 50 && runs == 3);
    assert_true(share[0].count == 29 && share[1].count == 21 && share[2].count == 0);
    assert_true(fabs(share[0].share - (0.5 + 3 * 0.2 + 4) / 8) < 1e-12);
    assert_true(fabs(share[1].share - (0.5 + 3 * 0.8) / 8) < 1e-12);
    /* Jackknife over all five runs, two of which change nothing. */
    const double p = share[0].share, without[RUNS] = {4.6 / 7, 4.5 / 5, 1.1 / 4, p, p};
    double mean = 0, squares = 0;
    for (size_t run = 0; run < RUNS; run++)
        mean += without[run] / RUNS;
    for (size_t run = 0; run < RUNS; run++)
        squares += pow(without[run] - mean, 2) * (RUNS - 1) / RUNS;
    const double needed = 64 / (1 / 10.0 + 9 / 20.0 + 16 / 20.0);
    assert_true(fabs(share[0].error - sqrt(squares)) < 1e-12); /* half of the pairs are many */
    assert_true(fabs(share[2].error - 1.545 / needed) < 1e-12);
    weighted_end(&w);
    overlap_record_end(&r);
}

/* --- files --- */

typedef struct {
    overlap_share of[ROWS][BINS];
    double pairs[ROWS], samples[ROWS];
} histograms;

/* Reads a file of histograms, as a reader would who knows the guide. */
static void read_histograms(const char *path, histograms *h) {
    FILE *const file = fopen(path, "r");
    char line[400];
    size_t row = SIZE_MAX, links = 0;
    memset(h, 0, sizeof *h);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        double x, beta, kind;
        overlap_share s;
        if (sscanf(line, "# beta = %lf: P(%*[^)]) of %lf pairs of %lf", &beta, &x, &s.count) >= 2) {
            links = strstr(line, "P(q_l)") != NULL;
            row += !links;
            assert_true(row < ROWS && fabs(beta - 0.1 * (double)row) < 1e-9);
            h->pairs[row] = x;
            h->samples[row] = s.count;
        } else if (sscanf(line, "%lf %lf %lf %lf %lf %lf", &beta, &kind, &x, &s.count, &s.share,
                          &s.error) == 6) {
            assert_true(fabs(beta - 0.1 * (double)row) < 1e-9 && kind == (double)links);
            h->of[row][links * (ALL_SITES + 1) + (size_t)lround((1 - x) * 8)] = s;
        }
    }
    fclose(file);
    assert_int_equal(row, ROWS - 1);
}

static void make(parameters p, char said[600]) {
    char shown[600];
    int number;
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    const exit_status status = samples_make(&p, &number);
    capture_end(&err, said, 600);
    capture_end(&out, shown, sizeof shown);
    assert_int_equal(status, STATUS_OK);
}

static void path_of(char path[100], uint32_t n, const char *file) {
    char name[SAMPLE_NAME_SIZE];
    snprintf(path, 100, "all/%s/%s", result_name_of_sample(name, FIRST + n), file);
}

static void histograms_are_means_of_those_of_the_files(void **state) {
    (void)state;
    static histograms one[SAMPLES], all;
    char said[600], path[100];
    for (uint32_t runs = 1; runs <= 2; runs++) {
        parameters p = given;
        p.runs = runs;
        p.population = 300;
        make(p, said);
        read_histograms("all/" DISORDER_OVERLAP_FILE, &all);
        for (uint32_t s = 0; s < SAMPLES; s++) {
            path_of(path, s, runs > 1 ? OVERLAP_FILE : "PA_overlap_run_0.dat");
            read_histograms(path, &one[s]);
        }
        for (size_t i = 0; i < ROWS; i++) {
            double of_pairs = 0;
            for (size_t s = 0; s < SAMPLES; s++)
                of_pairs += one[s].pairs[i];
            assert_true(all.pairs[i] == of_pairs && all.samples[i] == SAMPLES);
            for (size_t n = 0; n < BINS; n++) {
                sample x = {0};
                double count = 0;
                for (size_t s = 0; s < SAMPLES; s++) {
                    sample_add(&x, one[s].of[i][n].share);
                    count += one[s].of[i][n].count;
                }
                assert_true(all.of[i][n].count == count);
                assert_true(fabs(all.of[i][n].share - x.mean) < 1e-10);
                if (count > 0 && count < of_pairs)
                    assert_true(all.of[i][n].error >= sqrt(sample_variance(&x) / SAMPLES) - 1e-10 &&
                                all.of[i][n].error <=
                                    hypot(sqrt(sample_variance(&x) / SAMPLES), 1.545 / of_pairs) +
                                        1e-10);
            }
        }
        assert_int_equal(system("rm -r all"), 0);
    }
}

/* The couplings of a sample. */
static spin_model model_of(uint32_t n, couplings *glass) {
    parameters p = given;
    exit_status status;
    p.sample = FIRST + n;
    assert_non_null(parameters_couplings(&p, glass, &status));
    return parameters_model(&p);
}

/* Compares the averages at some temperatures with the enumeration, at temperatures that are off by so much. */
static z_series compare(double off) {
    enum { EVERY = 5 };
    static histograms one[SAMPLES], all;
    char path[100];
    z_series z = z_begin("averages over samples", (ROWS / EVERY + 1) * BINS);
    read_histograms("all/" DISORDER_OVERLAP_FILE, &all);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        path_of(path, s, "PA_overlap_run_0.dat");
        read_histograms(path, &one[s]);
    }
    for (size_t i = 0; i < ROWS; i += EVERY) {
        double exact[BINS] = {0}, squares[BINS] = {0};
        for (uint32_t s = 0; s < SAMPLES; s++) {
            couplings glass;
            const spin_model model = model_of(s, &glass);
            const exact_overlaps e = all_overlaps(&glass, 0.1 * (double)i + off, &model);
            for (size_t n = 0; n < BINS; n++) {
                exact[n] += (n <= ALL_SITES ? e.differ[n] : e.walls[n - ALL_SITES - 1]) / SAMPLES;
                squares[n] += pow(one[s].of[i][n].error / SAMPLES, 2);
            }
            couplings_destroy(&glass);
        }
        for (size_t n = 0; n < BINS; n++) {
            const double share = all.of[i][n].share, count = exact[n] * all.pairs[i];
            z_add(&z,
                  count < 100 ? (all.of[i][n].count > 100 + 60 ? INFINITY : 0)
                              : z_of_student((share - exact[n]) / sqrt(squares[n]), 16),
                  "bin %zu of row %zu: %g(%g), exact %g", n, i, share, sqrt(squares[n]), exact[n]);
        }
    }
    return z;
}

static void histograms_are_those_of_all_states(void **state) {
    (void)state;
    char said[600];
    parameters p = given;
    make(p, said);
    const z_series z = compare(0), control = compare(0.05);
    assert_true(z_passed(&z) && z_detected(&control));
}

/* Ground energy and ln Z of a sample. */
static double ground_energy(const couplings *glass, double beta, double *ln_z) {
    double z = 0;
    uint32_t least = 4 * ALL_SITES;
    for (uint32_t state = 0; state < ALL_STATES; state++) {
        const uint32_t u = all_unsatisfied(state, glass);
        least = u < least ? u : least;
        z += exp(beta * (2.0 * ALL_SITES - 2 * u));
    }
    *ln_z = log(z);
    return 2.0 * least - 2 * ALL_SITES;
}

static void read_columns(data_columns *d, const char *path, const char *const name[], size_t n,
                         size_t rows) {
    assert_int_equal(data_columns_read(d, path, name, n), STATUS_OK);
    assert_int_equal(d->rows, rows);
}

/* Columns of a row of SAMPLES_FILE: of the sample, and the last row of its own averages. */
enum { NUMBER, CRC, TEMPERATURES, E_0, REPLICAS, FAMILIES, LN_Z, ERR_LN_Z, OWN };
enum { E, Q2, XI, ERR_Q4, RHO_T, RHO_S, S_F, OF_SAMPLE, SHOWN = OWN + OF_SAMPLE };
static const char *const shown[SHOWN] = {
    "sample", "couplings", "temperatures", "E_0",    "replicas_0", "families_0", "lnZ", "err_lnZ",
    "e",      "q2",        "xi/L",         "err_q4", "rho_t",      "rho_s",      "S_f"};

/* The row of sample s beside the exact values of its couplings, and those of 1.05 times the couplings. */
static void claim_exact_row(uint32_t s, const double x[SHOWN], z_series *z, z_series *control) {
    double ln_z;
    couplings glass;
    model_of(s, &glass);
    assert_true(x[E_0] == ground_energy(&glass, 1, &ln_z));
    z_add(z, (x[LN_Z] - ln_z) / x[ERR_LN_Z], "sample %" PRIu32 ": %g, exact %g", s, x[LN_Z], ln_z);
    ground_energy(&glass, 1.05, &ln_z);
    z_add(control, (x[LN_Z] - ln_z) / x[ERR_LN_Z], "sample %" PRIu32, s);
    assert_true(x[NUMBER] == FIRST + s && x[CRC] == couplings_fingerprint(&glass));
    assert_true(x[TEMPERATURES] == ROWS);
    couplings_destroy(&glass);
}

/* The row of sample s beside the files of this sample. */
static void claim_row_of_files(uint32_t s, const double x[SHOWN]) {
    char path[100];
    double replicas, families;
    data_columns own;
    path_of(path, s, WEIGHTED_FILE);
    read_columns(&own, path, shown + OWN, OF_SAMPLE, ROWS);
    for (size_t n = 0; n < OF_SAMPLE; n++)
        assert_true(memcmp(&x[OWN + n], &own.value[(ROWS - 1) * OF_SAMPLE + n], 8) == 0);
    free(own.value);
    path_of(path, s, "PA_ground_state_run_0.dat");
    const char *const found = strstr(read_file(path), "# replicas with it: ");
    assert_int_equal(
        sscanf(found, "# replicas with it: %lf\n# families with it: %lf", &replicas, &families), 2);
    assert_true(x[REPLICAS] == replicas && x[FAMILIES] == families && families > 0);
}

/* The averages of E_0 and rho_s beside their means over the rows. */
static void claim_averages(const sample *energies, const sample *sizes) {
    static const char *const lowest[] = {"E_min", "err_E_min", "rho_s", "err_rho_s"};
    const double error = sqrt(sample_variance(energies) / SAMPLES);
    const char *const mean =
        strstr(read_file("all/" SAMPLES_FILE), "# mean of E_0 over the samples: ");
    double of_header[2];
    data_columns averages;
    assert_int_equal(
        sscanf(mean, "# mean of E_0 over the samples: %lf, error %lf", of_header, of_header + 1),
        2);
    assert_true(fabs(of_header[0] - energies->mean) < 1e-9 && fabs(of_header[1] - error) < 1e-9);
    read_columns(&averages, "all/" DISORDER_FILE, lowest, 4, ROWS);
    const double *const last = averages.value + (ROWS - 1) * 4;
    assert_true(fabs(last[0] - energies->mean) < 1e-9 && fabs(last[1] - error) < 1e-9);
    assert_true(fabs(last[2] - sizes->mean) < 1e-9);
    assert_true(fabs(last[3] - sqrt(sample_variance(sizes) / SAMPLES)) < 1e-9);
    assert_true(isnan(averages.value[3])); /* at beta = 0 all families have one member */
    free(averages.value);
}

/* Writes 0 replicas with the lowest energy at the last temperature into the file of sample 0, and seals it again. */
static void lose_the_lowest_energy(void) {
    char path[100], text[300];
    checked_text sum;
    path_of(path, 0, "PA_ground_state_run_0.dat");
    snprintf(text, sizeof text, "sed -i '/^# crc32/d; s/\\(last temperature: \\).*/\\10/' %s",
             path);
    assert_int_equal(system(text), 0);
    snprintf(text, sizeof text, "%s.1", path);
    FILE *const sealed = fopen(text, "w");
    fputs(read_file(path), checked_text_begin(&sum, sealed));
    assert_true(checked_text_end(&sum) && fclose(sealed) == 0 && rename(text, path) == 0);
}

static void rows_are_those_of_the_samples(void **state) {
    (void)state;
    char said[600];
    data_columns rows;
    sample energies = {0}, sizes = {0};
    z_series z = z_begin("ln Z of samples", SAMPLES), control = z_begin("ln Z of others", SAMPLES);
    parameters p = given;
    make(p, said);
    read_columns(&rows, "all/" SAMPLES_FILE, shown, SHOWN, SAMPLES);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        const double *const x = rows.value + s * SHOWN;
        claim_exact_row(s, x, &z, &control);
        claim_row_of_files(s, x);
        sample_add(&energies, x[E_0]);
        sample_add(&sizes, x[OWN + RHO_S]);
    }
    free(rows.value);
    assert_true(z_passed(&z) && z_detected(&control));
    claim_averages(&energies, &sizes);
    lose_the_lowest_energy();
    assert_int_equal(system("rm all/" SAMPLES_FILE), 0);
    make(p, said);
    read_columns(&rows, "all/" SAMPLES_FILE, shown + REPLICAS, 1, SAMPLES);
    assert_true(rows.value[0] == 0 && rows.value[1] > 0);
    free(rows.value);
}

/* Energies of samples that are all alike have no error. */
static void samples_that_agree_have_none(void **state) {
    (void)state;
    char said[600];
    data_columns d;
    parameters p = given;
    p.ferromagnetic = 1;
    p.population = 1000;
    make(p, said);
    read_columns(&d, "all/" DISORDER_FILE, (const char *[]){"E_min", "err_E_min"}, 2, ROWS);
    assert_true(d.value[2 * (ROWS - 1)] == -32 && isnan(d.value[2 * (ROWS - 1) + 1]));
    assert_non_null(
        strstr(read_file("all/" SAMPLES_FILE), "# mean of E_0 over the samples: -32, error nan"));
    free(d.value);
}

static void few_digits_make_no_histograms(void **state) {
    (void)state;
    char said[600];
    for (int precision = 1; precision <= 2; precision++) {
        parameters p = given;
        p.precision = precision;
        p.population = 100;
        p.size.edge[0] = 16;
        p.beta_end = 0.2;
        make(p, said);
        assert_int_equal(access("all/" SAMPLES_FILE, F_OK), 0);
        assert_int_equal(access("all/" DISORDER_OVERLAP_FILE, F_OK), precision == 2 ? 0 : -1);
        assert_int_equal(system("rm -r all"), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_count_alike),
        cmocka_unit_test(threads_add_together),
        cmocka_unit_test(runs_have_their_weights),
        TEST_IN_SCRATCH(histograms_are_means_of_those_of_the_files),
        TEST_IN_SCRATCH(histograms_are_those_of_all_states),
        TEST_IN_SCRATCH(rows_are_those_of_the_samples),
        TEST_IN_SCRATCH(samples_that_agree_have_none),
        TEST_IN_SCRATCH(few_digits_make_no_histograms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
