/* Groups of samples. Each sample is a simulation with couplings, an engine and a folder of its own;
 * its runs are made one after the other. */
#include "sample_maker.h"

#include "base/clock.h"
#include "base/signals.h"
#include "settings/graphs.h"
#include "settings/plans.h"
#include "simulation.h"
#include "simulation_results.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* Samples side by side. */
typedef struct {
    one_sample *flight; /* [room] */
    simulation *simulation;
    size_t count, ended; /* samples in the group; of these, samples whose files are written */
} sample_group;

/* A thread that makes samples of the set. It changes the counters of the set in critical sections
 * only. */
typedef struct {
    sample_set *set;
    uint32_t threads;    /* number of such threads */
    bool first;          /* this thread reports progress and signals for all */
    engine_pool engines; /* this thread's part of the pool */
    sample_group group[2];
    /* The group on the engines; and the group before it, whose files are being written. */
    sample_group *now, *before;
    double stepped; /* time of the last step of that group (clock.h) */
    double longest; /* seconds of a group so far; 0: none was made */
    uint32_t kept;  /* index of a sample taken but not begun, for lack of an engine; or NO_PLACE */
    exit_status status;
} sample_maker;

#define NO_PLACE UINT32_MAX

/* --- one sample --- */

sample_files sample_set_files(const sample_set *set) {
    return (sample_files){set->folder.path, &set->given, set->first, set->count,
                          set->there,       set->added,  set->read};
}

void sample_describe(const sample_set *set, uint32_t place, one_sample *one) {
    *one = (one_sample){.place = place, .given = set->given};
    one->given.sample = set->first + place;
    one->given.samples = 1;
    one->given.in_flight = 1;
    one->path = sample_files_path(set->folder.path, one->given.sample);
    one->given.output = one->path.text;
}

/* Records engine, driver and number of threads for the report of the set. */
static void introduce(const sample_maker *maker, const engine *worker) {
    sample_set *const set = maker->set;
#pragma omp critical(samples)
    if (set->report.engine == NULL) {
        snprintf(set->engine, sizeof set->engine, "%s", worker->name);
        set->report.engine = set->engine;
        set->report.threads = worker->threads * maker->threads;
        if (worker->driver != NULL) {
            snprintf(set->driver, sizeof set->driver, "%s", worker->driver);
            set->report.driver = set->driver;
        }
    }
}

exit_status sample_make_bonds(one_sample *one) {
    exit_status status;
    if (one->given.graph != NULL)
        return parameters_take_sample(&one->given, one->given.sample);
    parameters_couplings(&one->given, &one->bonds, &status);
    return status;
}

void sample_drop_bonds(one_sample *one) {
    couplings_destroy(&one->bonds);
    parameters_end(&one->given);
}

engine *sample_add_engine(engine_pool *engines, const one_sample *one, char *reason, size_t size) {
    const spin_model model = parameters_model(&one->given);
    return one->given.graph != NULL ? pool_add_graph(engines, &model, reason, size)
                                    : pool_add(engines, &one->bonds, reason, size);
}

/* Prepares the simulation of a sample, with an engine of the pool. If there is no memory for
 * another engine, *room becomes false and nothing is prepared; for the first engine that is a
 * failure. */
static exit_status begin_sample(sample_maker *maker, one_sample *one, simulation *s, bool *room) {
    char reason[300];
    bool there;
    exit_status status = sample_make_bonds(one);
    if (status)
        return status;
    engine *const worker = sample_add_engine(&maker->engines, one, reason, sizeof reason);
    if (worker == NULL) {
        *room = false;
        sample_drop_bonds(one);
        return maker->engines.count > 0 ? STATUS_OK : complain(STATUS_FAILED, "%s", reason);
    }
    introduce(maker, worker);
    status = result_folder_open_part(&one->folder, &one->given, &there);
    if (!status) {
        status = simulation_begin(s, &one->given, &worker, 1, clock_seconds());
        if (status)
            result_folder_close(&one->folder);
    }
    if (status)
        sample_drop_bonds(one);
    return status;
}

