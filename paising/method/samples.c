/* Samples of the disorder, one group after another: those of a group go side by side. A sample is a simulation with
 * couplings, an engine and a folder of its own, and makes its runs one after the other.
 *
 * Several threads make groups (fleet_threads): threads need not wait for each other as those of one small population
 * would, and a GPU has done with it before one of them has made its estimates and files. */
#include "samples.h"

#include "base/clock.h"
#include "base/signals.h"
#include "device/fleet.h"
#include "files/run_json.h"
#include "sample_files.h"
#include "settings/plans.h"
#include "simulation.h"
#include "simulation_results.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* A sample, and what it needs beside its simulation while that is made. */
typedef struct {
    parameters given; /* of this sample alone */
    path_name path;
    couplings bonds;
    result_folder folder;
    uint32_t place; /* among all */
    engine worker;  /* who made it, when the engine is at work for another one */
} one_sample;

/* Samples side by side. */
typedef struct {
    one_sample *flight; /* [room] */
    simulation *simulation;
    size_t count, ended; /* so many there are, and of these so many have their files */
} sample_group;

typedef struct {
    parameters given; /* what describes all: the number of none */
    uint32_t first, count;
    result_folder folder;
    bool *there;          /* [count] whose whole result is in its folder */
    engine_fleet engines; /* of all threads */
    uint32_t next;        /* of those that nobody makes yet */
    uint32_t missing;     /* when it began */
    uint32_t made;        /* since then */
    run_report report;    /* of what was made: who made it, */
    char engine[340], driver[100];
    double start;    /* and since when */
    int interrupted; /* the signal that ended it early; 0: none did */
} sample_set;

/* A thread that makes samples of the set. What the set counts it changes while no other does (omp critical). */
typedef struct {
    sample_set *set;
    uint32_t threads; /* that make samples */
    bool first;       /* of all threads, who speaks for them: of signals, and of how far they are */
    engine_fleet engines; /* its own */
    sample_group group[2];
    sample_group *now,
        *before; /* which one the engines make; the other one is made, and its files are written meanwhile */
    uint32_t kept; /* the place of a sample that it took without an engine; or NO_PLACE */
    exit_status status;
} sample_maker;

#define NO_PLACE UINT32_MAX

/* --- one sample --- */

/* Names sample number `place` of the set, alone. */
static void describe(const sample_set *set, uint32_t place, one_sample *one) {
    one->place = place;
    one->given = set->given;
    one->given.sample = set->first + place;
    one->given.samples = 1;
    one->given.in_flight = 1;
    one->path = sample_files_path(set->folder.path, one->given.sample);
    one->given.output = one->path.text;
}

/* Notes who makes the samples. */
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

/* Prepares its simulation, with an engine of the fleet. *room becomes false if there is memory for no more of them,
 * and nothing is prepared then; that there is none for the first is a failure. */
static exit_status begin_sample(sample_maker *maker, one_sample *one, simulation *s, bool *room) {
    char reason[300];
    bool there;
    exit_status status;
    if (parameters_couplings(&one->given, &one->bonds, &status) == NULL)
        return status;
    engine *const worker = fleet_add(&maker->engines, &one->bonds, reason, sizeof reason);
    if (worker == NULL) {
        *room = false;
        couplings_destroy(&one->bonds);
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
        couplings_destroy(&one->bonds);
    return status;
}

/* Takes the engine from it. */
static void leave_sample(const sample_set *set, one_sample *one, simulation *s) {
    simulation_leave_engine(s, &one->worker);
    one->worker.name = set->report.engine; /* which stay when the engine goes */
    one->worker.driver = set->report.driver;
}

/* Puts its result into its folder, and forgets the rest. */
static exit_status end_sample(sample_set *set, one_sample *one, simulation *s) {
    const exit_status status = simulation_publish(s, &one->folder);
    const double spin_flips = s->flight.spin_flips;
    simulation_end(s);
    set->there[one->place] = one->folder.published && one->folder.note[0] == '\0';
    result_folder_close(&one->folder);
    couplings_destroy(&one->bonds);
#pragma omp critical(samples)
    {
        set->report.spin_flips += spin_flips;
        set->made += set->there[one->place];
    }
    return status;
}

/* --- a group of them --- */

/* Takes the next sample that is missing. Returns its place; NO_PLACE: all are there, or are being made. */
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

/* Leaves those that nobody makes yet as they are. */
static void give_up(sample_set *set) {
#pragma omp critical(samples)
    set->next = set->count;
}

/* Begins as many samples as there is room for. */
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
        describe(maker->set, place, one);
        status = begin_sample(maker, one, s, &room);
        if (status)
            break;
        if (!room) {
            maker->kept = place;
            break;
        }
        s->silent = g->count > 0 || !maker->first;
        s->is_sample = true;
    }
    return status;
}

