/* The files of samples by tempering of which sums over logarithmic bins are kept (--record bins): averages over samples, a row for each
 * sample and temperature, exchanges, and the bins. */
#ifndef PAISING_SAMPLE_BINS_RESULTS_H
#define PAISING_SAMPLE_BINS_RESULTS_H

#include "estimate/logarithmic_bins.h"
#include "estimate/sample_means.h"
#include "result_folder.h"

/* What was measured. Bins are logarithmic_bins_divide's; bin 0, the second half of the measurements, makes the averages. */
typedef struct {
    const parameters *given;
    const spin_model *model;
    const double *beta;
    size_t temperatures, samples, bins;
    uint32_t first;              /* number of the first sample */
    const uint32_t *fingerprint; /* [samples] of their couplings */
    logarithmic_bin bin[LOGARITHMIC_BINS_MOST];
    sample_means *means; /* [bins][temperatures][samples] */
    uint64_t *accepted;  /* [temperatures - 1][samples] exchanges, in all bins */
    uint64_t *attempts;  /* [temperatures - 1] of each sample */
    bool *agree;         /* [temperatures] whether the last three bins agree */
} sample_bins;

/* Fills b->agree from the means, which must be complete. */
void sample_bins_compare(sample_bins *b);

/* After sample_bins_compare: writes MC_disorder_averages.dat, MC_samples.dat, MC_exchanges.dat and MC_equilibration.dat. Returns STATUS_OK, or STATUS_FAILED after a
 * message on stderr. */
exit_status sample_bins_write(result_folder *folder, const sample_bins *b);

#endif
