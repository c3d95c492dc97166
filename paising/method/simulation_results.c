/* From the rows of a simulation to its files. */
#include "simulation_results.h"

#include "files/overlap_results.h"
#include "files/results.h"
#include "files/run_json.h"
#include "ranks/ranks.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REMARK_SIZE 200

/* Whether a finished run has a multi-histogram analysis. */
static bool is_analysed(const simulation *s, size_t run) {
    return run < s->analysed.runs && weighted_reached(&s->analysed, run) > 0;
}

/* The remark for the header of a run with `reached` rows: where it died out, or nothing. */
static void remark_on_death(const simulation *s, size_t reached, char remark[REMARK_SIZE]) {
    const beta_schedule *const betas = &s->flight.schedule;
    remark[0] = '\0';
    if (betas->first_row + reached < betas->count)
        snprintf(
            remark, REMARK_SIZE,
            "the population died out before it reached beta = %.*g: its weight in the averages "
            "is 0 from there on",
            s->given->precision, betas->beta[betas->first_row + reached]);
}

/* The remark for the header of a finished run: where it died out, or why it has no multi-histogram
 * analysis, or nothing. Returns whether an analysis is missing. */
static bool remark_on_run(const simulation *s, size_t run, char remark[REMARK_SIZE]) {
    const int digits = s->given->precision;
    remark_on_death(s, weighted_reached(&s->finished, run), remark);
    if (remark[0] != '\0' || run >= s->analysed.runs || is_analysed(s, run))
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

/* Reports missing analyses on stderr. Returns STATUS_FAILED if there are any. */
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
    char reason[REMARK_SIZE + 40];
    snprintf(reason, sizeof reason, "run %zu%s: %s", at, missing > 1 ? " and others" : "", first);
    return simulation_complain(s, reason);
}

/* The analysis of a run, the n-th that exists: with errors, unless memory for these was missing. */
static const observables *analysis_of(const simulation *s, size_t run, size_t n) {
    const size_t rows = s->analysed.temperatures;
    return s->analysed_average != NULL ? s->solved.row + n * rows : s->analysed.row + run * rows;
}

/* The overlaps of a finished run with `reached` rows. Empty for a model without overlaps. */
static overlap_record overlaps_of(const simulation *s, size_t run, size_t reached) {
    overlap_record of_run = s->overlaps;
    if (of_run.row == NULL)
        return of_run;
    of_run.row += run * s->finished.temperatures;
    of_run.bin += run * s->finished.temperatures * of_run.bins;
    of_run.count = reached;
    return of_run;
}

/* The histogram text of a finished run if it is still in memory, as for the last runs; else NULL. */
static const overlap_text *text_of(const simulation *s, size_t run) {
    for (size_t n = 0; n < s->flight.count; n++)
        if (s->flight.member[n].run == run)
            return &s->flight.member[n].text;
    return NULL;
}

/* Writes the additional files of a finished run of a disordered model. */
static exit_status write_glass(const simulation *s, result_folder *folder, size_t run,
                               const overlap_record *overlaps) {
    const parameters *const p = s->given;
    const spin_model *const model = simulation_model(s);
    const observables *const rows = s->finished.row + run * s->finished.temperatures;
    const exit_status status =
        results_write_overlaps(folder, p, model, (uint32_t)run, rows, overlaps, text_of(s, run));
    if (status || s->ground[run].replicas == 0)
        return status;
    return results_write_ground_states(folder, p, model, (uint32_t)run, "", &s->ground[run]);
}

/* Writes the files of the finished runs. */
static exit_status write_runs(const simulation *s, result_folder *folder) {
    const parameters *const p = s->given;
    const spin_model *const model = simulation_model(s);
    const weighted_average *const rows = &s->finished;
    exit_status status = STATUS_OK;
    size_t analyses = 0; /* analyses of earlier runs */
    for (size_t run = 0; run < rows->runs && !status; run++) {
        const observables *const row = rows->row + run * rows->temperatures;
        const size_t reached = weighted_reached(rows, run);
        const trust_verdict t = trust_of_rows(row, reached);
        char remark[REMARK_SIZE];
        remark_on_run(s, run, remark);
        const overlap_record overlaps = overlaps_of(s, run, reached);
        const result_rows of_run = {model, row, overlaps.row, reached};
        status = results_write_run(folder, p, (uint32_t)run, remark, &of_run);
        if (!status && model->disordered)
            status = write_glass(s, folder, run, &overlaps);
        if (!status && is_analysed(s, run))
            status =
                results_write_reweighted(folder, p, model, (uint32_t)run, &t,
                                         analysis_of(s, run, analyses++), s->analysed.temperatures);
    }
    return status;
}