/* Takes the engine from a sample. */
static void leave_sample(const sample_set *set, one_sample *one, simulation *s) {
    simulation_leave_engine(s, &one->worker);
    one->worker.name = set->report.engine; /* these texts outlive the engine */
    one->worker.driver = set->report.driver;
}

/* Adds the histograms of a sample of one run, which is faster than to read them from its files. They are
 * read if there is no memory for the sums, and where bonds are missing: bins of q_l are then others. */
static void add_overlaps(sample_set *set, const one_sample *one, const simulation *s) {
    const overlap_record *const run = &s->overlaps;
    const bool whole = simulation_model(s)->bonds == parameters_model(&set->given).bonds;
    if (!set->there[one->place] || set->given.graph != NULL || set->given.runs > 1 || !whole ||
        !results_bins_are_legible(&set->given))
        return;
    bool there = true;
#pragma omp critical(samples)
    if (set->overlaps.row == NULL &&
        overlap_average_create(&set->overlaps, run->count, run->bins)) {
        overlap_average_destroy(&set->overlaps);
        there = false;
    }
    if (there) {
        overlap_average_add_run(&set->overlaps, run);
        set->added[one->place] = true;
    }
}

/* Publishes the result of a sample and frees the rest. Signals are held in the meantime. */
static exit_status end_sample(sample_set *set, one_sample *one, simulation *s) {
    signals_hold();
    const exit_status status = simulation_publish(s, &one->folder);
    const double spin_flips = s->flight.spin_flips;
    const bool doubtful =
        simulation_model(s)->disordered && ground_states_doubtful(s->ground, s->given->runs) > 0;
    set->there[one->place] = one->folder.published && one->folder.note[0] == '\0';
    add_overlaps(set, one, s);
    const sample_files files = sample_set_files(set);
    const exit_status read =
        set->there[one->place] ? sample_files_read_one(&files, one->place) : STATUS_OK;
    simulation_end(s);
    result_folder_close(&one->folder);
    signals_release();
    sample_drop_bonds(one);
#pragma omp critical(samples)
    {
        set->report.spin_flips += spin_flips;
        set->made += set->there[one->place];
        set->doubtful += set->there[one->place] && doubtful;
    }
    return status ? status : read;
}

/* --- groups --- */

/* Takes the next missing sample. Returns its index; NO_PLACE if all exist or are being made. */
static uint32_t take_place(sample_maker *maker) {
    sample_set *const set = maker->set;
    uint32_t place = maker->kept;
    maker->kept = NO_PLACE;
    if (place != NO_PLACE)
        return place;
#pragma omp critical(samples)
    {
        while (set->next < set->count && set->there[set->next])
            set->next++;
        if (set->next < set->count)
            place = set->next++;
    }
    return place;
}

/* Stops taking samples: those not begun stay missing. */
static void give_up(sample_set *set) {
#pragma omp critical(samples)
    set->next = set->count;
}

/* Begins as many samples as there are engines. */
static exit_status begin_group(sample_maker *maker) {
    sample_group *const g = maker->now;
    exit_status status = STATUS_OK;
    for (g->count = g->ended = 0; g->count < maker->engines.room; g->count++) {
        const uint32_t place = take_place(maker);
        one_sample *const one = &g->flight[g->count];
        simulation *const s = &g->simulation[g->count];
        bool room = true;
        if (place == NO_PLACE)
            break;
        sample_describe(maker->set, place, one);
        status = begin_sample(maker, one, s, &room);
        if (status)
            break;
        if (!room) {
            maker->kept = place;
            break;
        }
        s->pauses.limit = maker->set->limit;
        s->silent = g->count > 0 || !maker->first;
        s->is_sample = true;
    }
    return status;
}

/* Writes the files of up to `some` samples of the previous group. */
static void end_some(sample_maker *maker, size_t some) {
    sample_group *const g = maker->before;
    for (; some > 0 && g->ended < g->count; some--, g->ended++)
        if (end_sample(maker->set, &g->flight[g->ended], &g->simulation[g->ended]))
            maker->status = STATUS_FAILED;
}

