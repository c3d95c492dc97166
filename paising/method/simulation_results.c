/* From the rows of a simulation to its files. */
#include "simulation_results.h"

#include "files/results.h"
#include "files/run_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes the files of the finished runs. */
static exit_status write_runs(const simulation *s, result_folder *folder) {
    const parameters *const p = s->given;
    const weighted_average *const rows = &s->finished, *const grid = &s->analysed;
    exit_status status = STATUS_OK;
    for (size_t run = 0; run < rows->runs && !status; run++) {
        status = results_write_run(folder, p, &s->at_hand.worker->model, (uint32_t)run,
                                   rows->row + run * rows->temperatures, rows->temperatures);
        const trust_verdict t =
            trust_of_rows(rows->row + run * rows->temperatures, rows->temperatures);
        if (!status && p->reweight)
            status =
                results_write_reweighted(folder, p, &s->at_hand.worker->model, (uint32_t)run, &t,
                                         grid->row + run * grid->temperatures, grid->temperatures);
    }
    return status;
}

/* Writes the averages over the finished runs (eqs. 6, 7). */
static exit_status write_average(simulation *s, result_folder *folder) {
    const parameters *const p = s->given;
    const weighted_average *const average = &s->finished;
    observables *const rows = malloc(average->temperatures * sizeof *rows);
    if (!rows)
        return complain(STATUS_FAILED, "not enough memory for the averages over runs");
    for (size_t i = 0; i < average->temperatures; i++)
        rows[i] = weighted_row(average, i, s->at_hand.worker->model.sites);
    s->trust = trust_of_rows(rows, average->temperatures);
    const exit_status status = results_write_weighted(
        folder, p, &s->at_hand.worker->model, (uint32_t)average->runs, rows, average->temperatures);
    free(rows);
    return status;
}

static exit_status write_report(const simulation *s, result_folder *folder) {
    const engine *const e = s->at_hand.worker;
    const simulation_times spent = simulation_spent(s);
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .temperatures = s->at_hand.schedule.count,
                         .spin_flips = s->at_hand.spin_flips,
                         .parts = spent.parts,
                         .interrupted = s->interrupted != 0,
                         .checkpoint_seconds = spent.checkpoint_seconds,
                         .total_seconds = spent.total_seconds};
    memcpy(report.seconds, spent.seconds, sizeof report.seconds);
    return run_json_write(folder, s->given, &report);
}

/* Says in every file where the simulation was interrupted, and writes the rows of that run. */
static exit_status write_interrupted_run(simulation *s, result_folder *folder) {
    const annealing *const a = &s->at_hand;
    snprintf(folder->note, sizeof folder->note,
             "interrupted at beta = %.*g of run %" PRIu32 ": what comes after that is missing",
             s->given->precision, a->schedule.beta[a->temperature], a->run);
    s->trust = trust_of_rows(a->rows.row, a->rows.count);
    return results_write_run(folder, s->given, &a->worker->model, a->run, a->rows.row,
                             a->rows.count);
}

exit_status simulation_write_results(simulation *s, result_folder *folder) {
    exit_status status = STATUS_OK;
    if (s->interrupted)
        status = write_interrupted_run(s, folder);
    if (!status)
        status = write_runs(s, folder);
    if (!status && s->finished.runs > 0)
        status = write_average(s, folder);
    return status ? status : write_report(s, folder);
}
