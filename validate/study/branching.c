/* Families as a branching process (branching.h). */
#include "branching.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Levels rarer than this are nowhere to be seen. */
#define RARE 1e-22

/* --- steps --- */

bool branching_step_create(branching_step *b, const level_states *s, double beta, double next) {
    const size_t all = s->levels.count;
    *b = (branching_step){0, malloc(all * sizeof *b->p), malloc(all * sizeof *b->tau)};
    if (b->p == NULL || b->tau == NULL)
        return false;
    const double ln_next = canonical_fill(s, next, b->tau), ln_z = canonical_fill(s, beta, b->p);
    for (size_t n = 0; n < all; n++) {
        const double energy = (double)level_energy(s->levels, n);
        const double tau = exp(-(next - beta) * energy + ln_z - ln_next);
        if (b->p[n] * fmax(1, tau * tau) > RARE) {
            b->p[b->levels] = b->p[n];
            b->tau[b->levels++] = tau;
        }
    }
    return true;
}

void branching_step_destroy(branching_step *b) {
    free(b->p);
    free(b->tau);
}

double branching_tau_variance(const branching_step *b) {
    double sum = 0;
    for (size_t n = 0; n < b->levels; n++)
        sum += b->p[n] * (b->tau[n] - 1) * (b->tau[n] - 1);
    return sum;
}

double branching_variance(const branching_step *b, branching_rule rule) {
    double sum = branching_tau_variance(b);
    for (size_t n = 0; n < b->levels; n++) {
        const double part = b->tau[n] - floor(b->tau[n]);
        sum += b->p[n] * (rule == BRANCH_NEAREST   ? part * (1 - part)
                          : rule == BRANCH_POISSON ? b->tau[n]
                                                   : part);
    }
    return sum;
}

/* --- generating functions --- */

static double complex generate(const branching_step *b, branching_rule rule, double complex x) {
    double complex sum = 0;
    for (size_t n = 0; n < b->levels; n++) {
        double whole = floor(b->tau[n]);
        const double part = b->tau[n] - whole;
        double complex y;
        if (rule == BRANCH_POISSON)
            y = cexp(b->tau[n] * (x - 1));
        else
            y = rule == BRANCH_NEAREST ? 1 - part + part * x : cexp(part * (x - 1));
        for (; rule != BRANCH_POISSON && whole > 0; whole--)
            y *= x;
        sum += b->p[n] * y;
    }
    return sum;
}

static double complex generate_all(const branching_step *steps, size_t count, branching_rule rule,
                                   double complex x) {
    for (size_t k = count; k-- > 0;)
        x = generate(&steps[k], rule, x);
    return x;
}

/* From values on the unit circle, of which there are so many that no larger size is seen; the values at x and its conjugate
 * are conjugate. E[n ln n] is the sum over n of n ln n times the coefficient n, which is a sum over the circle. */
family_sizes branching_families(const branching_step *steps, size_t count, branching_rule rule,
                                double rho_t) {
    size_t points = 256;
    while ((double)points < 24 * rho_t)
        points *= 2;
    double complex *const circle = malloc(points * sizeof *circle);
    double *const weight = malloc(points * sizeof *weight);
    double sum = NAN;
    if (circle != NULL && weight != NULL) {
        sum = 0;
        for (size_t j = 0; j < points; j++) {
            circle[j] = cexp(-2 * PI * I * (double)j / (double)points);
            weight[j] = j > 1 ? (double)j * log((double)j) : 0;
        }
        for (size_t j = 0; j <= points / 2; j++) {
            double complex transform = 0;
            for (size_t n = 2; n < points; n++)
                transform += weight[n] * circle[j * n % points];
            const double complex value = generate_all(steps, count, rule, conj(circle[j]));
            sum += (j == 0 || j == points / 2 ? 1 : 2) * creal(value * transform) / (double)points;
        }
    }
    free(circle);
    free(weight);
    return (family_sizes){1 - creal(generate_all(steps, count, rule, 0)), exp(sum)};
}

/* --- the limit of small steps --- */

double branching_rate(const level_states *s, double beta) {
    double *const p = malloc(s->levels.count * sizeof *p);
    double mean = 0, sum = NAN;
    if (p != NULL) {
        canonical_fill(s, beta, p);
        for (size_t n = 0; n < s->levels.count; n++)
            mean += p[n] * (double)level_energy(s->levels, n);
        sum = 0;
        for (size_t n = 0; n < s->levels.count; n++)
            sum += p[n] * fabs((double)level_energy(s->levels, n) - mean) / 2;
    }
    free(p);
    return sum;
}

