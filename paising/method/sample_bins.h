/* Samples of the disorder by tempering in words of 32 samples, of which sums over logarithmic bins of the measurements are kept, and no
 * series (--record bins). All words are made side by side (engine/sample_sums.h). */
#ifndef PAISING_SAMPLE_BINS_H
#define PAISING_SAMPLE_BINS_H

#include "device/placement.h"
#include "files/result_folder.h"
#include "settings/parameters.h"

/* Makes samples p->sample .. p->sample + p->samples - 1, and puts averages and a row for each sample and temperature into one folder, as a
 * whole: what is interrupted leaves nothing. *number becomes the signal that ended it early, or 0. Returns the statuses of samples_make. */
exit_status sample_bins_make(const parameters *p, int *number);

/* The same on a device that was found, into a folder that is open. */
exit_status sample_bins_run(const parameters *p, const device_placement *place,
                            result_folder *folder, int *number);

#endif