/* Called at each step of the current group. Writes so many samples that all are written after the
 * least number of steps. If steps are long, it writes for up to a quarter of their time, so that
 * results are soon safe. */
static void end_share(void *state) {
    sample_maker *const maker = state;
    sample_group *const g = maker->before;
    const size_t steps = maker->now->simulation->flight.schedule.count;
    const double now = clock_seconds(), until = now + (now - maker->stepped) / 4;
    end_some(maker, (g->count + steps - 1) / steps);
    while (g->ended < g->count && clock_seconds() < until)
        end_some(maker, 1);
    maker->stepped = now;
}

/* Takes the engines from the current group, which becomes the previous one: its files are still to
 * be written. */
static void leave_group(sample_maker *maker) {
    sample_group *const g = maker->now;
    for (size_t n = 0; n < g->count; n++)
        leave_sample(maker->set, &g->flight[n], &g->simulation[n]);
    pool_clear(&maker->engines);
    maker->now = maker->before;
    maker->before = g;
}

/* Makes the next missing samples, and writes the files of the group before. Returns the number of
 * samples made. */
static size_t make_group(sample_maker *maker) {
    sample_set *const set = maker->set;
    const meanwhile_work files = {end_share, maker};
    const double begins = clock_seconds();
    sample_group *const g = maker->now;
    uint32_t made;
    const exit_status begun = begin_group(maker);
#pragma omp critical(samples)
    made = set->made;
    for (size_t n = 0; n < g->count; n++)
        progress_of_part(&g->simulation[n].flight.progress, maker->first && n == 0,
                         made + maker->before->count, g->count, set->missing, set->start);
    maker->stepped = clock_seconds();
    const exit_status run =
        g->count > 0 ? simulations_run(g->simulation, g->count, &files) : STATUS_OK;
    if (begun || run)
        maker->status = STATUS_FAILED;
    end_some(maker, maker->before->count);
    leave_group(maker);
    maker->longest = fmax(maker->longest, clock_seconds() - begins);
    if (begun)
        give_up(set); /* what cannot begin now cannot begin later */
    return g->count;
}

bool sample_set_time_is_up(sample_set *set, double longest, bool kept) {
    if (set->limit == 0 || clock_seconds() + longest < set->limit)
        return false;
#pragma omp critical(samples)
    {
        set->ended_early = set->ended_early || set->next < set->count || kept;
        set->next = set->count;
    }
    return true;
}

/* --- threads --- */

static void maker_end(sample_maker *maker) {
    for (size_t n = 0; n < 2; n++) {
        free(maker->group[n].flight);
        free(maker->group[n].simulation);
    }
    pool_destroy(&maker->engines);
}

static exit_status maker_begin(sample_maker *maker, sample_set *set, uint32_t threads, uint32_t n) {
    *maker = (sample_maker){.set = set, .threads = threads, .first = n == 0, .kept = NO_PLACE};
    maker->now = &maker->group[0];
    maker->before = &maker->group[1];
    exit_status status = pool_divide(&set->engines, threads, n, &maker->engines);
    for (sample_group *g = maker->group; g < maker->group + 2; g++) {
        g->flight = calloc(maker->engines.room, sizeof *g->flight);
        g->simulation = calloc(maker->engines.room, sizeof *g->simulation);
        if (!status && (g->flight == NULL || g->simulation == NULL))
            status =
                complain(STATUS_FAILED, "--samples %" PRIu32 ": not enough memory", set->count);
    }
    return status;
}

exit_status sample_maker_run(sample_set *set, uint32_t threads, uint32_t n) {
    sample_maker maker;
    if (threads > 1)
        omp_set_num_threads(1);
    maker.status = maker_begin(&maker, set, threads, n);
    if (!maker.status)
        while (!signals_pending() &&
               !sample_set_time_is_up(set, maker.longest, maker.kept != NO_PLACE) &&
               make_group(&maker) > 0)
            ;
    end_some(&maker, maker.before->count);
    maker_end(&maker);
    return maker.status;
}
