/* From a series to its files. */
#include "base/clock.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/run_json.h"
#include "files/series_results.h"
#include "ranks/ranks.h"
#include "series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fills row[] with those of a run, or with the averages over runs of which run number s->runs stands for. Returns false without memory. */
static bool make_rows(const series *s, size_t run, series_row row[]) {
    const size_t temperatures = s->temperatures / s->runs;
    bool good = true;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < temperatures; k++)
        good = (run == s->runs
                    ? series_row_of_runs(&row[k], &s->record, s->runs, k, s->beta[k], &s->model)
                    : series_row_of(&row[k], &s->record, run * temperatures + k, s->beta[k],
                                    &s->model)) &&
               good;
    return good && (s->way->judge == NULL || s->way->judge(s, run, row));
}

static exit_status write_rows(series *s, size_t run, const char *name, result_folder *folder) {
    const size_t temperatures = s->temperatures / s->runs;
    series_row *const row = calloc(temperatures, sizeof *row);
    char remark[100] = "";
    if (run == s->runs)
        snprintf(remark, sizeof remark, "averages over %zu runs, with errors from their scatter",
                 s->runs);
    exit_status status = STATUS_OK;
    if (row == NULL || !make_rows(s, run, row))
        status = complain(STATUS_FAILED, "not enough memory for the averages");
    else
        status = series_results_write_rows(folder, name, s->given, &s->model, remark, s->beta, row,
                                           temperatures);
    s->doubtful = 0;
    for (size_t k = 0; k < temperatures && !status; k++)
        s->doubtful += !row[k].trusted;
    free(row);
    return status;
}

/* Writes the rows and the series of one run. */
static exit_status write_run(series *s, size_t run, const char *rows, const char *measurements,
                             result_folder *folder) {
    const size_t temperatures = s->temperatures / s->runs;
    const exit_status status = write_rows(s, run, rows, folder);
    return status ? status
                  : series_results_write_series(folder, measurements, s->given, &s->model, s->beta,
                                                &s->record, run * temperatures, temperatures);
}

/* Writes those of all runs, and the averages over them. */
static exit_status write_runs(series *s, result_folder *folder) {
    if (s->runs == 1)
        return write_run(s, 0, SERIES_ROWS_FILE, SERIES_FILE, folder);
    exit_status status = STATUS_OK;
    for (size_t run = 0; run < s->runs && !status; run++) {
        char rows[RESULT_NAME_MOST], measurements[RESULT_NAME_MOST];
        snprintf(rows, sizeof rows, SERIES_ROWS_PREFIX "%zu.dat", run);
        snprintf(measurements, sizeof measurements, SERIES_PREFIX "%zu.dat", run);
        status = write_run(s, run, rows, measurements, folder);
    }
    return status ? status : write_rows(s, s->runs, SERIES_ROWS_FILE, folder);
}

static exit_status write_report(const series *s, result_folder *folder) {
    const engine *const e = s->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .origin = model_origin(&s->model),
                         .lowest = NAN,
                         .ranks = ranks_world().count,
                         .temperatures = s->temperatures / s->runs,
                         .spin_flips = (double)s->taken * s->given->sweeps *
                                       parameters_visits(s->given).hits * (double)s->temperatures *
                                       (double)s->given->population * (double)s->model.sites,
                         .parts = s->parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .checkpoint_seconds = s->checkpoints.seconds,
                         .total_seconds = s->earlier + clock_seconds() - s->start};
    memcpy(report.seconds, e->seconds, sizeof report.seconds);
    return run_json_write(folder, s->given, &report);
}

static exit_status write_results(result_folder *folder, void *state) {
    series *const s = state;
    const spin_model *const model = &s->model;
    exit_status status = write_runs(s, folder);
    if (!status && model->sample != NULL)
        status = results_write_couplings(folder, s->given, model);
    if (!status && s->way->write != NULL)
        status = s->way->write(s, folder);
    return status ? status : write_report(s, folder);
}

exit_status series_publish(series *s, result_folder *folder) {
    if (s->record.count == 0)
        return STATUS_OK;
    if (s->failure[0] != '\0')
        snprintf(folder->note, sizeof folder->note, "failed: %s: what comes after that is missing",
                 s->failure);
    else if (s->interrupted)
        snprintf(folder->note, sizeof folder->note,
                 "interrupted after measurement %zu of %" PRIu32
                 ": what comes after that is missing",
                 s->record.count, s->given->measurements);
    return result_folder_put(folder, write_results, s, folder->note[0] != '\0');
}
