/* Weights of an annealing step from the energy histogram (eqs. 1, 2, 8). */
#include "resampling.h"

#include "base/ieee_arrays.h"
#include "base/ieee_math.h"
#include "base/portable.h"
#include "base/wide.h"
#include "rules.h"

#include <math.h>

/* The occupied level with the largest weight. */
static size_t top_level(const histogram *h, double dbeta) {
    return dbeta >= 0 ? h->first : h->end - 1;
}

#define AT_ONCE  256
#define TOGETHER 16 /* pieces of AT_ONCE levels */

/* The occupied levels of a piece, and their weights. */
typedef struct {
    size_t count;
    size_t level[AT_ONCE];
    double weight[AT_ONCE];
} piece;

/* Levels number from .. to - 1. */
typedef struct {
    size_t from, to, pieces;
    piece piece[TOGETHER];
} some_weights;

/* Fills a piece with the occupied levels among number from .. to - 1, and their weights exp(-dbeta (E_n - E_top)). Relative to the
 * top level no weight exceeds 1; dbeta E_n itself may be far beyond the range of exp. */
static void take_piece(piece *p, const histogram *h, double dbeta, size_t from, size_t to) {
    const int64_t top = histogram_energy(h, top_level(h, dbeta));
    const double per_unit = dbeta / level_unit(h->levels);
    p->count = 0;
    for (size_t n = from; n < to; n++) {
        p->level[p->count] = n;
        p->count += h->level[n].replicas > 0;
    }
    for (size_t i = 0; i < p->count; i++)
        p->weight[i] = -per_unit * (double)(histogram_energy(h, p->level[i]) - top);
    ieee_exp_all(p->weight, p->count);
}

/* Fills *w with the levels from number `from` on, as many as it has room for. Returns the level to continue from. */
static size_t take_weights(some_weights *w, const histogram *h, double dbeta, size_t from) {
    const size_t left = h->end - from, most = TOGETHER * AT_ONCE;
    w->from = from;
    w->to = left < most ? h->end : from + most;
    w->pieces = (w->to - from + AT_ONCE - 1) / AT_ONCE;
    for (size_t k = 0; k < w->pieces; k++) {
        const size_t first = from + k * AT_ONCE, end = first + AT_ONCE;
        take_piece(&w->piece[k], h, dbeta, first, end < w->to ? end : w->to);
    }
    return w->to;
}

/* The smaller of two numbers that are not NaN. fmin, which handles NaN, would be a call. */
static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* A sum over the population: of numbers, or of fine energies in whole units (fine_weights.h). */
typedef struct {
    double number;
    uint128 units;
} replica_sum;

/* Adds the weights of a piece, which are at most 1. */
static void add_piece(replica_sum *sum, const piece *p, const histogram *h) {
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t replicas = h->level[p->level[i]].replicas;
        if (h->levels.fine)
            sum->units += (uint128)replicas * in_weight_units(p->weight[i]);
        else
            sum->number += (double)replicas * p->weight[i];
    }
}

static double total(const replica_sum *sum, const histogram *h) {
    const weight_units units = {(uint32_t)sum->units, (uint64_t)(sum->units >> 32)};
    return h->levels.fine ? weight_total(units) : sum->number;
}

/* Whether an engine has added up the weights of this step. */
static bool is_reported(const histogram *h, double dbeta) {
    return h->next.width != 0 && h->next.width == dbeta;
}

/* Divides the weights of a piece by the mean, and takes 1 for those above it. */
static void limit_weights(piece *p, double mean) {
    for (size_t i = 0; i < p->count; i++)
        p->weight[i] = smaller(p->weight[i] / mean, 1);
}

/* Whether levels are many fine ones, whose sums all threads make: an adaptive step takes hundreds of them, and a GPU waits
 * meanwhile. */
static bool are_many(const histogram *h) {
    return h->levels.fine && h->end - h->first > TOGETHER * AT_ONCE;
}

/* The sum over many levels of the weights, or with a mean of min(1, w / mean). Whole numbers have the same sum in any order. */
static double sum_of_many(const histogram *h, double dbeta, const double *mean) {
    uint64_t low = 0, high = 0; /* of weight_units */
#pragma omp parallel for reduction(+ : low, high)
    for (size_t from = h->first; from < h->end; from += TOGETHER * AT_ONCE) {
        some_weights w;
        replica_sum sum = {0, 0};
        take_weights(&w, h, dbeta, from);
        for (piece *p = w.piece; p < w.piece + w.pieces; p++) {
            if (mean != NULL)
                limit_weights(p, *mean);
            add_piece(&sum, p, h);
        }
        low += (uint32_t)sum.units;
        high += (uint64_t)(sum.units >> 32);
    }
    return weight_total((weight_units){low, high});
}

