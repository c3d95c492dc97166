/* Weights of an annealing step from the energy histogram (eqs. 1, 2, 8). */
#include "resampling.h"

#include "base/ieee_arrays.h"
#include "base/ieee_math.h"
#include "base/portable.h"
#include "rules.h"

#include <math.h>

/* The occupied level with the largest weight. */
static size_t top_level(const histogram *h, double dbeta) {
    return dbeta >= 0 ? h->first : h->end - 1;
}

#define AT_ONCE 1024

/* The occupied levels among numbers from .. to - 1, and their weights. */
typedef struct {
    size_t from, to;
    size_t count;
    size_t level[AT_ONCE];
    double weight[AT_ONCE];
} some_weights;

/* Fills *w with the occupied levels from number `from` on, at most AT_ONCE, and their weights
 * exp(-dbeta (E_n - E_top)). Relative to the top level no weight exceeds 1; dbeta E_n itself may be
 * far beyond the range of exp. Returns the level to continue from. */
static size_t take_weights(some_weights *w, const histogram *h, double dbeta, size_t from) {
    const int64_t top = histogram_energy(h, top_level(h, dbeta));
    const double per_unit = dbeta / level_unit(h->levels);
    w->count = 0;
    for (w->from = w->to = from; w->to < h->end && w->count < AT_ONCE; w->to++) {
        w->level[w->count] = w->to;
        w->count += h->level[w->to].replicas > 0;
    }
    for (size_t i = 0; i < w->count; i++)
        w->weight[i] = -per_unit * (double)(histogram_energy(h, w->level[i]) - top);
    ieee_exp_all(w->weight, w->count);
    return w->to;
}

/* The sum of the weights over the population, at least 1. *w keeps the last levels taken. */
static double weight_sum(some_weights *w, const histogram *h, double dbeta) {
    double sum = 0;
    for (size_t from = h->first; from < h->end;) {
        from = take_weights(w, h, dbeta, from);
        for (size_t i = 0; i < w->count; i++)
            sum += (double)h->level[w->level[i]].replicas * w->weight[i];
    }
    return sum;
}

/* The smaller of two numbers that are not NaN. fmin, which handles NaN, would be a call. */
static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double ln_q_of_sum(const histogram *h, double dbeta, double sum) {
    return ieee_log(sum / (double)h->population) -
           dbeta / level_unit(h->levels) * (double)histogram_energy(h, top_level(h, dbeta));
}

double resampling_ln_q(const histogram *h, double dbeta) {
    some_weights w;
    return ln_q_of_sum(h, dbeta, weight_sum(&w, h, dbeta));
}

/* Turns the weights into tau-hat of a replica of each level. */
VECTORS_OF_EACH_PROCESSOR
static void expect_copies(some_weights *w, double target, double sum) {
    for (size_t i = 0; i < w->count; i++)
        w->weight[i] = smaller(target * w->weight[i] / sum, 0x1p31);
}

double resampling_tau_hat(const histogram *h, double dbeta, uint64_t target, uint64_t *tau_hat) {
    some_weights w;
    const double sum = weight_sum(&w, h, dbeta);
    for (size_t from = h->first; from < h->end;) {
        from = w.from == from ? w.to : take_weights(&w, h, dbeta, from);
        expect_copies(&w, (double)target, sum);
        for (size_t i = 0; i < w.count; i++)
            tau_hat[w.level[i]] = (uint64_t)(w.weight[i] * 0x1p32 + 0.5);
    }
    return ln_q_of_sum(h, dbeta, sum);
}

parent_line resampling_line(const histogram *h, resampling_rule rule, const uint64_t *tau_hat,
                            uint64_t target) {
    parent_line line = {0, 0, 0};
    uint64_t sure = 0;
    if (resampling_way_of(rule) == BY_THEMSELVES)
        return line;
    for (size_t n = h->first; n < h->end; n++) {
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
    const double mean = weight_sum(&w, h, dbeta) / (double)h->population;
    double overlap = 0;
    for (size_t from = h->first; from < h->end;) {
        from = w.from == from ? w.to : take_weights(&w, h, dbeta, from);
        for (size_t i = 0; i < w.count; i++)
            overlap += (double)h->level[w.level[i]].replicas * smaller(w.weight[i] / mean, 1);
    }
    return overlap / (double)h->population;
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
