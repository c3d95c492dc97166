/* A search of the lowest energy (--ground-states), by independent runs of population annealing.
 *
 * Tries of GROUND_TRY runs choose beta, theta and R: beta grows by a factor of 1.5, or theta doubles,
 * or R each third time, until at least half of the runs of a try are without doubt
 * (estimate/ground_states.h). Then runs with this choice are made until the interval of the
 * probability to miss the lowest energy is narrow, or the time is spent. A lower energy begins the
 * count anew (estimate/ground_runs.h).
 *
 * Runs are made in rounds, side by side as they fit. A round has no more runs than are needed for
 * the next decision in any case, so that their number does not depend on how many fit. Time limits
 * alone make it depend on the device. Checkpoints are written between two rounds. */
#include "base/clock.h"
#include "base/number.h"
#include "base/signals.h"
#include "batch.h"
#include "device/pool.h"
#include "files/ground_results.h"
#include "files/overlap_results.h"
#include "files/results.h"
#include "files/run_json.h"
#include "ground_sections.h"
#include "ground_survey.h"
#include "method.h"
#include "progress.h"
#include "ranks/ranks.h"
#include "simulation_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Steps of the choice. A spin costs at least 2 J: at the coldest beta e^-8 of the replicas have one
 * excitation more. */
#define COOLING      1.5
#define COLDEST      4
#define ENLARGEMENTS 12
/* Of as many enlargements one doubles R, the others theta. Measured with one cubic glass of L = 16 and runs of about a second: -7148 J
 * was reached by 6 of 10 runs with R = 20000, theta = 1000 and 5 of 20 with R = 160000, theta = 100, and not with R = 1280000,
 * theta = 20. With another one these two did not differ. */
#define OF_THETA       3
#define SEARCH_SECONDS 60  /* of a part of a search that is resumed, unless said */
#define CHOICE_SHARE   0.4 /* of the time, at most, for runs that choose */

typedef struct {
    const parameters *asked;
    parameters given; /* with beta, theta and R of the next runs */
    const engine_pool *engines;
    engine_pool own; /* engines of a larger population; or none */
    batch flight;
    beta_schedule betas; /* of the next flight, if a checkpoint has decided it */
    ground_run *run;     /* [count] */
    size_t count, room;
    uint32_t enlarged;
    bool measuring;
    double start;         /* of this part of the search */
    double round_seconds; /* how long the last round took, ... */
    size_t round;         /* ... and its runs */
    uint32_t parts;       /* of the search, with this one */
    double before;        /* seconds of earlier parts */
    double saved;         /* when the last checkpoint was written */
    double spin_flips;
    int interrupted;
    bool checkpoint_failed;
    char failure[ANNEALING_FAILURE_SIZE];
    ground_summary summary;
} ground_simulation;

static const spin_model *model_of(const ground_simulation *s) {
    return &s->flight.member->steps.engine->model;
}

/* Notes a failure and prints it. */
static exit_status fail(ground_simulation *s, const char *reason) {
    snprintf(s->failure, sizeof s->failure, "%s", reason);
    progress_end(&s->flight.progress);
    return complain(STATUS_FAILED, "%s", reason);
}

/* --- checkpoints --- */

static exit_status save(ground_simulation *s) {
    ground_position at = {.population = s->given.population,
                          .sweeps = s->given.sweeps,
                          .beta = s->given.beta_end,
                          .parts = s->parts,
                          .enlarged = s->enlarged,
                          .measuring = s->measuring,
                          .spin_flips = s->spin_flips + s->flight.spin_flips,
                          .seconds = s->before + clock_seconds() - s->start,
                          .round_seconds = s->round_seconds,
                          .count = s->count,
                          .run = s->run,
                          .model = model_of(s),
                          .betas = s->flight.schedule};
    const exit_status status = ground_position_write(s->asked, &at);
    s->checkpoint_failed = status != STATUS_OK;
    s->saved = clock_seconds();
    return status;
}

/* Between two rounds: writes a checkpoint if one is due. */
static void save_if_due(ground_simulation *s) {
    const checkpoint_interval every = s->asked->checkpoint_every;
    if (s->asked->checkpoint != NULL &&
        (every.steps > 0 || clock_seconds() - s->saved >= every.seconds))
        save(s);
}

/* --- a round --- */

static exit_status begin_flight(ground_simulation *s) {
    const engine_pool *const engines = s->own.count > 0 ? &s->own : s->engines;
    const exit_status status = batch_create(&s->flight, &s->given, engines->member, engines->count);
    if (!status && s->betas.count > 0) {
        schedule_destroy(&s->flight.schedule);
        s->flight.schedule = s->betas;
        s->betas = (beta_schedule){.count = 0};
    }
    return status;
}

static void end_flight(ground_simulation *s) {
    s->spin_flips += s->flight.spin_flips;
    batch_destroy(&s->flight);
}

