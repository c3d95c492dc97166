/* Rows of overlaps of one or several runs, and their average. */
#include "overlap_record.h"

#include "base/ieee_math.h"
#include "blocking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void overlap_record_start(overlap_record *r, const spin_model *model) {
    *r = (overlap_record){.bins = overlap_bin_count(overlap_scale_of(model))};
}

void overlap_record_end(overlap_record *r) {
    free(r->row);
    free(r->bin);
    *r = (overlap_record){.bins = r->bins};
}

uint64_t overlap_record_bytes(const spin_model *model) {
    return sizeof(overlap_row) + overlap_bin_count(overlap_scale_of(model)) * sizeof(overlap_bin);
}

/* Makes room for `more` more rows. Returns 0, or -1 without memory. */
static int reserve(overlap_record *r, size_t more) {
    if (r->count + more <= r->room)
        return 0;
    const size_t room = 2 * r->count + more;
    overlap_row *const row = realloc(r->row, room * sizeof *row);
    r->row = row ? row : r->row;
    overlap_bin *const bin = row ? realloc(r->bin, room * r->bins * sizeof *bin) : NULL;
    if (bin == NULL)
        return -1;
    r->bin = bin;
    r->room = room;
    return 0;
}

void overlap_record_expect(overlap_record *r, size_t rows) {
    (void)reserve(r, rows);
}

int overlap_record_add(overlap_record *r, const overlap_sums *s, const histogram *h,
                       const spin_model *model) {
    if (reserve(r, 1))
        return -1;
    r->row[r->count] = overlap_compute(s, h, model, r->count > 0 ? &r->row[r->count - 1] : NULL);
    overlap_fill_bins(s, r->bin + r->count * r->bins);
    r->count++;
    return 0;
}

/* The memory of the first run is taken over instead of copied: a small sample often has one run. */
int overlap_record_append(overlap_record *r, overlap_record *run, size_t temperatures) {
    if (r->count == 0 && run->count == temperatures) {
        const overlap_record empty = *r;
        *r = *run;
        *run = empty;
        return 0;
    }
    if (reserve(r, temperatures))
        return -1;
    overlap_row *const row = r->row + r->count;
    overlap_bin *const bin = r->bin + r->count * r->bins;
    const size_t missing = temperatures - run->count;
    memset(row + run->count, 0, missing * sizeof *row);
    memset(bin + run->count * r->bins, 0, missing * r->bins * sizeof *bin);
    if (run->count > 0) {
        memcpy(row, run->row, run->count * sizeof *row);
        memcpy(bin, run->bin, run->count * r->bins * sizeof *bin);
    }
    r->count += temperatures;
    run->count = 0;
    return 0;
}

/* --- averages --- */

/* All runs at one temperature. */
typedef struct {
    const overlap_row *row; /* the row of the first run */
    size_t step;            /* rows from one run to the next */
    const double *weight;   /* [runs] */
    size_t runs;
    const spin_model *model;
} runs_at;

/* Averages over the runs, without run number `without`; over all runs if without = runs. */
static void values_without(const runs_at *a, size_t without, double value[OVERLAP_VALUES]) {
    double weight = 0;
    memset(value, 0, OVERLAP_VALUES * sizeof *value);
    for (size_t run = 0; run < a->runs; run++) {
        if (run == without || !(a->weight[run] > 0))
            continue;
        weight += a->weight[run];
        for (size_t n = 0; n < OVERLAP_MEANS; n++)
            value[n] += a->weight[run] * a->row[run * a->step].value[n];
    }
    for (size_t n = 0; n < OVERLAP_MEANS; n++)
        value[n] /= weight;
    overlap_derive(value, a->model);
}

/* Jackknife errors over the runs. without[OVERLAP_VALUES][runs] is a work array of the caller. */
static void set_errors(const runs_at *a, double *without, double error[OVERLAP_VALUES]) {
    for (size_t run = 0; run < a->runs; run++) {
        double value[OVERLAP_VALUES];
        values_without(a, run, value);
        for (size_t n = 0; n < OVERLAP_VALUES; n++)
            without[n * a->runs + run] = value[n];
    }
    for (size_t n = 0; n < OVERLAP_VALUES; n++)
        error[n] = jackknife_error(without + n * a->runs, a->runs);
}

/* Fills what adds over the families of all runs. Returns the part of the pairs that runs of equal
 * weight would need. */
