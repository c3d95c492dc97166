/* Claims about saved populations (--save-spins, --load-spins):
 *  - the files are .npy files: their headers are those of NumPy, byte by byte, and files that are cut off, longer, or of
 *    another type, order or shape are none; names of such files are known, and others are not;
 *  - spins stand row by row, a bit each: energies recomputed from the spins and the couplings in the result's own files
 *    are those of the file of energies, of each lattice, coding and run; in another order of sites they are not;
 *  - mean energy, replicas and families are those of the row of the first temperature step at or above the one asked for;
 *  - each sample has files of its own;
 *  - a run that is begun with them has the same spins and energies, and its families; energies and ln Z at lower
 *    temperatures are those of all states of a 4 x 4 lattice, ln Z less that of the start; control: of another temperature;
 *  - populations of other couplings, another lattice, another type, too many replicas, and families that do not rise are
 *    refused, and what fits is not; so are pipes and devices, for which nothing waits;
 *  - a disk without room is told beforehand.
 * Statistical tests have fixed seeds and the false-alarm probability of statistics.h. */
#include "base/npy.h"
#include "engine/site_order.h"
#include "files/data_columns.h"
#include "files/result_names.h"
#include "files/spins_files.h"
#include "method/samples.h"
#include "validate/lib/all_states.h"
#include "validate/lib/capture.h"
#include "validate/lib/whole_simulation.h"

#include <inttypes.h>

/* Behind what has samples of its own. */
#include "validate/lib/statistics.h"

static const parameters given = {.stripes = 1,
                                 .model = 2, /* glass2d */
                                 .size = {{ALL_EDGE, ALL_EDGE}},
                                 .population = 2000,
                                 .sweeps = 5,
                                 .beta_end = 1,
                                 .dbeta = 0.1,
                                 .runs = 1,
                                 .seed = 5,
                                 .precision = 12,
                                 .output = "out",
                                 .save_spins = "0.45,1",
                                 .coding = CODING_SSC,
                                 .device = DEVICE_CPU,
                                 .word = 32,
                                 .disorder = 9,
                                 .ferromagnetic = 0.5,
                                 .samples = 1};

static void make_silently(parameters *p) {
    char said[600], shown[600];
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    make_result(p);
    capture_end(&err, said, sizeof said);
    capture_end(&out, shown, sizeof shown);
}

/* --- files --- */

static void headers_are_those_of_numpy(void **state) {
    (void)state;
    static const char *const known[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (299, 24), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (7,), }"};
    char text[300], expected[200] = "\x93NUMPY\x01\0v";
    npy_shape shape;
    FILE *file = fmemopen(text, sizeof text, "w+");
    npy_write(file, (npy_shape){NPY_BYTE, 299, 24});
    assert_int_equal(ftell(file), 128);
    fclose(file);
    snprintf(expected + 10, sizeof expected - 10, "%-117s\n", known[0]);
    assert_memory_equal(text, expected, 128);
    file = fmemopen(text, sizeof text, "w+");
    npy_write(file, (npy_shape){"<u4", 7, 0});
    fclose(file);
    snprintf(expected + 10, sizeof expected - 10, "%-117s\n", known[1]);
    assert_memory_equal(text, expected, 128);
    /* Reading. */
    file = fopen("a", "w+");
    npy_write(file, (npy_shape){NPY_BYTE, 5, 3});
    fwrite("abcdefghijklmno", 1, 15, file);
    assert_true(npy_read(file, &shape) && shape.rows == 5 && shape.columns == 3 &&
                npy_begins(file));
    assert_true(npy_read(file, &shape) && fgetc(file) == 'a');
    fseek(file, 0, SEEK_END);
    fputc('p', file);
    assert_false(npy_read(file, &shape)); /* longer */
    assert_int_equal(ftruncate(fileno(file), 128 + 14), 0);
    assert_false(npy_read(file, &shape)); /* cut off */
    assert_true(npy_begins(file));
    assert_int_equal(ftruncate(fileno(file), 100), 0);
    assert_false(npy_read(file, &shape));
    fclose(file);
    static const char *const wrong[] = {
        "{'descr': '|u1', 'fortran_order': True, 'shape': (5, 3), }",
        "{'descr': '|u1', 'shape': (5, 3), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 3, 1), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 3), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 0), }",
        "{}"};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        file = fopen("a", "w+");
        fwrite("\x93NUMPY\x01\0v\0", 1, 10, file);
        fprintf(file, "%-117s\n%15s", wrong[n], "");
        assert_false(npy_read(file, &shape));
        fclose(file);
    }
}

