#include "simulation.h"

#include "base/clock.h"
#include "base/signals.h"
#include "checkpoint.h"
#include "checkpoint_population.h"
#include "files/results.h"
#include "files/run_json.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- times --- */

simulation_times simulation_spent(const simulation *s) {
    simulation_times t = s->before;
    t.parts++;
    for (size_t stage = 0; stage < STAGES; stage++)
        t.seconds[stage] += s->annealing.engine->seconds[stage];
    t.checkpoint_seconds += s->checkpoint_seconds;
    t.total_seconds += clock_seconds() - s->start;
    return t;
}

/* --- files --- */

/* Writes the files of the finished runs. */
static exit_status write_runs(const simulation *s, result_folder *folder) {
    const parameters *const p = s->parameters;
    const weighted_average *const rows = &s->finished, *const grid = &s->analysed;
    exit_status status = STATUS_OK;
    for (size_t run = 0; run < rows->runs && !status; run++) {
        status = results_write_run(folder, p, (uint32_t)run, rows->row + run * rows->temperatures,
                                   rows->temperatures);
        const trust t = trust_of_rows(rows->row + run * rows->temperatures, rows->temperatures);
        if (!status && p->reweight)
            status =
                results_write_reweighted(folder, p, (uint32_t)run, &t,
                                         grid->row + run * grid->temperatures, grid->temperatures);
    }
    return status;
}

/* Writes the averages over the finished runs (eqs. 6, 7). */
static exit_status write_average(simulation *s, result_folder *folder) {
    const parameters *const p = s->parameters;
    const weighted_average *const average = &s->finished;
    observables *const rows = malloc(average->temperatures * sizeof *rows);
    if (!rows)
        return complain(STATUS_FAILED, "not enough memory for the averages over runs");
    for (size_t i = 0; i < average->temperatures; i++)
        rows[i] = weighted_row(average, i, (uint64_t)p->size * p->size);
    s->trust = trust_of_rows(rows, average->temperatures);
    const exit_status status =
        results_write_weighted(folder, p, (uint32_t)average->runs, rows, average->temperatures);
    free(rows);
    return status;
}

static exit_status write_report(const simulation *s, result_folder *folder) {
    const engine *const e = s->annealing.engine;
    const simulation_times spent = simulation_spent(s);
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .temperatures = s->annealing.schedule.count,
                         .spin_flips = s->annealing.spin_flips,
                         .parts = spent.parts,
                         .interrupted = s->interrupted != 0,
                         .checkpoint_seconds = spent.checkpoint_seconds,
                         .total_seconds = spent.total_seconds};
    memcpy(report.seconds, spent.seconds, sizeof report.seconds);
    return run_json_write(folder, s->parameters, &report);
}

/* Says in every file where the simulation was interrupted, and writes the rows of that run. */
static exit_status write_interrupted_run(simulation *s, result_folder *folder) {
    const annealing *const a = &s->annealing;
    snprintf(folder->note, sizeof folder->note,
             "interrupted at beta = %.*g of run %" PRIu32 ": what comes after that is missing",
             s->parameters->precision, a->schedule.beta[a->temperature], a->run);
    s->trust = trust_of_rows(a->rows.row, a->rows.count);
    return results_write_run(folder, s->parameters, a->run, a->rows.row, a->rows.count);
}

/* Writes what there is. */
static exit_status write_results(simulation *s, result_folder *folder) {
    exit_status status = STATUS_OK;
    if (s->interrupted)
        status = write_interrupted_run(s, folder);
    if (!status)
        status = write_runs(s, folder);
    if (!status && s->finished.runs > 0)
        status = write_average(s, folder);
    return status ? status : write_report(s, folder);
}

/* --- memory --- */

/* Temperatures of a run; 0 if they are not known. */
static uint64_t known_temperatures(const parameters *p) {
    if (p->overlap > 0)
        return 0;
    return 1 + (uint64_t)(schedule_steps(p->beta_start, p->dbeta) +
                          schedule_steps(p->beta_end - p->beta_start, p->dbeta));
}

uint64_t simulation_bytes(const parameters *p) {
    const uint64_t levels = ising_levels(p->size).count, temperatures = known_temperatures(p);
    uint64_t bytes = sizeof(histogram) + levels * (sizeof(level_sums) + sizeof(uint64_t));
    /* Arrays that grow are twice as long as they must be, at most. */
    bytes += 2 * temperatures * (sizeof(double) + sizeof(observables));
    bytes += (2 * (uint64_t)p->runs + 1) * temperatures * sizeof(observables);
    if (p->reweight) {
        const double rows = 1 + schedule_steps(p->beta_end - p->beta_start, p->reweight_step);
        bytes += levels * (sizeof(reweighting_level) + sizeof(long double));
        bytes += 2 * temperatures * sizeof(reweighting_temperature);
        bytes += (2 * (uint64_t)p->runs + 1) * (uint64_t)rows * sizeof(observables);
    }
    if (p->checkpoint != NULL)
        bytes += 2 * CHECKPOINT_PIECE_BYTES;
    return bytes;
}

