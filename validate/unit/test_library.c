/* Claims about the library (paising.h):
 *  - its files are those of the command, byte for byte but for run.json, for every method; a table's columns are those of the file;
 *  - two handles in two threads give what each gives alone;
 *  - a run that is stopped, from another thread or from its progress, ends with its rows so far; before the run too;
 *  - a run that is stopped goes on in another handle by its checkpoint, with the bytes of one that was not; bonds come again; other
 *    settings that decide on the data are refused;
 *  - a handle that is prepared says its memory, refuses what does not fit and takes no more settings;
 *  - the spins of the last population have the energies of the tables: of annealing, of Potts, of tempering at each temperature;
 *  - what is wrong is a status and a text, and nothing is printed, whatever the handle is told;
 *  - bonds of a graph of its own: a triangle with a field has the mean energy of its enumeration, within errors. */
#include "paising.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"

#define TABLE "PA_results_run_0.dat"

typedef const char *setting_words[2];

static paising *handle(const setting_words words[], size_t count) {
    paising *const p = paising_new();
    assert_non_null(p);
    assert_int_equal(paising_set(p, "device", "cpu"), PAISING_OK);
    for (size_t n = 0; n < count; n++)
        assert_int_equal(paising_set(p, words[n][0], words[n][1]), PAISING_OK);
    return p;
}

static const setting_words square[] = {
    {"size", "16"}, {"population", "200"}, {"sweeps", "2"}, {"dbeta", "0.1"}, {"runs", "2"}};
static const setting_words glass[] = {{"model", "glass3d"}, {"size", "4"},    {"population", "256"},
                                      {"sweeps", "3"},      {"dbeta", "0.1"}, {"seed", "5"}};
static const setting_words chains[] = {{"method", "tempering"}, {"size", "16"},
                                       {"population", "32"},    {"sweeps", "2"},
                                       {"dbeta", "0.2"},        {"measurements", "60"}};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Makes the result of the command in folder of_command: the program beside this one. */
static void make_by_command(const setting_words words[], size_t count) {
    char line[PATH_MAX + 2000];
    const ssize_t path = readlink("/proc/self/exe", line, PATH_MAX);
    assert_true(path > 0);
    line[path] = '\0';
    size_t length = (size_t)(strrchr(line, '/') + 1 - line);
    length += (size_t)snprintf(line + length, sizeof line - length, "paising -D cpu -o of_command");
    for (size_t n = 0; n < count; n++)
        length += (size_t)snprintf(line + length, sizeof line - length, " --%s %s", words[n][0],
                                   words[n][1]);
    snprintf(line + length, sizeof line - length, " >/dev/null 2>&1");
    assert_int_equal(system(line), 0);
}

static void holds_as_command(const setting_words words[], size_t count) {
    char path[400];
    make_by_command(words, count);
    paising *const p = handle(words, count);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    size_t tables = 0;
    for (size_t n = 0; n < paising_files(p); n++) {
        const char *const name = paising_file_name(p, n);
        size_t size;
        const char *const text = paising_file(p, name, &size);
        if (strcmp(name, "run.json") == 0)
            continue;
        snprintf(path, sizeof path, "of_command/%s", name);
        assert_string_equal(text, read_file(path));
        assert_int_equal(size, strlen(text));
        tables++;
    }
    assert_true(tables >= 2);
    paising_free(p);
    assert_int_equal(system("rm -r of_command"), 0);
}

static void test_files_are_those_of_the_command(void **state) {
    (void)state;
    holds_as_command(square, COUNT(square));
    holds_as_command(glass, COUNT(glass));
    holds_as_command(chains, COUNT(chains));
}