static void names_are_known(void **state) {
    (void)state;
    char name[RESULT_NAME_MOST];
    double beta;
    static const char *const others[] = {
        "PA_spins_run_0_beta_.npy",       "PA_spins_run__beta_0.5.npy",
        "PA_spins_run_0_beta_0.5.np",     "PA_spin_run_0_beta_0.5.npy",
        "PA_spins_run_0_beta_x.npy",      "spins_run_0_beta_0.5.npy",
        "PA_spins_run_0_beta_0.5.npy.npy"};
    static const double betas[] = {0, 1, 0.5, 3 * 0.1, 1e-7, 1000};
    for (size_t n = 0; n < sizeof betas / sizeof *betas; n++) {
        result_name_of_array(name, n % 2 ? "energies" : "families", UINT32_MAX, betas[n]);
        assert_true(result_name_is_array(name) && result_name_is(name) &&
                    !result_name_is_data(name));
        assert_true(saved_name_beta(name, &beta) && fabs(beta - betas[n]) <= 1e-15 * betas[n]);
    }
    assert_string_equal(result_name_of_array(name, "spins", 3, 3 * 0.1),
                        "PA_spins_run_3_beta_0.3.npy");
    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        assert_false(result_name_is_array(others[n]));
}

static void orders_are_inverse(void **state) {
    (void)state;
    static const uint32_t edges[] = {4, 6, 8};
    const spin_model model = glass3d_kind.create(edges);
    site_order order;
    uint8_t even_first[24], row_wise[24], again[24];
    assert_int_equal(site_order_create(&order, &model), 0);
    for (uint32_t z = 0; z < 8; z++)
        for (uint32_t y = 0; y < 6; y++)
            for (uint32_t x = 0; x < 4; x++) {
                const uint32_t i = (x + y + z) % 2 * 96 + (z * 6 + y) * 2 + x / 2,
                               site = (z * 6 + y) * 4 + x;
                memset(even_first, 0, sizeof even_first);
                even_first[i / 8] = (uint8_t)(1 << i % 8);
                site_order_unpack(&order, even_first, row_wise, 1);
                for (uint32_t s = 0; s < 192; s++)
                    assert_int_equal(row_wise[s / 8] >> s % 8 & 1, s == site);
                site_order_pack(&order, row_wise, again, 1);
                assert_memory_equal(again, even_first, sizeof again);
            }
    site_order_destroy(&order);
}

/* --- what is saved --- */

/* Reads a population of a result. */
static saved_spins read_saved(const parameters *p, const char *folder, uint32_t run, double beta) {
    const spin_model model = parameters_model(p);
    char name[RESULT_NAME_MOST], path[300];
    saved_spins s;
    snprintf(path, sizeof path, "%s/%s", folder, result_name_of_array(name, "spins", run, beta));
    assert_int_equal(results_read_spins(&s, path, &model, 1000000), STATUS_OK);
    assert_true(s.energies != NULL && s.families != NULL);
    return s;
}

/* The energy of a replica, from its spins row by row, x fastest. swapped: x and y are exchanged, a planted fault. */
static int64_t energy_of(const couplings *c, const uint8_t *spins, bool swapped) {
    int64_t energy = 0;
    for (uint64_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < c->dimension; d++) {
            const uint64_t other = couplings_neighbour(c, site, d);
            const uint64_t plane = (uint64_t)c->edge[0] * c->edge[1];
            uint64_t at[2] = {site, other};
            for (size_t n = 0; n < 2 && swapped; n++)
                at[n] = at[n] - at[n] % plane + at[n] % c->edge[0] * c->edge[1] +
                        at[n] % plane / c->edge[0];
            const bool differ =
                ((spins[at[0] / 8] >> at[0] % 8) ^ (spins[at[1] / 8] >> at[1] % 8)) & 1;
            energy -= couplings_sign(c, site, d) * (differ ? -1 : 1);
        }
    return energy;
}

