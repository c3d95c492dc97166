/* The driver of methods of fixed temperatures (series.h). */
#include "series.h"

#include "base/clock.h"
#include "base/signals.h"
#include "engine/kinds.h"
#include "progress.h"
#include "saved_population.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool series_fail(series *s, const char *format, ...) {
    va_list arguments;
    if (s->failure[0] != '\0')
        return false;
    va_start(arguments, format);
    vsnprintf(s->failure, sizeof s->failure, format, arguments);
    va_end(arguments);
    return false;
}

stream_key series_key(const series *s) {
    return stream_sample_run_key(s->given->seed, s->given->sample, 0);
}

/* The acceptance at beta. At beta = 0 Metropolis' rule flips each spin, so that a sub-lattice repeats two states for ever: spins are
 * drawn there as by a heat bath, whose flips have probability 1/2. Vectors, whose moves are random, and generators that decide nothing
 * but flips with dE > 0 keep their rule. */
static const update_kind *acceptance_at(const series *s, double beta) {
    const update_kind *const update = parameters_acceptance(s->given);
    const bool repeats = beta == 0 && update->downhill == DOWNHILL_ALWAYS &&
                         update->clusters == CLUSTERS_NONE && s->model.spins != SPINS_VECTOR;
    return repeats &&
                   most_general_flips(s->given->coding, s->given->rng) >= heat_bath_update.downhill
               ? &heat_bath_update
               : update;
}

/* Takes the temperatures of the rows: from beta_start on. Returns false without memory. */
static bool take_temperatures(series *s) {
    schedule_plan plan;
    beta_schedule betas;
    if (parameters_schedule(s->given, &plan) || schedule_create(&betas, &plan) != SCHEDULE_NEXT)
        return false;
    const size_t each = betas.count - betas.first_row;
    s->runs = parameters_series_runs(s->given);
    s->temperatures = each * s->runs;
    s->beta = calloc(s->temperatures, sizeof *s->beta);
    s->group = calloc(s->temperatures, sizeof *s->group);
    for (size_t k = 0; k < s->temperatures && s->beta != NULL && s->group != NULL; k++) {
        s->beta[k] = betas.beta[betas.first_row + k % each];
        s->group[k] = (engine_group){.first = k * s->replicas,
                                     .rule = flip_rule_at(acceptance_at(s, s->beta[k]),
                                                          &s->steps.engine->model, s->beta[k])};
    }
    schedule_destroy(&betas);
    return s->beta != NULL && s->group != NULL;
}

/* Makes room for a measurement, and for the counts of stripes. Returns false without memory. */
static bool make_room(series *s) {
    const engine *const e = s->steps.engine;
    const uint64_t all = s->temperatures * s->replicas;
    s->now = calloc(s->temperatures, sizeof *s->now);
    if (s->given->correlation_length &&
        (structure_waves_create(&s->waves, &s->model) || profile_room_create(&s->room, e, all) ||
         (s->profiles = calloc(all * profile_planes(&e->model), sizeof *s->profiles)) == NULL))
        return false;
    if (s->given->stripes == 1)
        return s->now != NULL;
    s->unsatisfied = calloc(s->temperatures * s->replicas, sizeof *s->unsatisfied);
    s->up = calloc(s->temperatures * s->replicas, sizeof *s->up);
    return s->now != NULL && s->unsatisfied != NULL && s->up != NULL;
}

static exit_status create(series *s, engine *e) {
    s->model = s->given->stripes > 1 ? parameters_model(s->given) : e->model;
    s->replicas = s->given->population * s->given->stripes;
    const bool made =
        !stepper_create(&s->steps, e) && take_temperatures(s) && make_room(s) &&
        !stepper_divide(&s->steps, s->temperatures, s->replicas) &&
        !measurement_series_create(&s->record, s->temperatures, s->given->measurements) &&
        (s->way->state_bytes == 0 || (s->state = calloc(1, s->way->state_bytes)) != NULL) &&
        (s->way->create == NULL || s->way->create(s));
    return made ? STATUS_OK
                : complain(STATUS_REFUSED,
                           "not enough memory for %" PRIu32 " measurements at each temperature",
                           s->given->measurements);
}

