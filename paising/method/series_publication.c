/* From a series to its files. */
#include "base/clock.h"
#include "files/results.h"
#include "files/run_json.h"
#include "files/series_results.h"
#include "ranks/ranks.h"
#include "series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static exit_status write_rows(series *s, result_folder *folder) {
    const spin_model *const model = &s->model;
    series_row *const row = calloc(s->temperatures, sizeof *row);
    bool good = row != NULL;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < s->temperatures; k++)
        good = row != NULL &&
               series_row_of(&row[k], &s->record, k, s->beta[k], model->sites, model->disordered) &&
               good;
    exit_status status = STATUS_OK;
    s->doubtful = 0;
    for (size_t k = 0; k < s->temperatures && good; k++)
        s->doubtful += !row[k].trusted;
    if (!good)
        status = complain(STATUS_FAILED, "not enough memory for the averages");
    else
        status = series_results_write_rows(folder, s->given, model, s->beta, row, s->temperatures);
    free(row);
    return status;
}

static exit_status write_report(const series *s, result_folder *folder) {
    const engine *const e = s->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .origin = model_origin(&s->model),
                         .lowest = NAN,
                         .ranks = ranks_world().count,
                         .temperatures = s->temperatures,
                         .spin_flips = (double)s->taken * s->given->sweeps *
                                       parameters_visits(s->given).hits * (double)s->temperatures *
                                       (double)s->given->population * (double)s->model.sites,
                         .parts = s->parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .checkpoint_seconds = s->checkpoint_seconds,
                         .total_seconds = s->earlier + clock_seconds() - s->start};
    memcpy(report.seconds, e->seconds, sizeof report.seconds);
    return run_json_write(folder, s->given, &report);
}

static exit_status write_results(result_folder *folder, void *state) {
    series *const s = state;
    const spin_model *const model = &s->model;
    exit_status status = write_rows(s, folder);
    if (!status)
        status = series_results_write_series(folder, s->given, model, s->beta, &s->record);
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
