/* Overlaps over a series of measurements (overlap_series.h). */
#include "overlap_series.h"

#include "blocking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int overlap_series_create(overlap_series *s, const spin_model *model, size_t temperatures,
                          size_t room, uint64_t pairs) {
    *s = (overlap_series){.temperatures = temperatures, .room = room, .pairs = pairs};
    s->mean = calloc(room * temperatures * OVERLAP_MEANS, sizeof *s->mean);
    const int failed =
        block_counts_create(&s->pairs_in, temperatures, overlap_bin_count(overlap_scale_of(model)));
    return failed || s->mean == NULL ? -1 : 0;
}

void overlap_series_destroy(overlap_series *s) {
    free(s->mean);
    block_counts_destroy(&s->pairs_in);
    s->mean = NULL;
}

uint64_t overlap_series_bytes(const spin_model *model, size_t temperatures, size_t room) {
    return temperatures *
           (room * OVERLAP_MEANS * sizeof(double) +
            TIME_BLOCKS * overlap_bin_count(overlap_scale_of(model)) * sizeof(uint64_t));
}

static double *means_at(const overlap_series *s, size_t t, size_t k) {
    return s->mean + (t * s->temperatures + k) * OVERLAP_MEANS;
}

static void add_bins(uint64_t *to, const uint32_t *from, uint32_t bins, overlap_span span,
                     size_t parts) {
    for (size_t part = 0; part < parts; part++)
        for (size_t n = span.first; n < span.end; n++)
            to[n] += from[part * bins + n];
}

void overlap_series_set(overlap_series *s, size_t k, const overlap_sums *sums,
                        const spin_model *model) {
    double value[OVERLAP_VALUES];
    const size_t parts = sums->totals ? 1 : OVERLAP_PARTS;
    uint64_t *const bin = block_counts_at(&s->pairs_in, time_block_of(s->count, s->room), k);
    overlap_values(sums, model, value);
    memcpy(means_at(s, s->count, k), value, OVERLAP_MEANS * sizeof *value);
    add_bins(bin, sums->differ, sums->scale.differ_bins, sums->differ_span, parts);
    add_bins(bin + sums->scale.differ_bins, sums->walls, sums->scale.wall_bins, sums->wall_span,
             parts);
}

void overlap_series_next(overlap_series *s) {
    s->count++;
}

/* The values of the means over n measurements: of their sums, less one of them that is left out. */
static void values_of(const double sum[], const double less[], double n, const spin_model *model,
                      double value[OVERLAP_VALUES]) {
    for (size_t m = 0; m < OVERLAP_MEANS; m++)
        value[m] = (sum[m] - less[m]) / n;
    overlap_derive(value, model);
}

bool overlap_series_window(const overlap_series *s, size_t *window) {
    double *const together = calloc(s->count, sizeof *together);
    if (together == NULL)
        return false;
    for (size_t t = 0; t < s->count; t++)
        for (size_t k = 0; k < s->temperatures; k++)
            together[t] += means_at(s, t, k)[OVERLAP_Q2];
    *window = autocorrelation_of(together, s->count).window;
    free(together);
    return true;
}

/* Within either window; that with the larger error. */
static autocorrelation larger_of(const double value[], size_t n, size_t window, size_t other) {
    const autocorrelation a = autocorrelation_within(value, n, window),
                          b = autocorrelation_within(value, n, other);
    return b.error_mean > a.error_mean ? b : a;
}

bool overlap_series_row_of(overlap_series_row *row, const overlap_series *s, size_t k,
                           size_t window, const spin_model *model) {
    const double nothing[OVERLAP_MEANS] = {0}, n = (double)s->count;
    double sum[OVERLAP_MEANS] = {0};
    double *const pseudo = malloc(OVERLAP_VALUES * s->count * sizeof *pseudo);
    if (pseudo == NULL)
        return false;
    for (size_t t = 0; t < s->count; t++)
        for (size_t m = 0; m < OVERLAP_MEANS; m++)
            sum[m] += means_at(s, t, k)[m];
    values_of(sum, nothing, n, model, row->value);
    for (size_t t = 0; t < s->count; t++) {
        double rest[OVERLAP_VALUES];
        values_of(sum, means_at(s, t, k), n - 1, model, rest);
        for (size_t v = 0; v < OVERLAP_VALUES; v++)
            pseudo[v * s->count + t] = n * row->value[v] - (n - 1) * rest[v];
    }
    row->q2 = larger_of(pseudo + OVERLAP_Q2 * s->count, s->count, 0, window);
    const size_t own = autocorrelation_of(pseudo + OVERLAP_Q2 * s->count, s->count).window;
    for (size_t v = 0; v < OVERLAP_VALUES; v++)
        if (overlap_has((overlap_value)v, model))
            row->error[v] = larger_of(pseudo + v * s->count, s->count, own, window).error_mean;
    free(pseudo);
    return true;
}

void overlap_series_shares(const overlap_series *s, size_t k, overlap_share share[]) {
    const double pairs = (double)s->pairs, all = (double)s->count * pairs;
    double in[TIME_BLOCKS] = {0}; /* pairs of each block */
    size_t blocks = 0;
    for (size_t t = 0; t < s->count; t++)
        in[time_block_of(t, s->room)] += pairs;
    while (blocks < TIME_BLOCKS && in[TIME_BLOCKS - 1 - blocks] == 0)
        blocks++;
    blocks = TIME_BLOCKS - blocks;
    for (size_t n = 0; n < s->pairs_in.bins; n++) {
        double sum = 0, without[TIME_BLOCKS];
        size_t made = 0;
        for (size_t b = 0; b < blocks; b++)
            sum += (double)block_counts_at(&s->pairs_in, b, k)[n];
        for (size_t b = 0; b < blocks; b++)
            if (in[b] > 0 && in[b] < all)
                without[made++] =
                    (sum - (double)block_counts_at(&s->pairs_in, b, k)[n]) / (all - in[b]);
        const double scatter = made > 1 ? jackknife_error(without, made) : NAN;
        share[n] = (overlap_share){sum, sum / all, overlap_share_error(scatter, all, sum)};
    }
}

bool overlap_series_transfer(section_file *f, overlap_series *s, size_t count) {
    s->count = count;
    return section_transfer(f, s->mean,
                            count * s->temperatures * OVERLAP_MEANS * sizeof *s->mean) &&
           block_counts_transfer(f, &s->pairs_in);
}
