/* The driver of flat-histogram methods (flat.h). */
#include "flat.h"

#include "base/clock.h"
#include "base/signals.h"
#include "base/work_clock.h"
#include "progress.h"
#include "saved_population.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Seconds without a new energy behind which it is said what the weights wait for. */
#define PATIENCE 5

/* Round trips of each walker, on average, from which on groups of measurements are as good as independent. */
#define ENOUGH_TRIPS 5

/* Refuses what an engine has no walks for. */
static exit_status check_engine(const flat *f) {
    const engine *const e = f->steps.engine;
    const char *const name = method_name(f->given->method);
    if (e->verbs->walk != NULL)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "--method %s: allowed on lattices with all bonds and on graphs only; "
                    "%s has no walks of this one",
                    name, e->name);
}

static exit_status create(flat *f, engine *e) {
    if (stepper_create(&f->steps, e))
        return complain(STATUS_REFUSED, "not enough memory for the histograms");
    const exit_status status = check_engine(f);
    if (status)
        return status;
    if (!flat_windows_create(f))
        return complain(STATUS_REFUSED, "not enough memory for %" PRIu32 " windows of walkers",
                        f->given->windows);
    if (!flat_record_create(f))
        return complain(STATUS_REFUSED, "--record: not enough memory");
    const bool begins = f->given->resume == NULL;
    return f->given->weights != NULL && begins ? flat_take_weights(f) : STATUS_OK;
}

static void destroy(flat *f) {
    flat_record_destroy(f);
    flat_windows_destroy(f);
    stepper_destroy(&f->steps);
}

/* --- steps --- */

/* Steps of an iteration at most; and in all that weights are looked for. */
static double steps_of_search(const flat *f) {
    const parameters *const p = f->given;
    const double each = (f->way->blocks ? 0 : p->thermalisation) + (double)p->iteration_length;
    return p->iterations * each;
}

/* The group of measurements that the next one belongs to. */
static size_t group_at_hand(const flat *f) {
    const uint64_t measured = f->produced - f->given->thermalisation, all = f->given->measurements;
    const uint64_t groups = all < FLAT_GROUPS ? all : FLAT_GROUPS;
    return (size_t)(measured * groups / all);
}

/* Adds the last walk to the histograms, and changes the weights. */
static void take_walk(flat *f) {
    uint64_t *const counts = flat_measures(f) ? f->counts + group_at_hand(f) * f->rows
                             : f->found       ? NULL
                                              : f->visits;
    for (size_t row = 0; row < f->rows && counts != NULL; row++)
        counts[row] += f->block[row];
    for (size_t k = 0; k < f->windows && !f->found && f->way->walked != NULL; k++)
        if (!f->window[k].ready)
            f->way->walked(f, &f->window[k]);
}

/* Adds the order parameters of all walkers to those of the measurement at hand. */
static bool measure_order(flat *f) {
    if (!flat_engine_did(f, engine_measure(f->steps.engine, &f->steps.report)))
        return false;
    reweighting_add_levels(&f->order[group_at_hand(f)], &f->steps.report);
    return true;
}

/* The end of a step in which weights were looked for. */
static bool end_search_step(flat *f) {
    if (!f->way->stepped(f))
        return false;
    f->searched++;
    bool ready = true;
    for (size_t k = 0; k < f->windows; k++)
        ready = ready && f->window[k].ready;
    f->found = ready || f->searched >= steps_of_search(f);
    return true;
}

/* Makes the walks of a step, or those that are left of it, up to its end or a stop; a piece of one at least. */
static bool make_walks(flat *f) {
    const uint64_t most =
        f->way->blocks && !f->found ? f->given->block_attempts : WALK_MOST_ATTEMPTS;
    work_begin(f->left);
    do {
        const uint64_t now = f->left < most ? f->left : most;
        if (f->made == 0 && f->walk == UINT32_MAX)
            return flat_fail(f, "there are no more than %" PRIu32 " walks", UINT32_MAX);
        if (!flat_walk(f, (uint32_t)now))
            return false;
        if (f->made > 0) /* it is to pause in the walk */
            return true;
        work_done(now);
        take_walk(f);
        f->left -= now;
    } while (f->left > 0 && !flat_is_stopped(f));
    return true;
}

/* Makes a step, or the rest of that under way. A step that is stopped goes on where it was. */
static bool make_step(flat *f) {
    const bool searches = !f->found;
    if (f->left == 0) {
        if (!flat_exchange(f))
            return false;
        f->left = (uint64_t)f->given->sweeps * f->steps.engine->model.sites;
    }
    f->stop = long_step_enter(true, INFINITY);
    const bool walked = make_walks(f);
    long_step_leave(f->stop);
    if (!walked || f->left > 0)
        return walked;
    if (searches && !end_search_step(f))
        return false;
    if (!searches && flat_measures(f) &&
        ((f->order != NULL && !measure_order(f)) || !flat_record_measure(f)))
        return false;
    f->produced += !searches;
    f->taken++;
    return true;
}

static bool is_over(const flat *f) {
    return f->found && f->produced == f->given->thermalisation + f->given->measurements;
}

static void save(flat *f) {
    const double begun = clock_seconds();
    checkpoint_note(&f->checkpoints, begun, f->taken, flat_save(f));
}

