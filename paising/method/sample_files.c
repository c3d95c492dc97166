/* The results of samples on disk (sample_files.h). */
#include "sample_files.h"

#include "files/result_names.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

path_name sample_files_path(const char *folder, uint32_t sample) {
    char name[SAMPLE_NAME_SIZE];
    return path_in(folder, result_name_of_sample(name, sample));
}

/* Threads for all samples: the last of more is waited for as long as they gain. */
#define MOST_THREADS 12

static int few_threads(void) {
    const int all = omp_get_max_threads();
    return all < MOST_THREADS ? all : MOST_THREADS;
}

/* Samples are synchronised in parallel: the disk combines the writes. */
exit_status sample_files_sync(const sample_files *s) {
    exit_status status = STATUS_OK;
#pragma omp parallel for schedule(dynamic) num_threads(few_threads())
    for (uint32_t n = 0; n < s->count; n++) {
        exit_status before;
#pragma omp atomic read
        before = status;
        if (!before && s->there[n] &&
            publication_sync(sample_files_path(s->folder, s->first + n).text))
#pragma omp atomic write
            status = STATUS_FAILED;
    }
    return status;
}

/* Joins the rows of all samples into one table. */
static exit_status join(const sample_files *s, sample_table *t, sample_row **rows) {
    const sample_read *const one = s->read;
    for (uint32_t n = 0; n < s->count; n++) {
        if (one[n].row == NULL)
            continue;
        if (*rows == NULL) {
            t->temperatures = one[n].count;
            *rows = calloc(s->count * one[n].count, sizeof **rows);
        }
        if (*rows == NULL || one[n].count != t->temperatures)
            return complain(STATUS_FAILED, "no room for the %zu temperatures of sample %" PRIu32,
                            one[n].count, s->first + n);
        memcpy(*rows + t->samples++ * one[n].count, one[n].row, one[n].count * sizeof **rows);
    }
    t->row = *rows;
    return STATUS_OK;
}

/* Whether a sample is to be read: its rows, or its histograms. */
static bool rows_are_left(const sample_files *s, uint32_t n) {
    return s->there[n] && s->read[n].row == NULL;
}

static bool histograms_are_left(const sample_files *s, uint32_t n) {
    return s->there[n] && !s->added[n];
}

/* The files of one sample are read by one thread: parsing numbers takes most of the time. */
static exit_status read_samples(const sample_files *s, bool is_left(const sample_files *, uint32_t),
                                exit_status read(const sample_files *s, uint32_t n, void *to),
                                void *to) {
    exit_status status = STATUS_OK;
    uint32_t left = 0;
    for (uint32_t n = 0; n < s->count; n++)
        left += is_left(s, n);
#pragma omp parallel for schedule(dynamic) num_threads(few_threads()) if (left > 1)
    for (uint32_t n = 0; n < s->count; n++)
        if (is_left(s, n) && read(s, n, to))
#pragma omp atomic write
            status = STATUS_FAILED;
    return status;
}

exit_status sample_files_read_one(const sample_files *s, uint32_t place) {
    const path_name path = sample_files_path(s->folder, s->first + place);
    sample_read *const one = &s->read[place];
    const exit_status status =
        results_read_sample_line(path.text, s->given, s->first + place, &one->line);
    return status ? status : results_read_sample(path.text, s->given, &one->row, &one->count);
}

static exit_status read_rows(const sample_files *s, uint32_t n, void *to) {
    (void)to;
    return sample_files_read_one(s, n);
}

static exit_status read_overlaps(const sample_files *s, uint32_t n, void *to) {
    return results_read_overlaps(sample_files_path(s->folder, s->first + n).text, s->given, to);
}

/* Lines stand behind each other, without missing ones. */
static exit_status join_lines(const sample_files *s, sample_results *r) {
    size_t samples = 0;
    r->line = calloc(s->count, sizeof *r->line);
    if (r->line == NULL)
        return complain(STATUS_FAILED, "not enough memory for the averages over samples");
    for (uint32_t n = 0; n < s->count; n++)
        if (s->read[n].row != NULL)
            r->line[samples++] = s->read[n].line;
    return STATUS_OK;
}

exit_status sample_files_read_histograms(const sample_files *s, size_t temperatures,
                                         overlap_average *overlaps) {
    const spin_model model = parameters_model(s->given);
    if (!results_bins_are_legible(s->given))
        return STATUS_OK;
    if (overlaps->row == NULL &&
        overlap_average_create(overlaps, temperatures, overlap_bin_count(overlap_scale_of(&model))))
        return complain(STATUS_FAILED, "not enough memory for the averages over samples");
    return read_samples(s, histograms_are_left, read_overlaps, overlaps);
}

exit_status sample_files_read(const sample_files *s, sample_results *r) {
    *r = (sample_results){.table = {.first = s->first, .asked = s->count}};
    exit_status status = read_samples(s, rows_are_left, read_rows, NULL);
    if (!status)
        status = join(s, &r->table, &r->row);
    return status || r->table.samples == 0 ? status : join_lines(s, r);
}

void sample_results_destroy(sample_results *r) {
    free(r->line);
    free(r->row);
}

uint64_t sample_files_bytes(const parameters *p, uint64_t temperatures) {
    const spin_model model = parameters_model(p);
    const uint64_t bins = model.disordered
                              ? temperatures * overlap_bin_count(overlap_scale_of(&model))
                              : 0,
                   threads = (uint64_t)omp_get_max_threads();
    return p->samples * (temperatures * sizeof(sample_row) + sizeof(sample_line)) +
           bins * (sizeof(overlap_bin_sums) + threads * sizeof(overlap_share));
}