uint64_t simulation_analysis_bytes(const parameters *p) {
    return ising_levels(p->size).count * sizeof(double) * known_temperatures(p);
}

/* --- runs --- */

/* The multi-histogram analysis of the run just made (eq. 9). */
static exit_status analyse(simulation *s) {
    reweighting *const histograms = &s->annealing.reweighting;
    const parameters *const p = s->parameters;
    const uint64_t spins = (uint64_t)p->size * p->size;
    const beta_grid grid = parameters_grid(p);
    observables *rows = NULL;
    size_t count = 0;
    const reweighting_status solved = reweighting_solve(histograms);
    if (solved == REWEIGHTING_NO_CONVERGENCE)
        return complain(
            STATUS_FAILED,
            "run %u: the multi-histogram analysis (-m) does not converge; smaller steps "
            "(-d) give histograms that overlap",
            s->annealing.run);
    const int failed = solved == REWEIGHTING_NO_MEMORY ||
                       reweighting_rows(histograms, spins, &grid, &rows, &count) ||
                       weighted_add(&s->analysed, rows, count);
    free(rows);
    return failed
               ? complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis (-m)")
               : STATUS_OK;
}

/* Ends the run at hand, and begins the next if there is one. */
static exit_status end_run(simulation *s) {
    annealing *const a = &s->annealing;
    if (s->parameters->reweight && analyse(s))
        return STATUS_FAILED;
    if (weighted_add(&s->finished, a->rows.row, a->rows.count))
        return complain(STATUS_FAILED, "not enough memory for the averages over runs");
    return a->run + 1 < s->parameters->runs ? annealing_begin(a, a->run + 1) : STATUS_OK;
}

/* Writes a checkpoint, if there are to be any. */
static void pause_for_checkpoint(simulation *s) {
    if (s->parameters->checkpoint == NULL)
        return;
    const double start = clock_seconds();
    s->checkpoint_failed = checkpoint_write(s) != STATUS_OK;
    s->pauses.last = clock_seconds();
    s->pauses.steps = 0;
    s->checkpoint_seconds += s->pauses.last - start;
}

/* Ends the simulation at a pause, with what there is. */
static exit_status interrupt(simulation *s, int number) {
    const annealing *const a = &s->annealing;
    const parameters *const p = s->parameters;
    const bool resumable = p->checkpoint != NULL && !s->checkpoint_failed;
    s->interrupted = number;
    progress_end(&s->annealing.progress);
    complain(STATUS_OK, "SIG%s: ended at beta = %.*g of run %" PRIu32 "%s%s",
             number == SIGINT ? "INT" : "TERM", p->precision, a->schedule.beta[a->temperature],
             a->run, resumable ? "; to go on: --resume " : "", resumable ? p->checkpoint : "");
    return annealing_add_row(&s->annealing);
}

/* Goes on with the run at hand, to its end, a checkpoint or a signal. */
static exit_status go_on(simulation *s) {
    bool paused;
    const exit_status status = annealing_run(&s->annealing, &s->pauses, &paused);
    if (status)
        return status;
    if (!paused)
        return end_run(s);
    pause_for_checkpoint(s);
    return signals_pending() ? interrupt(s, signals_pending()) : STATUS_OK;
}

exit_status simulation_run(simulation *s, result_folder *folder) {
    exit_status status = STATUS_OK;
    if (s->parameters->resume == NULL)
        status = annealing_begin(&s->annealing, 0);
    while (!status && !s->interrupted && s->finished.runs < s->parameters->runs)
        status = go_on(s);
    progress_end(&s->annealing.progress);
    return status ? status : write_results(s, folder);
}

exit_status simulation_begin(simulation *s, const parameters *p, engine *e, double start) {
    *s = (simulation){.parameters = p, .start = start};
    exit_status status = annealing_create(&s->annealing, p, e);
    if (status)
        return status;
    if (p->resume != NULL)
        status = checkpoint_resume(s);
    if (status) {
        simulation_end(s);
        return status;
    }
    s->pauses = (annealing_pauses){.last = clock_seconds()};
    if (p->checkpoint != NULL)
        s->pauses.every = p->checkpoint_every;
    return STATUS_OK;
}

void simulation_end(simulation *s) {
    weighted_end(&s->finished);
    weighted_end(&s->analysed);
    annealing_destroy(&s->annealing);
}
