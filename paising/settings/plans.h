/* What the parameters ask of the layers below, which do not know them. */
#ifndef PAISING_PLANS_H
#define PAISING_PLANS_H

#include "estimate/reweighting.h"
#include "parameters.h"
#include "resample/schedule.h"

/* The temperatures that they ask for, and the grid of the multi-histogram analysis. */
schedule_plan parameters_schedule(const parameters *p);
beta_grid parameters_grid(const parameters *p);

#endif
