/* Samples of the disorder: their rows, read back from their results, and the file of averages over them. */
#ifndef PAISING_DISORDER_RESULTS_H
#define PAISING_DISORDER_RESULTS_H

#include "estimate/disorder_average.h"
#include "result_folder.h"

/* Reads the averages over runs of a sample, of the parameters p, from the folder of its result: *rows[*count], to
 * be freed. Returns STATUS_OK, or STATUS_FAILED after a line on stderr. */
exit_status results_read_sample(const char *folder, const parameters *p, sample_row **rows,
                                size_t *count);

/* Samples that are averaged. */
typedef struct {
    const sample_row *row; /* [samples][temperatures], */
    size_t samples, temperatures;
    uint32_t first, asked; /* of so many from that number on */
} sample_table;

/* PA_disorder_averages.dat: averages over samples, which p, without their numbers, describes. Returns STATUS_OK or,
 * after a line on stderr, STATUS_FAILED. */
exit_status results_write_disorder(result_folder *folder, const parameters *p,
                                   const sample_table *t);

#endif
