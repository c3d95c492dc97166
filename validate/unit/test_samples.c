/* Claims about samples of the disorder: averages are taken before ratios, and their errors are those of leaving out
 * one sample each; samples are simulated with numbers of their own; a sample has the same bytes alone and with others
 * in flight, any number of them; the file of averages has what the files of the samples have; samples that are there
 * stay, also when more are asked for, and those of another simulation are refused; what a killed process has left of one
 * that is whole is finished, and of others made again; a sample that fails is said to be missing, and does not end the
 * others. */
#include "device/pool.h"
#include "engine/streams.h"
#include "estimate/disorder_average.h"
#include "files/data_columns.h"
#include "files/result_names.h"
#include "method/samples.h"
#include "method/simulation.h"
#include "method/simulation_results.h"
#include "settings/plans.h"
#include "validate/lib/capture.h"
#include "validate/lib/whole_simulation.h"

#include <inttypes.h>
#include <math.h>

#define GLASS_3D 3 /* in model_kinds */
#define SAMPLES  5

static const parameters given = {.stripes = 1,
                                 .model = GLASS_3D,
                                 .size = {{4}},
                                 .population = 300,
                                 .sweeps = 2,
                                 .beta_end = 1,
                                 .dbeta = 0.125,
                                 .runs = 1,
                                 .seed = 11,
                                 .precision = 12,
                                 .output = "all",
                                 .coding = CODING_MSC,
                                 .device = DEVICE_CPU,
                                 .word = 32,
                                 .disorder = 3,
                                 .ferromagnetic = 0.5,
                                 .samples = SAMPLES};

/* --- averages --- */

#define THREE 3

static const double q2[THREE] = {0.1, 0.4, 0.3}, q4[THREE] = {0.03, 0.2, 0.1},
                    wave[THREE] = {0.05, 0.07, 0.02};

static void fill(sample_row rows[2 * THREE]) {
    memset(rows, 0, 2 * THREE * sizeof *rows);
    for (size_t s = 0; s < THREE; s++)
        for (size_t i = 0; i < 2; i++) {
            sample_row *const row = &rows[2 * s + i];
            row->beta = 0.5 + (double)i;
            row->equilibrated = s > i;
            row->value[DISORDER_E] = -1 - (double)(s + i);
            row->value[DISORDER_Q2] = i == 0 ? 1 : q2[s];
            row->value[DISORDER_Q4] = i == 0 ? 1 : q4[s];
            row->value[DISORDER_WAVE] = i == 0 ? 1 : wave[s];
        }
}

/* U4 and xi/L of the samples but one, or of all (THREE). */
static void compute(size_t without, double *u4, double *xi) {
    double a = 0, b = 0, c = 0, n = 0;
    for (size_t s = 0; s < THREE; s++)
        if (s != without) {
            a += q2[s];
            b += q4[s];
            c += wave[s];
            n++;
        }
    *u4 = b / n / (a / n * a / n);
    *xi = sqrt(a / c - 1) / (2 * 4 * sin(acos(-1) / 4));
}

/* sqrt((n - 1) / n sum (x - mean)^2) */
static double error_of(const double x[THREE]) {
    const double mean = (x[0] + x[1] + x[2]) / THREE;
    double sum = 0;
    for (size_t n = 0; n < THREE; n++)
        sum += (x[n] - mean) * (x[n] - mean);
    return sqrt(sum * (THREE - 1) / THREE);
}

