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

/* Makes the couplings that they ask for: read from the file p->couplings, whose fingerprint *p takes, or drawn as
 * sample 0 of the seed p->disorder (engine/disorder.h). Returns NULL for a model without, which c->negative is
 * too then, or c; *status is STATUS_REFUSED after a line on stderr if there is a file and it does not do, or no
 * memory. */
const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status);

#endif
