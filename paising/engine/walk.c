/* The windows of the levels, and the bonds of a lattice, site by site (walk.h). */
#include "walk.h"

#include <math.h>
#include <stdlib.h>

/* The next site in a direction. */
static uint64_t next_site(const spin_model *m, uint64_t site, uint32_t direction) {
    uint64_t stride = 1;
    for (uint32_t d = 0; d < direction; d++)
        stride *= m->edge[d];
    const uint64_t at = site / stride % m->edge[direction];
    return at + 1 < m->edge[direction] ? site + stride : site - at * stride;
}

uint32_t *walk_bonds(const spin_model *m) {
    const uint32_t z = m->coordination;
    uint32_t *const bond = malloc(m->sites * z * sizeof *bond);
    for (uint64_t site = 0; site < m->sites && bond != NULL; site++)
        for (uint32_t d = 0; d < m->dimension; d++) {
            const uint64_t next = next_site(m, site, d);
            const uint32_t negative = m->sample != NULL && couplings_sign(m->sample, site, d) < 0;
            bond[site * z + 2 * d] = (uint32_t)next << 1 | negative;
            bond[next * z + 2 * d + 1] = (uint32_t)site << 1 | negative;
        }
    return bond;
}

/* n windows of w levels cover w + (n - 1) (1 - overlap) w levels, less what rounding takes. */
uint32_t walk_window_levels(const spin_model *m, uint32_t windows, double overlap) {
    const double all = (double)m->levels.count;
    const uint32_t wide = (uint32_t)ceil(all / (1 + (windows - 1) * (1 - overlap))),
                   joined = (uint32_t)ceil((all - 1) / windows) + 1;
    return windows == 1 ? (uint32_t)m->levels.count : wide > joined ? wide : joined;
}

uint32_t walk_window_lowest(const spin_model *m, uint32_t windows, uint32_t levels, uint32_t k) {
    const uint64_t room = m->levels.count - levels;
    return windows == 1 ? 0 : (uint32_t)(room * k / (windows - 1));
}
