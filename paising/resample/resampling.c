/* Weights of an annealing step from the energy histogram (eqs. 1, 2, 8). */
#include "resampling.h"

#include "base/ieee_math.h"

/* exp(-dbeta (E_n - E_top)), where the top level is the occupied one with the largest weight, so
 * that no weight exceeds 1: energies times dbeta may be far beyond the range of exp. */
static double weight(const histogram *h, double dbeta, size_t n) {
    const size_t top = dbeta >= 0 ? h->first : h->end - 1;
    const int64_t above = level_energy(h->levels, n) - level_energy(h->levels, top);
    return ieee_exp(-dbeta * (double)above);
}

/* The sum of these weights over the population, at least 1. */
static double weight_sum(const histogram *h, double dbeta) {
    double sum = 0;
    for (size_t n = h->first; n < h->end; n++) {
        if (h->level[n].replicas > 0)
            sum += (double)h->level[n].replicas * weight(h, dbeta, n);
    }
    return sum;
}

/* The same, and in kept[n], for each occupied level, the bits of its weight. */
static double weight_sum_keeping(const histogram *h, double dbeta, uint64_t *kept) {
    double sum = 0;
    for (size_t n = h->first; n < h->end; n++) {
        if (h->level[n].replicas > 0) {
            const double w = weight(h, dbeta, n);
            sum += (double)h->level[n].replicas * w;
            kept[n] = ieee_bits(w);
        }
    }
    return sum;
}

/* Of two numbers, neither of which is NaN: fmin, which has to ask, is a call. */
static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double ln_q_of_sum(const histogram *h, double dbeta, double sum) {
    const size_t top = dbeta >= 0 ? h->first : h->end - 1;
    return ieee_log(sum / (double)h->population) - dbeta * (double)level_energy(h->levels, top);
}

double resampling_ln_q(const histogram *h, double dbeta) {
    return ln_q_of_sum(h, dbeta, weight_sum(h, dbeta));
}

double resampling_copies(const histogram *h, double dbeta, uint64_t target, uint64_t *copies) {
    const double sum = weight_sum_keeping(h, dbeta, copies);
    for (size_t n = h->first; n < h->end; n++) {
        if (h->level[n].replicas > 0) {
            const double tau_hat = (double)target * ieee_from_bits(copies[n]) / sum;
            copies[n] = (uint64_t)(smaller(tau_hat, 0x1p31) * 0x1p32 + 0.5);
        }
    }
    return ln_q_of_sum(h, dbeta, sum);
}

double resampling_overlap(const histogram *h, double dbeta) {
    const double mean = weight_sum(h, dbeta) / (double)h->population;
    double overlap = 0;
    for (size_t n = h->first; n < h->end; n++) {
        if (h->level[n].replicas > 0)
            overlap += (double)h->level[n].replicas * smaller(weight(h, dbeta, n) / mean, 1);
    }
    return overlap / (double)h->population;
}

double resampling_carriers(const histogram *h, double dbeta) {
    const double sum = weight_sum(h, dbeta);
    return sum * sum / weight_sum(h, 2 * dbeta);
}
