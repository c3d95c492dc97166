/* Samples of the disorder, and the averages over them. Several threads make samples (pool_threads).
 * Independent samples need no synchronisation, unlike the threads of one small population. A GPU
 * finishes a small step before one thread has computed its estimates. */
#include "samples.h"

#include "base/clock.h"
#include "base/open_files.h"
#include "base/signals.h"
#include "method.h"
#include "progress.h"
#include "sample_maker.h"
#include "series_samples.h"
#include "simulation_state.h"
#include "tempering.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static uint32_t count_missing(const sample_set *set) {
    uint32_t missing = 0;
    for (uint32_t n = 0; n < set->count; n++)
        missing += !set->there[n];
    return missing;
}

static uint32_t ratio_up(uint32_t n, uint32_t of) {
    return (n + of - 1) / of;
}

/* The number of engines for `samples` samples, at most `room`. Each thread makes groups of equal
 * size, because the steps of a small group take as long as those of a large one. */
static uint32_t needed_engines(uint32_t samples, uint32_t threads, uint32_t room) {
    const uint32_t share = ratio_up(samples, threads),
                   groups = ratio_up(share, ratio_up(room, threads)),
                   needed = threads * ratio_up(share, groups);
    return needed < room ? needed : room;
}

/* A sample keeps its lock open until its files are written, while the next sample is simulated. */
#define FILES_OF_SAMPLE 2
#define OTHER_FILES     200 /* for devices, mostly */

/* The number of engines if the limit of open files is smaller. */
static uint32_t engines_with_files(uint32_t engines, uint32_t threads) {
    const uint64_t files = open_files_allow(FILES_OF_SAMPLE * (uint64_t)engines + OTHER_FILES);
    const uint64_t most = files > OTHER_FILES ? (files - OTHER_FILES) / FILES_OF_SAMPLE : 0;
    const uint64_t fewer = most > threads ? most : threads;
    return fewer < engines ? (uint32_t)fewer : engines;
}

/* Whether samples are series of measurements, and not simulations of annealing. */
static bool are_series(const sample_set *set) {
    return set->given.method != METHOD_annealing;
}

/* Whether samples have histograms of the overlap. */
static bool have_histograms(const sample_set *set) {
    return are_series(set) ? series_samples_have_overlaps(&set->given) : set->given.graph == NULL;
}

/* Finds the device, and makes all missing samples. */
static exit_status make_missing(sample_set *set, parameters *p) {
    exit_status status = pool_find(&set->engines, p, method_of(p)->bytes(p));
    if (status)
        return status;
    /* A word of samples fills a GPU. */
    const uint32_t threads = set->given.words == WORDS_SAMPLES && set->engines.place.gpu
                                 ? 1
                                 : (uint32_t)pool_threads(&set->engines);
    set->engines.room = needed_engines(set->missing, threads, set->engines.room);
    set->engines.room = engines_with_files(set->engines.room, threads);
    set->start = set->engines.start;
    if (p->time_limit.seconds > 0)
        set->limit = set->start + p->time_limit.seconds;
    progress_announce(p, set->engines.place.device);
#pragma omp parallel num_threads(threads)
    {
        const uint32_t all = (uint32_t)omp_get_num_threads(), n = (uint32_t)omp_get_thread_num();
        const exit_status own =
            are_series(set) ? series_maker_run(set, all, n) : sample_maker_run(set, all, n);
        if (own)
#pragma omp atomic write
            status = own;
    }
    if (count_missing(set) > 0) /* also a signal between two groups */
        set->interrupted =
            signals_pending() || !set->ended_early ? signals_pending() : SIGNAL_OF_TIME_LIMIT;
    return status;
}

/* --- all of them --- */

/* Finds the samples that exist, and checks that the others can be made; obstacles are reported
 * here. */