/* Makes room for the runs of a round. Returns false without memory. */
static bool reserve(ground_simulation *s, size_t more) {
    if (s->count + more <= s->room)
        return true;
    const size_t room = 2 * s->room + more;
    ground_run *const run = realloc(s->run, room * sizeof *run);
    if (run == NULL)
        return false;
    s->run = run;
    s->room = room;
    return true;
}

/* Adds the members of a round that has ended. */
static exit_status add_runs(ground_simulation *s) {
    const size_t runs = batch_sound(&s->flight);
    for (size_t n = 0; n < runs; n++) {
        annealing *const a = &s->flight.member[n];
        ground_run *const run = &s->run[s->count];
        *run = (ground_run){.population = s->given.population,
                            .sweeps = s->given.sweeps,
                            .beta = s->given.beta_end,
                            .measured = s->measuring};
        const engine_status found = a->died_at > 0 ? ENGINE_OK : ground_survey(a, &run->states);
        if (found != ENGINE_OK)
            return fail(s, found == ENGINE_FAILED ? a->steps.engine->error
                                                  : "not enough memory for the lowest states");
        s->count++;
    }
    const annealing *const failed = batch_failed(&s->flight);
    return failed == NULL ? STATUS_OK : fail(s, failed->failure);
}

/* Spins are kept of the first run with the lowest energy. */
static void forget_spins(ground_simulation *s) {
    for (size_t n = 0; n < s->count; n++)
        if (n != s->summary.states)
            ground_states_destroy(&s->run[n].states);
}

/* Makes a round of so many runs, and sums up all so far. */
static exit_status make_round(ground_simulation *s, size_t runs) {
    const double start = clock_seconds();
    const size_t first = s->count;
    batch_pauses pauses = {.every = {0, 0}};
    bool paused;
    save_if_due(s);
    if (!reserve(s, runs))
        return fail(s, "not enough memory for the runs");
    batch_clear(&s->flight);
    for (size_t n = 0; n < runs; n++)
        if (!batch_add(&s->flight, (uint32_t)(first + n)))
            break;
    batch_run(&s->flight, &pauses, &paused);
    if (paused) {
        s->interrupted = signals_pending();
        return STATUS_OK;
    }
    const exit_status status = add_runs(s);
    s->round_seconds = clock_seconds() - start;
    s->round = runs;
    for (size_t n = first; n < s->count; n++)
        s->run[n].seconds = s->round_seconds / (double)(s->count - first);
    ground_runs_summary(s->run, s->count, &s->summary);
    forget_spins(s);
    return status;
}

/* --- a search that goes on --- */

/* Goes on from a checkpoint, with engines for its population. */
static exit_status resume(ground_simulation *s) {
    const couplings *const sample = s->engines->member[0]->model.sample;
    ground_position at = {.model = &s->engines->member[0]->model};
    const exit_status status = ground_position_read(s->asked, &at);
    s->run = at.run;
    s->count = s->room = at.run != NULL ? at.count : 0;
    s->betas = at.betas;
    if (status)
        return status;
    s->given.sweeps = at.sweeps;
    s->given.beta_end = at.beta;
    s->parts = (uint32_t)at.parts + 1;
    s->enlarged = (uint32_t)at.enlarged;
    s->measuring = at.measuring;
    s->spin_flips = at.spin_flips;
    s->before = at.seconds;
    s->round_seconds = at.round_seconds;
    ground_runs_summary(s->run, s->count, &s->summary);
    if (at.population == s->given.population)
        return STATUS_OK;
    s->given.population = at.population;
    if (!s->engines->place.gpu)
        s->given.device = DEVICE_CPU; /* which was said */
    return pool_create(&s->own, &s->given, sample, simulation_bytes(&s->given));
}

/* --- the choice of beta, theta and R --- */

/* Changes to engines of twice the population. The old ones stay, and it returns false, if memory is
 * short, which is said on stderr. */
static bool double_population(ground_simulation *s) {
    const couplings *const sample = s->engines->member[0]->model.sample;
    parameters larger = s->given;
    engine_pool pool;
    larger.population *= 2;
    larger.device = s->engines->place.gpu ? larger.device : DEVICE_CPU; /* which was said */
    if (pool_create(&pool, &larger, sample, simulation_bytes(&larger)))
        return false;
    end_flight(s);
    if (s->own.count > 0)
        pool_destroy(&s->own);
    s->own = pool;
    s->given = larger;
    return true;
}

/* Doubles theta or R: the next runs take twice the time. Returns false where memory is short. */
static bool enlarge(ground_simulation *s) {
    const bool by_file = s->given.sweeps_file != NULL || s->given.sweeps > UINT32_MAX / 2;
    if (by_file || s->enlarged % OF_THETA == OF_THETA - 1) {
        if (!double_population(s))
            return false;
    } else {
        end_flight(s);
        s->given.sweeps *= 2;
    }
    s->enlarged++;
    return true;
}