/* Writes the averages over the finished runs. */
static exit_status write_averages(const simulation *s, result_folder *folder) {
    const spin_model *const model = simulation_model(s);
    const result_rows averages = {model, s->average, s->overlap_average,
                                  weighted_rows(&s->finished)};
    exit_status status = STATUS_OK;
    if (s->average != NULL)
        status = results_write_weighted(folder, s->given, &s->finished, &s->weights, &averages);
    if (!status && s->average != NULL && s->overlap_average != NULL && s->finished.runs > 1)
        status = results_write_overlap_average(folder, s->given, model, &s->finished, s->average,
                                               &s->overlaps);
    if (!status && s->analysed_average != NULL)
        status =
            results_write_reweighted_average(folder, s->given, model, s->solved.runs, &s->trust,
                                             s->analysed_average, s->solved.temperatures);
    return status;
}

/* The lowest energy of the finished runs, or NAN. */
static double lowest_energy(const simulation *s) {
    double lowest = NAN;
    for (size_t i = 0;
         s->average != NULL && s->overlap_average != NULL && i < weighted_rows(&s->finished); i++)
        lowest = fmin(lowest, s->overlap_average[i].lowest);
    for (size_t i = 0; simulation_model(s)->graph != NULL && s->average != NULL &&
                       i < weighted_rows(&s->finished);
         i++)
        lowest = fmin(lowest, s->average[i].lowest);
    return lowest;
}

static exit_status write_report(const simulation *s, result_folder *folder) {
    const engine *const e = s->flight.member->steps.engine;
    const simulation_times spent = simulation_spent(s);
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .origin = model_origin(&e->model),
                         .lowest = lowest_energy(s),
                         .ranks = ranks_world().count,
                         .temperatures = s->flight.schedule.count,
                         .spin_flips = s->flight.spin_flips,
                         .parts = spent.parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .checkpoint_seconds = spent.checkpoint_seconds,
                         .ground_seconds = spent.ground_seconds,
                         .total_seconds = spent.total_seconds};
    memcpy(report.seconds, spent.seconds, sizeof report.seconds);
    simulation_add_phases(s, report.phase_seconds);
    return run_json_write(folder, s->given, &report);
}

/* Whether an unfinished run has a file: if it has rows, or was interrupted before the first. */
static bool is_part(const simulation *s, const annealing *a) {
    return a->run >= s->finished.runs && (a->rows.count > 0 || s->interrupted);
}

static bool has_parts(const simulation *s) {
    bool any = false;
    for (size_t n = 0; n < s->flight.count; n++)
        any = any || is_part(s, &s->flight.member[n]);
    return any;
}

/* Writes the rows so far of the runs in flight. */
static exit_status write_parts(const simulation *s, result_folder *folder) {
    exit_status status = STATUS_OK;
    for (size_t n = 0; n < s->flight.count && !status; n++) {
        const annealing *const a = &s->flight.member[n];
        char remark[REMARK_SIZE] = "";
        if (!is_part(s, a))
            continue;
        if (a->died_at > 0)
            remark_on_death(s, a->rows.count, remark);
        const result_rows rows = {simulation_model(s), a->rows.row, a->overlaps.row, a->rows.count};
        status = results_write_run(folder, s->given, a->run, remark, &rows);
        if (!status && annealing_has_overlaps(a))
            status = results_write_overlaps(folder, s->given, simulation_model(s), a->run,
                                            a->rows.row, &a->overlaps, &a->text);
    }
    return status;
}

/* Whether the options alone define temperatures and sweeps. */
static bool follows_from_options(const parameters *p) {
    return parameters_steps(p) == STEPS_FIXED && p->sweeps_file == NULL && p->relaxation == NULL &&
           !(p->sweep_gain > 0);
}

static exit_status write_copies(const spin_copies *saved, const spin_model *model,
                                result_folder *folder) {
    exit_status status = STATUS_OK;
    for (size_t n = 0; n < saved->count && !status; n++)
        status = results_write_spins(folder, model, &saved->of[n]);
    return status;
}

void simulation_warn_of_spins(const simulation *s) {
    double asked[SAVED_BETAS_MOST];
    const size_t count = parameters_saved_betas(s->given, asked);
    const bool goes_on = s->interrupted && s->given->checkpoint != NULL;
    for (size_t n = 0; n < count && !goes_on; n++) {
        uint32_t runs = spin_copies_runs(&s->saved, asked[n]);
        for (size_t k = 0; k < s->flight.count; k++)
            runs += spin_copies_runs(&s->flight.member[k].saved, asked[n]);
        if (runs < s->given->runs)
            warn("warning: --save-spins %.15g: %" PRIu32 " of %" PRIu32
                 " runs ended before it, and saved nothing there",
                 asked[n], s->given->runs - runs, s->given->runs);
    }
}

/* Writes the populations that were saved, of runs in flight too. */
static exit_status write_spins(const simulation *s, result_folder *folder) {
    const spin_model *const model = simulation_model(s);
    exit_status status = write_copies(&s->saved, model, folder);
    for (size_t n = 0; n < s->flight.count && !status; n++)
        status = write_copies(&s->flight.member[n].saved, model, folder);
    return status;
}

