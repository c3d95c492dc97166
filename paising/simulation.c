#include "simulation.h"

#include "annealing.h"
#include "clock.h"
#include "results.h"
#include "run_json.h"
#include "weighted.h"

#include <stdlib.h>

/* The multi-histogram analysis of a run (eq. 9), written to its file. */
static exit_status analyse(result_folder *folder, const parameters *p, uint32_t run, const trust *t,
                           reweighting *histograms) {
    observables *rows = NULL;
    size_t count = 0;
    const reweighting_status solved = reweighting_solve(histograms);
    if (solved == REWEIGHTING_NO_CONVERGENCE)
        return complain(
            STATUS_FAILED,
            "run %u: the multi-histogram analysis (-m) does not converge; smaller steps "
            "(-d) give histograms that overlap",
            run);
    if (solved == REWEIGHTING_NO_MEMORY || reweighting_grid(histograms, p, &rows, &count))
        return complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis (-m)");
    const exit_status status = results_write_reweighted(folder, p, run, t, rows, count);
    free(rows);
    return status;
}

/* Makes run number `run`, writes its files and adds it to the average. */
static exit_status make_run(annealing *a, uint32_t run, reweighting *histograms,
                            weighted_average *average, result_folder *folder) {
    const parameters *const p = a->parameters;
    annealing_rows rows = {0};
    if (histograms)
        reweighting_clear(histograms);
    exit_status status = annealing_run(a, run, &rows, histograms);
    if (!status)
        status = results_write_run(folder, p, run, rows.row, rows.count);
    const trust t = trust_of_rows(rows.row, rows.count);
    if (!status && histograms)
        status = analyse(folder, p, run, &t, histograms);
    if (!status && weighted_add(average, rows.row, rows.count))
        status = complain(STATUS_FAILED, "not enough memory for the averages over runs");
    free(rows.row);
    return status;
}

/* Writes the averages over the runs (eqs. 6, 7). */
static exit_status write_average(const parameters *p, const weighted_average *average,
                                 result_folder *folder, trust *t) {
    observables *const rows = malloc(average->temperatures * sizeof *rows);
    if (!rows)
        return complain(STATUS_FAILED, "not enough memory for the averages over runs");
    for (size_t i = 0; i < average->temperatures; i++)
        rows[i] = weighted_row(average, i, (uint64_t)p->size * p->size);
    *t = trust_of_rows(rows, average->temperatures);
    const exit_status status = results_write_weighted(folder, p, rows, average->temperatures);
    free(rows);
    return status;
}

static exit_status write_report(const parameters *p, const annealing *a, double seconds,
                                result_folder *folder) {
    run_report report = {.engine = a->engine->name,
                         .driver = a->engine->driver,
                         .threads = a->engine->threads,
                         .temperatures = a->schedule.count,
                         .spin_flips = a->spin_flips,
                         .total_seconds = seconds};
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = a->engine->seconds[stage];
    return run_json_write(folder, p, &report);
}

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
        bytes += (uint64_t)rows * sizeof(observables);
    }
    return bytes;
}

uint64_t simulation_analysis_bytes(const parameters *p) {
    return ising_levels(p->size).count * sizeof(double) * known_temperatures(p);
}

exit_status simulation_run(const parameters *p, engine *e, double start, result_folder *folder,
                           trust *t) {
    annealing a;
    weighted_average average;
    reweighting histograms = {0};
    exit_status status = annealing_create(&a, p, e);
    if (status)
        return status;
    if (p->reweight && reweighting_create(&histograms, e->levels)) {
        annealing_destroy(&a);
        return complain(STATUS_REFUSED, "not enough memory for the multi-histogram analysis (-m)");
    }
    weighted_start(&average);
    for (uint32_t run = 0; run < p->runs && !status; run++)
        status = make_run(&a, run, p->reweight ? &histograms : NULL, &average, folder);
    progress_end(&a.progress);
    if (!status)
        status = write_average(p, &average, folder, t);
    if (!status)
        status = write_report(p, &a, clock_seconds() - start, folder);
    weighted_end(&average);
    reweighting_destroy(&histograms);
    annealing_destroy(&a);
    return status;
}
