/* Newton's method for the equations of multi-histogram analysis. */
#include "reweighting_solver.h"

#include <math.h>
#include <stdlib.h>

#define CONVERGED    1e-10 /* the largest change of a beta F at the solution */
#define NEGLIGIBLE   58    /* terms below exp(-58) = 1e-25 of the largest of a level are dropped */
#define NEWTON_STEPS 200   /* without convergence after so many there is none */
#define REBUILDS     10
#define ACCURACY     1e-4 /* relative accuracy of a Newton step */
#define MOST_STEPS   1000 /* of conjugate gradients, and 10 for each temperature */

/* p_iE, a row for each occupied level, of the temperatures first[row] ... that matter to it. */
typedef struct {
    size_t rows, temperatures;
    double *replicas; /* [rows] H(E) */
    size_t *first;    /* [rows] */
    size_t *start;    /* [rows + 1] where the row starts in p */
    double *p;        /* [start[rows]] */
} sharing;

/* Vectors over the temperatures. */
typedef struct {
    double *share;     /* sum_E H(E) p_iE */
    double *step;      /* the Newton step, a change of f */
    double *residual;  /* of the equations for it */
    double *direction; /* of conjugate gradients */
    double *image;     /* the Hessian times the direction */
    double *diagonal;  /* of the Hessian */
} newton_vectors;

/* ---- The matrix ----------------------------------------------------------------------------- */

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

static void sharing_free(sharing *m) {
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
            m->start[m->rows + 1] = m->start[m->rows] + end - m->first[m->rows];
            m->rows++;
        }
    }
    m->p = malloc(m->start[m->rows] * sizeof *m->p);
    return m->p ? 0 : -1;
}

/* Takes the exponentials: fills p, and r->ln_omega. */
static int sharing_make(sharing *m, reweighting *r) {
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

/* Multiplies p_iE by exp(scale step_i), and makes the rows sum to 1 again. */
static void sharing_move(sharing *m, const double *step, double scale, double *factor) {
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

/* ---- The Newton step ------------------------------------------------------------------------ */

/* The sums sum_E H p_i, and the diagonal of the Hessian, sum_E H p_i (1 - p_i). */
static void sum_shares(const sharing *m, double *share, double *diagonal) {
    for (size_t i = 0; i < m->temperatures; i++)
        share[i] = diagonal[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row];
        const size_t first = m->first[row], width = m->start[row + 1] - m->start[row];
        for (size_t i = 0; i < width; i++) {
            const double part = m->replicas[row] * p[i];
            share[first + i] += part;
            diagonal[first + i] += part * (1 - p[i]);
        }
    }
}

/* sum_i a_i b_i, in four parts: the additions need not wait for each other. */
static double dot(const double *a, const double *b, size_t n) {
    double part[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* image = Hessian x = sum_E H p_i (x_i - mean of x over p), with image_0 = 0: f_0 is kept. */
static void apply_hessian(const sharing *m, const double *x, double *image) {
    for (size_t i = 0; i < m->temperatures; i++)
        image[i] = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const p = m->p + m->start[row], *const band = x + m->first[row];
        double *const out = image + m->first[row];
        const size_t width = m->start[row + 1] - m->start[row];
        const double mean = dot(p, band, width);
        for (size_t i = 0; i < width; i++)
            out[i] += m->replicas[row] * p[i] * (band[i] - mean);
    }
    image[0] = 0;
}

/* sum_i a_i b_i / d_i, without i = 0 */
static double scaled_product(const double *a, const double *b, const double *d, size_t n) {
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += a[i] * b[i] / d[i];
    return sum;
}

/* Solves Hessian step = R_i - share_i for the step, step_0 = 0, by conjugate gradients,
 * preconditioned with the diagonal. Returns 0, or -1 if there is no solution: a temperature that
 * shares no level with another has a diagonal of 0. */
static int newton_step(const sharing *m, const reweighting *r, newton_vectors *v) {
    const size_t n = m->temperatures;
    sum_shares(m, v->share, v->diagonal);
    for (size_t i = 0; i < n; i++) {
        v->step[i] = 0;
        v->residual[i] = i > 0 ? r->temperature[i].population - v->share[i] : 0;
        v->direction[i] = i > 0 ? v->residual[i] / v->diagonal[i] : 0;
    }
    double norm = scaled_product(v->residual, v->residual, v->diagonal, n);
    const double enough = norm * ACCURACY * ACCURACY;
    for (size_t iteration = 0; norm > enough; iteration++) {
        if (iteration == MOST_STEPS + 10 * n)
            return -1;
        apply_hessian(m, v->direction, v->image);
        const double length = norm / dot(v->direction, v->image, n);
        for (size_t i = 1; i < n; i++) {
            v->step[i] += length * v->direction[i];
            v->residual[i] -= length * v->image[i];
        }
        const double before = norm;
        norm = scaled_product(v->residual, v->residual, v->diagonal, n);
        for (size_t i = 1; i < n; i++)
            v->direction[i] = v->residual[i] / v->diagonal[i] + norm / before * v->direction[i];
    }
    return isfinite(norm) ? 0 : -1;
}

/* ---- The iteration -------------------------------------------------------------------------- */

/* The largest change of an f_i. */
static double step_size(const double *step, size_t n) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(step[i]));
    return size;
}