family_sizes branching_geometric(double a) {
    const double ratio = a / (1 + a);
    double share = 1 / ((1 + a) * (1 + a)), sum = 0;
    for (double n = 1; n < 100 * (1 + a); n++, share *= ratio)
        sum += share * n * log(n);
    return (family_sizes){1 / (1 + a), exp(sum)};
}

/* --- systematic resampling --- */

bool systematic_create(systematic_families *f, size_t most) {
    *f = (systematic_families){most, calloc(most + 2, sizeof *f->size),
                               calloc(most + 2, sizeof *f->rate)};
    if (f->size == NULL || f->rate == NULL)
        return false;
    f->size[1] = 1;
    return true;
}

void systematic_destroy(systematic_families *f) {
    free(f->size);
    free(f->rate);
}

/* A distribution on levels first .. first + count - 1. */
typedef struct {
    size_t first, count;
    double *p;
} level_window;

/* Cuts off what is rare at either end. */
static void narrow(level_window *w) {
    size_t cut = 0;
    while (w->count > 1 && w->p[w->count - 1] < RARE)
        w->count--;
    while (cut + 1 < w->count && w->p[cut] < RARE)
        cut++;
    w->count -= cut;
    w->first += cut;
    memmove(w->p, w->p + cut, w->count * sizeof *w->p);
}

/* Half of <|sum of n (E - <E>)|> for n = 1, 2, ...: by the distribution of the sum of n levels, convolved one by one. */
static bool find_rates(systematic_families *f, const level_states *s, double beta) {
    const size_t levels = s->levels.count, room = levels * (f->most + 1);
    level_window one = {0, levels, malloc(levels * sizeof(double))};
    level_window sum = {0, 1, malloc(room * sizeof(double))};
    double *const next = malloc(room * sizeof *next);
    const bool good = one.p != NULL && sum.p != NULL && next != NULL;
    if (good) {
        canonical_fill(s, beta, one.p);
        narrow(&one);
        double mean = 0;
        for (size_t k = 0; k < one.count; k++)
            mean += one.p[k] * (double)(one.first + k);
        sum.p[0] = 1;
        for (size_t n = 1; n <= f->most; n++) {
            const size_t count = sum.count + one.count - 1;
            memset(next, 0, count * sizeof *next);
            for (size_t i = 0; i < sum.count; i++)
                for (size_t k = 0; k < one.count; k++)
                    next[i + k] += sum.p[i] * one.p[k];
            memcpy(sum.p, next, count * sizeof *next);
            sum.first += one.first;
            sum.count = count;
            narrow(&sum);
            f->rate[n] = 0;
            for (size_t i = 0; i < sum.count; i++)
                f->rate[n] += sum.p[i] * fabs((double)(sum.first + i) - (double)n * mean) *
                              (double)s->levels.spacing / 2;
        }
    }
    free(one.p);
    free(sum.p);
    free(next);
    return good;
}

/* d size[n] / d beta = rate[n - 1] size[n - 1] + rate[n + 1] size[n + 1] - 2 rate[n] size[n]. */
static void slope(const systematic_families *f, const double *size, double *out) {
    for (size_t n = 0; n <= f->most; n++)
        out[n] = (n > 0 ? f->rate[n - 1] * size[n - 1] : 0) +
                 (n < f->most ? f->rate[n + 1] * size[n + 1] : 0) - 2 * f->rate[n] * size[n];
}

bool systematic_step(systematic_families *f, const level_states *s, double beta, double next) {
    double *const k1 = malloc(3 * (f->most + 1) * sizeof *k1);
    if (k1 == NULL || !find_rates(f, s, (beta + next) / 2)) {
        free(k1);
        return false;
    }
    double *const k2 = k1 + f->most + 1, *const middle = k2 + f->most + 1;
    const double parts = ceil(4 * (next - beta) * f->rate[f->most] + 1);
    const double h = (next - beta) / parts;
    for (double part = 0; part < parts; part++) { /* the midpoint rule */
        slope(f, f->size, k1);
        for (size_t n = 0; n <= f->most; n++)
            middle[n] = f->size[n] + h / 2 * k1[n];
        slope(f, middle, k2);
        for (size_t n = 0; n <= f->most; n++)
            f->size[n] += h * k2[n];
    }
    free(k1);
    return true;
}

double systematic_rho_t(const systematic_families *f) {
    double sum = 0;
    for (size_t n = 0; n <= f->most; n++)
        sum += f->size[n] * (double)n * (double)n;
    return sum;
}

family_sizes systematic_sizes(const systematic_families *f) {
    double sum = 0;
    for (size_t n = 2; n <= f->most; n++)
        sum += f->size[n] * (double)n * log((double)n);
    return (family_sizes){1 - f->size[0], exp(sum)};
}