static double set_families(overlap_row *out, const runs_at *a, const weighted_average *w,
                           size_t i) {
    double weight = 0, population = 0, shares = 0;
    for (size_t run = 0; run < a->runs; run++)
        weight += a->weight[run];
    out->lowest = INFINITY;
    for (size_t run = 0; run < a->runs; run++) {
        const overlap_row *const row = &a->row[run * a->step];
        const double share = a->weight[run] / weight;
        if (!(share > 0))
            continue;
        out->pairs += row->pairs;
        shares += share * share / row->pairs;
        for (size_t n = 0; n < OVERLAP_MEANS; n++)
            out->one[n] += share * row->one[n];
        out->lowest = fmin(out->lowest, row->lowest);
        out->family_entropy += share * (row->family_entropy - ieee_log(share));
        population += w->row[run * w->temperatures + i].population;
    }
    out->rho_s = population * ieee_exp(-out->family_entropy);
    return 1 / (shares * out->pairs);
}

int overlap_record_mean(const overlap_record *r, const weighted_average *w, size_t i,
                        const spin_model *model, overlap_row *out) {
    if (w->runs == 1) {
        *out = r->row[i];
        return 0;
    }
    double *const weight = malloc((1 + OVERLAP_VALUES) * w->runs * sizeof *weight);
    if (weight == NULL)
        return -1;
    *out = (overlap_row){.blocks = (double)w->runs};
    weighted_weights(w, i, weight);
    const runs_at all = {r->row + i, w->temperatures, weight, w->runs, model};
    values_without(&all, w->runs, out->value);
    set_errors(&all, weight + w->runs, out->error);
    overlap_count(out, set_families(out, &all, w, i), model);
    free(weight);
    return 0;
}

/* --- histograms --- */

/* The histograms of all runs at one temperature. */
typedef struct {
    runs_at of;
    const overlap_bin *bin; /* of the first run */
    size_t bins, step;      /* bins from one run to the next */
} bins_at;

/* The shares of the runs, without run number `without`; of all runs if without = runs. */
static void shares_without(const bins_at *a, size_t without, double share[]) {
    double weight = 0;
    memset(share, 0, a->bins * sizeof *share);
    for (size_t run = 0; run < a->of.runs; run++) {
        if (run == without || !(a->of.weight[run] > 0))
            continue;
        const double each = a->of.weight[run] / a->of.row[run * a->of.step].pairs;
        weight += a->of.weight[run];
        for (size_t n = 0; n < a->bins; n++)
            share[n] += each * a->bin[run * a->step + n].count;
    }
    for (size_t n = 0; n < a->bins; n++)
        share[n] /= weight;
}

/* Adds up the counts of all runs. Returns the pairs that runs of equal weight would need. */
static double count_pairs(const bins_at *a, overlap_share share[], double *pairs, size_t *runs) {
    double weight = 0, shares = 0;
    *pairs = 0;
    *runs = 0;
    for (size_t n = 0; n < a->bins; n++)
        share[n].count = 0;
    for (size_t run = 0; run < a->of.runs; run++) {
        const double of_run = a->of.row[run * a->of.step].pairs, w = a->of.weight[run];
        if (!(w > 0))
            continue;
        weight += w;
        shares += w * w / of_run;
        *pairs += of_run;
        ++*runs;
        for (size_t n = 0; n < a->bins; n++)
            share[n].count += a->bin[run * a->step + n].count;
    }
    return weight * weight / shares;
}

int overlap_record_shares(const overlap_record *r, const weighted_average *w, size_t i,
                          overlap_share share[], double *pairs, size_t *with_pairs) {
    const size_t runs = w->runs, bins = r->bins;
    double *const weight = malloc((runs + (runs + 2) * bins) * sizeof *weight);
    if (weight == NULL)
        return -1;
    double *const without = weight + runs, *const all = without + runs * bins,
                  *const error = all + bins;
    weighted_weights(w, i, weight);
    for (size_t run = 0; run < runs; run++)
        if (r->row[run * w->temperatures + i].pairs == 0)
            weight[run] = 0;
    const bins_at a = {{r->row + i, w->temperatures, weight, runs, NULL},
                       r->bin + i * bins,
                       bins,
                       w->temperatures * bins};
    for (size_t run = 0; run < runs; run++)
        shares_without(&a, run, without + run * bins);
    shares_without(&a, runs, all);
    jackknife_errors(without, runs, bins, error);
    const double needed = count_pairs(&a, share, pairs, with_pairs);
    for (size_t n = 0; n < bins; n++) {
        share[n].share = all[n];
        share[n].error = overlap_share_error(error[n], needed, needed * share[n].count / *pairs);
    }
    free(weight);
    return 0;
}

/* --- files --- */

bool overlap_record_transfer(section_file *f, overlap_record *r, size_t count) {
    if (f->mode == SECTION_READ && count > 0) {
        r->row = section_allocate(f, count, sizeof *r->row);
        r->bin = r->row ? section_allocate(f, count * r->bins, sizeof *r->bin) : NULL;
        if (r->bin == NULL)
            return false;
        r->count = r->room = count;
    }
    return section_transfer(f, r->row, count * sizeof *r->row) &&
           section_transfer(f, r->bin, count * r->bins * sizeof *r->bin);
}
