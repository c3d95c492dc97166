/* Reads the folder of a curve. */
#include "curve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_RUNS 3 /* a jackknife of variances takes no fewer */

const char *const curve_common[CURVE_COMMON] = {
    "model", "size", "population", "sweeps", "disorder", "beta-start", "beta-end", "dbeta", "runs"};

/* --- run.json --- */

/* Takes `  "name": "value",` apart, as paising/files/run_json.c writes a member of the outer object. */
static void take_member(const char *line, const char *name, char *value, size_t size) {
    char start[64];
    const size_t length = (size_t)snprintf(start, sizeof start, "  \"%s\": \"", name);
    if (!strncmp(line, start, length))
        snprintf(value, size, "%.*s", (int)strcspn(line + length, "\""), line + length);
}

/* Reads where a result was made. run.json is the last file of a result to get its name: without it
 * the result is not there. */
static exit_status read_origin(curve *c, const char *folder) {
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s/run.json", folder, c->name);
    FILE *const file = fopen(path, "r");
    if (!file)
        return errno == ENOENT ? STATUS_OK
                               : complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        take_member(line, "engine", c->engine, sizeof c->engine);
        take_member(line, "driver", c->driver, sizeof c->driver);
        take_member(line, "commit", c->commit, sizeof c->commit);
        take_member(line, "date", c->date, sizeof c->date);
    }
    fclose(file);
    c->made = true;
    return STATUS_OK;
}

/* --- the runs --- */

/* Takes the parameters from the first run, and reserves room for all. */
static exit_status begin(curve *c, const result_file *first, const char *path) {
    for (size_t i = 0; i < CURVE_COMMON; i++)
        result_file_parameter(first, curve_common[i], c->common[i]);
    result_file_parameter(first, "coding", c->coding);
    result_file_parameter(first, "rng", c->rng);
    c->word = result_file_number(first, "word");
    c->seed = result_file_number(first, "seed");
    const uint64_t runs = result_file_number(first, "runs");
    if (runs < FEWEST_RUNS)
        return complain(STATUS_FAILED, "%s: %" PRIu64 " runs; at least %d are needed", path, runs,
                        FEWEST_RUNS);
    if (spread_create(&c->sample, runs, first->rows))
        return complain(STATUS_FAILED, "%s: not enough memory", path);
    for (size_t t = 0; t < first->rows; t++)
        c->sample.beta[t] = first->row[t][RESULT_BETA];
    return STATUS_OK;
}

/* Takes C from a run. */
static exit_status take_run(curve *c, const result_file *result, size_t run, const char *path) {
    spread_sample *const s = &c->sample;
    if (result->rows != s->temperatures)
        return complain(STATUS_FAILED, "%s: %zu temperatures, but run 0 has %zu", path,
                        result->rows, s->temperatures);
    for (size_t t = 0; t < result->rows; t++)
        s->c[t * s->runs + run] = result->row[t][RESULT_C];
    return STATUS_OK;
}

static exit_status read_run(curve *c, const char *folder, size_t run) {
    char path[4096];
    result_file result;
    snprintf(path, sizeof path, "%s/%s/PA_results_run_%zu.dat", folder, c->name, run);
    exit_status status = result_file_read(&result, path);
    if (!status && run == 0)
        status = begin(c, &result, path);
    if (!status)
        status = take_run(c, &result, run, path);
    result_file_free(&result);
    return status;
}

exit_status curve_read(curve *c, const char *folder, const char *name) {
    *c = (curve){.name = name, .engine = "-", .driver = "-", .commit = "-", .date = "-"};
    exit_status status = read_origin(c, folder);
    if (status || !c->made)
        return status;
    status = read_run(c, folder, 0);
    for (size_t run = 1; !status && run < c->sample.runs; run++)
        status = read_run(c, folder, run);
    return status;
}

void curve_free(curve *c) {
    spread_destroy(&c->sample);
}
