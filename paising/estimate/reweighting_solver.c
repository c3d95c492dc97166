/* The solution of the equations of multi-histogram analysis (eq. 9).
 *
 * The equations say that the shares p_iE of the temperatures in the levels (reweighting_matrix.h)
 * give each temperature its replicas, sum_E H(E) p_iE = R_i. The usual iteration is
 *     f_i -> f_i - ln(sum_E H(E) p_iE / R_i),    f_i = beta_i F_i.
 * With hundreds of overlapping temperatures it takes more than ten thousand iterations, because a
 * change spreads by the width of a histogram at a time. It also seems to converge too early: the
 * f_i change by less than 1e-10 a thousand times as far from the solution. But the solution is the
 * minimum of a convex function,
 *     A(f) = sum_E H(E) ln D(E) - sum_i R_i f_i.
 * Newton's method finds it in about six steps. Each step solves a banded system of equations by
 * preconditioned conjugate gradients. The size of a step is the distance to the solution. It must
 * be below 1e-10 also after the exponentials have been recomputed at the solution. */
#include "reweighting_matrix.h"

#include "base/ieee_math.h"

#include <stdlib.h>

#define CONVERGED    1e-10 /* largest change of a beta F at the solution */
#define NEWTON_STEPS 200   /* no convergence after this many steps */
#define REBUILDS     10    /* most recomputations of the exponentials */
#define ACCURACY     1e-4  /* relative accuracy of a Newton step */
#define CG_STEPS     1000  /* most steps of conjugate gradients, besides 10 for each temperature */
#define WIDEST_BAND  64    /* largest width of the Hessian's band that is factorised */

/* Work arrays: vectors over the temperatures, and the factorised band of the Hessian. */
typedef struct {
    double *share, *lost; /* share + lost = sum_E H(E) p_iE */
    double *step;         /* the Newton step, a change of f */
    double *residual;     /* residual of the equations for the step */
    double *solved;       /* the residual divided by the factorised band */
    double *direction;    /* direction of conjugate gradients */
    double *image;        /* the Hessian times the direction */
    size_t width;         /* width of the band */
    double *band;         /* [temperatures][width + 1] */
} newton_room;

/* ---- The band of the Hessian, without row and column 0: f_0 is fixed -------------------------- */

/* Replaces the band by its Cholesky factor; element (i, i - k) is band[i * (width + 1) + k]. All
 * elements outside the diagonal are negative. The matrix therefore stays positive without those
 * outside the band. A temperature that shares no level with another gets a diagonal of 0. */
static void factorise(double *band, size_t width, size_t n) {
    for (size_t i = 1; i < n; i++) {
        double *const line = band + i * (width + 1);
        for (size_t k = i - 1 < width ? i - 1 : width; k > 0; k--) {
            const double *const other = band + (i - k) * (width + 1);
            for (size_t l = k + 1; l <= width && l < i; l++)
                line[k] -= line[l] * other[l - k];
            line[k] /= other[0];
        }
        for (size_t l = 1; l <= width && l < i; l++)
            line[0] -= line[l] * line[l];
        line[0] = sqrt(line[0]);
    }
}

/* Solves (factor) (factor transposed) x = b for x_1 .. x_{n-1}. */
static void solve_band(const double *factor, size_t width, size_t n, const double *b, double *x) {
    for (size_t i = 1; i < n; i++) {
        const double *const line = factor + i * (width + 1);
        double sum = b[i];
        for (size_t k = 1; k <= width && k < i; k++)
            sum -= line[k] * x[i - k];
        x[i] = sum / line[0];
    }
    for (size_t i = n; i-- > 1;) {
        const double *const line = factor + i * (width + 1);
        x[i] /= line[0];
        for (size_t k = 1; k <= width && k < i; k++)
            x[i - k] -= line[k] * x[i];
    }
}

/* ---- The Newton step ------------------------------------------------------------------------ */

/* Solves Hessian step = R_i - share_i with step_0 = 0, by conjugate gradients preconditioned with
 * the band of the Hessian. If the band is the whole Hessian, one iteration suffices. solved_0 and
 * direction_0 are always 0. Returns 0, or -1 if there is no solution. */