/* How much of the step is safe: ln(1 + x) / x, x the largest difference of step_i that a level sees
 * between its temperatures. With that, Newton's method converges from anywhere for sums of
 * logarithms of sums of exponentials (Sun and Tran-Dinh, Math. Program. 178, 145, 2019). */
static double step_damping(const sharing *m, const double *step) {
    double largest = 0;
    for (size_t row = 0; row < m->rows; row++) {
        const double *const band = step + m->first[row];
        const size_t width = m->start[row + 1] - m->start[row];
        double low = band[0], high = band[0];
        for (size_t i = 1; i < width; i++) {
            low = band[i] < low ? band[i] : low;
            high = band[i] > high ? band[i] : high;
        }
        largest = fmax(largest, high - low);
    }
    return largest > 0 ? log1p(largest) / largest : 1;
}

/* Moves to the solution, from exponentials just taken. Returns how many steps came before one
 * smaller than CONVERGED: 0 if the start was the solution, NEWTON_STEPS if there was none. */
static size_t newton_iterate(sharing *m, reweighting *r, newton_vectors *v) {
    for (size_t steps = 0; steps < NEWTON_STEPS; steps++) {
        if (newton_step(m, r, v))
            return NEWTON_STEPS;
        const double size = step_size(v->step, r->temperatures);
        const double damping = step_damping(m, v->step);
        for (size_t i = 0; i < r->temperatures; i++)
            r->temperature[i].correction += damping * v->step[i];
        if (size < CONVERGED)
            return steps;
        sharing_move(m, v->step, damping, v->image);
    }
    return NEWTON_STEPS;
}

static void vectors_free(newton_vectors *v) {
    free(v->share);
    free(v->step);
    free(v->residual);
    free(v->direction);
    free(v->image);
    free(v->diagonal);
}

static int vectors_make(newton_vectors *v, size_t n) {
    *v = (newton_vectors){.share = calloc(n, sizeof(double)),
                          .step = calloc(n, sizeof(double)),
                          .residual = calloc(n, sizeof(double)),
                          .direction = calloc(n, sizeof(double)),
                          .image = calloc(n, sizeof(double)),
                          .diagonal = calloc(n, sizeof(double))};
    return v->share && v->step && v->residual && v->direction && v->image && v->diagonal ? 0 : -1;
}

reweighting_status reweighting_iterate(reweighting *r) {
    newton_vectors v;
    reweighting_status status =
        vectors_make(&v, r->temperatures) ? REWEIGHTING_NO_MEMORY : REWEIGHTING_NO_CONVERGENCE;
    for (size_t i = 0; i < r->temperatures; i++)
        r->temperature[i].correction = 0;
    for (int build = 0; build < REBUILDS && status == REWEIGHTING_NO_CONVERGENCE; build++) {
        sharing m;
        if (sharing_make(&m, r)) {
            status = REWEIGHTING_NO_MEMORY;
        } else {
            const size_t steps = newton_iterate(&m, r, &v);
            if (steps == 0)
                status = REWEIGHTING_OK;
            else if (steps == NEWTON_STEPS)
                build = REBUILDS;
        }
        sharing_free(&m);
    }
    vectors_free(&v);
    return status;
}
