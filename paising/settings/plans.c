/* Parameters in the words of the layers below. */
#include "plans.h"

schedule_plan parameters_schedule(const parameters *p) {
    return (schedule_plan){.beta_start = p->beta_start,
                           .beta_end = p->beta_end,
                           .dbeta = p->dbeta,
                           .overlap = p->overlap};
}

beta_grid parameters_grid(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->reweight_step};
}