static void test_columns_are_those_of_the_file(void **state) {
    (void)state;
    paising *const p = handle(square, COUNT(square));
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    assert_int_equal(paising_rows(p, TABLE), 11);
    assert_int_equal(paising_rows(p, "none"), 0);
    assert_string_equal(paising_column(p, TABLE, 0), "beta");
    assert_string_equal(paising_column(p, TABLE, 1), "e");
    size_t columns = 0, words = 0, size;
    while (paising_column(p, TABLE, columns) != NULL)
        columns++;
    double beta[11], entropy[11];
    assert_int_equal(paising_values(p, TABLE, "beta", beta, 11), 11);
    assert_int_equal(paising_values(p, TABLE, "S/N", entropy, 1), 11);
    assert_int_equal(paising_values(p, TABLE, "s/N", entropy, 11), 0);
    for (size_t k = 0; k < 11; k++)
        assert_true(fabs(beta[k] - 0.1 * (double)k) < 1e-12);
    assert_true(fabs(entropy[0] - log(2)) < 1e-10);
    const char *row = strstr(paising_file(p, TABLE, &size), "\n0 ") + 1;
    while (*row != '\n') {
        words += strcspn(row, " \n") > 0;
        row += strcspn(row, " \n");
        row += *row == ' ';
    }
    assert_int_equal(columns, words);
    paising_free(p);
}

/* --- threads --- */

typedef struct {
    paising *p;
    int status;
} one_run;

static void *run_it(void *of) {
    one_run *const r = of;
    r->status = paising_run(r->p, NULL, NULL);
    return NULL;
}

static void test_two_handles_in_two_threads(void **state) {
    (void)state;
    one_run apart[2] = {{.p = handle(square, COUNT(square))}, {.p = handle(glass, COUNT(glass))}},
            beside[2] = {{.p = handle(square, COUNT(square))}, {.p = handle(glass, COUNT(glass))}};
    pthread_t thread[2];
    for (int n = 0; n < 2; n++)
        run_it(&apart[n]);
    for (int n = 0; n < 2; n++)
        assert_int_equal(pthread_create(&thread[n], NULL, run_it, &beside[n]), 0);
    for (int n = 0; n < 2; n++) {
        size_t size[2];
        pthread_join(thread[n], NULL);
        assert_int_equal(beside[n].status, PAISING_OK);
        assert_string_equal(paising_file(beside[n].p, TABLE, &size[0]),
                            paising_file(apart[n].p, TABLE, &size[1]));
        paising_free(beside[n].p);
        paising_free(apart[n].p);
    }
}

static void stop_late(void *of, double beta) {
    if (beta > 0.35)
        paising_stop(of);
}

/* A run whose first step takes minutes to hours, and is given up. */
static paising *given_up(const setting_words words[], size_t count) {
    one_run r = {.p = handle(words, count)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_it, &r), 0);
    const double start = clock_seconds();
    usleep(100000);
    paising_stop(r.p);
    pthread_join(thread, NULL);
    assert_int_equal(r.status, PAISING_STOPPED);
    assert_true(clock_seconds() - start < 60);
    return r.p;
}

static void test_runs_are_stopped(void **state) {
    (void)state;
    paising *p = handle(square, COUNT(square));
    assert_int_equal(paising_run(p, stop_late, p), PAISING_STOPPED);
    const size_t rows = paising_rows(p, TABLE);
    assert_true(rows >= 4 && rows < 11);
    assert_non_null(strstr(paising_text(p), "stopped: ended at beta = "));
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_REFUSED);
    paising_free(p);
    /* The row of beta = 0 is there. */
    const setting_words longer[] = {
        {"size", "64"}, {"population", "64"}, {"sweeps", "1000000000"}, {"dbeta", "0.5"}};
    p = given_up(longer, COUNT(longer));
    assert_int_equal(paising_rows(p, TABLE), 1);
    paising_free(p);
    const setting_words ceilings[] = {{"method", "microcanonical"},
                                      {"size", "16"},
                                      {"population", "64"},
                                      {"sweeps", "10000000"},
                                      {"coding", "ssc"}};
    paising_free(given_up(ceilings, COUNT(ceilings)));
}

/* --- checkpoints --- */

#define CHECKPOINT "state"

static void assert_same_tables(paising *a, paising *b) {
    assert_int_equal(paising_files(a), paising_files(b));
    for (size_t n = 0; n < paising_files(a); n++) {
        const char *const name = paising_file_name(a, n);
        size_t size[2];
        if (strcmp(name, "run.json") != 0)
            assert_string_equal(paising_file(a, name, &size[0]), paising_file(b, name, &size[1]));
    }
}

