/* Samples of the disorder by tempering (series_samples.h). */
#include "series_samples.h"

#include "base/clock.h"
#include "base/signals.h"
#include "engine/sample_lanes.h"
#include "method.h"
#include "progress.h"
#include "settings/plans.h"
#include "tempering.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Takes the next missing sample. Returns whether there is one. */
static bool take_place(sample_set *set, uint32_t *place) {
    bool taken = false;
#pragma omp critical(samples)
    {
        while (set->next < set->count && set->there[set->next])
            set->next++;
        if (set->next < set->count && !signals_pending()) {
            *place = set->next++;
            taken = true;
        }
    }
    return taken;
}

/* Takes the next missing samples that stand in one machine word. Returns how many there are. */
static size_t take_word(sample_set *set, uint32_t place[SAMPLE_LANES]) {
    size_t count = 0;
    if (!take_place(set, &place[0]))
        return 0;
#pragma omp critical(samples)
    {
        const uint32_t left = SAMPLE_LANES - (set->first + place[0]) % SAMPLE_LANES;
        for (count = 1; set->next < set->count && set->next < place[0] + left; set->next++)
            if (!set->there[set->next])
                place[count++] = set->next;
    }
    return count;
}

/* What a sample's engine is, for the report of all. */
static void introduce(sample_set *set, const engine *worker, uint32_t threads) {
#pragma omp critical(samples)
    if (set->report.engine == NULL) {
        snprintf(set->engine, sizeof set->engine, "%s", worker->name);
        set->report.engine = set->engine;
        set->report.threads = worker->threads * threads;
        if (worker->driver != NULL) {
            snprintf(set->driver, sizeof set->driver, "%s", worker->driver);
            set->report.driver = set->driver;
        }
    }
}

/* Adds a sample that was made to the report of all. Returns how many there are. */
static uint32_t add_sample(sample_set *set, uint32_t place) {
    const parameters *const p = &set->given;
    uint32_t made;
#pragma omp critical(samples)
    {
        set->there[place] = true;
        made = ++set->made;
        set->report.spin_flips += ((double)p->thermalisation + p->measurements) * p->sweeps *
                                  parameters_visits(p).hits * (double)parameters_populations(p) *
                                  (double)p->population * (double)parameters_model(p).sites;
    }
    return made;
}

/* Simulates a sample on an engine, which is the only one of its pool. */
static exit_status run_sample(engine_pool *engines, const sample_set *set, one_sample *one,
                              bool *made) {
    char reason[300];
    bool there;
    int signal = 0;
    engines->start = clock_seconds();
    if (sample_add_engine(engines, one, reason, sizeof reason) == NULL)
        return complain(STATUS_FAILED, "%s", reason);
    exit_status status = result_folder_open_part(&one->folder, &one->given, &there);
    if (status)
        return status;
    status = method_of(&set->given)->run(&one->given, engines, &one->folder, &signal);
    *made = one->folder.published && one->folder.note[0] == '\0';
    result_folder_close(&one->folder);
    return status;
}

/* Makes a sample, with an engine of its own. */
static exit_status make_sample(sample_set *set, uint32_t threads, uint32_t n, one_sample *one,
                               bool *made) {
    engine_pool engines;
    exit_status status = pool_divide(&set->engines, threads, n, &engines);
    *made = false;
    if (!status)
        status = run_sample(&engines, set, one, made);
    if (engines.count > 0)
        introduce(set, engines.member[0], threads);
    pool_destroy(&engines);
    return status;
}

/* --- words of samples --- */

/* The samples of a machine word. */
typedef struct {
    one_sample one[SAMPLE_LANES];
    uint32_t place[SAMPLE_LANES];
    size_t count, opened;                 /* samples; of these, folders */
    const couplings *lanes[SAMPLE_LANES]; /* NULL: a bit that nobody asks for */
    series_start start[SAMPLE_LANES];
} sample_word;

/* Draws the couplings of the samples, and opens their folders. */
static exit_status open_word(const sample_set *set, sample_word *w) {
    exit_status status = STATUS_OK;
    bool there;
    for (size_t n = 0; n < w->count && !status; n++) {
        one_sample *const one = &w->one[n];
        sample_describe(set, w->place[n], one);
        one->given.silent = true;
        if (parameters_couplings(&one->given, &one->bonds, &status) == NULL)
            break;
        w->lanes[one->given.sample % SAMPLE_LANES] = &one->bonds;
        status = result_folder_open_part(&one->folder, &one->given, &there);
        if (status)
            couplings_destroy(&one->bonds);
        else
            w->opened++;
        w->start[n] = (series_start){&one->given, NULL, &one->folder, clock_seconds()};
    }
    return status;
}

