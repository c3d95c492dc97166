/* Whether a result can be trusted, as far as the population can tell by itself: what data files say
 * in their headers, and the program at its end.
 *
 * Overlap (eq. 8): energies are nearly Gaussian, and then a step with the overlap
 * alpha = erfc(s / sqrt 8) multiplies the mean square weight by exp(s^2): at 0.1 the new population
 * rests on R / 50000 replicas of the old one, at the 0.5 that the paper recommends (Sec. 2.3) on
 * R / 6. Below 0.1 hardly any population knows ln Q, however many of its families survive. In each of
 * 16 runs, `paising -L 32 -R 10000 -t 20 -d STEP -s 1` to `-s 16`, beta F at beta = 1 is off by 1.3 of
 * its own errors in steps of 0.02 (root mean square, by `compare`), by 2.4 in steps of 0.04, where the
 * smallest overlap falls to 0.03, and in steps of 0.08 (0.002) by 5 to 20 errors somewhere, where there
 * are errors at all. */
#ifndef PAISING_TRUST_H
#define PAISING_TRUST_H

#include "observables.h"

#include <stdio.h>

#define TRUSTED_OVERLAP 0.1

/* Adaptive steps end where the overlap has just fallen below what was asked for: this part of it is rounding. */
#define OVERLAP_TOLERANCE 1e-6

/* What is wrong with the rows of a result, if anything. */
typedef struct {
    size_t rows;
    size_t few_families;    /* rows that are not trusted */
    double few_families_at; /* the first of them, an inverse temperature */
    double overlap;         /* the smallest of the steps */
    double overlap_at;      /* where it first falls below TRUSTED_OVERLAP */
} trust_verdict;

/* Decides which of rows[count] are trusted, in the order of their temperatures: those with
 * TRUSTED_FAMILIES sure families (kinship.h) that still have them at the next temperature, if there is
 * one. What a row has missed shows there; and since the errors of a row hardly know the noise of the next
 * one's families, a choice by them favours no errors, as a choice by the row's own does. To be called when
 * a run has come to its end, or as far as it will; again, it decides the same. */
void trust_judge(observables rows[], size_t count);

/* Looks at rows[count], in the order of their temperatures. */
trust_verdict trust_of_rows(const observables rows[], size_t count);

/* What helps against steps that are too large. */
typedef struct {
    const char *smaller; /* what makes them smaller: "smaller steps (-d)" */
    bool adaptive;       /* they are decided in the first run */
} steps_advice;

/* Prints `# warning:` lines for the header of a data file, each with what would help. */
void trust_print(FILE *file, const trust_verdict *t, steps_advice steps);

/* The same lines on stderr. */
void trust_warn(const trust_verdict *t, steps_advice steps);

#endif
