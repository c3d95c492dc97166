/* Free energies of chains at fixed temperatures, and their multi-histogram analysis (energy_counts.h). */
#include "energy_counts.h"

#include "base/ieee_math.h"
#include "blocking.h"

#include <math.h>
#include <stdlib.h>

/* Visits at a temperature. */
typedef struct {
    const uint64_t *count; /* [levels.count] */
    /* [levels.count] of bins, the sum of E less their lower ends; NULL: bins are levels */
    const uint64_t *above;
} energy_visits;

static double energy_of(energy_levels levels, size_t n) {
    return (double)level_energy(levels, n) / level_unit(levels);
}

/* That of the visits of a level; of a bin their mean. Pre: there are some. */
static double energy_at(energy_levels levels, size_t n, energy_visits one, energy_visits other) {
    if (one.above == NULL)
        return energy_of(levels, n);
    const double above =
        (double)(one.above[n] + other.above[n]) / (double)(one.count[n] + other.count[n]);
    return ((double)level_energy(levels, n) + above) / level_unit(levels);
}

energy_levels energy_bins(int64_t bound, uint32_t unit, const double beta[], size_t temperatures) {
    double step = 0;
    for (size_t k = 1; k < temperatures; k++)
        step = fmax(step, beta[k] - beta[k - 1]);
    const double wanted = unit / (32 * step), least = 2 * (double)bound / (ENERGY_BINS_MOST - 2);
    const int64_t width = (int64_t)fmin(fmax(wanted, least), 2 * (double)bound) + 1;
    return (energy_levels){-bound, width, (uint32_t)(2 * bound / width + 1), unit & INT32_MAX,
                           false};
}

/* --- Bennett --- */

typedef struct {
    energy_visits one, other;
    energy_levels levels;
    double step;
    size_t first, end; /* the levels that either of them has */
} acceptance_ratio;

static double fermi(double x) {
    return x > 700 ? 0 : 1 / (1 + ieee_exp(x < -700 ? -700 : x));
}

/* The left side less the right side of the equation, which rises with d, and how steeply. */
static double excess(const acceptance_ratio *a, double d, double *slope) {
    double sum = 0;
    *slope = 0;
    for (size_t n = a->first; n < a->end; n++) {
        const double one = (double)a->one.count[n], other = (double)a->other.count[n];
        if (one + other == 0)
            continue;
        const double f = fermi(a->step * energy_at(a->levels, n, a->one, a->other) - d);
        sum += one * f - other * (1 - f);
        *slope += (one + other) * f * (1 - f);
    }
    return sum;
}

/* D of Bennett's equation for visits at beta and beta + step, step > 0, by Newton's method, held between the two bounds that
 * the sign gives. nan where the levels of the two have nothing in common to solve it with: one of them is empty. */
static double bennett_difference(energy_visits one, energy_visits other, energy_levels levels,
                                 double step) {
    acceptance_ratio a = {one, other, levels, step, levels.count, 0};
    uint64_t ones = 0, others = 0;
    for (size_t n = 0; n < levels.count; n++) {
        ones += one.count[n];
        others += other.count[n];
        if (one.count[n] + other.count[n] == 0)
            continue;
        a.first = n < a.first ? n : a.first;
        a.end = n + 1;
    }
    if (ones == 0 || others == 0)
        return NAN;
    double low = step * energy_of(levels, a.first) - 40,
           high = step * energy_of(levels, a.end) + 40, d = (low + high) / 2, slope;
    for (int n = 0; n < 200 && high - low > 1e-12 * (1 + fabs(d)); n++) {
        const double f = excess(&a, d, &slope), next = d - f / slope;
        if (f == 0)
            return d;
        low = f < 0 ? d : low;
        high = f > 0 ? d : high;
        const double before = d;
        d = next > low && next < high ? next : (low + high) / 2;
        if (fabs(d - before) < 1e-13 * (1 + fabs(d)))
            return d;
    }
    return d;
}

/* --- free energies --- */