/* Says once which energies the weights wait for, where walkers have found no new one for some seconds. */
static void say_what_is_missing(flat *f) {
    char missing[FLAT_MISSING_SIZE];
    for (size_t k = 0; k < f->windows && !f->found && !f->said; k++) {
        if (clock_seconds() - f->discovered < PATIENCE || !flat_lacks(f, &f->window[k], missing))
            continue;
        warn("warning: after %" PRIu32 " steps no walker of window %zu has found %s; the weights "
             "are not ready before that, or the last of the --iterations",
             f->taken, k, missing);
        f->said = true;
    }
}

/* Makes all steps that are left, with checkpoints in between. */
static void make_steps(flat *f) {
    char how[PROGRESS_TEXT_SIZE];
    progress_line progress;
    progress_begin(&progress, f->given);
    for (double begun = clock_seconds(); !is_over(f) && f->interrupted == 0 && make_step(f);
         begun = clock_seconds()) {
        time_limit_keep(f->given, f->start, clock_seconds() - begun);
        say_what_is_missing(f);
        progress_of_walkers(&progress, f->taken,
                            f->searched + f->given->thermalisation + f->given->measurements,
                            f->found);
        f->interrupted = !is_over(f) ? signals_pending() : 0;
        if (!is_over(f) && (checkpoint_is_due(&f->checkpoints, f->given, f->taken) ||
                            (f->interrupted != 0 && f->given->checkpoint != NULL)))
            save(f);
    }
    progress_end(&progress);
    if (f->interrupted != 0)
        warn("%s: ended at step %" PRIu32 "%s%s", signals_name(f->interrupted), f->taken,
             f->produced <= f->given->thermalisation ? ", before the first measurement" : "",
             progress_how_to_go_on(how, f->given, !f->checkpoints.failed));
}

/* Warns of weights that are not ready. */
static void warn_of_doubt(const flat *f) {
    char missing[FLAT_MISSING_SIZE];
    size_t left = 0;
    for (size_t k = 0; k < f->windows; k++) {
        left += !f->window[k].ready;
        if (!f->window[k].ready && flat_lacks(f, &f->window[k], missing))
            warn("warning: no walker of window %zu has found %s", k, missing);
    }
    if (left > 0)
        warn("warning: the weights of %zu of %zu windows were not ready after %" PRIu32
             " steps; more --iterations or a larger --iteration-length would help",
             left, f->windows, f->searched);
    if (f->round_trips < ENOUGH_TRIPS * f->replicas)
        warn("warning: %" PRIu64 " round trips of %" PRIu64
             " walkers: errors are too small before each has made %d; more --measurements would "
             "help",
             f->round_trips, f->replicas, ENOUGH_TRIPS);
}

exit_status flat_run(const parameters *p, const engine_pool *engines, result_folder *folder,
                     const flat_method *way, int *signal) {
    flat f = {
        .given = p, .way = way, .length = p->iteration_length, .parts = 1, .start = engines->start};
    exit_status status = create(&f, engines->member[0]);
    if (!status && p->resume != NULL)
        status = flat_resume(&f);
    else if (!status && !flat_windows_begin(&f))
        status = complain(STATUS_FAILED, "%s", f.failure);
    if (!status) {
        tell("seed %" PRIu64 "\n", p->seed);
        progress_announce(p, engines->place.device);
        f.checkpoints.saved_at = f.discovered = clock_seconds();
        make_steps(&f);
        if (f.failure[0] != '\0')
            status = complain(STATUS_FAILED, "%s", f.failure);
        const bool measured = f.produced > p->thermalisation;
        const exit_status published = measured ? flat_publish(&f, folder) : STATUS_OK;
        if (!status && !published && measured) {
            tell("%s\n", result_folder_place(folder));
            warn_of_doubt(&f);
        }
        status = status ? status : published;
        if (!status && checkpoint_is_missing(&f.checkpoints, f.interrupted != 0))
            status = STATUS_FAILED;
    }
    *signal = f.interrupted;
    destroy(&f);
    return status;
}

/* Bytes of the way to the windows, or of the densities of states, which are not there at once. */
static uint64_t bytes_of_passage(const parameters *p, const spin_model *model) {
    const uint64_t way = sizeof(uint64_t) +
                         p->windows * (uint64_t)walk_changes(model) * sizeof(uint32_t),
                   densities = (FLAT_GROUPS + 8) * sizeof(double);
    return model->levels.count * (way > densities ? way : densities);
}

memory_share flat_bytes(const parameters *p) {
    const spin_model model = parameters_replica(p);
    const uint64_t levels = walk_window_levels(parameters_range(p, &model), p->windows,
                                               p->window_overlap),
                   rows = p->windows * levels, changes = walk_changes(&model);
    const uint64_t of_order = sizeof(reweighting_level) + sizeof(fixed); /* of each level */
    return (memory_share){
        .each = sizeof(histogram) + model.levels.count * (sizeof(level_sums) + sizeof(bool)) +
                (model.disordered ? 0 : (2 * FLAT_GROUPS + 1) * model.levels.count * of_order) +
                rows * (2 * sizeof(double) + sizeof(bool) + 3 * sizeof(uint64_t) +
                        changes * sizeof(uint32_t) + FLAT_GROUPS * sizeof(uint64_t)) +
                p->windows * p->population * (7 * sizeof(uint32_t) + sizeof(uint8_t)) +
                changes * (sizeof(walk_change) + 2 * sizeof(bool)) + bytes_of_passage(p, &model) +
                flat_record_bytes(p, &model) +
                (p->checkpoint != NULL ? saved_population_bytes(&model) : 0)};
}