/* Of this part of the search. */
static double time_limit(const ground_simulation *s) {
    const double asked = s->given.time_limit.seconds;
    return asked > 0 ? asked : SEARCH_SECONDS;
}

/* What is left of it. */
static double time_left(const ground_simulation *s) {
    return time_limit(s) - (clock_seconds() - s->start);
}

/* The runs of a round, of as many as are needed, that ends within the time limit. A larger one than the last may take longer in
 * proportion, a smaller one as long: a device makes runs side by side. 0: no round does. The first of this part is always made. */
static size_t round_in_time(const ground_simulation *s, size_t needed) {
    const size_t runs = needed < s->flight.room ? needed : s->flight.room;
    const double left = time_left(s), product = (double)s->round * left;
    if (s->round == 0)
        return runs;
    if (left < s->round_seconds)
        return 0;
    return (double)runs * s->round_seconds <= product ? runs : (size_t)(product / s->round_seconds);
}

/* The last runs, which were made to choose, with beta, theta and R as they are. */
static size_t tried(const ground_simulation *s) {
    size_t runs = 0;
    while (runs < s->count && ground_runs_tried(&s->run[s->count - 1 - runs], s->given.population,
                                                s->given.sweeps, s->given.beta_end))
        runs++;
    return runs;
}

/* Makes a try, or as much of it as there is time for. */
static exit_status make_try(ground_simulation *s) {
    exit_status status = STATUS_OK;
    size_t before, runs;
    while (!status && !s->interrupted && (before = tried(s)) < GROUND_TRY &&
           (runs = round_in_time(s, GROUND_TRY - before)) > 0)
        status = make_round(s, runs);
    return status;
}

/* The seconds of the last try. */
static double try_seconds(const ground_simulation *s) {
    double seconds = 0;
    for (size_t n = s->count - GROUND_TRY; n < s->count; n++)
        seconds += s->run[n].seconds;
    return seconds;
}

/* Changes beta, theta or R as the last try advises. *changed: whether it did. */
static exit_status choose(ground_simulation *s, bool *changed) {
    const double later = (1 - CHOICE_SHARE) * time_limit(s);
    ground_advice advice = ground_runs_advice(s->run + s->count - GROUND_TRY, GROUND_TRY);
    const double colder = fmin(COLDEST, COOLING * s->given.beta_end);
    if (advice == GROUND_COOL && colder <= s->given.beta_end)
        advice = GROUND_ENLARGE;
    const double factor = advice == GROUND_COOL ? colder / s->given.beta_end : 2;
    *changed = advice != GROUND_KEEP && factor * try_seconds(s) <= time_left(s) - later &&
               (advice == GROUND_COOL || s->enlarged < ENLARGEMENTS);
    if (!*changed)
        return STATUS_OK;
    if (advice == GROUND_COOL) {
        end_flight(s);
        s->given.beta_end = colder;
    } else {
        *changed = enlarge(s);
    }
    return *changed ? begin_flight(s) : STATUS_OK;
}

/* --- the search --- */

/* The fewest runs that are still needed. 0: the probability is known. */
static size_t still_needed(const ground_simulation *s) {
    return ground_runs_needed(&s->summary, s->given.miss_width, s->flight.room);
}

static bool is_known(const ground_simulation *s) {
    return still_needed(s) == 0;
}

/* Makes tries until beta, theta and R are chosen. s->measuring: they are; else the time is spent. */
static exit_status make_choice(ground_simulation *s) {
    exit_status status = STATUS_OK;
    while (!status && !s->measuring) {
        bool changed;
        status = make_try(s);
        if (status || s->interrupted || tried(s) < GROUND_TRY)
            return status;
        status = choose(s, &changed);
        s->measuring = !status && !changed;
    }
    return status;
}

static exit_status search(ground_simulation *s) {
    exit_status status = begin_flight(s);
    size_t needed, runs;
    if (!status)
        status = make_choice(s);
    while (!status && s->measuring && !s->interrupted && (needed = still_needed(s)) > 0 &&
           (runs = round_in_time(s, needed)) > 0)
        status = make_round(s, runs);
    if (!status && !s->interrupted && !is_known(s) && s->asked->checkpoint != NULL) {
        signals_take(SIGNAL_OF_TIME_LIMIT);
        s->interrupted = SIGNAL_OF_TIME_LIMIT;
    }
    return status || !s->interrupted || s->asked->checkpoint == NULL ? status : save(s);
}

/* --- its files --- */