/* The sum of the weights over the population, at least 1. *w keeps the last levels taken, if any were. */
static double weight_sum(some_weights *w, const histogram *h, double dbeta) {
    replica_sum sum = {0, 0};
    w->from = w->to = SIZE_MAX;
    if (is_reported(h, dbeta))
        return weight_total(h->next.sum);
    if (are_many(h))
        return sum_of_many(h, dbeta, NULL);
    for (size_t from = h->first; from < h->end;) {
        from = take_weights(w, h, dbeta, from);
        for (const piece *p = w->piece; p < w->piece + w->pieces; p++)
            add_piece(&sum, p, h);
    }
    return total(&sum, h);
}

static double ln_q_of_sum(const histogram *h, double dbeta, double sum) {
    const int64_t top =
        is_reported(h, dbeta) ? h->next.top : histogram_energy(h, top_level(h, dbeta));
    return ieee_log(sum / (double)h->population) - dbeta / level_unit(h->levels) * (double)top;
}

double resampling_ln_q(const histogram *h, double dbeta) {
    some_weights w;
    return ln_q_of_sum(h, dbeta, weight_sum(&w, h, dbeta));
}

/* Turns the weights of a piece into tau-hat of a replica of each level. */
VECTORS_OF_EACH_PROCESSOR
static void expect_copies(piece *p, double target, double sum) {
    for (size_t i = 0; i < p->count; i++)
        p->weight[i] = copies_of_weight(target, p->weight[i], sum);
}

double resampling_tau_hat(const histogram *h, double dbeta, uint64_t target, uint64_t *tau_hat) {
    some_weights w;
    const double sum = weight_sum(&w, h, dbeta);
    for (size_t from = h->first; from < h->end;) {
        from = w.from == from ? w.to : take_weights(&w, h, dbeta, from);
        for (size_t k = 0; k < w.pieces; k++) {
            piece *const p = &w.piece[k];
            expect_copies(p, (double)target, sum);
            for (size_t i = 0; i < p->count; i++)
                tau_hat[p->level[i]] = copies_in_fixed_point(p->weight[i]);
        }
    }
    return ln_q_of_sum(h, dbeta, sum);
}

bool resampling_copies(const histogram *h, double dbeta, uint64_t target, expected_copies *copies) {
    if (!is_reported(h, dbeta) || h->next.target != target)
        return false;
    *copies = (expected_copies){dbeta / level_unit(h->levels), h->next.top, (double)target,
                                weight_total(h->next.sum)};
    return true;
}

parent_line resampling_line(const histogram *h, resampling_rule rule, const uint64_t *tau_hat,
                            uint64_t target) {
    parent_line line = {0, 0, 0};
    uint64_t sure = 0;
    if (resampling_way_of(rule) == BY_THEMSELVES)
        return line;
    if (tau_hat == NULL) {
        line.length = unit_total(h->next.length);
        sure = unit_total(h->next.sure);
    }
    for (size_t n = h->first; tau_hat != NULL && n < h->end; n++) {
        const uint64_t parents = h->level[n].replicas;
        if (parents > 0) {
            line.length += parents * resampling_weight(rule, tau_hat[n]);
            sure += parents * resampling_sure(rule, tau_hat[n]);
        }
    }
    if (line.length > 0 && target > sure)
        line.points = target - sure;
    return line;
}

double resampling_overlap(const histogram *h, double dbeta) {
    some_weights w;
    const double replicas = (double)h->population, mean = weight_sum(&w, h, dbeta) / replicas;
    replica_sum overlap = {0, 0};
    if (is_reported(h, dbeta))
        return weight_total(h->next.overlap) / replicas;
    if (are_many(h))
        return sum_of_many(h, dbeta, &mean) / replicas;
    for (size_t from = h->first; from < h->end;) {
        from = w.from == from ? w.to : take_weights(&w, h, dbeta, from);
        for (piece *p = w.piece; p < w.piece + w.pieces; p++) {
            limit_weights(p, mean);
            add_piece(&overlap, p, h);
        }
    }
    return total(&overlap, h) / replicas;
}

double resampling_spread(const histogram *h) {
    double sum = 0, squares = 0; /* of the energies above the first, in units of the spacing */
    const int64_t first = histogram_energy(h, h->first);
    for (size_t n = h->first; n < h->end; n++) {
        const double replicas = (double)h->level[n].replicas,
                     above = h->energy != NULL ? (double)(h->energy[n] - first)
                                               : (double)(n - h->first);
        sum += replicas * above;
        squares += replicas * above * above;
    }
    const double mean = sum / (double)h->population;
    const double variance = squares / (double)h->population - mean * mean;
    return (double)h->levels.spacing / level_unit(h->levels) * sqrt(variance > 0 ? variance : 0);
}

double resampling_carriers(const histogram *h, double dbeta) {
    some_weights w;
    const double sum = weight_sum(&w, h, dbeta);
    return sum * sum / weight_sum(&w, h, 2 * dbeta);
}
