/* Searches of several samples (ground_samples.h). */
#include "ground_samples.h"

#include "base/clock.h"
#include "base/signals.h"
#include "execution.h"
#include "files/ground_samples_file.h"
#include "files/publication.h"
#include "files/run_json.h"
#include "sample_files.h"
#include "settings/graphs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    parameters given; /* common to all: without the number of a sample */
    uint32_t first, count;
    result_folder folder;
    ground_sample *sample; /* [made] */
    size_t made;
    double start;    /* (clock.h) */
    int interrupted; /* the signal that ended it early; 0: none */
} ground_set;

/* Searches a sample into its folder. *there: its result is whole. */
static exit_status search(ground_set *set, parameters *one, result_folder *folder, bool *there) {
    execution x;
    tell("sample %" PRIu32 "\n", one->sample);
    exit_status status = parameters_take_sample(one, one->sample);
    if (status)
        return status;
    status = execution_begin(&x, one);
    if (!status)
        status = execution_run(&x, folder, NULL, &set->interrupted);
    execution_end(&x);
    parameters_end(one);
    *there = !status && set->interrupted == 0;
    return status;
}

/* Makes sample number `number`, unless it is there, and reads its row. */
static exit_status make_sample(ground_set *set, uint32_t number) {
    const path_name path = sample_files_path(set->folder.path, number);
    parameters one = set->given;
    result_folder folder;
    bool there;
    one.sample = number;
    one.samples = 1;
    one.output = path.text;
    exit_status status = result_folder_open_part(&folder, &one, &there);
    if (status)
        return status;
    if (!there)
        status = search(set, &one, &folder, &there);
    result_folder_close(&folder);
    if (!status && there && publication_sync(path.text))
        status = STATUS_FAILED;
    if (!status && there)
        status =
            results_read_ground_sample(path.text, &set->given, number, &set->sample[set->made]);
    set->made += !status && there;
    return status;
}

static exit_status write_results(result_folder *folder, void *state) {
    const ground_set *const set = state;
    parameters shown = set->given;
    run_report report = {.ranks = 1,
                         .parts = 1,
                         .missing = folder->note[0] != '\0' ? folder->note : NULL,
                         .lowest = NAN,
                         .ground_seconds = NAN,
                         .total_seconds = clock_seconds() - set->start};
    shown.sample = set->first;
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = NAN; /* those of samples are in their folders */
    const exit_status status =
        results_write_ground_samples(folder, &set->given, set->sample, set->made);
    return status ? status : run_json_write(folder, &shown, &report);
}

/* Puts the rows of all samples so far into the folder. */
static exit_status publish(ground_set *set) {
    const size_t missing = set->count - set->made;
    if (missing > 0) {
        snprintf(set->folder.note, sizeof set->folder.note,
                 "%s: %zu of %" PRIu32 " samples are missing: the same command goes on with them",
                 set->interrupted ? "interrupted" : "failed", missing, set->count);
        warn("%s", set->folder.note);
    }
    return set->made > 0 ? result_folder_put(&set->folder, write_results, set, missing > 0)
                         : STATUS_OK;
}

exit_status ground_samples_make(const parameters *p, int *number) {
    ground_set set = {
        .given = *p, .first = p->sample, .count = p->samples, .start = clock_seconds()};
    set.given.sample = 0;
    exit_status status = result_folder_open_samples(&set.folder, &set.given, set.first);
    if (status)
        return status;
    if (result_folder_is_finished(&set.folder)) {
        result_folder_close(&set.folder);
        return STATUS_OK;
    }
    set.sample = calloc(set.count, sizeof *set.sample);
    if (set.sample == NULL)
        status = complain(STATUS_REFUSED, "--samples %" PRIu32 ": not enough memory", set.count);
    for (uint32_t n = 0; n < set.count && !status && set.interrupted == 0; n++) {
        status = make_sample(&set, set.first + n);
        if (set.interrupted == 0)
            set.interrupted = signals_pending();
    }
    if (status != STATUS_REFUSED) {
        const exit_status published = publish(&set);
        status = status ? status : published;
    }
    if (!status && set.made == set.count)
        tell("%s\n", result_folder_place(&set.folder));
    *number = set.interrupted;
    free(set.sample);
    result_folder_close(&set.folder);
    return status;
}