static exit_status write_report(const ground_simulation *s, result_folder *folder) {
    const engine *const e = s->flight.member->steps.engine;
    run_report report = {.engine = e->name,
                         .driver = e->driver,
                         .threads = e->threads,
                         .ranks = ranks_world().count,
                         .temperatures = s->flight.schedule.count,
                         .origin = model_origin(&e->model),
                         .lowest = s->summary.lowest,
                         .ground_seconds = NAN, /* part of the time of runs */
                         .spin_flips = s->spin_flips + s->flight.spin_flips,
                         .parts = s->parts,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .total_seconds = s->before + clock_seconds() - s->start,
                         .ground = &s->summary};
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = NAN; /* of several pools of engines */
    return run_json_write(folder, s->asked, &report);
}

/* The states of a run, whose beta, theta and R the search has chosen. */
static exit_status write_states(const ground_simulation *s, result_folder *folder,
                                const ground_run *run, size_t number) {
    char beta[NUMBER_TEXT_SIZE], chosen[100 + NUMBER_TEXT_SIZE];
    snprintf(chosen, sizeof chosen,
             "chosen for this run: population %" PRIu64 ", sweeps %" PRIu32 ", beta-end %s",
             run->population, run->sweeps, number_text(beta, run->beta));
    return results_write_ground_states(folder, s->asked, model_of(s), (uint32_t)number, chosen,
                                       &run->states);
}

static exit_status write_results(result_folder *folder, void *state) {
    const ground_simulation *const s = state;
    const spin_model *const model = model_of(s);
    const size_t best = s->summary.states;
    exit_status status =
        results_write_ground_runs(folder, s->asked, model, s->run, s->count, &s->summary);
    if (!status && best < s->count)
        status = write_states(s, folder, &s->run[best], best);
    if (!status && model->sample != NULL)
        status = results_write_couplings(folder, s->asked, model);
    return status ? status : write_report(s, folder);
}

static exit_status publish(ground_simulation *s, result_folder *folder) {
    if (s->count == 0 || s->flight.member == NULL)
        return STATUS_OK;
    if (s->failure[0] != '\0')
        snprintf(folder->note, sizeof folder->note,
                 "failed: %.200s: what comes after that is missing", s->failure);
    else if (s->interrupted)
        snprintf(folder->note, sizeof folder->note,
                 "interrupted after run %zu: what comes after that is missing", s->count - 1);
    return result_folder_put(folder, write_results, s, folder->note[0] != '\0');
}

/* Says on stdout what was found, and on stderr what is not known. */
static void say(const ground_simulation *s) {
    const ground_summary *const g = &s->summary;
    tell("lowest energy seen %.12g, by %zu of %zu runs of -R %" PRIu64 " -t %" PRIu32 " -f %.6g\n",
         g->lowest, g->hits, g->counted, s->given.population, s->given.sweeps, s->given.beta_end);
    tell("a run misses it with probability %.3g to %.3g (95%%)\n", g->missed.least, g->missed.most);
    tell("time to solution (99%%) %.3g s, error %.2g s (bootstrap), %.3g to %.3g s (95%%)\n",
         fabs(g->seconds * g->solution.runs), fabs(g->seconds * g->solution.error),
         fabs(g->seconds * g->solution.least), fabs(g->seconds * g->solution.most));
    const bool stopped = s->interrupted && s->interrupted != SIGNAL_OF_TIME_LIMIT;
    if (!is_known(s))
        warn("warning: %s to know the probability that a run misses the lowest energy to %.3g "
             "(--miss-width)",
             stopped ? "the search was stopped too early" : "the time (--time-limit) was too short",
             s->given.miss_width);
}

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *number) {
    char how[PROGRESS_TEXT_SIZE];
    ground_simulation s = {
        .asked = p, .given = *p, .engines = engines, .start = engines->start, .parts = 1};
    tell("seed %" PRIu64 "\n", p->seed);
    progress_announce(p, engines->place.device);
    s.saved = s.start;
    exit_status made = p->resume != NULL ? resume(&s) : STATUS_OK;
    if (!made)
        made = search(&s);
    progress_end(&s.flight.progress);
    if (s.interrupted)
        warn("%s: ended after %zu runs%s", signals_name(s.interrupted), s.count,
             progress_how_to_go_on(how, p, p->checkpoint != NULL && !s.checkpoint_failed));
    const exit_status published = publish(&s, folder);
    if (!made && !published && s.count > 0) {
        say(&s);
        tell("%s\n", result_folder_place(folder));
    }
    *number = s.interrupted;
    batch_destroy(&s.flight);
    schedule_destroy(&s.betas);
    if (s.own.count > 0)
        pool_destroy(&s.own);
    for (size_t n = 0; n < s.count; n++)
        ground_states_destroy(&s.run[n].states);
    free(s.run);
    return made ? made : published;
}

extern const method ground_states_method;
const method ground_states_method = {.run = run, .bytes = simulation_bytes};
