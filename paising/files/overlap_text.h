/* Histograms of overlaps as text (PA_overlap_run_K.dat). A run prints about a hundred thousand
 * numbers, which for a small population is most of the host's work. Therefore rows are converted to
 * text while the device works, as far as it lets the host wait. */
#ifndef PAISING_OVERLAP_TEXT_H
#define PAISING_OVERLAP_TEXT_H

#include "estimate/observables.h"
#include "estimate/overlap_record.h"

typedef struct {
    char *begin, *end; /* *end is 0; the caller frees begin; NULL: out of memory */
} row_text;

/* The first rows of a run. */
typedef struct {
    row_text *row; /* [rows] */
    size_t rows, room;
} overlap_text;

/* The column `kind`: which overlap a block counts. */
typedef enum { KIND_OVERLAP, KIND_LINK } overlap_kind;

/* Between two blocks, for gnuplot's `index`. */
#define OVERLAP_BLOCKS_APART "\n\n"

/* The middle of bin n, of q or q_l. */
double overlap_bin_at(const spin_model *model, overlap_scale s, size_t n);

/* Converts the histograms share[overlap_bin_count()] of `pairs` pairs to two blocks, of q and of q_l. of: the end of the lines that
 * head them, " of 3 runs"; empty for one run. */
row_text overlap_text_of_shares(int precision, const spin_model *model, double beta, double pairs,
                                const char *of, const overlap_share share[]);

/* Converts the histograms of row i. */
row_text overlap_text_of_row(int precision, const spin_model *model, double beta,
                             const overlap_record *overlaps, size_t i);

/* Converts the first of rows[overlaps->count] that has no text yet. Returns false if there is none, or no memory. Rows without
 * text can be converted later. */
bool overlap_text_add(overlap_text *t, int precision, const spin_model *model,
                      const observables rows[], const overlap_record *overlaps);

/* overlap_text_clear removes all rows, for the next run; overlap_text_end also frees the memory. */
void overlap_text_clear(overlap_text *t);
void overlap_text_end(overlap_text *t);

/* The most bytes that a row takes. */
uint64_t overlap_text_bytes(const spin_model *model, int precision);

#endif