static exit_status write_results(result_folder *folder, void *state) {
    simulation *const s = state;
    const spin_model *const model = simulation_model(s);
    exit_status status = write_parts(s, folder);
    if (!status)
        status = write_runs(s, folder);
    if (!status)
        status = write_averages(s, folder);
    if (!status && model->sample != NULL)
        status = results_write_couplings(folder, s->given, model);
    if (!status)
        status = write_spins(s, folder);
    if (!status && !follows_from_options(s->given))
        status = results_write_schedule(folder, s->given, model, &s->flight.schedule);
    return status ? status : write_report(s, folder);
}

/* Decides which rows are trusted, in finished runs and in those in flight. */
static void judge_runs(simulation *s) {
    const weighted_average *const runs = &s->finished;
    for (size_t run = 0; run < runs->runs; run++)
        trust_judge(runs->row + run * runs->temperatures, runs->temperatures);
    for (size_t n = 0; n < s->flight.count; n++)
        trust_judge(s->flight.member[n].rows.row, s->flight.member[n].rows.count);
    s->trust = trust_of_rows(s->flight.member->rows.row, s->flight.member->rows.count);
}

/* Averages the overlaps over the finished runs, for the rows of s->average. */
static exit_status average_overlaps(simulation *s) {
    const size_t rows = weighted_rows(&s->finished);
    bool good = (s->overlap_average = calloc(rows, sizeof *s->overlap_average)) != NULL;
    for (size_t i = 0; i < rows && good; i++)
        good = !overlap_record_mean(&s->overlaps, &s->finished, i, simulation_model(s),
                                    &s->overlap_average[i]);
    if (!good) {
        free(s->average); /* a file of averages needs both */
        s->average = NULL;
        return simulation_fail(s, "not enough memory for the averages over runs");
    }
    s->equilibrium = equilibration_of_rows(s->average, s->overlap_average, rows, s->finished.runs);
    return STATUS_OK;
}

/* Averages over the finished runs (eqs. 6, 7). */
static exit_status average_runs(simulation *s) {
    const weighted_average *const runs = &s->finished;
    if (runs->runs == 0)
        return STATUS_OK;
    const size_t rows = weighted_rows(runs);
    s->average = calloc(runs->temperatures, sizeof *s->average);
    if (s->average == NULL)
        return simulation_fail(s, "not enough memory for the averages over runs");
    for (size_t i = 0; i < rows; i++)
        s->average[i] = weighted_row(runs, i, simulation_model(s)->sites);
    trust_judge(s->average, rows);
    s->trust = trust_of_rows(s->average, rows);
    s->weights = run_weights_of(runs);
    return simulation_model(s)->disordered ? average_overlaps(s) : STATUS_OK;
}

/* Collects the analyses that exist, and computes the scatter of the runs and the averages. */
static exit_status average_analyses(simulation *s) {
    const weighted_average *const all = &s->analysed;
    const uint64_t spins = simulation_model(s)->sites;
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
        return simulation_fail(s, "not enough memory for the averages over the "
                                  "multi-histogram analyses (-m)");
    }
    weighted_set_scatter(&s->solved, spins);
    const double replicas = (double)s->given->population * (double)s->solved.runs;
    const double lowest = s->average[weighted_rows(&s->finished) - 1].lowest;
    for (size_t i = 0; i < all->temperatures; i++) {
        observables *const row = &s->analysed_average[i];
        *row = weighted_mean(&s->solved, i, spins);
        row->gap = simulation_model(s)->gap[0] / level_unit(simulation_model(s)->levels);
        row->lowest = lowest;
        observables_count_nothing(row, spins, replicas);
    }
    return STATUS_OK;
}

/* Writes the note for the headers of a simulation that ended early. */
static void print_note(const simulation *s, char *note, size_t size) {
    char where[SIMULATION_PLACE_SIZE];
    if (s->failure[0] != '\0')
        snprintf(note, size, "failed: %s: what comes after that is missing", s->failure);
    else if (s->interrupted)
        snprintf(note, size, "interrupted at %s: what comes after that is missing",
                 simulation_place(where, s));
    for (char *c = note; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

exit_status simulation_publish(simulation *s, result_folder *folder) {
    judge_runs(s);
    exit_status averaged = average_runs(s);
    if (!averaged)
        averaged = average_analyses(s);
    if (s->finished.runs == 0 && !has_parts(s))
        return STATUS_OK;
    print_note(s, folder->note, sizeof folder->note);
    const exit_status put = result_folder_put(folder, write_results, s, folder->note[0] != '\0');
    const exit_status analysed = check_analyses(s);
    return averaged ? averaged : put ? put : analysed;
}