/* Mean and variance of the energy. */
static void energy_of_counts(energy_visits v, energy_levels levels, double *mean,
                             double *variance) {
    double all = 0, sum = 0, squares = 0;
    for (size_t n = 0; n < levels.count; n++) {
        if (v.count[n] == 0)
            continue;
        all += (double)v.count[n];
        sum += (double)v.count[n] * energy_at(levels, n, v, v);
    }
    *mean = sum / all;
    for (size_t n = 0; n < levels.count; n++) {
        if (v.count[n] == 0)
            continue;
        const double x = energy_at(levels, n, v, v) - *mean;
        squares += (double)v.count[n] * x * x;
    }
    *variance = squares / all;
}

/* What is added up along the temperatures. */
enum { BENNETT, INTEGRAL, ENTROPY, SUMS };

/* The visits at temperature k, of sums [temperatures][levels]. */
static energy_visits visits_at(energy_visits all, size_t k, energy_levels levels) {
    const size_t before = k * levels.count;
    return (energy_visits){all.count + before, all.above != NULL ? all.above + before : NULL};
}

/* Fills value[SUMS][temperatures] from sums [temperatures][levels]. */
static void add_up(energy_visits all, size_t temperatures, energy_levels levels,
                   const double beta[], double value[]) {
    double *const bennett = value + BENNETT * temperatures,
                  *const integral = value + INTEGRAL * temperatures,
                  *const entropy = value + ENTROPY * temperatures;
    double mean, variance;
    energy_of_counts(visits_at(all, 0, levels), levels, &mean, &variance);
    const double first = beta[0] * mean;
    bennett[0] = integral[0] = entropy[0] = 0;
    for (size_t k = 1; k < temperatures; k++) {
        const energy_visits here = visits_at(all, k, levels);
        const double h = beta[k] - beta[k - 1], before = mean, variance_before = variance;
        energy_of_counts(here, levels, &mean, &variance);
        bennett[k] =
            bennett[k - 1] + bennett_difference(visits_at(all, k - 1, levels), here, levels, h);
        integral[k] =
            integral[k - 1] + h * (before + mean) / 2 - h * h * (variance_before - variance) / 12;
        entropy[k] = beta[k] * mean - first - bennett[k];
    }
}

/* Sums the visits of all blocks but one in sum[2][temperatures][levels]. */
static energy_visits sum_visits(const block_counts *c, size_t without, uint64_t sum[]) {
    uint64_t *const above = c->above != NULL ? sum + c->temperatures * c->bins : NULL;
    block_counts_sum(c, without, sum);
    if (above != NULL)
        block_counts_sum_above(c, without, above);
    return (energy_visits){sum, above};
}

int energy_counts_free_energies(const block_counts *c, energy_levels levels, const double beta[],
                                chain_free_energy row[]) {
    const size_t T = c->temperatures, values = SUMS * T;
    uint64_t *const sum = malloc(2 * T * c->bins * sizeof *sum);
    double *const value = malloc((TIME_BLOCKS + 2) * values * sizeof *value);
    if (sum == NULL || value == NULL) {
        free(sum);
        free(value);
        return -1;
    }
    double *const all = value + TIME_BLOCKS * values, *const error = all + values;
    size_t blocks = 0;
    for (size_t b = 0; b < TIME_BLOCKS; b++) {
        if (!block_counts_has(c, b))
            continue;
        add_up(sum_visits(c, b, sum), T, levels, beta, value + blocks++ * values);
    }
    add_up(sum_visits(c, TIME_BLOCKS, sum), T, levels, beta, all);
    for (size_t n = 0; n < values; n++)
        error[n] = NAN;
    if (blocks > 1)
        jackknife_errors(value, blocks, values, error);
    for (size_t k = 0; k < T; k++)
        row[k] = (chain_free_energy){all[BENNETT * T + k],  error[BENNETT * T + k],
                                     all[INTEGRAL * T + k], error[INTEGRAL * T + k],
                                     all[ENTROPY * T + k],  error[ENTROPY * T + k]};
    free(sum);
    free(value);
    return 0;
}

/* --- multi-histogram analysis --- */

