/* Rows of overlaps, with their histograms: of the temperatures of a run, or of several runs one after the other. */
#ifndef PAISING_OVERLAP_RECORD_H
#define PAISING_OVERLAP_RECORD_H

#include "base/section_file.h"
#include "overlap.h"
#include "weighted.h"

typedef struct {
    size_t bins;      /* of a row */
    overlap_row *row; /* [count] */
    overlap_bin *bin; /* [count][bins] */
    size_t count, room;
} overlap_record;

/* Begins a record without rows, and frees it. */
void overlap_record_start(overlap_record *r, const spin_model *model);
void overlap_record_end(overlap_record *r);

/* Makes room for so many rows, if there is memory: otherwise it is made as they come, and those that are there are copied. */
void overlap_record_expect(overlap_record *r, size_t rows);

/* Adds the row of a population. Returns 0, or -1 without memory. */
int overlap_record_add(overlap_record *r, const overlap_sums *s, const histogram *h,
                       const spin_model *model);

/* Adds the rows of a run, which has none then, and rows of zeros up to `temperatures`, where it died out. Returns 0, or -1
 * without memory. */
int overlap_record_append(overlap_record *r, overlap_record *run, size_t temperatures);

/* Bytes of a row. */
uint64_t overlap_record_bytes(const spin_model *model);

/* The average at temperature number i over the runs of a record, one after the other as in `w`, with their weights
 * (eqs. 6, 7). Errors are jackknife errors over the runs, `blocks` of them; the row of a single run stays as it is.
 * The families are those of all runs, each with its share of the run's weight. Returns 0, or -1 without memory. */
int overlap_record_mean(const overlap_record *r, const weighted_average *w, size_t i,
                        const spin_model *model, overlap_row *out);

/* Writes the rows, or reads `count` of them into a record without rows. Returns false when something failed
 * (section_file.h). */
bool overlap_record_transfer(section_file *f, overlap_record *r, size_t count);

#endif