/* Stops at the third call. */
static void stop_soon(void *of, double beta) {
    static int calls;
    (void)beta;
    if (++calls % 3 == 0)
        paising_stop(of);
}

static void add_triangle(paising *p) {
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(paising_bond(p, i, (i + 1) % 3, -1), PAISING_OK);
}

/* A run as a whole, and one that is stopped and goes on; with the bonds of a triangle or without. A series of measurements, which tells
 * no progress, is stopped before it begins: then its first step is given up. */
static void holds_when_stopped(const setting_words words[], size_t count, bool bonds, bool series) {
    paising *const whole = handle(words, count), *const first = handle(words, count),
                   *const second = paising_new();
    size_t size;
    assert_int_equal(paising_set(first, "checkpoint", CHECKPOINT), PAISING_OK);
    if (bonds) {
        add_triangle(whole);
        add_triangle(first);
    }
    assert_int_equal(paising_run(whole, NULL, NULL), PAISING_OK);
    if (series)
        paising_stop(first);
    assert_int_equal(paising_run(first, stop_soon, first), PAISING_STOPPED);
    assert_int_equal(paising_set(second, "resume", CHECKPOINT), PAISING_OK);
    if (bonds)
        add_triangle(second);
    assert_int_equal(paising_run(second, NULL, NULL), PAISING_OK);
    assert_same_tables(whole, second);
    assert_non_null(strstr(paising_file(second, "run.json", &size), "\"parts\": 2"));
    paising_free(whole);
    paising_free(first);
    paising_free(second);
}

static void assert_same_files(const paising *p, const paising *q) {
    for (size_t n = 0, size, other; n < paising_files(p); n++) {
        const char *const name = paising_file_name(p, n),
                          *const text = paising_file(p, name, &size),
                          *const again = paising_file(q, name, &other);
        if (strcmp(name, "run.json") != 0)
            assert_true(again != NULL && size == other && memcmp(text, again, size) == 0);
    }
}

/* Goes on from the checkpoint of a run that was stopped, with the files of the run as a whole. */
static void assert_goes_on(const paising *whole) {
    paising *const rest = paising_new();
    assert_int_equal(paising_set(rest, "resume", CHECKPOINT), PAISING_OK);
    assert_int_equal(paising_run(rest, NULL, NULL), PAISING_OK);
    assert_same_files(whole, rest);
    paising_free(rest);
    unlink(CHECKPOINT);
}

/* Stops a run from another thread after some seconds. Returns whether it was still under way; then it goes on. */
static bool is_stopped_behind(double seconds, const setting_words words[], size_t count,
                              const paising *whole) {
    one_run first = {.p = handle(words, count)};
    pthread_t thread;
    assert_int_equal(paising_set(first.p, "checkpoint", CHECKPOINT), PAISING_OK);
    assert_int_equal(pthread_create(&thread, NULL, run_it, &first), 0);
    usleep((useconds_t)(1e6 * seconds));
    paising_stop(first.p);
    pthread_join(thread, NULL);
    if (first.status == PAISING_STOPPED)
        assert_goes_on(whole);
    else
        assert_int_equal(first.status, PAISING_OK);
    unlink(CHECKPOINT);
    paising_free(first.p);
    return first.status == PAISING_STOPPED;
}

/* Stops a run in a step, which takes some hundredths of a second: it is given up, or pauses. Three runs are stopped at different times; one
 * that was over before does not count. */
static void holds_in_step(const setting_words words[], size_t count) {
    paising *const whole = handle(words, count);
    const double begun = clock_seconds();
    assert_int_equal(paising_run(whole, NULL, NULL), PAISING_OK);
    const double all = clock_seconds() - begun;
    int stopped = 0;
    for (int n = 0; n < 30 && stopped < 3; n++)
        stopped += is_stopped_behind(all * (1 + n % 3) / 5, words, count, whole);
    assert_int_equal(stopped, 3);
    paising_free(whole);
}

/* A walk that is stopped before pauses behind its first piece. Here that is done in each walk, of which the rest is shorter than the
 * first piece, so that what this has seen counts. */
