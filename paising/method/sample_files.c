/* The results of samples on disk (sample_files.h). */
#include "sample_files.h"

#include "files/result_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

path_name sample_files_path(const char *folder, uint32_t sample) {
    char name[SAMPLE_NAME_SIZE];
    return path_in(folder, result_name_of_sample(name, sample));
}

/* Samples are synchronised in parallel: the disk combines the writes. */
exit_status sample_files_sync(const sample_files *s) {
    exit_status status = STATUS_OK;
#pragma omp parallel for schedule(dynamic)
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

/* The rows of one sample. */
typedef struct {
    sample_row *row; /* [count]; NULL: there is no result */
    size_t count;
} rows_read;

/* Joins the rows of all samples into one table. */
static exit_status join(const sample_files *s, const rows_read one[], sample_table *t,
                        sample_row **rows) {
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

/* Parsing numbers takes most of the time, and is done in parallel. */
exit_status sample_files_read(const sample_files *s, sample_table *t, sample_row **rows) {
    rows_read *const one = calloc(s->count, sizeof *one);
    exit_status status = STATUS_OK;
    *t = (sample_table){.first = s->first, .asked = s->count};
    *rows = NULL;
    if (one == NULL)
        return complain(STATUS_FAILED, "not enough memory for the averages over samples");
#pragma omp parallel for schedule(dynamic)
    for (uint32_t n = 0; n < s->count; n++)
        if (s->there[n] && results_read_sample(sample_files_path(s->folder, s->first + n).text,
                                               s->given, &one[n].row, &one[n].count))
#pragma omp atomic write
            status = STATUS_FAILED;
    if (!status)
        status = join(s, one, t, rows);
    for (uint32_t n = 0; n < s->count; n++)
        free(one[n].row);
    free(one);
    return status;
}
