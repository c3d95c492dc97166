/* Samples of the disorder, one group after another: those of a group go side by side. A sample is a simulation with
 * couplings, an engine and a folder of its own, and makes its runs one after the other. */
#include "samples.h"

#include "base/clock.h"
#include "base/signals.h"
#include "device/fleet.h"
#include "files/disorder_results.h"
#include "files/publication.h"
#include "files/result_names.h"
#include "files/result_survey.h"
#include "files/run_json.h"
#include "settings/plans.h"
#include "simulation.h"
#include "simulation_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample, and what it needs beside its simulation while that is made. */
typedef struct {
    parameters given; /* of this sample alone */
    path_name path;
    couplings bonds;
    result_folder folder;
    uint32_t place; /* among all */
} one_sample;

typedef struct {
    parameters given; /* what describes all: the number of none */
    uint32_t first, count;
    result_folder folder;
    bool *there; /* [count] whose whole result is in its folder */
    engine_fleet engines;
    one_sample *flight; /* [engines.room] those side by side, */
    simulation *simulation;
    uint32_t missing;  /* when it began */
    run_report report; /* of what was made: who made it, */
    char engine[100], driver[100];
    double start;    /* and since when */
    int interrupted; /* the signal that ended it early; 0: none did */
} sample_set;

/* --- one sample --- */

/* Names sample number `place` of the set, alone. */
static void describe(const sample_set *set, uint32_t place, one_sample *one) {
    char name[SAMPLE_NAME_SIZE];
    one->place = place;
    one->given = set->given;
    one->given.sample = set->first + place;
    one->given.samples = 1;
    one->given.in_flight = 1;
    one->path = path_in(set->folder.path, result_name_of_sample(name, one->given.sample));
    one->given.output = one->path.text;
}

/* Notes who makes the samples. */
static void introduce(sample_set *set, const engine *worker) {
    snprintf(set->engine, sizeof set->engine, "%s", worker->name);
    set->report.engine = set->engine;
    set->report.threads = worker->threads;
    if (worker->driver == NULL)
        return;
    snprintf(set->driver, sizeof set->driver, "%s", worker->driver);
    set->report.driver = set->driver;
}

/* Prepares its simulation, with an engine of the fleet. *room becomes false if there is memory for no more of them,
 * and nothing is prepared then; that there is none for the first is a failure. */
static exit_status begin_sample(sample_set *set, one_sample *one, simulation *s, bool *room) {
    char reason[300];
    bool there;
    exit_status status;
    if (parameters_couplings(&one->given, &one->bonds, &status) == NULL)
        return status;
    engine *const worker = fleet_add(&set->engines, &one->bonds, reason, sizeof reason);
    if (worker == NULL) {
        *room = false;
        return set->engines.count > 0 ? STATUS_OK : complain(STATUS_FAILED, "%s", reason);
    }
    introduce(set, worker);
    status = result_folder_open_part(&one->folder, &one->given, &there);
    if (status)
        return status;
    status = simulation_begin(s, &one->given, &worker, 1, clock_seconds());
    if (status)
        result_folder_close(&one->folder);
    return status;
}

/* Puts its result into its folder, and forgets the rest. */
static exit_status end_sample(sample_set *set, one_sample *one, simulation *s) {
    const exit_status status = simulation_publish(s, &one->folder);
    set->report.spin_flips += s->flight.spin_flips;
    simulation_end(s);
    result_folder_close(&one->folder);
    set->there[one->place] = survey_finds_own_whole(one->path.text, &one->given);
    return status;
}

/* --- a group of them --- */

static uint32_t count_missing(const sample_set *set) {
    uint32_t missing = 0;
    for (uint32_t n = 0; n < set->count; n++)
        missing += !set->there[n];
    return missing;
}

/* Begins samples from number *place of the set on that are missing, as many as there is room for. Returns how many
 * there are; *place moves behind them. */