static void holds_in_walks(const setting_words words[], size_t count) {
    paising *const whole = handle(words, count), *part = handle(words, count);
    int status = PAISING_STOPPED;
    size_t parts = 0;
    assert_int_equal(paising_run(whole, NULL, NULL), PAISING_OK);
    assert_int_equal(paising_set(part, "checkpoint", CHECKPOINT), PAISING_OK);
    for (; status == PAISING_STOPPED && parts < 100; parts++) {
        if (parts > 0) {
            paising_free(part);
            part = paising_new();
            assert_int_equal(paising_set(part, "resume", CHECKPOINT), PAISING_OK);
        }
        paising_stop(part);
        status = paising_run(part, NULL, NULL);
    }
    assert_int_equal(status, PAISING_OK);
    assert_true(parts > 2);
    assert_same_files(whole, part);
    paising_free(whole);
    paising_free(part);
    unlink(CHECKPOINT);
}

static void test_runs_that_are_stopped_in_a_step_go_on(void **state) {
    (void)state;
    const setting_words canonical[] = {{"method", "canonical"}, {"size", "64"},
                                       {"population", "32"},    {"sweeps", "3000"},
                                       {"beta-start", "0.3"},   {"beta-end", "0.3"},
                                       {"thermalisation", "0"}, {"measurements", "1"}};
    const setting_words bytes[] = {
        {"method", "canonical"}, {"size", "16"},          {"population", "4"},
        {"sweeps", "8000"},      {"coding", "ssc"},       {"beta-start", "0.3"},
        {"beta-end", "0.3"},     {"thermalisation", "0"}, {"measurements", "1"}};
    const setting_words flat[] = {{"method", "multicanonical"},
                                  {"size", "6"},
                                  {"population", "8"},
                                  {"sweeps", "120"},
                                  {"coding", "ssc"},
                                  {"iterations", "1"},
                                  {"iteration-length", "1"},
                                  {"thermalisation", "0"},
                                  {"measurements", "12"}}; /* round trips, which a file counts */
    const setting_words walks[] = {
        {"method", "wang-landau"}, {"size", "4"},           {"population", "8"},
        {"sweeps", "20"},          {"coding", "ssc"},       {"iterations", "1"},
        {"iteration-length", "1"}, {"thermalisation", "0"}, {"measurements", "1"}};
    const setting_words ceilings[] = {{"method", "microcanonical"},
                                      {"size", "4"},
                                      {"population", "100"},
                                      {"sweeps", "300"},
                                      {"coding", "ssc"},
                                      {"cull", "0.9"},
                                      {"beta-end", "0.3"},
                                      {"dbeta", "0.1"}};
    holds_in_step(canonical, COUNT(canonical));
    holds_in_step(bytes, COUNT(bytes));
    holds_in_walks(flat, COUNT(flat));
    holds_in_walks(walks, COUNT(walks));
    holds_in_step(ceilings, COUNT(ceilings));
}

static void test_stopped_runs_go_on(void **state) {
    (void)state;
    const setting_words triangle[] = {{"population", "500"}, {"sweeps", "2"}, {"dbeta", "0.1"}};
    holds_when_stopped(triangle, COUNT(triangle), true, false);
    assert_int_equal(unlink(CHECKPOINT), 0);
    holds_when_stopped(chains, COUNT(chains), false, true);
    assert_int_equal(unlink(CHECKPOINT), 0);
    holds_when_stopped(square, COUNT(square), false, false);
    paising *const late = handle(square, 1), *const other = paising_new(),
                   *const none = paising_new(), *const taken = handle(square, COUNT(square));
    assert_int_equal(paising_set(late, "resume", CHECKPOINT), PAISING_REFUSED);
    assert_int_equal(paising_set(none, "resume", "nothing"), PAISING_REFUSED);
    assert_int_equal(paising_set(other, "resume", CHECKPOINT), PAISING_OK);
    assert_int_equal(paising_set(other, "sweeps", "3"), PAISING_OK);
    assert_int_equal(paising_run(other, NULL, NULL), PAISING_REFUSED);
    assert_int_equal(paising_set(taken, "checkpoint", CHECKPOINT), PAISING_OK);
    assert_int_equal(paising_run(taken, NULL, NULL), PAISING_REFUSED); /* it is there */
    paising_free(late);
    paising_free(other);
    paising_free(none);
    paising_free(taken);
    assert_int_equal(unlink(CHECKPOINT), 0);
}

