/* Observables of a spin glass at one temperature: means over pairs of replicas (engine/overlaps.h),
 * their errors, the overlap histograms, and the entropy of the families. */
#ifndef PAISING_OVERLAP_H
#define PAISING_OVERLAP_H

#include "engine/histogram.h"
#include "engine/overlaps.h"

/* The quantities with errors. The first OVERLAP_MEANS are means over pairs; the others follow from them. Those that vectors alone
 * have (vector_overlaps.h) are 0 or nan of others, whose q_s is 1:
 *   Binder parameter  (3 - q4 / q2^2) / 2, of one sample; U4 = q4 / q2^2 is 3 - 2 times this. For
 *                     many samples U4 = [q4] / [q2]^2, with the averages over samples taken first:
 *                     1.4899(28) at T_c in three dimensions (Baity-Jesi et al., PRB 88, 224416).
 *                     Of vectors (n^2 + 2 - n^2 U4) / 2, which is 0, too, where the n^2 components of q are Gaussian
 *   chi_SG            N q2
 *   xi / L            sqrt(q2 / |q(k)|^2 - 1) / (2 L sin(pi / L)), second-moment correlation length;
 *                     L is the longest edge, k = 2 pi / L along each edge of that length; nan where
 *                     q2 < |q(k)|^2 */
typedef enum {
    OVERLAP_ABS_Q,
    OVERLAP_Q2,
    OVERLAP_Q4,
    OVERLAP_LINK,
    OVERLAP_WAVE, /* |q(k)|^2 */
    OVERLAP_SELF, /* q_s of vectors, and q_k^2, q_k^4 */
    OVERLAP_CHIRAL2,
    OVERLAP_CHIRAL4,
    OVERLAP_MEANS,
    OVERLAP_BINDER = OVERLAP_MEANS,
    OVERLAP_CHI,
    OVERLAP_XI,
    OVERLAP_CHIRAL_BINDER, /* (3 - q_k4 / q_k2^2) / 2, of vectors */
    OVERLAP_VALUES
} overlap_value;

typedef struct {
    double value[OVERLAP_VALUES], error[OVERLAP_VALUES];
    double pairs;              /* pairs of different families; the sum over runs */
    double blocks;             /* blocks of pairs, or runs, behind the errors; 0: no errors */
    double family_entropy;     /* S_f = -sum over families of f ln f, f their fractions of the
                                * population */
    double rho_s;              /* R exp(-S_f), the entropic family size */
    double lowest;             /* the lowest energy in the population, or of all runs */
    double one[OVERLAP_MEANS]; /* change of each sum that one rare pair of two states makes
                                * (counting.h) */
} overlap_row;

/* A bin of P(q) or P(q_l): the number of pairs in it, and the error of its fraction of all pairs. */
typedef struct {
    uint32_t count;
    float error;
} overlap_bin;

/* The same of several runs or samples together: pairs of all, and the average of their shares. */
typedef struct {
    double count, share, error;
} overlap_share;

/* Computes the row of a population from its sums and its histogram. Values are nan without pairs.
 * before: the previous row of the same run, or NULL. */
overlap_row overlap_compute(const overlap_sums *s, const histogram *h, const spin_model *model,
                            const overlap_row *before);

/* Adds the errors of counting few pairs of two states (counting.h). share: the part of the pairs
 * that runs of equal weight would need; 1 for one run. */
void overlap_count(overlap_row *row, double share, const spin_model *model);

/* bin[overlap_bin_count()]: the bins of P(q), then those of P(q_l). */
size_t overlap_bin_count(overlap_scale s);
void overlap_fill_bins(const overlap_sums *s, overlap_bin bin[]);

/* The error of a share of several runs or samples from its scatter and from the count: of bins with few of
 * `pairs` pairs or few outside, and of bins without scatter. */
double overlap_share_error(double scatter, double pairs, double count);

/* The values of all pairs, of which there is one at least. */
void overlap_values(const overlap_sums *s, const spin_model *model, double value[OVERLAP_VALUES]);

/* Whether the overlaps of a model have a value. */
bool overlap_has(overlap_value v, const spin_model *model);

/* U4 by the Binder parameter. */
double overlap_u4(double binder, const spin_model *model);

/* Computes the other values from the first OVERLAP_MEANS. */
void overlap_derive(double value[OVERLAP_VALUES], const spin_model *model);

#endif