static exit_status look_for_samples(sample_set *set) {
    for (uint32_t place = 0; place < set->count; place++) {
        one_sample one;
        sample_describe(set, place, &one);
        if (!path_exists(one.path.text) &&
            !path_exists(publication_staged_part(one.path.text).text))
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

/* The input for writing averages. */
typedef struct {
    const sample_set *set;
    sample_results read;
    series_samples series; /* instead */
} averages;

static exit_status write_annealed(result_folder *folder, const averages *a) {
    const sample_set *const set = a->set;
    exit_status status = results_write_disorder(folder, &set->given, &a->read.table);
    if (!status)
        status = results_write_samples(folder, &set->given, a->read.line, a->read.table.samples);
    return status;
}

static const sample_table *table_of(const averages *a) {
    return are_series(a->set) ? &a->series.table : &a->read.table;
}

static exit_status write_averages(result_folder *folder, void *state) {
    const averages *const a = state;
    const sample_set *const set = a->set;
    exit_status status =
        are_series(set) ? series_samples_put(folder, set, &a->series) : write_annealed(folder, a);
    if (!status && set->overlaps.row != NULL)
        status = results_write_disorder_overlap(folder, &set->given, &set->overlaps, table_of(a));
    parameters shown = set->given;
    run_report report = set->report;
    shown.sample = set->first;
    shown.in_flight = set->engines.room;
    report.temperatures = table_of(a)->temperatures;
    report.parts = 1;
    report.missing = folder->note[0] != '\0' ? folder->note : NULL;
    report.total_seconds = clock_seconds() - set->start;
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = NAN; /* those of samples are in their folders */
    return status ? status : run_json_write(folder, &shown, &report);
}

/* Publishes the averages over existing samples. */
static exit_status publish(sample_set *set) {
    const uint32_t missing = count_missing(set);
    const sample_files files = sample_set_files(set);
    averages a = {.set = set};
    exit_status status = sample_files_sync(&files);
    exit_status read =
        are_series(set) ? series_samples_load(set, &a.series) : sample_files_read(&files, &a.read);
    const sample_table *const table = table_of(&a);
    if (!read && table->samples > 0 && have_histograms(set))
        read = sample_files_read_histograms(&files, table->temperatures, &set->overlaps);
    if (missing > 0)
        snprintf(set->folder.note, sizeof set->folder.note,
                 "%s: %" PRIu32 " of %" PRIu32
                 " samples are missing: the same command goes on with them",
                 set->interrupted ? "interrupted" : "failed", missing, set->count);
    if (missing > 0)
        warn("%s", set->folder.note);
    status = status ? status : read;
    if (!status && table->samples > 0)
        status = result_folder_put(&set->folder, write_averages, &a, missing > 0);
    if (set->given.method == METHOD_tempering)
        tempering_warn_of_no_pairs(&set->given);
    const size_t sound = disorder_equilibrated(table->row, table->samples, table->temperatures);
    if (sound < table->samples && are_series(set))
        warn("warning: %zu of %zu samples have a series that is too short for its autocorrelation "
             "time, or stands still; more measurements (--measurements) or sweeps (-t) would help",
             table->samples - sound, table->samples);
    else if (sound < table->samples)
        warn("warning: %zu of %zu samples have too few families for a glass in equilibrium; a "
             "larger population (-R) or more sweeps (-t) would help",
             table->samples - sound, table->samples);
    if (set->doubtful > 0)
        warn(
            "warning: %" PRIu32 " of the %" PRIu32 " samples that were made may have missed their "
            "lowest energy, as PA_ground_state_run_K.dat says in their folders; a larger beta (-f) "
            "or population (-R) would help",
            set->doubtful, set->made);
    sample_results_destroy(&a.read);
    series_samples_destroy(&a.series);
    return status;
}

/* Keeps freed memory in the process: threads that map and unmap memory would wait for each other. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest value allowed */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

exit_status samples_make(parameters *p, int *number) {
    sample_set set = {
        .given = *p, .first = p->sample, .count = p->samples, .start = clock_seconds()};
    set.given.sample = 0;
    *number = 0;
    keep_memory();
    exit_status status = result_folder_open_samples(&set.folder, &set.given, set.first);
    if (status)
        return status;
    if (result_folder_is_finished(&set.folder)) {
        result_folder_close(&set.folder);
        return STATUS_OK;
    }
    set.there = calloc(set.count, sizeof *set.there);
    status = results_check_spins(&set.given, set.folder.path);
    set.added = calloc(set.count, sizeof *set.added);
    set.read = calloc(set.count, sizeof *set.read);
    if (!status)
        status =
            set.there != NULL && set.added != NULL && set.read != NULL
                ? look_for_samples(&set)
                : complain(STATUS_REFUSED, "--samples %" PRIu32 ": not enough memory", set.count);
    if (!status)
        tell("seed %" PRIu64 "\n", p->seed);
    if (!status && set.missing == 0)
        warn("%s: all %" PRIu32 " samples are there already: only their averages are made again",
             set.folder.path, set.count);
    else if (!status)
        status = make_missing(&set, p);
    if (status != STATUS_REFUSED) {
        const exit_status published = publish(&set);
        status = status ? status : published;
    }
    if (!status && count_missing(&set) == 0)
        tell("%s\n", result_folder_place(&set.folder));
    *number = set.interrupted;
    overlap_average_destroy(&set.overlaps);
    for (uint32_t n = 0; n < set.count && set.read != NULL; n++)
        free(set.read[n].row);
    free(set.read);
    free(set.added);
    free(set.there);
    pool_destroy(&set.engines);
    result_folder_close(&set.folder);
    return status;
}