/* --- GPUs --- */

/* A handle with its device in place of the CPU. */
static paising *handle_on(const char *device, const setting_words words[], size_t count) {
    paising *const p = handle(words, count);
    assert_int_equal(paising_set(p, "device", device), PAISING_OK);
    return p;
}

static bool has_device(const char *device) {
    paising *const p = handle_on(device, square, COUNT(square));
    const bool has = paising_prepare(p, NULL, NULL) == PAISING_OK;
    paising_free(p);
    return has;
}

/* Each has a GPU of its own where there are two, and gives what the CPU gives. */
static void test_two_handles_on_two_gpus(void **state) {
    (void)state;
    if (!has_device("cuda:0"))
        skip();
    const char *const device[] = {"cuda:0", has_device("cuda:1") ? "cuda:1" : "cuda:0"};
    one_run alone[2] = {{.p = handle(square, COUNT(square))}, {.p = handle(glass, COUNT(glass))}},
            beside[2] = {{.p = handle_on(device[0], square, COUNT(square))},
                         {.p = handle_on(device[1], glass, COUNT(glass))}};
    pthread_t thread[2];
    for (int n = 0; n < 2; n++)
        run_it(&alone[n]);
    for (int n = 0; n < 2; n++)
        assert_int_equal(pthread_create(&thread[n], NULL, run_it, &beside[n]), 0);
    for (int n = 0; n < 2; n++) {
        size_t size[2];
        pthread_join(thread[n], NULL);
        assert_int_equal(beside[n].status, PAISING_OK);
        assert_string_equal(paising_file(beside[n].p, TABLE, &size[0]),
                            paising_file(alone[n].p, TABLE, &size[1]));
        paising_free(beside[n].p);
        paising_free(alone[n].p);
    }
    printf("handles on %s and %s\n", device[0], device[1]);
}

static void stop_now(void *of, double beta) {
    (void)beta;
    paising_stop(of);
}

/* A step of some 10 s, which is under way when the progress is told: the row of beta = 0 is there, and no other. */
static void test_a_long_step_of_a_gpu_is_given_up(void **state) {
    (void)state;
    if (!has_device("cuda:0"))
        skip();
    const setting_words longer[] = {
        {"size", "64"}, {"population", "4000000"}, {"sweeps", "5000"}, {"dbeta", "0.5"}};
    paising *const p = handle_on("cuda:0", longer, COUNT(longer));
    assert_int_equal(paising_run(p, stop_now, p), PAISING_STOPPED);
    assert_int_equal(paising_rows(p, TABLE), 1);
    paising_free(p);
}

/* --- memory, spins --- */

static void test_what_is_prepared(void **state) {
    (void)state;
    uint64_t host = 0, device = 1;
    paising *p = handle(square, COUNT(square));
    assert_int_equal(paising_prepare(p, &host, &device), PAISING_OK);
    assert_in_range(host, 200 * 16 * 16 / 8 * 2, 100 << 20);
    assert_int_equal(device, 0);
    assert_int_equal(paising_set(p, "seed", "3"), PAISING_REFUSED);
    assert_int_equal(paising_bond(p, 0, 1, 1), PAISING_REFUSED);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    assert_int_equal(paising_rows(p, TABLE), 11);
    assert_int_equal(paising_replicas(p), 0); /* nobody wanted them */
    assert_int_equal(paising_prepare(p, NULL, NULL), PAISING_REFUSED);
    paising_free(p);
    const setting_words large[] = {{"size", "1024"}, {"population", "1000000"}};
    p = handle(large, COUNT(large));
    const int prepared = paising_prepare(p, &host, NULL);
    assert_true(host > UINT64_C(1000000) * 1024 * 1024 / 8);
    if (host > (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE)) {
        assert_int_equal(prepared, PAISING_REFUSED);
        assert_non_null(strstr(paising_text(p), "-R 1000000"));
    }
    paising_free(p);
}