static void check_saved(const parameters *p, const char *folder, uint32_t run, double beta,
                        size_t row) {
    static const char *const columns[] = {"beta", "e", "R", "families"};
    const spin_model model = parameters_model(p);
    saved_spins s = read_saved(p, folder, run, beta);
    couplings c;
    data_columns d;
    char path[300];
    double sum = 0, families = 1;
    size_t wrong = 0, swapped = 0;
    snprintf(path, sizeof path, "%s/" COUPLINGS_FILE, folder);
    assert_int_equal(couplings_read(&c, model.dimension, model.edge, (bond_reading){0}, path),
                     STATUS_OK);
    for (uint64_t n = 0; n < s.replicas; n++) {
        const uint8_t *const spins = s.spins + n * model_packed_bytes(&model);
        wrong += energy_of(&c, spins, false) != s.energies[n];
        swapped += energy_of(&c, spins, true) != s.energies[n];
        sum += (double)s.energies[n];
        assert_true(n == 0 || s.families[n] >= s.families[n - 1]);
        families += n > 0 && s.families[n] != s.families[n - 1];
    }
    assert_int_equal(wrong, 0);
    assert_true(swapped > s.replicas / 4); /* control */
    snprintf(path, sizeof path, "%s/PA_results_run_%" PRIu32 ".dat", folder, run);
    assert_int_equal(data_columns_read(&d, path, columns, 4), STATUS_OK);
    const double *const x = d.value + 4 * row;
    assert_true(fabs(x[0] - beta) < 1e-9);
    assert_true(fabs(x[1] - sum / (double)s.replicas / (double)model.sites) < 1e-9);
    assert_true(x[2] == (double)s.replicas && x[3] == families);
    free(d.value);
    couplings_destroy(&c);
    saved_spins_destroy(&s);
}

static void spins_have_their_energies(void **state) {
    (void)state;
    static const struct {
        uint32_t model;
        lattice_size size;
        spin_coding coding;
    } cases[] = {{2, {{ALL_EDGE, ALL_EDGE}}, CODING_SSC},
                 {2, {{6, 10}}, CODING_SSC},
                 {2, {{16, 32}}, CODING_MSC},
                 {3, {{4, 6, 8}}, CODING_MSC},
                 {3, {{8, 4, 6}}, CODING_SSC}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        parameters p = given;
        p.model = cases[n].model;
        p.size = cases[n].size;
        p.coding = cases[n].coding;
        p.population = 200;
        p.runs = 2;
        make_silently(&p);
        for (uint32_t run = 0; run < 2; run++) {
            check_saved(&p, "out", run, 0.5, 5);
            check_saved(&p, "out", run, 1, 10);
        }
        assert_int_equal(access("out/PA_spins_run_0_beta_0.4.npy", F_OK), -1);
        assert_non_null(strstr(read_file("out/run.json"), "\"data_files\": 21")); /* 12 arrays */
        assert_int_equal(system("rm -r out"), 0);
    }
}

static void samples_have_their_own(void **state) {
    (void)state;
    char said[900], shown[600];
    int number;
    parameters p = given;
    p.samples = 3;
    p.population = 100;
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    assert_int_equal(samples_make(&p, &number), STATUS_OK);
    capture_end(&err, said, sizeof said);
    capture_end(&out, shown, sizeof shown);
    assert_non_null(
        strstr(said, "--save-spins 0.45,1: 18 files of 8400 bytes together, at beta = 0.5, 1\n"));
    p.samples = 1;
    for (p.sample = 0; p.sample < 3; p.sample++) {
        char folder[40];
        snprintf(folder, sizeof folder, "out/sample_%04" PRIu32, p.sample);
        check_saved(&p, folder, 0, 0.5, 5);
    }
    /* One that was cut off is made again. */
    assert_int_equal(
        system("cp -r out kept && truncate -s 200 out/sample_0001/PA_spins_run_0_beta_1.npy"), 0);
    p.sample = 0;
    p.samples = 3;
    out = capture_begin(STDOUT_FILENO);
    err = capture_begin(STDERR_FILENO);
    assert_int_equal(samples_make(&p, &number), STATUS_OK);
    capture_end(&err, said, sizeof said);
    capture_end(&out, shown, sizeof shown);
    assert_int_equal(system("diff -rq -x run.json kept out >diff"), 0);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    parameters p = given;
    uint64_t files;
    char said[600];
    assert_int_equal(results_spins_bytes(&p, &files), 2 * 2000 * (2 + 8 + 4));
    assert_int_equal(files, 6);
    p.runs = 1000000;
    p.population = UINT64_C(4000000000);
    capture err = capture_begin(STDERR_FILENO);
    assert_int_equal(results_check_spins(&p, "."), STATUS_REFUSED);
    capture_end(&err, said, sizeof said);
    assert_non_null(strstr(
        said, "6000000 files of 112000000000000000 bytes together, and the disk of . has room"));
    p.save_spins = NULL;
    assert_int_equal(results_check_spins(&p, "."), STATUS_OK);
    assert_int_equal(results_spins_bytes(&p, &files), 0);
}

