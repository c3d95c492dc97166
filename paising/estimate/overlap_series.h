/* Overlaps of chains at the same temperature over a series of measurements: their means with errors from the autocorrelation of the
 * series, and the histograms P(q) and P(q_l) with errors from blocks of time (time_blocks.h). */
#ifndef PAISING_OVERLAP_SERIES_H
#define PAISING_OVERLAP_SERIES_H

#include "autocorrelation.h"
#include "overlap.h"
#include "time_blocks.h"

typedef struct {
    double *mean; /* [room][temperatures][OVERLAP_MEANS] over the pairs of a measurement */
    size_t temperatures, count, room;
    uint64_t pairs;        /* of a measurement, at each temperature */
    block_counts pairs_in; /* pairs in each bin: those of P(q), then those of P(q_l) */
} overlap_series;

/* Makes room for measurements of so many pairs at each temperature. Returns 0, or -1 without memory. */
int overlap_series_create(overlap_series *s, const spin_model *model, size_t temperatures,
                          size_t room, uint64_t pairs);
void overlap_series_destroy(overlap_series *s);

/* Bytes of it. */
uint64_t overlap_series_bytes(const spin_model *model, size_t temperatures, size_t room);

/* Sets temperature k of the measurement at hand, number s->count; and ends that measurement. Pre: there is room. */
void overlap_series_set(overlap_series *s, size_t k, const overlap_sums *sums,
                        const spin_model *model);
void overlap_series_next(overlap_series *s);

typedef struct {
    double value[OVERLAP_VALUES], error[OVERLAP_VALUES];
    autocorrelation q2; /* in units of the time between measurements */
} overlap_series_row;

/* The window of q2 of all temperatures together, which exchanges of replicas do not change: at one temperature they make q2 change fast, and
 * hide how slowly the chains forget. 0: it is not known. Returns false without memory. */
bool overlap_series_window(const overlap_series *s, size_t *window);

/* The row of temperature k, after one measurement at least. Errors are those of the series of pseudo-values (series_rows.h), within the window of q2 or more, or
 * within this one if they are larger. Returns false without memory. */
bool overlap_series_row_of(overlap_series_row *row, const overlap_series *s, size_t k,
                           size_t window, const spin_model *model);

/* Fills share[] with the histograms at temperature k. */
void overlap_series_shares(const overlap_series *s, size_t k, overlap_share share[]);

/* Writes or reads the measurements so far, as many as the series has. Returns false on failure (section_file.h). */
bool overlap_series_transfer(section_file *f, overlap_series *s, size_t count);

#endif
