/* What the parameters ask of the layers below, which do not know them. */
#ifndef PAISING_PLANS_H
#define PAISING_PLANS_H

#include "base/message.h"
#include "estimate/reweighting.h"
#include "model/couplings.h"
#include "parameters.h"
#include "resample/schedule.h"

/* The temperatures that they ask for, and the grid of the multi-histogram analysis. */
schedule_plan parameters_schedule(const parameters *p);
beta_grid parameters_grid(const parameters *p);

/* Makes the couplings that they ask for: those of the file p->couplings, whose fingerprint *p takes, or sample
 * p->sample of the seed p->disorder (engine/disorder.h). Returns c, which is to be destroyed, or NULL for a model that has
 * none. *status is STATUS_REFUSED, after a line on stderr, for a file that will not do, as one with other couplings
 * than the checkpoint p->resume, and without memory. */
const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status);

#endif
