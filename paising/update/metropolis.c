/* The Metropolis update: a flip that costs dE is made with the probability min(1, exp(-beta dE)). */
#include "base/ieee_math.h"
#include "update.h"

static double accept(double beta, double delta_e) {
    return delta_e > 0 ? ieee_exp(-beta * delta_e) : 1;
}

const update_kind metropolis_update = {
    .name = "metropolis", .accept = accept, .downhill = DOWNHILL_ALWAYS};
