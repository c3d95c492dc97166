/* The structure factor and the correlation length (structure.h). */
#include "structure.h"

#include <math.h>
#include <stdlib.h>

#define TERMS 12 /* of the Taylor series up to pi / 4, the last of which is below 2^-70 */

/* The Taylor series x^first / first! - x^(first + 2) / (first + 2)! + ..., the smallest term first. */
static double series_from(double x, int first) {
    double sum = 0;
    for (int n = TERMS - 1; n > 0; n--) {
        const double k = 2 * n + first;
        sum = (1 + sum) * (-x * x / (k * (k - 1)));
    }
    return first == 0 ? 1 + sum : x + x * sum;
}

double structure_cosine(uint64_t n, uint64_t d) {
    /* Eighths of a turn: angles above pi / 4 are reflected by whole numbers. */
    const double pi = 0x1.921fb54442d18p+1;
    n = 2 * n > d ? d - n : n;                       /* cos(-x) */
    const bool negative = 4 * n > d;                 /* cos(pi - x) = -cos x */
    const uint64_t m = negative ? d - 2 * n : 2 * n; /* x = pi m / d, up to pi / 2 */
    const double c = 4 * m <= d ? series_from(pi * (double)m / (double)d, 0)
                                : series_from(pi * (double)(d - 2 * m) / (double)(2 * d), 1);
    return negative ? -c : c;
}

uint32_t structure_edge(const spin_model *m) {
    uint32_t longest = 1;
    for (uint32_t d = 0; d < m->dimension; d++)
        longest = m->edge[d] > longest ? m->edge[d] : longest;
    return longest;
}

int structure_waves_create(structure_waves *w, const spin_model *m) {
    *w = (structure_waves){.model = *m, .edge = structure_edge(m)};
    w->cosine = calloc(w->edge, sizeof *w->cosine);
    w->sine = calloc(w->edge, sizeof *w->sine);
    const uint64_t quarter = w->edge;
    for (uint64_t x = 0; x < w->edge && w->cosine != NULL && w->sine != NULL; x++) {
        w->cosine[x] = structure_cosine(x, w->edge);
        w->sine[x] = structure_cosine((4 * x + 3 * quarter) % (4 * quarter), 4 * quarter);
    }
    return w->cosine != NULL && w->sine != NULL ? 0 : -1;
}

void structure_waves_destroy(structure_waves *w) {
    free(w->cosine);
    free(w->sine);
    *w = (structure_waves){.cosine = NULL};
}

/* The spins up in plane x across direction d, whose planes begin at `first` in those of a stripe. */
static uint64_t up_in_plane(const structure_waves *w, const uint32_t *up, uint32_t stripes,
                            uint32_t planes, uint32_t d, uint32_t first, uint32_t x) {
    if (d + 1 == w->model.dimension) { /* which the stripes share */
        const uint32_t each = w->edge / stripes;
        return up[x / each * planes + first + x % each];
    }
    uint64_t sum = 0;
    for (uint32_t s = 0; s < stripes; s++)
        sum += up[s * planes + first + x];
    return sum;
}

double structure_of(const structure_waves *w, const uint32_t *up, uint32_t stripes) {
    const spin_model *const m = &w->model;
    uint32_t planes = 0, first = 0, directions = 0;
    double sum = 0;
    for (uint32_t d = 0; d < m->dimension; d++)
        planes += d + 1 == m->dimension ? m->edge[d] / stripes : m->edge[d];
    for (uint32_t d = 0; d < m->dimension; first += m->edge[d++]) {
        if (m->edge[d] != w->edge)
            continue;
        const int64_t area = (int64_t)(m->sites / w->edge);
        double real = 0, imaginary = 0;
        for (uint32_t x = 0; x < w->edge; x++) {
            const double plane =
                (double)(2 * (int64_t)up_in_plane(w, up, stripes, planes, d, first, x) - area);
            real += plane * w->cosine[x];
            imaginary += plane * w->sine[x];
        }
        sum += real * real + imaginary * imaginary;
        directions++;
    }
    return sum / directions / (double)m->sites;
}

double structure_length(double s_0, double s_k, uint32_t edge) {
    if (!(s_k > 0) || s_k > s_0)
        return NAN;
    /* sin(pi / L) = cos(2 pi (L - 2) / (4 L)) */
    return sqrt(s_0 / s_k - 1) / (2 * structure_cosine(edge - 2, 4 * (uint64_t)edge));
}