static int newton_step(const sharing *m, const reweighting *r, newton_room *v) {
    const size_t n = m->temperatures;
    sharing_sum(m, v->share, v->lost);
    sharing_hessian_band(m, v->width, v->band);
    factorise(v->band, v->width, n);
    for (size_t i = 0; i < n; i++) {
        v->step[i] = 0;
        v->residual[i] = (r->temperature[i].population - v->share[i]) - v->lost[i];
    }
    solve_band(v->band, v->width, n, v->residual, v->solved);
    for (size_t i = 0; i < n; i++)
        v->direction[i] = v->solved[i];
    double norm = dot_product(v->residual, v->solved, n);
    const double enough = norm * ACCURACY * ACCURACY;
    for (size_t iteration = 0; norm > enough; iteration++) {
        if (iteration == CG_STEPS + 10 * n)
            return -1;
        sharing_apply_hessian(m, v->direction, v->image);
        const double length = norm / dot_product(v->direction, v->image, n);
        for (size_t i = 0; i < n; i++) {
            v->step[i] += length * v->direction[i];
            v->residual[i] -= length * v->image[i];
        }
        const double before = norm;
        solve_band(v->band, v->width, n, v->residual, v->solved);
        norm = dot_product(v->residual, v->solved, n);
        for (size_t i = 0; i < n; i++)
            v->direction[i] = v->solved[i] + norm / before * v->direction[i];
    }
    return isfinite(norm) ? 0 : -1; /* a diagonal of 0 leads to an infinity or NaN */
}

/* ---- The iteration -------------------------------------------------------------------------- */

/* The largest change of an f_i. */
static double step_size(const double *step, size_t n) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(step[i]));
    return size;
}

/* The safe fraction of a step: ln(1 + x) / x, where x is the largest difference of step_i between
 * temperatures of one level. With this damping Newton's method converges from any start for sums of
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
    return largest > 0 ? ieee_log1p(largest) / largest : 1;
}

/* Iterates to the solution, from exponentials just computed. Returns the number of steps before one
 * smaller than CONVERGED: 0 if the start was the solution, NEWTON_STEPS without convergence. */
static size_t newton_iterate(sharing *m, reweighting *r, newton_room *v) {
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

static void room_free(newton_room *v) {
    free(v->share);
    free(v->lost);
    free(v->step);
    free(v->residual);
    free(v->solved);
    free(v->direction);
    free(v->image);
    free(v->band);
}

/* Allocates work arrays for n temperatures and rows of at most `widest` temperatures. Returns 0, or
 * -1 without memory. */
static int newton_room_create(newton_room *v, size_t n, size_t widest) {
    const size_t width = widest - 1 < WIDEST_BAND ? widest - 1 : WIDEST_BAND;
    *v = (newton_room){.share = calloc(n, sizeof(double)),
                       .lost = calloc(n, sizeof(double)),
                       .step = calloc(n, sizeof(double)),
                       .residual = calloc(n, sizeof(double)),
                       .solved = calloc(n, sizeof(double)),
                       .direction = calloc(n, sizeof(double)),
                       .image = calloc(n, sizeof(double)),
                       .width = width,
                       .band = calloc(n, (width + 1) * sizeof(double))};
    return v->share && v->lost && v->step && v->residual && v->solved && v->direction && v->image &&
                   v->band
               ? 0
               : -1;
}

/* Sets *gap if there is one at the f_i of the matrix. common[temperatures] is a work array of the
 * caller. */
static void find_gap(const sharing *m, const reweighting *r, double *common, histogram_gap *gap) {
    size_t at = 0;
    if (sharing_weakest(m, common, &at) < REWEIGHTING_COMMON)
        *gap = (histogram_gap){r->temperature[at].beta, r->temperature[at + 1].beta};
}

/* Computes the exponentials and iterates to the solution. Sets *steps as newton_iterate does. Sets
 * *gap from the f_i before the iteration: those of the solution in the last call, and those of the
 * annealing if there is no solution. Returns 0, or -1 without memory. */
static int build_and_iterate(reweighting *r, size_t *steps, histogram_gap *gap) {
    sharing m;
    newton_room v = {.width = 0};
    const int failed = sharing_create(&m, r) || newton_room_create(&v, m.temperatures, m.widest);
    if (!failed) {
        find_gap(&m, r, v.image, gap);
        *steps = newton_iterate(&m, r, &v);
    }
    room_free(&v);
    sharing_free(&m);
    return failed ? -1 : 0;
}

reweighting_status reweighting_solve(reweighting *r, histogram_gap *gap) {
    for (int build = 0; build < REBUILDS; build++) {
        size_t steps = 0;
        *gap = (histogram_gap){0, 0};
        if (build_and_iterate(r, &steps, gap))
            return REWEIGHTING_NO_MEMORY;
        if (steps == NEWTON_STEPS)
            break;
        if (steps == 0)
            return gap->to > gap->from ? REWEIGHTING_NO_OVERLAP : REWEIGHTING_OK;
    }
    return gap->to > gap->from ? REWEIGHTING_NO_OVERLAP : REWEIGHTING_NO_CONVERGENCE;
}
