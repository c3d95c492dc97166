/* Samples of the disorder by tempering: each a series with couplings of its own, and averages over them. Several threads make them, each
 * one sample at a time with an engine of its own. */
#ifndef PAISING_METHOD_SERIES_SAMPLES_H
#define PAISING_METHOD_SERIES_SAMPLES_H

#include "files/series_samples.h"
#include "sample_maker.h"

/* The work of a thread of `threads`, as sample_maker_run: a sample that is interrupted leaves nothing, and is made again. */
exit_status series_maker_run(sample_set *set, uint32_t threads, uint32_t n);

/* The rows of all samples that are there; to be destroyed also after a failure. */
typedef struct {
    sample_table table;
    sample_row *row;
    uint32_t *number; /* [table.samples] */
} series_samples;

exit_status series_samples_load(const sample_set *set, series_samples *r);
void series_samples_destroy(series_samples *r);

/* Writes the averages. */
exit_status series_samples_put(result_folder *folder, const sample_set *set,
                               const series_samples *r);

#endif
