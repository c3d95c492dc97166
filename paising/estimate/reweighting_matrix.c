/* The matrix of multi-histogram analysis (reweighting_matrix.h). */
#include "reweighting_matrix.h"

#include "base/ieee_math.h"

#include <stdlib.h>

/* Terms below exp(-58) = 1e-25 of the largest of their level are dropped. */
#define NEGLIGIBLE fixed_of(58)

/* ln of the numerator of p_iE. */
static fixed ln_term(const sharing *m, size_t i, int64_t energy) {
    return m->ln_weight[i] - m->beta[i] * energy;
}

/* Returns the largest term of an energy, and the range of temperatures [*first, *end) whose terms
 * matter. */
static fixed find_band(const sharing *m, int64_t energy, size_t *first, size_t *end) {
    fixed top = ln_term(m, 0, energy);
    for (size_t i = 1; i < m->temperatures; i++) {
        const fixed term = ln_term(m, i, energy);
        top = term > top ? term : top;
    }
    *first = 0;
    while (ln_term(m, *first, energy) < top - NEGLIGIBLE)
        ++*first;
    *end = m->temperatures;
    while (ln_term(m, *end - 1, energy) < top - NEGLIGIBLE)
        --*end;
    return top;
}

void sharing_free(sharing *m) {
    free(m->beta);
    free(m->ln_weight);
    free(m->replicas);
    free(m->first);
    free(m->start);
    free(m->p);
}

/* Fills everything but p. Returns 0, or -1 without memory. */
static int sharing_lay_out(sharing *m, const reweighting *r) {
    const size_t most = r->end - r->first;
    *m = (sharing){.temperatures = r->temperatures,
                   .beta = calloc(r->temperatures, sizeof *m->beta),
                   .ln_weight = calloc(r->temperatures, sizeof *m->ln_weight),
                   .replicas = calloc(most, sizeof *m->replicas),
                   .first = calloc(most, sizeof *m->first),
                   .start = calloc(most + 1, sizeof *m->start)};
    if (!m->beta || !m->ln_weight || !m->replicas || !m->first || !m->start)
        return -1;
    for (size_t i = 0; i < r->temperatures; i++) {
        const reweighting_temperature *const t = &r->temperature[i];
        m->beta[i] = fixed_beta(t->beta / level_unit(r->levels));
        m->ln_weight[i] =
            fixed_of(ieee_log(t->population)) + fixed_of(t->beta_f) + fixed_of(t->correction);
    }
    for (size_t n = r->first; n < r->end; n++) {
        if (r->level[n].replicas > 0) {
            size_t first, end;
            find_band(m, level_energy(r->levels, n), &first, &end);
            m->replicas[m->rows] = r->level[n].replicas;
            m->first[m->rows] = first;
            m->start[m->rows + 1] = m->start[m->rows] + end - first;
            m->widest = end - first > m->widest ? end - first : m->widest;
            m->rows++;
        }
    }
    m->p = malloc(m->start[m->rows] * sizeof *m->p);
    return m->p ? 0 : -1;
}

int sharing_create(sharing *m, reweighting *r) {
    if (sharing_lay_out(m, r))
        return -1;
    size_t row = 0;
    for (size_t n = r->first; n < r->end; n++) {
        if (!(r->level[n].replicas > 0))
            continue;
        const int64_t energy = level_energy(r->levels, n);
        double *const p = m->p + m->start[row];
        size_t first, end;
        const fixed top = find_band(m, energy, &first, &end);
        double sum = 0;
        for (size_t i = 0; i < end - first; i++) {
            p[i] = ieee_exp(fixed_value(ln_term(m, first + i, energy) - top));
            sum += p[i];
        }
        for (size_t i = 0; i < end - first; i++)
            p[i] /= sum;
        r->ln_omega[n] = fixed_of(ieee_log(r->level[n].replicas)) - fixed_of(ieee_log(sum)) - top;
        row++;
    }
    return 0;
}

void sharing_move(sharing *m, const double *step, double scale, double *factor) {
    for (size_t i = 0; i < m->temperatures; i++)
        factor[i] = ieee_exp(scale * step[i]);
    for (size_t row = 0; row < m->rows; row++) {
        double *const p = m->p + m->start[row];
        const double *const f = factor + m->first[row];
        const size_t width = m->start[row + 1] - m->start[row];
        double sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += p[i] *= f[i];
        for (size_t i = 0; i < width; i++)
            p[i] /= sum;
    }
}

/* Adds x to *sum, and the rounding error of that to *lost (Knuth's two-sum). */
static void add(double *sum, double *lost, double x) {
    const double before = *sum, after = before + x, added = after - before;
    *sum = after;
    *lost += (before - (after - added)) + (x - added);
}

void sharing_sum(const sharing *m, double *share, double *lost) {
    for (size_t i = 0; i < m->temperatures; i++)
        share[i] = lost[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row];
        const size_t width = m->start[row + 1] - m->start[row];
        for (size_t i = 0; i < width; i++)
            add(&share[m->first[row] + i], &lost[m->first[row] + i], m->replicas[row] * p[i]);
    }
}

double dot_product(const double *a, const double *b, size_t n) {
    double part[4] = {0}; /* four independent chains of additions */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Computed as sum_E H p_i (x_i - mean of x over p): no large numbers are subtracted where x is
 * smooth. */
void sharing_apply_hessian(const sharing *m, const double *x, double *image) {
    for (size_t i = 0; i < m->temperatures; i++)
        image[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row], *const band = x + m->first[row];
        double *const out = image + m->first[row];
        const size_t width = m->start[row + 1] - m->start[row];
        const double mean = dot_product(p, band, width);
        for (size_t i = 0; i < width; i++)
            out[i] += m->replicas[row] * p[i] * (band[i] - mean);
    }
}

double sharing_weakest(const sharing *m, double *common, size_t *at) {
    double weakest = INFINITY;
    for (size_t i = 0; i < m->temperatures; i++)
        common[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row];
        double below = 0;
        for (size_t i = 0; i + 1 < m->start[row + 1] - m->start[row]; i++) {
            below += p[i];
            common[m->first[row] + i] += m->replicas[row] * below * (1 - below);
        }
    }
    for (size_t i = 0; i + 1 < m->temperatures; i++)
        if (!(common[i] >= weakest)) {
            weakest = common[i];
            *at = i;
        }
    return weakest;
}

void sharing_hessian_band(const sharing *m, size_t width, double *band) {
    for (size_t n = 0; n < m->temperatures * (width + 1); n++)
        band[n] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row];
        const size_t first = m->first[row], count = m->start[row + 1] - m->start[row];
        for (size_t i = 0; i < count; i++) {
            double *const line = band + (first + i) * (width + 1);
            const double part = m->replicas[row] * p[i];
            line[0] += part * (1 - p[i]);
            for (size_t k = 1; k <= width && k <= i; k++)
                line[k] -= part * p[i - k];
        }
    }
}
