/* The cluster update of U. Wolff, Phys. Rev. Lett. 62, 361 (1989). Bonds are set as by Swendsen and Wang (swendsen_wang.c).
 * One site is chosen at random, and its cluster flips. So larger clusters are more likely to be chosen. */
#include "base/ieee_math.h"
#include "update.h"

/* Breaking a bond costs dE = 2 J. */
static double leave_out(double beta, double delta_e) {
    return ieee_exp(-beta * delta_e);
}

const update_kind wolff_update = {.name = "wolff", .accept = leave_out, .clusters = CLUSTERS_ONE};
