/* What the parameters ask of the layers below, which do not know them. */
#ifndef PAISING_PLANS_H
#define PAISING_PLANS_H

#include "base/message.h"
#include "estimate/reweighting.h"
#include "estimate/trust.h"
#include "model/couplings.h"
#include "parameters.h"
#include "resample/schedule.h"

/* The temperatures that they ask for, with the files of --betas, --sweeps-file and --relaxation, which must be those that
 * parameters_read_files found. Returns STATUS_OK, or after a line on stderr STATUS_REFUSED. */
exit_status parameters_schedule(const parameters *p, schedule_plan *plan);

/* Reads these files for what *p takes of them: fingerprints, which those of a checkpoint p->resume must be, and the
 * first and last inverse temperature. Returns as above. */
exit_status parameters_read_files(parameters *p);

/* How many temperatures there will be, and *sweeps of a replica at all of them but the first, of adaptive ones the most;
 * 0 where steps are decided in the first run, and if the files cannot be read again. */
uint64_t parameters_temperatures(const parameters *p, double *sweeps);

/* The grid of the multi-histogram analysis, and what helps against steps that are too large. */
beta_grid parameters_grid(const parameters *p);
steps_advice parameters_advice(const parameters *p);

/* Makes the couplings that they ask for: those of the file p->couplings, whose fingerprint *p takes, or sample
 * p->sample of the seed p->disorder (engine/disorder.h). Returns c, which is to be destroyed, or NULL for a model that has
 * none. *status is STATUS_REFUSED, after a line on stderr, for a file that will not do, as one with other couplings
 * than the checkpoint p->resume, and without memory. */
const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status);

#endif
