/* The statistics of the tests. Every deviation is turned into a z-score, which has the normal
 * distribution of unit variance where the program is right. One limit holds for all z-scores of a
 * test: any of them exceeds it by chance with a known small probability. */
#ifndef PAISING_STATISTICS_H
#define PAISING_STATISTICS_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* The probability that a statistical test fails although the program is right. Seeds are fixed, so
 * that a test that has passed passes again. */
#define FALSE_ALARM 1e-6

/* The |z| that the largest of `comparisons` exceeds with the probability FALSE_ALARM at most. */
static inline double z_limit(size_t comparisons) {
    double low = 0, high = 30;
    while (high - low > 1e-9) {
        const double z = (low + high) / 2;
        if ((double)comparisons * erfc(z / sqrt(2)) > FALSE_ALARM)
            low = z;
        else
            high = z;
    }
    return high;
}

/* The z-score as improbable as Student's t of n degrees of freedom (D. L. Wallace, 1959). */
static inline double z_of_student(double t, double n) {
    return copysign(sqrt(n * log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3), t);
}

/* The z-score as improbable as a chi-square of n degrees of freedom (Wilson and Hilferty, 1931). */
static inline double z_of_chi_square(double chi_square, double n) {
    const double variance = 2 / (9 * n);
    return (cbrt(chi_square / n) - (1 - variance)) / sqrt(variance);
}

/* The z-score as improbable as an F of d1 and d2 degrees of freedom (E. Paulson, 1942). */
static inline double z_of_f(double f, double d1, double d2) {
    const double v1 = 2 / (9 * d1), v2 = 2 / (9 * d2), root = cbrt(f);
    return ((1 - v2) * root - (1 - v1)) / sqrt(v2 * root * root + v1);
}

/* A series of comparisons with one limit. */
typedef struct {
    const char *name;
    double limit;
    double worst; /* the largest |z| so far */
    size_t comparisons, planned, exceeded;
} z_series;

static inline z_series z_begin(const char *name, size_t planned) {
    return (z_series){.name = name, .limit = z_limit(planned), .planned = planned};
}

/* Takes z, a number or not, into the series; what exceeds the limit is printed with its name. */
__attribute__((format(printf, 3, 4))) static inline void z_add(z_series *series, double z,
                                                               const char *what, ...) {
    series->comparisons++;
    if (!(fabs(z) <= series->worst))
        series->worst = fabs(z);
    if (!(fabs(z) <= series->limit)) {
        series->exceeded++;
        va_list arguments;
        va_start(arguments, what);
        printf("  %s: z = %.2f, ", series->name, z);
        vprintf(what, arguments);
        printf("\n");
        va_end(arguments);
    }
}

/* Prints the sum of the series. Returns whether it is passed: every z that was planned was taken,
 * and none exceeds the limit. */
static inline int z_passed(const z_series *series) {
    printf("  %s: largest |z| = %.2f of %zu, limit %.2f\n", series->name, series->worst,
           series->comparisons, series->limit);
    return series->exceeded == 0 && series->comparisons == series->planned;
}

/* Prints what a negative control found. Returns whether it is detected: some z exceeds the limit.
 */
static inline int z_detected(const z_series *series) {
    printf("  %s (negative control): largest |z| = %.2f of %zu, limit %.2f\n", series->name,
           series->worst, series->comparisons, series->limit);
    return series->exceeded > 0 && series->comparisons == series->planned;
}

/* Mean and spread of a sample. */
typedef struct {
    double n, mean, squares; /* sum of squared deviations from the mean */
} sample;

static inline void sample_add(sample *s, double x) {
    const double off = x - s->mean;
    s->n++;
    s->mean += off / s->n;
    s->squares += off * (x - s->mean);
}

static inline double sample_variance(const sample *s) {
    return s->squares / (s->n - 1);
}

/* z of the sample's mean against what is expected, the error being that of its spread. A sample
 * without spread must hit the expected value. */
static inline double sample_z(const sample *s, double expected) {
    const double off = s->mean - expected;
    if (s->squares == 0)
        return off == 0 ? 0 : INFINITY;
    return z_of_student(off / sqrt(sample_variance(s) / s->n), s->n - 1);
}

#endif