/* Analyses the counts sum[temperatures][levels], with the sums of |M| behind them if there are any. */
static reweighting_status analyse(reweighting *r, const block_counts *c, const spin_model *model,
                                  const double beta[], const uint64_t sum[], histogram_gap *gap) {
    const uint64_t *const order = c->order != NULL ? sum + c->temperatures * c->bins : NULL;
    histogram h;
    double before = 0;
    reweighting_status status =
        histogram_create(&h, model) ? REWEIGHTING_NO_MEMORY : REWEIGHTING_OK;
    reweighting_clear(r);
    for (size_t k = 0; k < c->temperatures && status == REWEIGHTING_OK; k++) {
        const uint64_t *const here = sum + k * c->bins;
        h.population = 0;
        h.first = 0;
        h.end = c->bins;
        for (size_t n = 0; n < c->bins; n++) {
            h.level[n].replicas = here[n];
            h.level[n].abs_m = order != NULL ? order[k * c->bins + n] : 0;
            h.population += here[n];
        }
        while (h.first + 1 < h.end && here[h.first] == 0)
            h.first++;
        while (h.end > h.first + 1 && here[h.end - 1] == 0)
            h.end--;
        if (k > 0)
            before += bennett_difference((energy_visits){.count = here - c->bins},
                                         (energy_visits){.count = here}, model->levels,
                                         beta[k] - beta[k - 1]);
        if (reweighting_add(r, &h, beta[k], before))
            status = REWEIGHTING_NO_MEMORY;
    }
    histogram_destroy(&h);
    return status == REWEIGHTING_OK ? reweighting_solve(r, gap) : status;
}

/* Sets the errors of rows[count] from without[blocks][count]. */
static void set_errors(reweighted_row rows[], const reweighted_row *without, size_t blocks,
                       size_t count) {
    double e[TIME_BLOCKS], c[TIME_BLOCKS], f[TIME_BLOCKS], m[TIME_BLOCKS];
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < blocks; b++) {
            e[b] = without[b * count + i].e;
            c[b] = without[b * count + i].c;
            f[b] = without[b * count + i].beta_f;
            m[b] = without[b * count + i].abs_m;
        }
        rows[i].error_e = blocks > 1 ? jackknife_error(e, blocks) : NAN;
        rows[i].error_c = blocks > 1 ? jackknife_error(c, blocks) : NAN;
        rows[i].error_beta_f = blocks > 1 ? jackknife_error(f, blocks) : NAN;
        rows[i].error_abs_m = blocks > 1 ? jackknife_error(m, blocks) : NAN;
    }
}

reweighting_status energy_counts_reweight(const block_counts *c, const spin_model *model,
                                          const double beta[], const beta_grid *grid,
                                          reweighted_row **rows, size_t *count,
                                          histogram_gap *gap) {
    const double spins = (double)model->sites;
    reweighting r;
    *count = beta_grid_size(grid);
    *rows = calloc((TIME_BLOCKS + 1) * *count, sizeof **rows);
    uint64_t *const sum = malloc(2 * c->temperatures * c->bins * sizeof *sum);
    if (reweighting_create(&r, model->levels) || *rows == NULL || sum == NULL) {
        reweighting_destroy(&r);
        free(sum);
        return REWEIGHTING_NO_MEMORY;
    }
    reweighting_status status = REWEIGHTING_OK;
    size_t made = 0; /* analyses: that of all, then those without a block */
    for (size_t b = TIME_BLOCKS + 1; b-- > 0 && status == REWEIGHTING_OK;) {
        observables *at = NULL;
        size_t points;
        if (b < TIME_BLOCKS && !block_counts_has(c, b))
            continue;
        block_counts_sum(c, b, sum);
        if (c->order != NULL)
            block_counts_sum_order(c, b, sum + c->temperatures * c->bins);
        status = analyse(&r, c, model, beta, sum, gap);
        if (status == REWEIGHTING_OK && reweighting_rows(&r, model->sites, grid, &at, &points))
            status = REWEIGHTING_NO_MEMORY;
        for (size_t i = 0; at != NULL && i < *count; i++)
            (*rows)[made * *count + i] = (reweighted_row){.beta = at[i].beta,
                                                          .e = at[i].e,
                                                          .c = at[i].c,
                                                          .beta_f = at[i].beta_f / spins,
                                                          .abs_m = at[i].abs_m};
        free(at);
        made++;
    }
    if (status == REWEIGHTING_OK)
        set_errors(*rows, *rows + *count, made - 1, *count);
    reweighting_destroy(&r);
    free(sum);
    return status;
}