/* Mean energy per spin of replicas first .. first + count - 1 of a square lattice: -sum of s s', or of delta(s, s'). */
static double mean_energy(const paising *p, size_t first, size_t count, int edge, bool potts) {
    const size_t sites = paising_sites(p);
    int8_t *const spins = malloc(count * sites);
    int64_t sum = 0;
    assert_int_equal(sites, edge * edge);
    assert_int_equal(paising_spins(p, first, count, spins), count);
    for (size_t n = 0; n < count; n++)
        for (int i = 0; i < edge * edge; i++) {
            const int8_t *const s = spins + n * sites;
            const int right = i / edge * edge + (i + 1) % edge, below = (i + edge) % (edge * edge);
            sum -= potts ? (s[i] == s[right]) + (s[i] == s[below]) : s[i] * (s[right] + s[below]);
        }
    free(spins);
    return (double)sum / (double)(count * sites);
}

static double last_value(const paising *p, const char *name, const char *column) {
    double value[100];
    const size_t rows = paising_values(p, name, column, value, 100);
    assert_in_range(rows, 1, 100);
    return value[rows - 1];
}

static void test_spins_have_the_energies_of_the_tables(void **state) {
    (void)state;
    const setting_words one_run_each[] = {{"size", "16"},
                                          {"population", "200"},
                                          {"sweeps", "2"},
                                          {"dbeta", "0.1"}},
                        potts[] = {{"model", "potts2d"},
                                   {"coding", "ssc"},
                                   {"size", "6"},
                                   {"population", "100"},
                                   {"dbeta", "0.25"}};
    int8_t none;
    paising *p = handle(one_run_each, COUNT(one_run_each));
    paising_keep_spins(p);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    assert_true(
        fabs(mean_energy(p, 0, paising_replicas(p), 16, false) - last_value(p, TABLE, "e")) < 1e-9);
    assert_int_equal(paising_spins(p, paising_replicas(p), 1, &none), 0);
    paising_free(p);
    p = handle(potts, COUNT(potts));
    paising_keep_spins(p);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    assert_true(fabs(mean_energy(p, 0, paising_replicas(p), 6, true) - last_value(p, TABLE, "e")) <
                1e-9);
    paising_free(p);
    p = handle(chains, COUNT(chains));
    paising_keep_spins(p);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    assert_int_equal(paising_replicas(p), 6 * 32);
    for (size_t k = 0; k < 6; k++) {
        double e[6 * 60];
        assert_int_equal(paising_values(p, "MC_series.dat", "e", e, 6 * 60), 6 * 60);
        assert_true(fabs(mean_energy(p, 32 * k, 32, 16, false) - e[6 * 59 + k]) < 1e-9);
    }
    paising_free(p);
}

/* --- what is wrong --- */

static void test_what_is_wrong_is_said_to_the_caller_alone(void **state) {
    (void)state;
    char printed[2][100];
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    paising *p = paising_new();
    const int unknown = paising_set(p, "sise", "16"), text = paising_set(p, "size", "many"),
              missing = paising_set(p, "size", NULL),
              large = paising_bond(p, UINT64_C(1) << 40, 0, 1);
    const bool said = strstr(paising_text(p), "sise") != NULL &&
                      strstr(paising_text(p), "many") != NULL &&
                      strstr(paising_text(p), "size: a value is missing") != NULL;
    paising_free(p);
    p = paising_new();
    paising_set(p, "device", "cpu");
    paising_set(p, "size", "17"); /* odd */
    const int odd = paising_run(p, NULL, NULL);
    const bool why = strstr(paising_text(p), "17") != NULL;
    paising_free(p);
    p = paising_new(); /* few families: warnings */
    paising_set(p, "device", "cpu");
    for (size_t n = 0; n < COUNT(square); n++)
        paising_set(p, square[n][0], square[n][1]);
    const int made = paising_run(p, NULL, NULL);
    const bool warned = strstr(paising_text(p), "warning") != NULL;
    paising_free(p);
    paising_free(NULL);

    capture_end(&err, printed[1], sizeof printed[1]);
    capture_end(&out, printed[0], sizeof printed[0]);
    assert_int_equal(unknown, PAISING_REFUSED);
    assert_int_equal(text, PAISING_REFUSED);
    assert_int_equal(missing, PAISING_REFUSED);
    assert_int_equal(large, PAISING_REFUSED);
    assert_int_equal(odd, PAISING_REFUSED);
    assert_int_equal(made, PAISING_OK);
    assert_true(said);
    assert_true(why);
    assert_true(warned);
    assert_string_equal(printed[0], "");
    assert_string_equal(printed[1], "");
}

