/* From the rows of a simulation to its files. */
#include "simulation_results.h"

#include "files/results.h"
#include "files/run_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REMARK_SIZE 200

/* Whether there is a multi-histogram analysis of a finished run. */
static bool is_analysed(const simulation *s, size_t run) {
    return run < s->analysed.runs && weighted_reached(&s->analysed, run) > 0;
}

/* What the header of a finished run is to say: where it died out, or why it has no multi-histogram
 * analysis; nothing if there is nothing of the kind. Returns whether an analysis is missing. */
static bool remark_on_run(const simulation *s, size_t run, char remark[REMARK_SIZE]) {
    const beta_schedule *const betas = &s->at_hand.schedule;
    const size_t reached = weighted_reached(&s->finished, run);
    const int digits = s->given->precision;
    remark[0] = '\0';
    if (reached < s->finished.temperatures) {
        snprintf(
            remark, REMARK_SIZE,
            "the population died out before it reached beta = %.*g: its weight in the averages "
            "is 0 from there on",
            digits, betas->beta[betas->first_row + reached]);
        return false;
    }
    if (run >= s->analysed.runs || is_analysed(s, run))
        return false;
    const histogram_gap gap = s->gaps[run];
    if (gap.to > gap.from)
        snprintf(remark, REMARK_SIZE,
                 "no multi-histogram analysis (-m): the histograms do not overlap between "
                 "beta = %.*g and %.*g; smaller steps (-d) would help",
                 digits, gap.from, digits, gap.to);
    else
        snprintf(remark, REMARK_SIZE,
                 "no multi-histogram analysis (-m): it does not converge; smaller steps (-d) "
                 "would help");
    return true;
}

/* Says on stderr which analyses are missing. Returns STATUS_FAILED if any is. */
static exit_status check_analyses(const simulation *s) {
    char remark[REMARK_SIZE], first[REMARK_SIZE] = "";
    size_t missing = 0, at = 0;
    for (size_t run = 0; run < s->analysed.runs; run++)
        if (remark_on_run(s, run, remark) && missing++ == 0) {
            memcpy(first, remark, sizeof first);
            at = run;
        }
    if (missing == 0)
        return STATUS_OK;
    return complain(STATUS_FAILED, "run %zu%s: %s", at, missing > 1 ? " and others" : "", first);
}

/* The analysis of a run, which is the analysis number n: with errors, if there was memory for them. */
static const observables *analysis_of(const simulation *s, size_t run, size_t n) {
    const size_t rows = s->analysed.temperatures;
    return s->analysed_average != NULL ? s->solved.row + n * rows : s->analysed.row + run * rows;
}

/* Writes the files of the finished runs. */
static exit_status write_runs(const simulation *s, result_folder *folder) {
    const parameters *const p = s->given;
    const spin_model *const model = &s->at_hand.worker->model;
    const weighted_average *const rows = &s->finished;
    exit_status status = STATUS_OK;
    size_t analyses = 0; /* of the runs before */
    for (size_t run = 0; run < rows->runs && !status; run++) {
        const observables *const row = rows->row + run * rows->temperatures;
        const size_t reached = weighted_reached(rows, run);
        const trust_verdict t = trust_of_rows(row, reached);
        char remark[REMARK_SIZE];
        remark_on_run(s, run, remark);
        status = results_write_run(folder, p, model, (uint32_t)run, remark, row, reached);
        if (!status && is_analysed(s, run))
            status =
                results_write_reweighted(folder, p, model, (uint32_t)run, &t,
                                         analysis_of(s, run, analyses++), s->analysed.temperatures);
    }
    return status;
}

/* Writes the averages over the finished runs. */
static exit_status write_averages(const simulation *s, result_folder *folder) {
    const spin_model *const model = &s->at_hand.worker->model;
    exit_status status = STATUS_OK;
    if (s->average != NULL)
        status = results_write_weighted(folder, s->given, model, &s->weights, s->average,
                                        weighted_rows(&s->finished));
    if (!status && s->analysed_average != NULL)
        status =
            results_write_reweighted_average(folder, s->given, model, s->solved.runs, &s->trust,
                                             s->analysed_average, s->solved.temperatures);
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
        status = results_write_run(folder, s->given, model, a->run, "", a->rows.row, a->rows.count);
    if (!status)
        status = write_runs(s, folder);
    if (!status)
        status = write_averages(s, folder);
    if (!status && model->sample != NULL)
        status = results_write_couplings(folder, s->given, model);
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
    const size_t rows = weighted_rows(runs);
    s->average = calloc(runs->temperatures, sizeof *s->average);
    if (s->average == NULL)
        return annealing_fail(&s->at_hand, "not enough memory for the averages over runs");
    for (size_t i = 0; i < rows; i++)
        s->average[i] = weighted_row(runs, i, s->at_hand.worker->model.sites);
    trust_judge(s->average, rows);
    s->trust = trust_of_rows(s->average, rows);
    s->weights = run_weights_of(runs);
    return STATUS_OK;
}

/* Takes those analyses that there are together, for the scatter of the runs and their averages. */
static exit_status average_analyses(simulation *s) {
    const weighted_average *const all = &s->analysed;
    const uint64_t spins = s->at_hand.worker->model.sites;
    bool stored = true;
    for (size_t run = 0; run < all->runs && stored; run++)
        if (is_analysed(s, run))
            stored = !weighted_add(&s->solved, all->row + run * all->temperatures,
                                   all->temperatures, all->temperatures);
    if (stored && s->solved.runs == 0)
        return STATUS_OK;
    s->analysed_average = stored ? calloc(all->temperatures, sizeof *s->analysed_average) : NULL;
    if (s->analysed_average == NULL) {
        weighted_end(&s->solved);
        return annealing_fail(&s->at_hand, "not enough memory for the averages over the "
                                           "multi-histogram analyses (-m)");
    }
    weighted_set_scatter(&s->solved, spins);
    for (size_t i = 0; i < all->temperatures; i++)
        s->analysed_average[i] = weighted_mean(&s->solved, i, spins);
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
    exit_status averaged = average_runs(s);
    if (!averaged)
        averaged = average_analyses(s);
    if (s->finished.runs == 0 && !has_part_of_run(s) && !s->interrupted)
        return STATUS_OK;
    print_note(s, folder->note, sizeof folder->note);
    const exit_status put = result_folder_put(folder, write_results, s, folder->note[0] != '\0');
    const exit_status analysed = check_analyses(s);
    return averaged ? averaged : put ? put : analysed;
}