/* Closes the folders. Returns how many samples are made. */
static uint32_t close_word(sample_set *set, sample_word *w) {
    uint32_t made = 0;
    for (size_t n = 0; n < w->opened; n++) {
        one_sample *const one = &w->one[n];
        if (one->folder.published && one->folder.note[0] == '\0')
            made = add_sample(set, w->place[n]);
        result_folder_close(&one->folder);
        couplings_destroy(&one->bonds);
    }
    return made;
}

/* Simulates the samples of a word. */
static exit_status run_word(sample_set *set, uint32_t threads, uint32_t n, sample_word *w) {
    engine_pool engines;
    char reason[300];
    int signal = 0;
    exit_status status = pool_divide(&set->engines, threads, n, &engines);
    engines.place.config.model.lanes = w->lanes;
    if (!status && pool_add(&engines, NULL, reason, sizeof reason) == NULL)
        status = complain(STATUS_FAILED, "%s", reason);
    if (!status) {
        introduce(set, engines.member[0], threads);
        status = tempering_run_word(w->start, w->count, &engines, &signal);
    }
    pool_destroy(&engines);
    return status;
}

/* Makes the samples of all words. */
static exit_status make_words(sample_set *set, uint32_t threads, uint32_t n,
                              progress_line *progress) {
    exit_status status = STATUS_OK;
    size_t count = 1;
    double longest = 0;
    sample_word *const w = malloc(sizeof *w);
    if (w == NULL)
        return complain(STATUS_FAILED, "not enough memory for a word of samples");
    while (!status && count > 0 && !sample_set_time_is_up(set, longest, false)) {
        const double begun = clock_seconds();
        *w = (sample_word){.opened = 0};
        count = w->count = take_word(set, w->place);
        if (count > 0)
            status = open_word(set, w);
        if (count > 0 && !status)
            status = run_word(set, threads, n, w);
        const uint32_t made = close_word(set, w);
        if (made > 0)
            progress_of_samples(progress, made);
        longest = fmax(longest, clock_seconds() - begun);
    }
    free(w);
    return status;
}

/* --- one after the other --- */

static exit_status make_samples(sample_set *set, uint32_t threads, uint32_t n,
                                progress_line *progress) {
    one_sample one;
    uint32_t place;
    exit_status status = STATUS_OK;
    double longest = 0;
    while (!status && !sample_set_time_is_up(set, longest, false) && take_place(set, &place)) {
        const double begun = clock_seconds();
        bool made = false;
        sample_describe(set, place, &one);
        one.given.silent = true;
        status = sample_make_bonds(&one);
        if (status)
            break;
        status = make_sample(set, threads, n, &one, &made);
        sample_drop_bonds(&one);
        if (made)
            progress_of_samples(progress, add_sample(set, place));
        longest = fmax(longest, clock_seconds() - begun);
    }
    return status;
}

exit_status series_maker_run(sample_set *set, uint32_t threads, uint32_t n) {
    progress_line progress;
    if (threads > 1)
        omp_set_num_threads(1);
    progress_begin(&progress, &set->given);
    progress_of_part(&progress, n == 0, 0, threads, set->missing, set->start);
    const exit_status status = set->given.words == WORDS_SAMPLES
                                   ? make_words(set, threads, n, &progress)
                                   : make_samples(set, threads, n, &progress);
    progress_end(&progress);
    return status;
}

/* --- averages --- */

/* Adds the rows of a sample to the table. */
static exit_status add_rows(const sample_set *set, series_samples *r, uint32_t place) {
    const uint32_t number = set->first + place;
    sample_row *rows = NULL;
    size_t count = 0;
    exit_status status = series_samples_read(sample_files_path(set->folder.path, number).text,
                                             &set->given, &rows, &count);
    if (!status && r->row == NULL) {
        r->table.temperatures = count;
        r->row = calloc(set->count * count, sizeof *r->row);
        r->number = calloc(set->count, sizeof *r->number);
    }
    if (!status && (r->row == NULL || r->number == NULL || count != r->table.temperatures))
        status = complain(STATUS_FAILED, "no room for the %zu temperatures of sample %" PRIu32,
                          count, number);
    if (!status) {
        memcpy(r->row + r->table.samples * count, rows, count * sizeof *rows);
        r->number[r->table.samples++] = number;
    }
    free(rows);
    return status;
}

exit_status series_samples_load(const sample_set *set, series_samples *r) {
    *r = (series_samples){.table = {.first = set->first, .asked = set->count}};
    exit_status status = STATUS_OK;
    for (uint32_t place = 0; place < set->count && !status; place++)
        if (set->there[place])
            status = add_rows(set, r, place);
    r->table.row = r->row;
    return status;
}

void series_samples_destroy(series_samples *r) {
    free(r->row);
    free(r->number);
}

exit_status series_samples_put(result_folder *folder, const sample_set *set,
                               const series_samples *r) {
    const exit_status status = series_samples_write_averages(folder, &set->given, &r->table);
    return status ? status : series_samples_write_rows(folder, &set->given, &r->table, r->number);
}
