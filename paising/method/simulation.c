/* A simulation: its runs, one after another, with pauses for checkpoints and signals. */
#include "simulation.h"

#include "base/clock.h"
#include "base/signals.h"
#include "settings/plans.h"
#include "simulation_sections.h"

#include <inttypes.h>
#include <stdlib.h>

/* The multi-histogram analysis of the run just made (eq. 9). It may have no rows, because the run died out,
 * because its histograms do not overlap, or because the equations do not converge. */
static exit_status analyse(simulation *s) {
    annealing *const a = &s->at_hand;
    const beta_grid grid = parameters_grid(s->given);
    observables *rows = NULL;
    size_t count = 0;
    const reweighting_status solved = a->died_at > 0
                                          ? REWEIGHTING_NO_CONVERGENCE
                                          : reweighting_solve(&a->histograms, &s->gaps[a->run]);
    const int failed =
        solved == REWEIGHTING_NO_MEMORY ||
        (solved == REWEIGHTING_OK &&
         reweighting_rows(&a->histograms, a->worker->model.sites, &grid, &rows, &count)) ||
        weighted_add(&s->analysed, rows, count, beta_grid_size(&grid));
    free(rows);
    return failed ? annealing_fail(a,
                                   "run %" PRIu32 ": not enough memory for the multi-histogram "
                                   "analysis (-m)",
                                   a->run)
                  : STATUS_OK;
}

/* Ends the run at hand, and begins the next if there is one. Runs may die out, but not all of them. */
static exit_status end_run(simulation *s) {
    annealing *const a = &s->at_hand;
    const size_t temperatures = a->schedule.count - a->schedule.first_row;
    if (weighted_add(&s->finished, a->rows.row, a->rows.count, temperatures))
        return annealing_fail(a, "run %" PRIu32 ": not enough memory for the averages over runs",
                              a->run);
    if (s->given->reweight && analyse(s))
        return STATUS_FAILED;
    if (a->run + 1 < s->given->runs)
        return annealing_begin(a, a->run + 1);
    return weighted_rows(&s->finished) < temperatures ? annealing_fail_extinct(a) : STATUS_OK;
}

/* Writes a checkpoint, if there are to be any. */
static void pause_for_checkpoint(simulation *s) {
    if (s->given->checkpoint == NULL)
        return;
    const double start = clock_seconds();
    s->checkpoint_failed = simulation_save(s) != STATUS_OK;
    s->checkpoints += !s->checkpoint_failed;
    s->pauses.last = clock_seconds();
    s->pauses.steps = 0;
    s->checkpoint_seconds += s->pauses.last - start;
}

/* Ends the simulation at a pause, with what there is. */
static exit_status interrupt(simulation *s, int number) {
    const annealing *const a = &s->at_hand;
    const parameters *const p = s->given;
    const bool resumable = p->checkpoint != NULL && !s->checkpoint_failed;
    s->interrupted = number;
    progress_end(&s->at_hand.progress);
    warn("%s: ended at beta = %.*g of run %" PRIu32 "%s%s", signals_name(number), p->precision,
         a->schedule.beta[a->temperature], a->run, resumable ? "; to go on: --resume " : "",
         resumable ? p->checkpoint : "");
    return annealing_add_row(&s->at_hand);
}

/* Goes on with the run at hand, to its end, a checkpoint or a signal. */
static exit_status go_on(simulation *s) {
    bool paused;
    const exit_status status = annealing_run(&s->at_hand, &s->pauses, &paused);
    if (status)
        return status;
    if (!paused)
        return end_run(s);
    pause_for_checkpoint(s);
    return signals_pending() ? interrupt(s, signals_pending()) : STATUS_OK;
}

exit_status simulation_run(simulation *s) {
    exit_status status = STATUS_OK;
    if (s->given->resume == NULL)
        status = annealing_begin(&s->at_hand, 0);
    while (!status && !s->interrupted && s->finished.runs < s->given->runs)
        status = go_on(s);
    progress_end(&s->at_hand.progress);
    if (s->at_hand.schedule.shortened)
        warn("warning: steps are shorter than -a %.10g asks for: less than %d of the %" PRIu64
             " replicas (-R) would carry their weights",
             s->given->overlap, SCHEDULE_CARRIERS, s->given->population);
    return status;
}

exit_status simulation_checkpoints(const simulation *s) {
    const bool lost = s->checkpoint_failed && (s->interrupted || s->checkpoints == 0);
    return lost ? STATUS_FAILED : STATUS_OK;
}

exit_status simulation_begin(simulation *s, const parameters *p, engine *e, double start) {
    *s = (simulation){.given = p, .start = start};
    exit_status status = annealing_create(&s->at_hand, p, e);
    if (status)
        return status;
    s->gaps = calloc(p->reweight ? p->runs : 1, sizeof *s->gaps);
    if (s->gaps == NULL)
        status = complain(STATUS_REFUSED, "not enough memory for -M %" PRIu32, p->runs);
    else if (p->resume != NULL)
        status = simulation_resume(s);
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
    weighted_end(&s->solved);
    free(s->average);
    free(s->analysed_average);
    free(s->gaps);
    annealing_destroy(&s->at_hand);
}