static void destroy(series *s) {
    if (s->way->destroy != NULL && s->state != NULL)
        s->way->destroy(s);
    free(s->state);
    measurement_series_destroy(&s->record);
    structure_waves_destroy(&s->waves);
    profile_room_destroy(&s->room);
    free(s->profiles);
    free(s->unsatisfied);
    free(s->up);
    free(s->now);
    free(s->group);
    free(s->beta);
    stepper_destroy(&s->steps);
}

static bool engine_did(series *s, engine_status status) {
    return status == ENGINE_OK ||
           series_fail(s, "%s failed at step %" PRIu32 ": %.200s", s->steps.engine->name, s->taken,
                       s->steps.engine->error);
}

/* The steps in all. */
static uint32_t steps_of(const parameters *p) {
    return p->thermalisation + p->measurements;
}

static void save(series *s) {
    const double begun = clock_seconds();
    checkpoint_note(&s->checkpoints, begun, s->taken, series_save(s));
}

/* Finds out whether the series is to end, or to write a checkpoint, before the next step. */
static void look_for_pause(series *s) {
    const double last = s->looked_at;
    const bool more = s->taken < steps_of(s->given);
    s->looked_at = clock_seconds();
    s->step_seconds = s->looked_at - last;
    time_limit_keep(s->given, s->start, s->step_seconds);
    s->interrupted = more ? signals_pending() : 0;
    s->due = more && (checkpoint_is_due(&s->checkpoints, s->given, s->taken) ||
                      (s->interrupted != 0 && s->given->checkpoint != NULL));
}

/* Where the next step looks whether it is to be given up. Moves change spins before a round. */
static const int *enter_step(series *s) {
    s->stop = long_step_enter(stepper_heeds_stop(&s->steps) && s->given->moves == MOVES_NONE,
                              s->step_seconds);
    return s->stop;
}

/* Begins the next step. */
static bool begin_step(series *s) {
    engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                        .key = series_key(s),
                        .temperature = s->taken + 1,
                        .sweeps = s->given->sweeps,
                        .founders = s->temperatures * s->replicas,
                        .group = s->group,
                        .groups = s->temperatures,
                        .stop = enter_step(s)};
    if ((s->way->next != NULL && !s->way->next(s, &step)) ||
        !engine_did(s, stepper_submit(&s->steps, &step)))
        return false;
    stepper_flush(&s->steps);
    return true;
}

static bool begin_round(series *s) {
    engine_round round = {.key = series_key(s),
                          .temperature = s->taken + 1,
                          .sweeps = s->given->sweeps,
                          .time = s->taken,
                          .stop = enter_step(s)};
    return s->way->next_round(s, &round) && engine_did(s, stepper_submit_round(&s->steps, &round));
}

/* Begins a step, where none is under way. */
static bool start_step(series *s) {
    return stepper_is_under_way(&s->steps) ||
           (s->way->next_round != NULL ? begin_round(s) : begin_step(s));
}

/* Ends at a step that was given up, which is made again when the series goes on. */
static bool end_before_step(series *s) {
    s->interrupted = signals_pending();
    s->due = s->given->checkpoint != NULL;
    return true;
}

/* Ends that step, and records its measurement once it is behind the thermalisation. */
static bool end_step(series *s) {
    const bool rounds = s->way->next_round != NULL;
    const engine_status made = rounds ? stepper_wait_round(&s->steps) : stepper_wait(&s->steps);
    long_step_leave(s->stop);
    s->stop = NULL;
    if (made == ENGINE_STOPPED)
        return end_before_step(s);
    if (!engine_did(s, made))
        return false;
    s->taken++;
    look_for_pause(s);
    if (rounds && s->taken < steps_of(s->given) && s->interrupted == 0 && !s->due &&
        !s->given->correlation_length && /* whose profiles are those of the replicas at hand */
        s->way->ahead(s) && !begin_round(s))
        return false;
    if (s->way->exchanged != NULL)
        s->way->exchanged(s);
    if (s->taken <= s->given->thermalisation)
        return true;
    if ((rounds && !engine_did(s, stepper_complete_round(&s->steps))) ||
        !engine_did(s, series_measure(s)))
        return false;
    measurement_series_add(&s->record, s->now);
    return s->way->measured == NULL || s->way->measured(s);
}

