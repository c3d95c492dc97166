/* Means of one sample of the disorder at one temperature, from sums over its measurements (engine/sample_sums.h); and whether averages
 * over samples agree between logarithmic bins of the measurements. */
#ifndef PAISING_SAMPLE_MEANS_H
#define PAISING_SAMPLE_MEANS_H

#include "engine/sample_sums.h"
#include "overlap.h"

typedef struct {
    double e, c;                   /* energy per spin, in J, and specific heat per spin, in k_B */
    double overlap[OVERLAP_MEANS]; /* 0 without pairs of chains */
} sample_means;

/* The means of the sample in bit `lane` over so many measurements of R chains, at inverse temperature beta. The model is that of any
 * sample, and `levels` those of this one. */
sample_means sample_means_of(const lane_sums *sums, uint32_t lane, size_t measurements,
                             uint64_t chains, double beta, const spin_model *model,
                             energy_levels levels);

/* The values that logarithmic bins are compared by: e, q2 and q_l; of overlaps none without pairs. */
typedef enum { MEANS_E, MEANS_Q2, MEANS_LINK, MEANS_COMPARED } compared_mean;
double sample_mean(const sample_means *of, compared_mean value);

/* Whether the averages of a value over samples agree in two bins, a[samples] and b[samples]: the mean difference of the samples is at
 * most LOGARITHMIC_BINS_ERRORS of its errors (logarithmic_bins.h). False for a single sample, unless they are equal. */
bool sample_means_agree(const sample_means a[], const sample_means b[], size_t samples,
                        compared_mean value);

#endif
