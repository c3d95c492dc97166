/* Rows of overlaps with their histograms: the temperatures of one run, or those of several runs one
 * after the other. */
#ifndef PAISING_OVERLAP_RECORD_H
#define PAISING_OVERLAP_RECORD_H

#include "base/section_file.h"
#include "overlap.h"
#include "weighted.h"

typedef struct {
    size_t bins;      /* bins of a row */
    overlap_row *row; /* [count] */
    overlap_bin *bin; /* [count][bins] */
    size_t count, room;
} overlap_record;

/* Begin a record without rows; free it. */
void overlap_record_start(overlap_record *r, const spin_model *model);
void overlap_record_end(overlap_record *r);

/* Reserves memory for `rows` rows. Failure is harmless: memory then grows, with copies, as rows are
 * added. */
void overlap_record_expect(overlap_record *r, size_t rows);

/* Adds the row of a population. Returns 0, or -1 without memory. */
int overlap_record_add(overlap_record *r, const overlap_sums *s, const histogram *h,
                       const spin_model *model);

/* Moves the rows of a run to the end of *r, and adds rows of zeros up to `temperatures` if the run
 * died out. *run is left without rows. Returns 0, or -1 without memory. */
int overlap_record_append(overlap_record *r, overlap_record *run, size_t temperatures);

/* Bytes of one row. */
uint64_t overlap_record_bytes(const spin_model *model);

/* Averages temperature number i over the runs of the record, which must be those of *w in the same
 * order, with their weights (eqs. 6, 7). Errors are jackknife errors over the runs, and `blocks` is
 * their number. The row of a single run is copied. Families are those of all runs, each with its
 * share of the run's weight. Returns 0, or -1 without memory. */
int overlap_record_mean(const overlap_record *r, const weighted_average *w, size_t i,
                        const spin_model *model, overlap_row *out);

/* Averages the histograms at temperature number i over several runs, with the same weights.
 * share[r->bins]: errors are jackknife errors over the runs, with that of counting few pairs. Runs
 * without pairs of different families are left out. *pairs is the number of pairs of all runs, *runs
 * that of runs with pairs. Returns 0, or -1 without memory. */
int overlap_record_shares(const overlap_record *r, const weighted_average *w, size_t i,
                          overlap_share share[], double *pairs, size_t *runs);

/* Writes the rows, or reads `count` rows into a record without rows. Returns false on failure
 * (section_file.h). */
bool overlap_record_transfer(section_file *f, overlap_record *r, size_t count);

#endif