/* Makes a step of each series. Returns false if one failed, or a signal ends them. */
static bool make_step(series s[], size_t count) {
    bool good = true;
    for (size_t n = 0; n < count && good; n++)
        good = start_step(&s[n]);
    for (size_t n = 0; n < count && good; n++)
        good = end_step(&s[n]);
    for (size_t n = 0; n < count && good; n++)
        if (s[n].due)
            save(&s[n]);
    return good;
}

static bool is_interrupted(const series s[], size_t count) {
    for (size_t n = 0; n < count; n++)
        if (s[n].interrupted != 0)
            return true;
    return false;
}

/* Makes all steps that are left, with checkpoints in between. */
static void make_steps(series s[], size_t count) {
    char how[PROGRESS_TEXT_SIZE];
    progress_line progress;
    progress_begin(&progress, s->given);
    for (size_t n = 0; n < count; n++)
        s[n].looked_at = clock_seconds();
    while (s->taken < steps_of(s->given) && !is_interrupted(s, count) && make_step(s, count))
        progress_of_steps(&progress, s->taken, steps_of(s->given));
    progress_end(&progress);
    if (s->interrupted != 0 && !s->is_part)
        warn("%s: ended at step %" PRIu32 " of %" PRIu32 "%s%s", signals_name(s->interrupted),
             s->taken, steps_of(s->given),
             s->record.count == 0 ? ", before the first measurement" : "",
             progress_how_to_go_on(how, s->given, !s->checkpoints.failed));
}

/* Draws the random states that the series begins with, or reads them from a checkpoint. */
static exit_status begin(series *s) {
    if (s->given->resume != NULL)
        return series_resume(s);
    engine_did(s, stepper_randomise(&s->steps, series_key(s), s->temperatures * s->replicas));
    return s->failure[0] == '\0' ? STATUS_OK : complain(STATUS_FAILED, "%s", s->failure);
}

/* The bonds of a site of a lattice. */
static uint32_t bonds_of_site(const couplings *c, uint64_t site) {
    uint32_t bonds = 0;
    uint64_t stride = 1;
    for (uint32_t d = 0; d < c->dimension; stride *= c->edge[d++]) {
        const uint64_t x = site / stride % c->edge[d],
                       before = x > 0 ? site - stride : site + (c->edge[d] - 1) * stride;
        bonds += couplings_has(c, site * c->dimension + d);
        bonds += couplings_has(c, before * c->dimension + d);
    }
    return bonds;
}

/* Sites that no energy depends on. */
static uint64_t count_free_sites(const series *s) {
    const spin_graph *const g = s->model.graph;
    parameters given = *s->given;
    uint64_t free_sites = 0;
    couplings c;
    exit_status status;
    for (uint32_t i = 0; g != NULL && i < g->sites; i++)
        free_sites += g->first[i] == g->first[i + 1] && g->field[i] == 0;
    if (g != NULL || !s->model.incomplete || parameters_couplings(&given, &c, &status) == NULL)
        return free_sites;
    for (uint64_t site = 0; site < c.sites; site++)
        free_sites += bonds_of_site(&c, site) == 0;
    couplings_destroy(&c);
    return free_sites;
}

/* Warns of sites that flip in each sweep, where flips that cost nothing are always made. */
static void warn_of_free_sites(const series *s) {
    const bool always = parameters_acceptance(s->given)->downhill == DOWNHILL_ALWAYS;
    const uint64_t free_sites = always ? count_free_sites(s) : 0;
    if (free_sites > 0)
        warn(
            "warning: %" PRIu64 " of %" PRIu64
            " sites have no bond and no field: Metropolis' rule flips them in each sweep, and what "
            "depends on them is an average over the first states; --update heat-bath would help",
            free_sites, s->model.sites);
}