/* --- loaded --- */

#define START "out/PA_spins_run_0_beta_0.5.npy"

static parameters loading(const char *path) {
    parameters p = given;
    p.load_spins = path;
    p.output = "loaded";
    p.force = true;
    assert_int_equal(parameters_read_files(&p), STATUS_OK);
    return p;
}

static void a_loaded_population_is_the_same(void **state) {
    (void)state;
    static const struct {
        lattice_size size;
        spin_coding coding;
    } cases[] = {{{{6, 10}}, CODING_SSC}, {{{16, 32}}, CODING_MSC}};
    for (size_t n = 0; n < 2; n++) {
        parameters p = given;
        p.size = cases[n].size;
        p.coding = cases[n].coding;
        make_silently(&p);
        saved_spins before = read_saved(&p, "out", 0, 0.5);
        p = loading(START);
        p.size = cases[n].size;
        p.coding = cases[n].coding;
        p.save_spins = "0.5";
        assert_true(p.beta_start == 0.5);
        make_silently(&p);
        saved_spins after = read_saved(&p, "loaded", 0, 0.5);
        const spin_model model = parameters_model(&p);
        assert_int_equal(after.replicas, before.replicas);
        assert_memory_equal(after.spins, before.spins,
                            before.replicas * model_packed_bytes(&model));
        assert_memory_equal(after.energies, before.energies,
                            before.replicas * sizeof *before.energies);
        for (uint64_t k = 0, first = 0; k < before.replicas; k++) {
            first = k > 0 && before.families[k] != before.families[k - 1] ? k : first;
            assert_int_equal(after.families[k], first);
        }
        saved_spins_destroy(&before);
        saved_spins_destroy(&after);
        assert_int_equal(system("rm -r out loaded"), 0);
    }
}

static void exact_values(const couplings *glass, double beta, double *e, double *ln_z) {
    double z = 0, sum = 0;
    for (uint32_t spins = 0; spins < ALL_STATES; spins++) {
        const double energy = 2.0 * all_unsatisfied(spins, glass) - 2 * ALL_SITES;
        z += exp(-beta * energy);
        sum += energy * exp(-beta * energy);
    }
    *e = sum / z / ALL_SITES;
    *ln_z = log(z);
}

/* Energy and ln Z less that of beta = 0.5, of a loaded run, at temperatures that are off by so much. */
static z_series compare(double off) {
    static const char *const columns[] = {"beta", "e", "err_e", "betaF/N", "err_betaF/N", "blocks"};
    z_series z = z_begin("a loaded population", 10);
    data_columns d;
    couplings c;
    double e, ln_z, start;
    assert_int_equal(data_columns_read(&d, "loaded/PA_results_run_0.dat", columns, 6), STATUS_OK);
    assert_int_equal(d.rows, 6);
    assert_int_equal(couplings_read(&c, 2, (const uint32_t[]){ALL_EDGE, ALL_EDGE, 1},
                                    (bond_reading){0}, "loaded/" COUPLINGS_FILE),
                     STATUS_OK);
    exact_values(&c, 0.5, &e, &start);
    assert_true(d.value[3] == 0);
    for (size_t i = 1; i < 6; i++) {
        const double *const x = d.value + 6 * i;
        exact_values(&c, x[0] + off, &e, &ln_z);
        z_add(&z, z_of_student((x[1] - e) / x[2], x[5] - 1), "e at %g: %g(%g), exact %g", x[0],
              x[1], x[2], e);
        z_add(&z, z_of_student((x[3] + (ln_z - start) / ALL_SITES) / x[4], x[5] - 1),
              "betaF/N at %g: %g(%g), exact %g", x[0], x[3], x[4], (start - ln_z) / ALL_SITES);
    }
    free(d.value);
    couplings_destroy(&c);
    return z;
}

static void it_is_annealed_as_all_states_are(void **state) {
    (void)state;
    parameters p = given;
    p.population = 20000;
    make_silently(&p);
    p = loading(START);
    p.population = 20000;
    make_silently(&p);
    assert_non_null(
        strstr(read_file("loaded/PA_results_run_0.dat"), "# begun with a saved population"));
    assert_non_null(strstr(read_file("loaded/PA_ground_state_run_0.dat"),
                           "global flips among them: nan +- nan\n"));
    const z_series z = compare(0), control = compare(0.05);
    assert_true(z_passed(&z) && z_detected(&control));
}