static void averages_are_taken_before_ratios(void **state) {
    (void)state;
    sample_row rows[2 * THREE];
    double room[DISORDER_VALUES * THREE], u4, xi, u4_without[THREE], xi_without[THREE];
    const spin_model model = parameters_model(&given);
    fill(rows);
    const disorder_row row = disorder_average(rows, THREE, 2, 1, &model, room);
    compute(THREE, &u4, &xi);
    for (size_t s = 0; s < THREE; s++)
        compute(s, &u4_without[s], &xi_without[s]);
    assert_true(row.beta == 1.5);
    assert_int_equal(row.equilibrated, 1);
    assert_true(fabs(row.value[DISORDER_E] + 3) < 1e-14);
    assert_true(fabs(row.error[DISORDER_E] - sqrt(1.0 / 3)) < 1e-14);
    assert_true(fabs(row.value[DISORDER_U4] - u4) < 1e-12);
    assert_true(fabs(row.value[DISORDER_BINDER] - (3 - u4) / 2) < 1e-12);
    assert_true(fabs(row.value[DISORDER_XI] - xi) < 1e-6);
    assert_true(fabs(row.value[DISORDER_CHI] - 64 * 0.8 / 3) < 1e-12);
    assert_true(fabs(row.error[DISORDER_U4] - error_of(u4_without)) < 1e-12);
    assert_true(fabs(row.error[DISORDER_BINDER] - error_of(u4_without) / 2) < 1e-12);
    assert_true(fabs(row.error[DISORDER_XI] - error_of(xi_without)) < 1e-6);
    double ratios = 0; /* control */
    for (size_t s = 0; s < THREE; s++)
        ratios += q4[s] / (q2[s] * q2[s]) / THREE;
    assert_true(fabs(row.value[DISORDER_U4] - ratios) > 0.05);
    assert_int_equal(disorder_equilibrated(rows, THREE, 2), 1);
    assert_true(isnan(disorder_average(rows, 1, 2, 1, &model, room).error[DISORDER_U4]));
}

/* By hand, of three samples of q2 = 0.5, q4 = 0.25, each with an error of 0.3 of all it has; of one more that differs, the
 * scatter is the error. */
static void samples_that_agree_have_their_own_errors(void **state) {
    (void)state;
    const spin_model model = parameters_model(&given);
    sample_row rows[THREE];
    double room[DISORDER_VALUES * THREE];
    for (size_t s = 0; s < THREE; s++) {
        rows[s] = (sample_row){.beta = 1};
        rows[s].value[DISORDER_E] = -1.5;
        rows[s].value[DISORDER_Q2] = 0.5;
        rows[s].value[DISORDER_Q4] = 0.25;
        for (size_t n = 0; n <= DISORDER_WAVE; n++)
            rows[s].error[n] = 0.3;
    }
    disorder_row row = disorder_average(rows, THREE, 1, 0, &model, room);
    const double own = 0.3 / sqrt(3), u4 = hypot(own / 0.25, 2 * 0.25 * own / 0.125);
    assert_true(fabs(row.error[DISORDER_E] - own) < 1e-14);
    assert_true(fabs(row.error[DISORDER_WAVE] - own) < 1e-14);
    assert_true(fabs(row.error[DISORDER_CHI] - (double)model.sites * own) < 1e-12);
    assert_true(fabs(row.error[DISORDER_U4] - u4) < 1e-12);
    assert_true(fabs(row.error[DISORDER_BINDER] - u4 / 2) < 1e-12);
    assert_true(row.error[DISORDER_RHO_T] == 0);
    rows[1].value[DISORDER_E] = -1.2;
    row = disorder_average(rows, THREE, 1, 0, &model, room);
    assert_true(fabs(row.error[DISORDER_E] - 0.1) < 1e-14);
}

static void samples_have_numbers_of_their_own(void **state) {
    (void)state;
    stream_key key[200];
    size_t keys = 0;
    for (uint32_t sample = 0; sample < 10; sample++)
        for (uint32_t run = 0; run < 10; run++) {
            key[keys++] = stream_sample_run_key(7, sample, run);
            key[keys++] = stream_disorder_key(7, 10 * sample + run);
        }
    for (size_t a = 0; a < keys; a++)
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(&key[a], &key[b], sizeof *key);
    const stream_key usual = stream_run_key(7, 3), first = stream_sample_run_key(7, 0, 3);
    assert_memory_equal(&usual, &first, sizeof usual);
    const stream_key of_seed = {{0x89abcdef, 0x01234567}};
    const stream_block b = stream_philox(of_seed, 5, 17, 0, 0);
    const stream_key known = {{b.number[0], b.number[1]}},
                     key_of_17 = stream_sample_run_key(0x0123456789abcdef, 17, 5);
    assert_memory_equal(&known, &key_of_17, sizeof known);
}

