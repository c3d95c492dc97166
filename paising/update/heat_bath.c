/* The heat bath (Glauber dynamics): a spin takes the direction that it has in equilibrium with its neighbours, whatever
 * it was. So it flips with the probability P(dE) = 1 / (1 + exp(beta dE)), and P(-dE) = 1 - P(dE). */
#include "base/ieee_math.h"
#include "update.h"

static double accept(double beta, double delta_e) {
    return 1 / (1 + ieee_exp(beta * delta_e));
}

const update_kind heat_bath_update = {
    .name = "heat-bath", .accept = accept, .downhill = DOWNHILL_COMPLEMENT};