/* Warns of rows whose errors cannot be relied on. */
static void warn_of_doubt(const series *s) {
    if (s->doubtful > 0)
        warn(
            "warning: %zu of %zu temperatures have a series that is too short for its "
            "autocorrelation time%s, and "
            "errors that mean little; more measurements (--measurements) or sweeps (-t) would help",
            s->doubtful, s->temperatures / s->runs,
            s->way->next_round != NULL ? ", stands still, or comes of chains that disagree"
                                       : ", or stands still");
}

/* Publishes a series whose steps are made. */
static exit_status end_series(series *s, result_folder *folder, exit_status status) {
    if (s->failure[0] != '\0')
        status = complain(STATUS_FAILED, "%s", s->failure);
    const bool whole = status == STATUS_OK && s->interrupted == 0;
    const exit_status published = whole || !folder->part ? series_publish(s, folder) : STATUS_OK;
    if (!status && !published && s->record.count > 0 && !folder->part) {
        tell("%s\n", result_folder_place(folder));
        warn_of_doubt(s);
        warn_of_free_sites(s);
        if (s->way->warn != NULL)
            s->way->warn(s);
    }
    status = status ? status : published;
    return !status && checkpoint_is_missing(&s->checkpoints, s->interrupted != 0) ? STATUS_FAILED
                                                                                  : status;
}

/* Makes the steps of series that have begun, and publishes them. */
static exit_status run_series(series s[], const series_start start[], size_t count,
                              const engine_pool *engines) {
    exit_status status = STATUS_OK;
    if (!start->folder->part)
        tell("seed %" PRIu64 "\n", s->given->seed);
    progress_announce(s->given, engines->place.device);
    for (size_t n = 0; n < count; n++)
        s[n].checkpoints.saved_at = clock_seconds();
    make_steps(s, count);
    const int interrupted = is_interrupted(s, count) ? signals_pending() : 0;
    for (size_t n = 0; n < count && !status; n++) {
        s[n].interrupted = interrupted;
        status = end_series(&s[n], start[n].folder, status);
    }
    return status;
}

exit_status series_run_together(const series_start start[], size_t count,
                                const engine_pool *engines, const series_method *way, int *signal) {
    series *const s = calloc(count, sizeof *s);
    if (s == NULL)
        return complain(STATUS_REFUSED, "not enough memory for %zu samples", count);
    exit_status status = STATUS_OK;
    size_t made = 0;
    for (; made < count && !status; made++) {
        s[made] = (series){.given = start[made].given,
                           .way = way,
                           .parts = 1,
                           .step_seconds = INFINITY,
                           .start = start[made].begun,
                           .is_part = start[made].folder->part};
        status = create(&s[made], start[made].worker);
    }
    for (size_t n = 0; n < count && !status; n++)
        status = begin(&s[n]);
    if (!status)
        status = run_series(s, start, count, engines);
    *signal = s->interrupted;
    while (made > 0)
        destroy(&s[--made]);
    free(s);
    return status;
}

exit_status series_run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       const series_method *way, int *signal) {
    const series_start one = {p, engines->member[0], folder, engines->start};
    return series_run_together(&one, 1, engines, way, signal);
}

memory_share series_bytes(const parameters *p) {
    const spin_model model = parameters_replica(p);
    const uint64_t temperatures = parameters_populations(p);
    const uint64_t whole = sizeof(histogram) + model.levels.count * sizeof(level_sums),
                   report = sizeof(histogram) +
                            histogram_room(model.levels.count, p->population) * sizeof(level_sums);
    return (memory_share){
        .each = whole + temperatures * report +
                temperatures * (sizeof(engine_group) + sizeof(measurement)) +
                (p->stripes > 1 ? temperatures * p->population * p->stripes * 2 * sizeof(uint32_t)
                                : 0) +
                (p->correlation_length
                     ? profile_room_bytes(&model, temperatures * p->population * p->stripes)
                     : 0) +
                temperatures * p->measurements * sizeof(measurement) +
                p->measurements * sizeof(double) +
                (p->checkpoint != NULL ? saved_population_bytes(&model) : 0)};
}