/* --- simulations --- */

/* Makes the samples of p; what is said goes to text. */
static exit_status make(parameters p, char said[600]) {
    char shown[600];
    int number;
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    const exit_status status = samples_make(&p, &number);
    capture_end(&err, said, 600);
    capture_end(&out, shown, sizeof shown);
    assert_int_equal(number, 0);
    return status;
}

/* Whether two folders have the same data files. */
static bool same_data(const char *folder, const char *other) {
    char command[200];
    snprintf(command, sizeof command, "diff -rq -x run.json '%s' '%s' >diff", folder, other);
    return system(command) == 0;
}

static void a_sample_has_the_same_bytes_alone_and_with_others(void **state) {
    (void)state;
    char said[600], folder[40], path[60], name[SAMPLE_NAME_SIZE];
    for (uint32_t runs = 1; runs <= 2; runs++) {
        parameters p = given;
        p.runs = runs;
        assert_int_equal(make(p, said), STATUS_OK);
        for (uint32_t n = 0; n < SAMPLES; n++) {
            parameters alone = p;
            alone.sample = n;
            alone.samples = 1;
            alone.output = folder;
            snprintf(folder, sizeof folder, "alone %" PRIu32, n);
            make_result(&alone);
            snprintf(path, sizeof path, "all/%s", result_name_of_sample(name, n));
            assert_true(same_data(folder, path));
        }
        assert_false(same_data("alone 0", "alone 1"));
        for (p.in_flight = 2; p.in_flight < 2 * SAMPLES; p.in_flight += 1 + p.in_flight / 3) {
            p.output = "flight";
            assert_int_equal(make(p, said), STATUS_OK);
            assert_true(same_data("all", "flight"));
            assert_int_equal(system("rm -r flight"), 0);
        }
        assert_int_equal(system("rm -r all alone*"), 0);
    }
}

/* Without disorder, samples differ by the numbers that they are simulated with. */
static void simulations_use_these_numbers(void **state) {
    (void)state;
    static const char *const name[] = {"e", "q2"};
    char said[600];
    data_columns one, other;
    parameters p = given;
    p.ferromagnetic = 1;
    assert_int_equal(make(p, said), STATUS_OK);
    assert_int_equal(data_columns_read(&one, "all/sample_0000/" WEIGHTED_FILE, name, 2), STATUS_OK);
    assert_int_equal(data_columns_read(&other, "all/sample_0001/" WEIGHTED_FILE, name, 2),
                     STATUS_OK);
    for (size_t i = 0; i < 2; i++) /* before all spins are parallel */
        assert_true(one.value[2 * i] != other.value[2 * i] &&
                    one.value[2 * i + 1] != other.value[2 * i + 1]);
    free(one.value);
    free(other.value);
}

/* Columns of a sample's averages over runs that those over samples have too, as their mean ... */
enum { E, C, BETA_F, ABS_Q, Q2, Q4, LINK, WAVE, S_F, RHO_T, MEANS, R = MEANS, OF_SAMPLE };
static const char *const of_sample[OF_SAMPLE] = {"e",   "C",      "betaF/N", "|q|",   "q2", "q4",
                                                 "q_l", "chi(k)", "S_f",     "rho_t", "R"};

/* ... and what follows from such means. */
enum { CHI = MEANS, U4, BINDER, XI, AVERAGES };
static const char *const of_averages[AVERAGES] = {"e",      "C",   "betaF/N", "|q|", "q2",
                                                  "q4",     "q_l", "chi(k)",  "S_f", "rho_t",
                                                  "chi_SG", "U4",  "Binder",  "xi/L"};

