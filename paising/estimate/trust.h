/* Whether a result can be trusted, as far as the population itself can tell. The warnings stand in
 * the headers of data files and are printed at the end of the program.
 *
 * Overlap (eq. 8): energies are nearly Gaussian. A step with overlap alpha = erfc(s / sqrt 8) then
 * multiplies the mean square weight by exp(s^2). At 0.1 the new population rests on R / 50000
 * replicas of the old one; at 0.5, which the paper recommends (Sec. 2.3), on R / 6. Below 0.1
 * hardly any population knows ln Q, however many families survive. An example are 16 runs, `paising
 * -L 32 -R 10000 -t 20 -d STEP -s 1` to `-s 16`. Steps of 0.02 give a beta F at beta = 1 that is
 * off by 1.3 of its errors (root mean square). It is 2.4 for steps of 0.04, where the smallest
 * overlap is 0.03. */
#ifndef PAISING_TRUST_H
#define PAISING_TRUST_H

#include "observables.h"

#include <stdio.h>

#define TRUSTED_OVERLAP 0.1

/* Adaptive steps end where the overlap has just fallen below its target. This relative tolerance is
 * for rounding. */
#define OVERLAP_TOLERANCE 1e-6

/* The findings about the rows of a result. */
typedef struct {
    size_t rows;
    size_t few_families;    /* rows that are not trusted */
    double few_families_at; /* inverse temperature of the first such row */
    double overlap;         /* the smallest overlap of the steps */
    double overlap_at;      /* where the overlap first falls below TRUSTED_OVERLAP */
} trust_verdict;

/* Sets `trusted` in rows[count], which are in the order of their temperatures. A row is trusted if
 * it and the next row, if there is one, have at least TRUSTED_FAMILIES effective families
 * (relatives.h). What a row has missed shows in the next row. Judging a row by the next row's
 * families hardly selects rows by their own errors; judging it by its own would. Call it when a run
 * has ended. Calling it again changes nothing. */
void trust_judge(observables rows[], size_t count);

/* Summarises rows[count], which are in the order of their temperatures. */
trust_verdict trust_of_rows(const observables rows[], size_t count);

/* Advice against steps that are too large. */
typedef struct {
    const char *smaller; /* what makes the steps smaller, such as "smaller steps (-d)" */
    bool adaptive;       /* the steps are adaptive */
    bool resampled;      /* false: with --resampling none, no row is trusted */
} steps_advice;

/* Prints `# warning:` lines for the header of a data file, each with advice. */
void trust_print(FILE *file, const trust_verdict *t, steps_advice steps);

/* Prints the same warnings on stderr. */
void trust_warn(const trust_verdict *t, steps_advice steps);

#endif