/* Writes the files of some samples of the group before. */
static void end_some(sample_maker *maker, size_t some) {
    sample_group *const g = maker->before;
    for (; some > 0 && g->ended < g->count; some--, g->ended++)
        if (end_sample(maker->set, &g->flight[g->ended], &g->simulation[g->ended]))
            maker->status = STATUS_FAILED;
}

/* The same at a step of this group: as many as will do for all in as many steps as these have at least. */
static void end_share(void *state) {
    sample_maker *const maker = state;
    const size_t steps = maker->now->simulation->flight.schedule.count;
    end_some(maker, (maker->before->count + steps - 1) / steps);
}

/* Takes the engines from the group, whose files are still to be written. */
static void leave_group(sample_maker *maker) {
    sample_group *const g = maker->now;
    for (size_t n = 0; n < g->count; n++)
        leave_sample(maker->set, &g->flight[n], &g->simulation[n]);
    fleet_clear(&maker->engines);
    maker->now = maker->before;
    maker->before = g;
}

/* Makes the next samples that are missing, and the files of those before them. Returns how many it made. */
static size_t make_group(sample_maker *maker) {
    sample_set *const set = maker->set;
    const shadow_work files = {end_share, maker};
    sample_group *const g = maker->now;
    uint32_t made;
    const exit_status begun = begin_group(maker);
#pragma omp critical(samples)
    made = set->made;
    for (size_t n = 0; n < g->count; n++)
        progress_of_part(&g->simulation[n].flight.progress, maker->first && n == 0,
                         made + maker->before->count, g->count, set->missing, set->start);
    const exit_status run =
        g->count > 0 ? simulations_run(g->simulation, g->count, &files) : STATUS_OK;
    if (begun || run)
        maker->status = STATUS_FAILED;
    end_some(maker, maker->before->count);
    leave_group(maker);
    if (begun)
        give_up(set); /* what cannot begin would not do so later */
    return g->count;
}

/* --- threads --- */

static void maker_end(sample_maker *maker) {
    for (size_t n = 0; n < 2; n++) {
        free(maker->group[n].flight);
        free(maker->group[n].simulation);
    }
    fleet_destroy(&maker->engines);
}

static exit_status maker_begin(sample_maker *maker, sample_set *set, uint32_t threads, uint32_t n) {
    *maker = (sample_maker){.set = set, .threads = threads, .first = n == 0, .kept = NO_PLACE};
    maker->now = &maker->group[0];
    maker->before = &maker->group[1];
    exit_status status = fleet_divide(&set->engines, threads, n, &maker->engines);
    for (sample_group *g = maker->group; g < maker->group + 2; g++) {
        g->flight = calloc(maker->engines.room, sizeof *g->flight);
        g->simulation = calloc(maker->engines.room, sizeof *g->simulation);
        if (!status && (g->flight == NULL || g->simulation == NULL))
            status =
                complain(STATUS_FAILED, "--samples %" PRIu32 ": not enough memory", set->count);
    }
    return status;
}

/* What thread number n of so many does: group after group. */
static exit_status make_groups(sample_set *set, uint32_t threads, uint32_t n) {
    sample_maker maker;
    if (threads > 1)
        omp_set_num_threads(1);
    maker.status = maker_begin(&maker, set, threads, n);
    if (!maker.status)
        while (!signals_pending() && make_group(&maker) > 0)
            ;
    end_some(&maker, maker.before->count);
    maker_end(&maker);
    return maker.status;
}

static uint32_t count_missing(const sample_set *set) {
    uint32_t missing = 0;
    for (uint32_t n = 0; n < set->count; n++)
        missing += !set->there[n];
    return missing;
}

static uint32_t ratio_up(uint32_t n, uint32_t of) {
    return (n + of - 1) / of;
}

/* How many engines so many samples need, where there is room for some: as many for each group of a thread, since the steps of
 * a small one take as long as those of a large one. */
static uint32_t needed_engines(uint32_t samples, uint32_t threads, uint32_t room) {
    const uint32_t share = ratio_up(samples, threads),
                   groups = ratio_up(share, ratio_up(room, threads)),
                   needed = threads * ratio_up(share, groups);
    return needed < room ? needed : room;
}

