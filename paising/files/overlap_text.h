/* Histograms of overlaps as text (PA_overlap_run_K.dat). There are a hundred thousand numbers to print, a tenth of the time of
 * a short run on a GPU, and most of what the host does for a small one: each row is made text while the device works. */
#ifndef PAISING_OVERLAP_TEXT_H
#define PAISING_OVERLAP_TEXT_H

#include "estimate/observables.h"
#include "estimate/overlap_record.h"

typedef struct {
    char *begin, *end; /* to be freed; NULL: there was no memory */
} row_text;

/* The rows of a run so far, or the first of them. */
typedef struct {
    row_text *row; /* [rows] */
    size_t rows, room;
} overlap_text;

/* The histograms of row i. */
row_text overlap_text_of_row(int precision, const spin_model *model, double beta,
                             const overlap_record *overlaps, size_t i);

/* Makes the text of those of rows[overlaps->count] that have none yet, as far as there is memory: what is missing can be
 * made later. */
void overlap_text_follow(overlap_text *t, int precision, const spin_model *model,
                         const observables rows[], const overlap_record *overlaps);

/* Forgets all rows, for another run; and gives the memory back. */
void overlap_text_clear(overlap_text *t);
void overlap_text_end(overlap_text *t);

/* What a row takes at most. */
uint64_t overlap_text_bytes(const spin_model *model, int precision);

#endif