/* Begins with `path`: what is said, and the status. */
static exit_status begin(parameters p, char said[900]) {
    couplings c;
    exit_status status;
    engine_pool engines;
    result_folder folder;
    char shown[900];
    int number;
    const couplings *const drawn = parameters_couplings(&p, &c, &status);
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    assert_int_equal(pool_create(&engines, &p, drawn, method_of(&p)->bytes(&p)), STATUS_OK);
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    status = method_of(&p)->run(&p, &engines, &folder, &number);
    result_folder_close(&folder);
    pool_destroy(&engines);
    couplings_destroy(&c);
    capture_end(&err, said, 900);
    capture_end(&out, shown, sizeof shown);
    return status;
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    char said[900];
    parameters p = given;
    make_silently(&p);
    p = loading(START);
    assert_int_equal(begin(p, said), STATUS_OK);
    p.disorder++;
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "another lattice, or other couplings"));
    p = loading(START);
    p.size.edge[1] = 6;
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(
        said, "2 bytes a replica, of 9 to 16 sites; the lattice of this run (-L) has 3 bytes"));
    p = loading(START);
    p.population = 1000;
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "for which -R has room"));
    p = loading("out/PA_energies_run_0_beta_0.5.npy");
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "type <i8"));
    p = loading("out/" COUPLINGS_FILE);
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "no whole .npy file"));
    /* Families whose numbers fall once. */
    assert_int_equal(system("cp out/PA_families_run_0_beta_0.5.npy kept && printf '\\377' | dd "
                            "of=out/PA_families_run_0_"
                            "beta_0.5.npy bs=1 seek=139 conv=notrunc 2>/dev/null"),
                     0);
    p = loading(START);
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "do not rise"));
    /* Nothing waits for a pipe, or reads a device without an end. */
    assert_int_equal(system("mv out/PA_energies_run_0_beta_0.5.npy kept && mkfifo pipe "
                            "out/PA_energies_run_0_beta_0.5.npy"),
                     0);
    alarm(60);
    assert_int_equal(begin(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "PA_energies_run_0_beta_0.5.npy: not a file"));
    static const char *const endless[] = {"pipe", "/dev/zero"};
    for (size_t n = 0; n < sizeof endless / sizeof *endless; n++) {
        p = given;
        p.load_spins = endless[n];
        capture refusal = capture_begin(STDERR_FILENO);
        assert_int_equal(parameters_read_files(&p), STATUS_REFUSED);
        capture_end(&refusal, said, sizeof said);
        assert_non_null(strstr(said, ": not a file"));
    }
    alarm(0);
    p = loading(START);
    /* Without the files beside it: each replica a family, and a warning. */
    assert_int_equal(system("rm out/PA_families* out/PA_energies*"), 0);
    assert_int_equal(begin(p, said), STATUS_OK);
    assert_non_null(strstr(said, "no energies beside it"));
    saved_spins s = read_saved(&p, "loaded", 0, 0.5);
    assert_int_equal(s.families[s.replicas - 1], s.replicas - 1);
    saved_spins_destroy(&s);
    /* Temperatures. */
    capture err = capture_begin(STDERR_FILENO);
    p.beta_start = 0.6;
    assert_int_equal(parameters_read_files(&p), STATUS_REFUSED);
    p.load_spins = "none.npy";
    assert_int_equal(parameters_read_files(&p), STATUS_REFUSED);
    capture_end(&err, said, sizeof said);
    assert_non_null(strstr(said, "its population is of beta = 0.5; -b 0.6 is another one"));
    assert_int_equal(system("mv " START " mine.npy"), 0);
    p.load_spins = "mine.npy";
    assert_int_equal(parameters_read_files(&p), STATUS_OK);
    assert_true(p.beta_start == 0.6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(headers_are_those_of_numpy),
        cmocka_unit_test(names_are_known),
        cmocka_unit_test(orders_are_inverse),
        TEST_IN_SCRATCH(spins_have_their_energies),
        TEST_IN_SCRATCH(samples_have_their_own),
        TEST_IN_SCRATCH(a_full_disk_is_told),
        TEST_IN_SCRATCH(a_loaded_population_is_the_same),
        TEST_IN_SCRATCH(it_is_annealed_as_all_states_are),
        TEST_IN_SCRATCH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