static size_t begin_group(sample_set *set, uint32_t *place, exit_status *status) {
    size_t count = 0;
    bool room = true;
    for (; *place < set->count && count < set->engines.room; ++*place) {
        if (set->there[*place])
            continue;
        describe(set, *place, &set->flight[count]);
        *status = begin_sample(set, &set->flight[count], &set->simulation[count], &room);
        if (*status || !room)
            break;
        set->simulation[count].silent = count > 0;
        count++;
    }
    return count;
}

/* Takes the engines away, and then the couplings that they had. */
static void clear_group(sample_set *set) {
    fleet_clear(&set->engines);
    for (uint32_t n = 0; n < set->engines.room; n++)
        couplings_destroy(&set->flight[n].bonds);
}

/* Makes the next samples that are missing. */
static exit_status make_group(sample_set *set, uint32_t *place, uint32_t done) {
    exit_status begun = STATUS_OK;
    const size_t count = begin_group(set, place, &begun);
    for (size_t n = 0; n < count; n++)
        progress_of_part(&set->simulation[n].flight.progress, n == 0, done, count, set->missing,
                         set->start);
    exit_status made = count > 0 ? simulations_run(set->simulation, count) : STATUS_OK;
    for (size_t n = 0; n < count; n++)
        if (end_sample(set, &set->flight[n], &set->simulation[n]))
            made = STATUS_FAILED;
    clear_group(set);
    if (begun)
        *place = set->count; /* what cannot begin would not do so later */
    return begun ? STATUS_FAILED : made;
}

/* Finds the device, and makes all that are missing. */
static exit_status make_missing(sample_set *set, parameters *p) {
    exit_status status = fleet_find(&set->engines, p, simulation_bytes(p));
    if (status)
        return status;
    set->start = set->engines.start;
    set->flight = calloc(set->engines.room, sizeof *set->flight);
    set->simulation = calloc(set->engines.room, sizeof *set->simulation);
    if (set->flight == NULL || set->simulation == NULL)
        return complain(STATUS_REFUSED, "--samples %" PRIu32 ": not enough memory", set->count);
    for (uint32_t place = 0; place < set->count && !signals_pending();)
        if (make_group(set, &place, set->missing - count_missing(set)))
            status = STATUS_FAILED;
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

/* Reads the rows of those that are there: t->row is to be freed. */
static exit_status read_samples(const sample_set *set, sample_table *t, sample_row **all) {
    *all = NULL;
    for (uint32_t place = 0; place < set->count; place++) {
        one_sample one;
        sample_row *rows;
        size_t count;
        if (!set->there[place])
            continue;
        describe(set, place, &one);
        const exit_status status = results_read_sample(one.path.text, &one.given, &rows, &count);
        if (status)
            return status;
        if (*all == NULL) {
            t->temperatures = count;
            *all = calloc(set->count * count, sizeof **all);
        }
        const bool fits = *all != NULL && count == t->temperatures;
        if (fits)
            memcpy(*all + t->samples++ * count, rows, count * sizeof *rows);
        free(rows);
        if (!fits)
            return complain(STATUS_FAILED, "%s: no room for its %zu temperatures", one.path.text,
                            count);
    }
    t->row = *all;
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
    averages a = {set, {.first = set->first, .asked = set->count}};
    sample_row *rows;
    exit_status status = read_samples(set, &a.table, &rows);
    if (missing > 0)
        snprintf(set->folder.note, sizeof set->folder.note,
                 "%s: %" PRIu32 " of %" PRIu32
                 " samples are missing: the same command goes on with them",
                 set->interrupted ? "interrupted" : "failed", missing, set->count);
    if (missing > 0)
        warn("%s", set->folder.note);
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

exit_status samples_make(parameters *p, int *number) {
    sample_set set = {
        .given = *p, .first = p->sample, .count = p->samples, .start = clock_seconds()};
    set.given.sample = 0;
    *number = 0;
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
    free(set.flight);
    free(set.simulation);
    free(set.there);
    fleet_destroy(&set.engines);
    result_folder_close(&set.folder);
    return status;
}