static void test_options_of_the_command_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"output", "force",    "samples", "dry-run",    "like",
                                        "plan",   "continue", "quiet",   "time-limit", "format"};
    paising *const p = paising_new();
    for (size_t n = 0; n < COUNT(names); n++)
        assert_int_equal(paising_set(p, names[n], "1"), PAISING_REFUSED);
    assert_non_null(strstr(paising_text(p), "command alone"));
    paising_free(p);
}

/* --- bonds --- */

/* H = -(-1)(s0 s1 + s1 s2 + s2 s0) - 2 s0. */
/* A triangle with couplings -J and a field 2 h at one of its sites, by whole numbers or by doubles. */
static void check_triangle(double J, double h, bool whole) {
    const setting_words words[] = {{"population", "20000"}, {"sweeps", "5"}, {"dbeta", "0.1"}};
    paising *const p = handle(words, COUNT(words));
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(whole ? paising_bond(p, i, (i + 1) % 3, -(int)J)
                               : paising_bond_real(p, i, (i + 1) % 3, -J),
                         PAISING_OK);
    assert_int_equal(whole ? paising_bond(p, 0, 0, 2 * (int)h) : paising_bond_real(p, 0, 0, 2 * h),
                     PAISING_OK);
    assert_int_equal(paising_bond_real(p, 0, 1, NAN), PAISING_REFUSED);
    assert_int_equal(paising_bond_real(p, 0, 1, -INFINITY), PAISING_REFUSED);
    assert_int_equal(paising_run(p, NULL, NULL), PAISING_OK);
    double e[11], error[11];
    assert_int_equal(paising_values(p, TABLE, "e", e, 11), 11);
    assert_int_equal(paising_values(p, TABLE, "err_e", error, 11), 11);
    for (int k = 0; k < 11; k++) {
        double z = 0, sum = 0;
        for (int s = 0; s < 8; s++) {
            const int a = s & 1 ? -1 : 1, b = s & 2 ? -1 : 1, c = s & 4 ? -1 : 1;
            const double energy = J * (a * b + b * c + c * a) - 2 * h * a,
                         weight = exp(-0.1 * k * energy);
            z += weight;
            sum += weight * energy;
        }
        /* 5 sigma: a false alarm in a million */
        assert_true(fabs(e[k] - sum / z / 3) < 5 * error[k] + 1e-9);
    }
    paising_free(p);
}

static void test_a_triangle_with_a_field(void **state) {
    (void)state;
    check_triangle(1, 1, true);
    check_triangle(1.2345678, 0.7071067811865475, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(test_files_are_those_of_the_command),
        cmocka_unit_test(test_columns_are_those_of_the_file),
        cmocka_unit_test(test_two_handles_in_two_threads),
        cmocka_unit_test(test_runs_are_stopped),
        TEST_IN_SCRATCH(test_stopped_runs_go_on),
        TEST_IN_SCRATCH(test_runs_that_are_stopped_in_a_step_go_on),
        cmocka_unit_test(test_two_handles_on_two_gpus),
        cmocka_unit_test(test_a_long_step_of_a_gpu_is_given_up),
        cmocka_unit_test(test_what_is_prepared),
        cmocka_unit_test(test_spins_have_the_energies_of_the_tables),
        cmocka_unit_test(test_what_is_wrong_is_said_to_the_caller_alone),
        cmocka_unit_test(test_options_of_the_command_are_refused),
        cmocka_unit_test(test_a_triangle_with_a_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