/* All averages over the samples but one, or over all (SAMPLES), at row i of the files. */
static void average_files(const data_columns one[SAMPLES], size_t i, size_t without,
                          double x[AVERAGES]) {
    memset(x, 0, AVERAGES * sizeof *x);
    for (size_t s = 0; s < SAMPLES; s++)
        for (size_t c = 0; c < MEANS && s != without; c++)
            x[c] += one[s].value[OF_SAMPLE * i + c] / (without < SAMPLES ? SAMPLES - 1 : SAMPLES);
    x[CHI] = 64 * x[Q2];
    x[U4] = x[Q4] / (x[Q2] * x[Q2]);
    x[BINDER] = (3 - x[U4]) / 2;
    x[XI] = sqrt(x[CHI] / x[WAVE] - 1) / (2 * 4 * sin(acos(-1) / 4));
}

/* The jackknife error of each. */
static void errors_of_files(const data_columns one[SAMPLES], size_t i, double error[AVERAGES]) {
    double x[SAMPLES][AVERAGES];
    for (size_t s = 0; s < SAMPLES; s++)
        average_files(one, i, s, x[s]);
    for (size_t c = 0; c < AVERAGES; c++) {
        double mean = 0, sum = 0;
        for (size_t s = 0; s < SAMPLES; s++)
            mean += x[s][c] / SAMPLES;
        for (size_t s = 0; s < SAMPLES; s++)
            sum += (x[s][c] - mean) * (x[s][c] - mean);
        error[c] = sqrt(sum * (SAMPLES - 1) / SAMPLES);
    }
}

/* Claims that a column is what the samples' files give; both may be nan. Files have 12 digits, of which 1 - wave / chi
 * takes some. */
