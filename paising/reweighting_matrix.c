/* The matrix of multi-histogram analysis. */
#include "reweighting_matrix.h"

#include <math.h>
#include <stdlib.h>

#define NEGLIGIBLE 58 /* terms below exp(-58) = 1e-25 of the largest of a level are dropped */

/* ln R_i + f_i - beta_i E */
static long double ln_term(const reweighting_temperature *t, int64_t energy) {
    return (long double)t->beta_f + t->correction - (long double)t->beta * (long double)energy +
           log(t->population);
}

/* The largest term of level n, and the range of temperatures [*first, *end) that matter to it. */
static long double find_band(const reweighting *r, size_t n, size_t *first, size_t *end) {
    const int64_t energy = level_energy(r->levels, n);
    long double top = -INFINITY;
    for (size_t i = 0; i < r->temperatures; i++)
        top = fmaxl(top, ln_term(&r->temperature[i], energy));
    *first = 0;
    while (ln_term(&r->temperature[*first], energy) < top - NEGLIGIBLE)
        ++*first;
    *end = r->temperatures;
    while (ln_term(&r->temperature[*end - 1], energy) < top - NEGLIGIBLE)
        --*end;
    return top;
}

void sharing_free(sharing *m) {
    free(m->replicas);
    free(m->first);
    free(m->start);
    free(m->p);
}

/* Lays out the rows: everything but p. Returns 0, or -1 without memory. */
static int sharing_lay_out(sharing *m, const reweighting *r) {
    *m = (sharing){.temperatures = r->temperatures};
    const size_t most = r->end - r->first;
    m->replicas = calloc(most, sizeof *m->replicas);
    m->first = calloc(most, sizeof *m->first);
    m->start = calloc(most + 1, sizeof *m->start);
    if (!m->replicas || !m->first || !m->start)
        return -1;
    for (size_t n = r->first; n < r->end; n++) {
        if (r->level[n].replicas > 0) {
            size_t end;
            find_band(r, n, &m->first[m->rows], &end);
            m->replicas[m->rows] = r->level[n].replicas;
            const size_t width = end - m->first[m->rows];
            m->widest = width > m->widest ? width : m->widest;
            m->start[m->rows + 1] = m->start[m->rows] + width;
            m->rows++;
        }
    }
    m->p = malloc(m->start[m->rows] * sizeof *m->p);
    return m->p ? 0 : -1;
}

int sharing_make(sharing *m, reweighting *r) {
    if (sharing_lay_out(m, r))
        return -1;
    size_t row = 0;
    for (size_t n = r->first; n < r->end; n++) {
        if (!(r->level[n].replicas > 0))
            continue;
        size_t first, end;
        const long double top = find_band(r, n, &first, &end);
        double *const p = m->p + m->start[row] - first;
        double sum = 0;
        for (size_t i = first; i < end; i++) {
            p[i] = exp((double)(ln_term(&r->temperature[i], level_energy(r->levels, n)) - top));
            sum += p[i];
        }
        for (size_t i = first; i < end; i++)
            p[i] /= sum;
        r->ln_omega[n] = logl(r->level[n].replicas) - logl(sum) - top;
        row++;
    }
    return 0;
}

void sharing_move(sharing *m, const double *step, double scale, double *factor) {
    for (size_t i = 0; i < m->temperatures; i++)
        factor[i] = exp(scale * step[i]);
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

void sharing_sum(const sharing *m, long double *share) {
    for (size_t i = 0; i < m->temperatures; i++)
        share[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row];
        const size_t width = m->start[row + 1] - m->start[row];
        for (size_t i = 0; i < width; i++)
            share[m->first[row] + i] += m->replicas[row] * p[i];
    }
}

double dot_product(const double *a, const double *b, size_t n) {
    double part[4] = {0}; /* the additions of the parts need not wait for each other */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* As sum_E H p_i (x_i - mean of x over p), which subtracts no large numbers where x is smooth. */
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
    image[0] = 0;
}

void sharing_hessian_band(const sharing *m, size_t width, double *band) {
    for (size_t n = 0; n < m->temperatures * (width + 1); n++)
        band[n] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row] - m->first[row];
        const size_t first = m->first[row] > 0 ? m->first[row] : 1;
        const size_t end = m->first[row] + m->start[row + 1] - m->start[row];
        for (size_t i = first; i < end; i++) {
            double *const line = band + i * (width + 1);
            const double part = m->replicas[row] * p[i];
            line[0] += part * (1 - p[i]);
            for (size_t k = 1; k <= width && first + k <= i; k++)
                line[k] -= part * p[i - k];
        }
    }
}
