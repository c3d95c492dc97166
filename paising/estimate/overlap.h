/* The order parameter of a spin glass at one temperature: means over pairs of replicas (engine/overlaps.h), their
 * errors, the histograms, and the entropy of the families. */
#ifndef PAISING_OVERLAP_H
#define PAISING_OVERLAP_H

#include "engine/histogram.h"
#include "engine/overlaps.h"

/* What has an error. The first five are means over pairs, the others follow from them:
 *   Binder parameter  (3 - q4 / q2^2) / 2: of a sample. U4 = q4 / q2^2 is 3 - 2 times that. Of many samples U4 is
 *                     [q4] / [q2]^2 with averages over the samples first, not the average of theirs; that
 *                     is 1.4899(28) at T_c in three dimensions (Baity-Jesi et al., PRB 88, 224416).
 *   chi_SG            N q2
 *   xi / L            sqrt(q2 / |q(k)|^2 - 1) / (2 L sin(pi / L)), the second-moment correlation length; L is the
 *                     longest edge, and k = 2 pi / L along every edge of that length; nan where the modes are
 *                     the other way round */
typedef enum {
    OVERLAP_ABS_Q,
    OVERLAP_Q2,
    OVERLAP_Q4,
    OVERLAP_LINK,
    OVERLAP_WAVE, /* |q(k)|^2 */
    OVERLAP_MEANS,
    OVERLAP_BINDER = OVERLAP_MEANS,
    OVERLAP_CHI,
    OVERLAP_XI,
    OVERLAP_VALUES
} overlap_value;

typedef struct {
    double value[OVERLAP_VALUES], error[OVERLAP_VALUES];
    double pairs;  /* of different families; the sum over runs */
    double blocks; /* that the errors come from: of pairs, or runs; 0: none */
    double
        family_entropy; /* S_f = -sum over families of f ln f, f their shares of the population */
    double rho_s;       /* R exp(-S_f), the entropic family size */
    double lowest;      /* the lowest energy in the population; of all runs */
    double one[OVERLAP_MEANS]; /* what a rare pair of two states changes of its mean (counting.h) */
} overlap_row;

/* A bin of P(q) or P(q_l): pairs in it, and the error of their share of all. */
typedef struct {
    uint64_t count;
    float error;
} overlap_bin;

/* The row of a population from its sums and its histogram; values are nan without pairs. `before` is the row before it
 * of the same run, NULL without one. */
overlap_row overlap_compute(const overlap_sums *s, const histogram *h, const spin_model *model,
                            const overlap_row *before);

/* Adds to the errors of a row those of counting few pairs of two states (counting.h). Runs of unequal weight are worth a
 * `share` of their pairs. */
void overlap_count(overlap_row *row, double share, const spin_model *model);

/* The bins of P(q), then those of P(q_l): bin[overlap_bin_count()]. */
size_t overlap_bin_count(overlap_scale s);
void overlap_fill_bins(const overlap_sums *s, overlap_bin bin[]);

/* Computes the others from the first OVERLAP_MEANS values. */
void overlap_derive(double value[OVERLAP_VALUES], const spin_model *model);

#endif