/* Finds the device, and makes all that are missing. */
static exit_status make_missing(sample_set *set, parameters *p) {
    exit_status status = fleet_find(&set->engines, p, simulation_bytes(p));
    if (status)
        return status;
    const uint32_t threads = (uint32_t)fleet_threads(&set->engines);
    set->engines.room = needed_engines(set->missing, threads, set->engines.room);
    set->start = set->engines.start;
#pragma omp parallel num_threads(threads)
    {
        const exit_status own =
            make_groups(set, (uint32_t)omp_get_num_threads(), (uint32_t)omp_get_thread_num());
        if (own)
#pragma omp atomic write
            status = own;
    }
    if (count_missing(set) > 0) /* between two groups, too */
        set->interrupted = signals_pending();
    return status;
}

/* --- all of them --- */

/* Looks which samples are there, and whether the others may be made. */
static exit_status look_for_samples(sample_set *set) {
    for (uint32_t place = 0; place < set->count; place++) {
        one_sample one;
        describe(set, place, &one);
        if (!path_exists(one.path.text))
            continue;
        const exit_status status =
            result_folder_open_part(&one.folder, &one.given, &set->there[place]);
        if (status)
            return status;
        result_folder_close(&one.folder);
    }
    set->missing = count_missing(set);
    return STATUS_OK;
}

/* What the averages are written from. */
typedef struct {
    const sample_set *set;
    sample_table table;
} averages;

static exit_status write_averages(result_folder *folder, void *state) {
    const averages *const a = state;
    const sample_set *const set = a->set;
    const exit_status status = results_write_disorder(folder, &set->given, &a->table);
    parameters shown = set->given;
    run_report report = set->report;
    shown.sample = set->first;
    shown.in_flight = set->engines.room;
    report.temperatures = a->table.temperatures;
    report.parts = 1;
    report.missing = folder->note[0] != '\0' ? folder->note : NULL;
    report.total_seconds = clock_seconds() - set->start;
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = NAN; /* those of the samples stand in their folders */
    return status ? status : run_json_write(folder, &shown, &report);
}

/* Averages the samples that there are. */
static exit_status publish(sample_set *set) {
    const uint32_t missing = count_missing(set);
    const sample_files files = {set->folder.path, &set->given, set->first, set->count, set->there};
    averages a = {.set = set};
    sample_row *rows;
    exit_status status = sample_files_sync(&files);
    const exit_status read = sample_files_read(&files, &a.table, &rows);
    if (missing > 0)
        snprintf(set->folder.note, sizeof set->folder.note,
                 "%s: %" PRIu32 " of %" PRIu32
                 " samples are missing: the same command goes on with them",
                 set->interrupted ? "interrupted" : "failed", missing, set->count);
    if (missing > 0)
        warn("%s", set->folder.note);
    status = status ? status : read;
    if (!status && a.table.samples > 0)
        status = result_folder_put(&set->folder, write_averages, &a, missing > 0);
    const size_t sound = disorder_equilibrated(rows, a.table.samples, a.table.temperatures);
    if (sound < a.table.samples)
        warn("warning: %zu of %zu samples have too few families for a glass in equilibrium; a "
             "larger population (-R) or more sweeps (-t) would help",
             a.table.samples - sound, a.table.samples);
    free(rows);
    return status;
}

/* Threads that map and unmap memory wait for each other: what a sample gives back is kept for the next. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest one that there is */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

exit_status samples_make(parameters *p, int *number) {
    sample_set set = {
        .given = *p, .first = p->sample, .count = p->samples, .start = clock_seconds()};
    set.given.sample = 0;
    *number = 0;
    keep_memory();
    exit_status status = result_folder_open(&set.folder, &set.given);
    if (status)
        return status;
    set.there = calloc(set.count, sizeof *set.there);
    status = set.there != NULL
                 ? look_for_samples(&set)
                 : complain(STATUS_REFUSED, "--samples %" PRIu32 ": not enough memory", set.count);
    if (!status)
        printf("seed %" PRIu64 "\n", p->seed);
    if (!status && set.missing > 0)
        status = make_missing(&set, p);
    if (status != STATUS_REFUSED) {
        const exit_status published = publish(&set);
        status = status ? status : published;
    }
    if (!status && count_missing(&set) == 0)
        printf("%s\n", result_folder_place(&set.folder));
    *number = set.interrupted;
    free(set.there);
    fleet_destroy(&set.engines);
    result_folder_close(&set.folder);
    return status;
}