static void assert_column(double found, double expected, const char *kind, size_t column,
                          size_t i) {
    if (isnan(expected) ? !isnan(found) : !(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("row %zu: %s%s is %.12g, the files of the samples have %.12g", i, kind,
                 of_averages[column], found, expected);
}

/* Whether the populations of all `runs` runs of a sample have families enough together; and how many samples have. */
static bool has_families(const double x[OF_SAMPLE], double runs) {
    return x[S_F] >= log(100) && x[RHO_T] <= runs * x[R] / 100;
}

static unsigned with_families(const data_columns one[SAMPLES], size_t i, double runs) {
    unsigned count = 0;
    for (size_t s = 0; s < SAMPLES; s++)
        count += has_families(one[s].value + OF_SAMPLE * i, runs);
    return count;
}

/* Claims that the header of a sample's averages warns of the temperatures at which it has too few. */
static void assert_warned(const char *path, const data_columns *d, double runs) {
    const char *const behind = "# warning: too few families for a glass in equilibrium at ";
    const char *const said = strstr(read_file(path), behind);
    unsigned long few = 0;
    for (size_t i = 0; i < d->rows; i++)
        few += !has_families(d->value + OF_SAMPLE * i, runs);
    assert_int_equal(said != NULL ? strtoul(said + strlen(behind), NULL, 10) : 0, few);
}

static void read_all(const char *const name[], size_t columns, data_columns *d) {
    assert_int_equal(data_columns_read(d, "all/" DISORDER_FILE, name, columns), STATUS_OK);
    assert_int_equal(d->rows, 9);
}

/* Every column. Controls: no two columns are the same, xi/L is known at some temperatures, and families of one run
 * would be judged otherwise. */
static void the_averages_are_those_of_the_files(void **state) {
    (void)state;
    enum { RUNS = 2 };
    char said[600], path[60], name[SAMPLE_NAME_SIZE], err[AVERAGES][20];
    const char *of_errors[AVERAGES];
    data_columns all, errors, rest, one[SAMPLES];
    parameters p = given;
    size_t known = 0, judged_otherwise = 0;
    p.sample = 7;
    p.runs = RUNS;
    p.population = 1000;
    assert_int_equal(make(p, said), STATUS_OK);
    for (size_t c = 0; c < AVERAGES; c++) {
        snprintf(err[c], sizeof err[c], "err_%s", of_averages[c]);
        of_errors[c] = err[c];
    }
    read_all(of_averages, AVERAGES, &all);
    read_all(of_errors, AVERAGES, &errors);
    read_all((const char *const[]){"beta", "equilibrated"}, 2, &rest);
    for (uint32_t n = 0; n < SAMPLES; n++) {
        snprintf(path, sizeof path, "all/%s/" WEIGHTED_FILE, result_name_of_sample(name, 7 + n));
        assert_int_equal(data_columns_read(&one[n], path, of_sample, OF_SAMPLE), STATUS_OK);
        assert_int_equal(one[n].rows, 9);
        assert_warned(path, &one[n], RUNS);
    }
    for (size_t i = 0; i < 9; i++) {
        double mean[AVERAGES], error[AVERAGES];
        average_files(one, i, SAMPLES, mean);
        errors_of_files(one, i, error);
        for (size_t c = 0; c < AVERAGES; c++) {
            assert_column(all.value[AVERAGES * i + c], mean[c], "", c, i);
            assert_column(errors.value[AVERAGES * i + c], error[c], "err_", c, i);
            for (size_t d = 0; d < c && i > 0; d++)
                assert_true(mean[c] != mean[d]);
        }
        known += isfinite(mean[XI]) && isfinite(error[XI]);
        assert_true(rest.value[2 * i] == 0.125 * (double)i);
        assert_int_equal(rest.value[2 * i + 1], with_families(one, i, RUNS));
        judged_otherwise += with_families(one, i, RUNS) != with_families(one, i, 1);
    }
    assert_true(known > 0 && judged_otherwise > 0);
    const char *const text = read_file("all/" DISORDER_FILE);
    assert_non_null(
        strstr(text, "# averages [.] over 5 samples of the disorder, of numbers 7 to 11,"));
    for (uint32_t n = 0; n < SAMPLES; n++)
        free(one[n].value);
    free(all.value);
    free(errors.value);
    free(rest.value);
}

static void averages_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    char said[600];
    data_columns all;
    assert_int_equal(make(given, said), STATUS_OK);
    capture c = capture_begin(STDERR_FILENO);
    assert_int_equal(data_columns_read(&all, "all/" DISORDER_FILE, (const char *[]){"q3"}, 1),
                     STATUS_FAILED);
    assert_int_equal(data_columns_read(&all, "all/none", of_averages, AVERAGES), STATUS_FAILED);
    assert_int_equal(system("sed -i 's/^0.125 /0.126 /' all/" DISORDER_FILE), 0);
    assert_int_equal(data_columns_read(&all, "all/" DISORDER_FILE, of_averages, AVERAGES),
                     STATUS_FAILED);
    capture_end(&c, said, sizeof said);
}

/* Stderr says how many samples are out of equilibrium, as the header of the averages does: none, some and all of them. */
static void samples_with_too_few_families_are_counted(void **state) {
    (void)state;
    static const struct {
        uint64_t population;
        double beta_end;
        size_t least, most; /* so many samples have families enough */
    } cases[] = {{2000, 0.125, SAMPLES, SAMPLES}, {4000, 0.75, 1, SAMPLES - 1}, {300, 1, 0, 0}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char said[600], line[100];
        parameters p = given;
        size_t sound = SAMPLES, of;
        p.population = cases[n].population;
        p.beta_end = cases[n].beta_end;
        assert_int_equal(make(p, said), STATUS_OK);
        const char *const header = strstr(read_file("all/" DISORDER_FILE), "# warning: only ");
        if (header != NULL)
            assert_int_equal(sscanf(header, "# warning: only %zu of %zu", &sound, &of), 2);
        assert_in_range(sound, cases[n].least, cases[n].most);
        snprintf(line, sizeof line, "warning: %zu of %d samples have too few families",
                 SAMPLES - sound, SAMPLES);
        assert_int_equal(strstr(said, line) != NULL, sound < SAMPLES);
        assert_int_equal(strstr(said, "too few families") != NULL, sound < SAMPLES);
        assert_int_equal(system("rm -r all"), 0);
    }
}

/* The inode of a sample's run.json: another one when it is made again. */
static ino_t inode_in(const char *folder, uint32_t sample) {
    char path[60], name[SAMPLE_NAME_SIZE];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s/run.json", folder, result_name_of_sample(name, sample));
    assert_int_equal(stat(path, &s), 0);
    return s.st_ino;
}

static ino_t inode(uint32_t sample) {
    return inode_in("all", sample);
}

static void samples_that_are_there_stay(void **state) {
    (void)state;
    char said[600];
    parameters p = given;
    p.samples = 3;
    assert_int_equal(make(p, said), STATUS_OK);
    const ino_t first = inode(0), second = inode(1);
    /* The same command with one missing, and more of them: the first result is kept in view. */
    assert_int_equal(system("mv all/sample_0001 kept && rm all/" DISORDER_FILE), 0);
    p.samples = SAMPLES;
    assert_int_equal(make(p, said), STATUS_OK);
    assert_int_equal(inode(0), first);
    assert_int_not_equal(inode(1), second);
    assert_true(same_data("kept", "all/sample_0001"));
    p.output = "at once";
    assert_int_equal(make(p, said), STATUS_OK);
    assert_true(same_data("all", "at once"));
    /* Repeated, nothing is made; but with --force. */
    p.output = "all";
    const ino_t again = inode(1);
    assert_int_equal(make(p, said), STATUS_OK);
    assert_int_equal(inode(1), again);
    assert_true(same_data("all", "at once"));
    p.force = true;
    assert_int_equal(make(p, said), STATUS_OK);
    assert_true(same_data("all", "at once"));
    /* A sample of another simulation is in the way: nothing is touched. */
    p.force = false;
    p.seed++;
    assert_int_equal(make(p, said), STATUS_REFUSED);
    assert_int_equal(system("rm all/PA_* all/run.json && rm -r all/sample_000[0-3]"), 0);
    assert_int_equal(make(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "sample_0004: the folder holds a result already"));
    assert_int_equal(count_files("all"), 1);
}

/* Averages are made again from the samples, if somebody takes away a file that was changed. */
static void averages_that_were_changed_can_be_made_again(void **state) {
    (void)state;
    static const char *const changes[] = {"echo '# remark' >>all/%s", "sed -i '1i # remark' all/%s",
                                          "truncate -s 1000 all/%s", ": >all/%s"};
    static const char *const files[] = {DISORDER_FILE, DISORDER_OVERLAP_FILE, SAMPLES_FILE};
    char said[600], text[100];
    parameters p = given;
    p.samples = 3;
    assert_int_equal(make(p, said), STATUS_OK);
    assert_int_equal(system("cp -r all kept"), 0);
    const ino_t first = inode(0);
    for (size_t n = 0; n < 3 * sizeof changes / sizeof *changes; n++) {
        snprintf(text, sizeof text, changes[n / 3], files[n % 3]);
        assert_int_equal(system(text), 0);
        assert_int_equal(make(p, said), STATUS_REFUSED);
        snprintf(text, sizeof text, "all: %s in it was changed or cut off", files[n % 3]);
        assert_non_null(strstr(said, text));
        assert_non_null(strstr(said, "to move that file away"));
        assert_null(strstr(said, "--force"));
        snprintf(text, sizeof text, "all/%s", files[n % 3]);
        assert_int_equal(unlink(text), 0);
        assert_int_equal(make(p, said), STATUS_OK);
        assert_true(same_data("kept", "all"));
        assert_int_equal(inode(0), first);
    }
    /* Control: another file in the way is none that can be made again. */
    assert_int_equal(system("echo 1 >>all/" DISORDER_FILE " && cp all/" DISORDER_FILE
                            " all/PA_results_run_0.dat"),
                     0);
    assert_int_equal(make(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "--force"));
}

/* A sample gets its place as a whole. */
static void what_a_killed_process_leaves_of_a_sample(void **state) {
    (void)state;
    char said[600];
    parameters p = given;
    p.samples = 3;
    assert_int_equal(make(p, said), STATUS_OK);
    p.output = "killed";
    assert_int_equal(make(p, said), STATUS_OK);
    const ino_t whole = inode_in("killed", 0);
    /* Killed before a rename, and before run.json was there. */
    assert_int_equal(system("cd killed && rm " DISORDER_FILE
                            " run.json && mv sample_0000 .paising.part.sample_0000 && "
                            "mv sample_0001 .paising.part.sample_0001 && "
                            "rm .paising.part.sample_0001/run.json"),
                     0);
    assert_int_equal(make(p, said), STATUS_OK);
    assert_int_equal(inode_in("killed", 0), whole);
    assert_true(same_data("all", "killed"));
    assert_int_equal(system("[ -z \"$(find killed -name '.*')\" ]"), 0);
    /* Whole files of another simulation are refused before anything is made; with --force they go. */
    parameters other = p;
    other.seed++;
    other.output = "other";
    assert_int_equal(make(other, said), STATUS_OK);
    assert_int_equal(
        system("mkdir foreign && cp -r other/sample_0001 foreign/.paising.part.sample_0001 && "
               "rm foreign/.paising.part.sample_0001/run.json && cp -r foreign kept"),
        0);
    p.output = "foreign";
    assert_int_equal(make(p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, ".paising.part.sample_0001 holds files of an unfinished result"));
    assert_true(same_data("kept", "foreign"));
    p.force = true;
    assert_int_equal(make(p, said), STATUS_OK);
    assert_true(same_data("all", "foreign"));
    p.force = false;
    p.output = "killed";
    /* Where a sample stands it stays, whoever has left another one. */
    assert_int_equal(system("cp -r killed/sample_0002 killed/.paising.part.sample_0002 && "
                            "echo changed >>killed/.paising.part.sample_0002/PA_results_run_0.dat"),
                     0);
    assert_int_equal(make(p, said), STATUS_OK);
    assert_true(same_data("all/sample_0002", "killed/sample_0002"));
}

/* Where the seed lets some populations of two die out. */
static void a_sample_that_fails_is_missing(void **state) {
    (void)state;
    char said[600];
    parameters p = given;
    p.coding = CODING_SSC;
    p.population = 2;
    p.sweeps = 1;
    p.dbeta = 0.03125;
    p.beta_end = 2;
    p.samples = 40;
    p.in_flight = 5;
    assert_int_equal(make(p, said), STATUS_FAILED);
    const char *const note = strstr(read_file("all/" DISORDER_FILE), "# failed: ");
    assert_non_null(note);
    const unsigned long missing = strtoul(note + strlen("# failed: "), NULL, 10);
    assert_in_range(missing, 1, 39);
    assert_non_null(strstr(note, " of 40 samples are missing"));
    p.in_flight = 1;
    p.output = "one at a time";
    assert_int_equal(make(p, said), STATUS_FAILED);
    assert_true(same_data("all", "one at a time"));
    assert_int_equal(make(p, said), STATUS_FAILED); /* tried again */
    assert_true(same_data("all", "one at a time"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_are_taken_before_ratios),
        cmocka_unit_test(samples_that_agree_have_their_own_errors),
        cmocka_unit_test(samples_have_numbers_of_their_own),
        TEST_IN_SCRATCH(a_sample_has_the_same_bytes_alone_and_with_others),
        TEST_IN_SCRATCH(simulations_use_these_numbers),
        TEST_IN_SCRATCH(the_averages_are_those_of_the_files),
        TEST_IN_SCRATCH(samples_with_too_few_families_are_counted),
        TEST_IN_SCRATCH(averages_that_cannot_be_read_are_refused),
        TEST_IN_SCRATCH(samples_that_are_there_stay),
        TEST_IN_SCRATCH(averages_that_were_changed_can_be_made_again),
        TEST_IN_SCRATCH(what_a_killed_process_leaves_of_a_sample),
        TEST_IN_SCRATCH(a_sample_that_fails_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
