/* Histograms of the overlap: reading those of samples, and writing their averages. */
#ifndef PAISING_DISORDER_OVERLAP_H
#define PAISING_DISORDER_OVERLAP_H

#include "disorder_results.h"
#include "estimate/overlap_average.h"

/* Whether the digits of -P tell the bins of histograms apart. */
bool results_bins_are_legible(const parameters *p);

/* Adds P(q) and P(q_l) of a sample, with parameters p, from the folder of its result to *a: those of
 * its run or its series, or the averages over its runs. Threads may add samples at the same time. Returns STATUS_OK,
 * or STATUS_FAILED after a message on stderr. */
exit_status results_read_overlaps(const char *folder, const parameters *p, overlap_average *a);

/* Writes PA_disorder_overlap.dat, or MC_disorder_overlap.dat of series: the averages over samples, at the temperatures of the
 * table. Returns the same statuses. */
exit_status results_write_disorder_overlap(result_folder *folder, const parameters *p,
                                           const overlap_average *a, const sample_table *t);

#endif
