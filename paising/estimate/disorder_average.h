/* Averages over samples of the disorder at one temperature, [.], and their errors. Ratios are
 * ratios of averages, not averages of ratios: U4 = [q4] / [q2]^2, the Binder parameter g = (3 - U4)
 * / 2 (of vectors that of overlap.h), and xi / L from [q2] and [|q(k)|^2] (overlap.h). Errors are jackknife errors over the
 * samples. They contain both the differences between samples and the statistical error of each. */
#ifndef PAISING_DISORDER_AVERAGE_H
#define PAISING_DISORDER_AVERAGE_H

#include "columns.h"
#include "overlap.h"

/* The values before DISORDER_MEANS are measured for each sample; the others are computed from
 * averages. */
typedef enum {
    DISORDER_E,
    DISORDER_C,
    DISORDER_BETA_F, /* per spin */
    DISORDER_ABS_Q,
    DISORDER_Q2,
    DISORDER_Q4,
    DISORDER_LINK,
    DISORDER_WAVE, /* |q(k)|^2 */
    DISORDER_ENTROPY,
    DISORDER_RHO_T,
    DISORDER_LOWEST, /* the lowest energy in the population, in J */
    DISORDER_RHO_S,
    DISORDER_SELF, /* q_s of vectors, and q_k^2, q_k^4; of others 1, 0 and 0 */
    DISORDER_CHIRAL2,
    DISORDER_CHIRAL4,
    DISORDER_COLUMNS, /* [moment_columns_count] the columns of the table (columns.h) */
    DISORDER_MEANS = DISORDER_COLUMNS + COLUMNS_MOST,
    DISORDER_U4 = DISORDER_MEANS,
    DISORDER_BINDER,
    DISORDER_CHI,
    DISORDER_XI,
    DISORDER_CHIRAL_BINDER,
    DISORDER_VALUES
} disorder_value;

/* One sample at one temperature. */
typedef struct {
    double beta;
    double value[DISORDER_MEANS], error[DISORDER_MEANS]; /* error: the sample's own; 0: not known */
    bool equilibrated; /* the families fulfil the criterion of equilibration.h */
} sample_row;

/* The average over all samples at one temperature. */
typedef struct {
    double beta;
    double value[DISORDER_VALUES],
        error[DISORDER_VALUES]; /* nan for a single sample; without scatter, from the errors of
                                 * the samples, of DISORDER_LOWEST and DISORDER_RHO_S nan */
    size_t equilibrated;        /* number of such samples */
} disorder_row;

/* Averages rows[samples][temperatures] at temperature number i. without[DISORDER_VALUES][samples]
 * is a work array of the caller. */
disorder_row disorder_average(const sample_row rows[], size_t samples, size_t temperatures,
                              size_t i, const spin_model *model, double without[]);

/* The number of samples that fulfil the criterion at all temperatures. */
size_t disorder_equilibrated(const sample_row rows[], size_t samples, size_t temperatures);

/* Mean and error over samples of e a bond + beta W^2 (q_s - q_l) at temperature number i. In equilibrium its expectation is
 * 0 for Gaussian couplings of mean 0 and width W on a lattice with `bonds_a_spin` bonds a spin: integration by parts over
 * the couplings (docs/theory.md). The error is nan for a single sample. */
typedef struct {
    double mean, error;
} gaussian_identity;

gaussian_identity disorder_identity(const sample_row rows[], size_t samples, size_t temperatures,
                                    size_t i, double bonds_a_spin, double width);

#endif
