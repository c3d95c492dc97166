/* Histograms of overlaps as text (overlap_text.h). */
#include "overlap_text.h"

#include "base/number.h"
#include "results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a row --- */

enum { LEADING_COLUMNS = 2, BIN_COLUMNS = 4, COLUMNS = LEADING_COLUMNS + BIN_COLUMNS };

/* Text under construction. */
typedef struct {
    char *end;
    int precision;
    size_t led; /* characters of */
    char leading[LEADING_COLUMNS *
                 NUMBER_TEXT_SIZE]; /* beta and kind, the same in all rows of a block */
} histogram_text;

static void put_bin(histogram_text *t, double at, overlap_share bin) {
    const double x[BIN_COLUMNS] = {at, bin.count, bin.share, bin.error};
    memcpy(t->end, t->leading, sizeof t->leading); /* a constant size needs no call */
    t->end = results_put_row(t->end + t->led, t->precision, x, BIN_COLUMNS);
}

/* Where the bins of q and of q_l are. */
typedef struct {
    overlap_scale s;
    double q_step; /* of one bin of q */
    double middle; /* walls from the first value of a bin of q_l to its middle */
    double links;  /* of the model */
} bin_places;

static bin_places places_of(const spin_model *model, overlap_scale s) {
    return (bin_places){s, 2.0 * s.differ_width / (double)overlap_steps(model),
                        (s.wall_width - overlap_wall_step(model)) / 2.0,
                        (double)overlap_link_steps(model)};
}

static inline double q_at(const bin_places *p, size_t n) {
    return ((double)p->s.differ_side - (double)n) * p->q_step;
}

static inline double link_at(const bin_places *p, size_t n) {
    return 1 - 2 * ((double)n * p->s.wall_width + p->middle) / p->links;
}

double overlap_bin_at(const spin_model *model, overlap_scale s, size_t n) {
    const bin_places p = places_of(model, s);
    return n < s.differ_bins ? q_at(&p, n) : link_at(&p, n - s.differ_bins);
}

/* P(q), by rising q. */
static void put_overlaps(histogram_text *t, const bin_places *p, const overlap_share bin[]) {
    for (size_t n = p->s.differ_bins; n-- > 0;)
        if (bin[n].count > 0)
            put_bin(t, q_at(p, n), bin[n]);
}

/* P(q_l), by rising q_l. */
static void put_links(histogram_text *t, const bin_places *p, const overlap_share bin[]) {
    for (size_t n = p->s.wall_bins; n-- > 0;)
        if (bin[n].count > 0)
            put_bin(t, link_at(p, n), bin[n]);
}

#define HEADING_SIZE 192
/* The most characters of a number besides its digits: sign, point, four for the exponent or leading
 * zeros, and a space. */
#define LONGEST_FRAME 8

static void put_heading(histogram_text *t, double beta, overlap_kind kind, double pairs,
                        const char *of) {
    char at[NUMBER_TEXT_SIZE];
    const double x[LEADING_COLUMNS] = {beta, kind};
    t->end +=
        snprintf(t->end, HEADING_SIZE,
                 "# beta = %s: %s of %" PRIu64 " pairs%s\n"
                 "# beta kind q count share err_share\n",
                 number_text(at, beta), kind == KIND_LINK ? "P(q_l)" : "P(q)", (uint64_t)pairs, of);
    char *const end = results_put_row(t->leading, t->precision, x, LEADING_COLUMNS);
    end[-1] = ' '; /* the row goes on */
    t->led = (size_t)(end - t->leading);
}

/* Shrinks a text to its size, typically a quarter of the allocation. */
static void shorten(row_text *row) {
    const size_t size = (size_t)(row->end - row->begin);
    *row->end = '\0';
    char *const shorter = realloc(row->begin, size + 1);
    row->begin = shorter != NULL ? shorter : row->begin;
    row->end = row->begin + size;
}

row_text overlap_text_of_shares(int precision, const spin_model *model, double beta, double pairs,
                                const char *of, const overlap_share bin[]) {
    const bin_places places = places_of(model, overlap_scale_of(model));
    const size_t bins = overlap_bin_count(places.s);
    row_text row = {.begin = NULL};
    size_t lines = 0;
    for (size_t n = 0; n < bins; n++)
        lines += bin[n].count > 0;
    row.begin = malloc(2 * HEADING_SIZE + lines * COLUMNS * NUMBER_TEXT_SIZE);
    if (row.begin == NULL)
        return row;
    histogram_text t = {.end = row.begin, .precision = precision};
    put_heading(&t, beta, KIND_OVERLAP, pairs, of);
    put_overlaps(&t, &places, bin);
    t.end = stpcpy(t.end, OVERLAP_BLOCKS_APART);
    put_heading(&t, beta, KIND_LINK, pairs, of);
    put_links(&t, &places, bin + places.s.differ_bins);
    row.end = t.end;
    shorten(&row);
    return row;
}

row_text overlap_text_of_row(int precision, const spin_model *model, double beta,
                             const overlap_record *overlaps, size_t i) {
    const overlap_bin *const bin = overlaps->bin + i * overlaps->bins;
    const double pairs = overlaps->row[i].pairs;
    overlap_share share[2 * OVERLAP_BINS];
    for (size_t n = 0; n < overlaps->bins; n++) {
        const double count = (double)bin[n].count;
        share[n] = (overlap_share){count, count / pairs, (double)bin[n].error};
    }
    return overlap_text_of_shares(precision, model, beta, pairs, "", share);
}

/* --- rows of a run --- */

bool overlap_text_add(overlap_text *t, int precision, const spin_model *model,
                      const observables rows[], const overlap_record *overlaps) {
    const size_t i = t->rows;
    if (i == overlaps->count)
        return false;
    if (i == t->room) {
        const size_t room = 2 * i + 16;
        row_text *const grown = realloc(t->row, room * sizeof *grown);
        if (grown == NULL)
            return false;
        t->row = grown;
        t->room = room;
    }
    t->row[i] = overlap_text_of_row(precision, model, rows[i].beta, overlaps, i);
    if (t->row[i].begin == NULL)
        return false;
    t->rows++;
    return true;
}

void overlap_text_clear(overlap_text *t) {
    for (size_t i = 0; i < t->rows; i++)
        free(t->row[i].begin);
    t->rows = 0;
}

void overlap_text_end(overlap_text *t) {
    overlap_text_clear(t);
    free(t->row);
    *t = (overlap_text){.row = NULL};
}

uint64_t overlap_text_bytes(const spin_model *model, int precision) {
    const uint64_t line = COLUMNS * ((uint64_t)precision + LONGEST_FRAME);
    return 2 * sizeof(row_text) + 2 * HEADING_SIZE +
           line * overlap_bin_count(overlap_scale_of(model));
}
