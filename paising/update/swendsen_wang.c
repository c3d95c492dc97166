/* The cluster update of R. H. Swendsen and J.-S. Wang, Phys. Rev. Lett. 58, 86 (1987). A bond between parallel spins is set
 * with the probability 1 - exp(-2 beta J), other bonds are not. Each cluster of sites that set bonds connect flips with the
 * probability 1/2. */
#include "base/ieee_math.h"
#include "update.h"

/* Breaking a bond costs dE = 2 J. */
static double leave_out(double beta, double delta_e) {
    return ieee_exp(-beta * delta_e);
}

const update_kind swendsen_wang_update = {
    .name = "swendsen-wang", .accept = leave_out, .clusters = CLUSTERS_ALL};
