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
    const spin_model *const model = &s->at_hand.worker->model;
    const weighted_average *const rows = &s->finished, *const grid = &s->analysed;
    exit_status status = STATUS_OK;
    for (size_t run = 0; run < rows->runs && !status; run++) {
        const observables *const row = rows->row + run * rows->temperatures;
        const trust_verdict t = trust_of_rows(row, rows->temperatures);
        status = results_write_run(folder, p, model, (uint32_t)run, row, rows->temperatures);
        if (!status && run < grid->runs)
            status =
                results_write_reweighted(folder, p, model, (uint32_t)run, &t,
                                         grid->row + run * grid->temperatures, grid->temperatures);
    }
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
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .checkpoint_seconds = spent.checkpoint_seconds,
                         .total_seconds = spent.total_seconds};
    memcpy(report.seconds, spent.seconds, sizeof report.seconds);
    return run_json_write(folder, s->given, &report);
}

/* Whether the run at hand has not come to its end, and has rows. */
static bool has_part_of_run(const simulation *s) {
    return s->at_hand.run >= s->finished.runs && s->at_hand.rows.count > 0;
}

static exit_status write_results(result_folder *folder, void *state) {
    simulation *const s = state;
    const annealing *const a = &s->at_hand;
    const spin_model *const model = &a->worker->model;
    exit_status status = STATUS_OK;
    if (has_part_of_run(s) || s->interrupted)
        status = results_write_run(folder, s->given, model, a->run, a->rows.row, a->rows.count);
    if (!status)
        status = write_runs(s, folder);
    if (!status && s->average != NULL)
        status = results_write_weighted(folder, s->given, model, (uint32_t)s->finished.runs,
                                        s->average, s->finished.temperatures);
    return status ? status : write_report(s, folder);
}

/* Decides which rows are trusted, of the runs that are finished and of the one at hand. */
static void judge_runs(simulation *s) {
    const weighted_average *const runs = &s->finished;
    for (size_t run = 0; run < runs->runs; run++)
        trust_judge(runs->row + run * runs->temperatures, runs->temperatures);
    trust_judge(s->at_hand.rows.row, s->at_hand.rows.count);
    s->trust = trust_of_rows(s->at_hand.rows.row, s->at_hand.rows.count);
}

/* Averages over the finished runs (eqs. 6, 7). */
static exit_status average_runs(simulation *s) {
    const weighted_average *const runs = &s->finished;
    if (runs->runs == 0)
        return STATUS_OK;
    s->average = malloc(runs->temperatures * sizeof *s->average);
    if (s->average == NULL)
        return annealing_fail(&s->at_hand, "not enough memory for the averages over runs");
    for (size_t i = 0; i < runs->temperatures; i++)
        s->average[i] = weighted_row(runs, i, s->at_hand.worker->model.sites);
    trust_judge(s->average, runs->temperatures);
    s->trust = trust_of_rows(s->average, runs->temperatures);
    return STATUS_OK;
}

/* What every file says of the end of a simulation that came too early. */
static void print_note(const simulation *s, char *note, size_t size) {
    const annealing *const a = &s->at_hand;
    if (a->failure[0] != '\0')
        snprintf(note, size, "failed: %s: what comes after that is missing", a->failure);
    else if (s->interrupted)
        snprintf(note, size,
                 "interrupted at beta = %.*g of run %" PRIu32 ": what comes after that is missing",
                 s->given->precision, a->schedule.beta[a->temperature], a->run);
    for (char *c = note; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

exit_status simulation_publish(simulation *s, result_folder *folder) {
    judge_runs(s);
    const exit_status averaged = average_runs(s);
    if (s->finished.runs == 0 && !has_part_of_run(s) && !s->interrupted)
        return STATUS_OK;
    print_note(s, folder->note, sizeof folder->note);
    const exit_status put = result_folder_put(folder, write_results, s, folder->note[0] != '\0');
    return averaged ? averaged : put;
}
