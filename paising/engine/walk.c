/* The changes, the windows, and the bonds of a lattice, site by site (walk.h). */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next site in a direction. */
static uint64_t next_site(const spin_model *m, uint64_t site, uint32_t direction) {
    uint64_t stride = 1;
    for (uint32_t d = 0; d < direction; d++)
        stride *= m->edge[d];
    const uint64_t at = site / stride % m->edge[direction];
    return at + 1 < m->edge[direction] ? site + stride : site - at * stride;
}

uint32_t walk_changes(const spin_model *m) {
    const uint32_t z = m->coordination;
    return m->graph != NULL                ? 2 * m->graph->most_change + 1
           : m->spins == SPINS_POTTS       ? 2 * z + 1
           : m->spins == SPINS_BLUME_CAPEL ? 3 * (2 * z + 1)
                                           : z + 1;
}

int64_t walk_levels_up(const spin_model *m, uint32_t c) {
    const int64_t z = m->coordination, unit = m->levels.unit;
    if (m->graph != NULL)
        return (int64_t)c - m->graph->most_change;
    if (m->spins != SPINS_BLUME_CAPEL)
        return (int64_t)c - (m->spins == SPINS_POTTS ? z : z / 2);
    const int64_t bonds = (c % (2 * z + 1) - z) * unit;
    switch (c / (2 * z + 1)) {
    case 0:
        return 2 * bonds;
    case 1:
        return bonds - m->crystal_field;
    default:
        return bonds + m->crystal_field;
    }
}

/* Marks what a flip at a place can cost: each neighbour adds its weight to what was there, or nothing. of_site[changes]: room. */
static void mark_costs(const spin_graph *g, uint32_t place, bool *of_site, bool *made) {
    const int64_t most = g->most_change, changes = 2 * most + 1;
    memset(of_site, 0, (size_t)changes * sizeof *of_site);
    of_site[g->base[place] + most] = true;
    for (size_t n = g->first[place]; n < g->first[place + 1]; n++) {
        const int64_t weight = g->weight[n];
        for (int64_t k = 0; k < changes; k++) { /* against the weight, so that it is added once */
            const int64_t to = weight > 0 ? changes - 1 - k : k, from = to - weight;
            of_site[to] = of_site[to] || (from >= 0 && from < changes && of_site[from]);
        }
    }
    for (int64_t c = 0; c < changes; c++)
        if (of_site[c])
            made[c] = made[changes - 1 - c] = true;
}

bool walk_find_changes(const spin_model *m, bool *made) {
    const uint32_t changes = walk_changes(m);
    memset(made, m->graph == NULL, changes * sizeof *made);
    if (m->graph == NULL)
        return true;
    bool *const of_site = malloc(changes * sizeof *of_site);
    for (uint32_t place = 0; place < m->graph->sites && of_site != NULL; place++)
        mark_costs(m->graph, place, of_site, made);
    free(of_site);
    return of_site != NULL;
}

/* Bonds are whole multiples of the unit, so that the rest of an energy is that of the fields of 0 .. N sites. */
bool walk_find_levels(const spin_model *m, bool *occurs) {
    const int64_t unit = m->spins == SPINS_BLUME_CAPEL ? m->levels.unit : 1;
    bool *const rest = calloc((size_t)unit, sizeof *rest);
    for (uint64_t fields = 0; fields <= m->sites && rest != NULL; fields++)
        rest[((int64_t)fields * m->crystal_field % unit + unit) % unit] = true;
    for (size_t level = 0; level < m->levels.count && rest != NULL; level++)
        occurs[level] = rest[(level_energy(m->levels, level) % unit + unit) % unit];
    free(rest);
    return rest != NULL;
}

bool walk_reaches_bottom(const spin_model *m) {
    return !m->disordered && m->graph == NULL;
}

/* Neighbours are all different, or opposite, where the lattice has two colours; with three states also where an edge is odd. */
bool walk_reaches_top(const spin_model *m) {
    bool even = true;
    for (uint32_t d = 0; d < m->dimension; d++)
        even = even && m->edge[d] % 2 == 0;
    const bool potts = m->spins == SPINS_POTTS && model_states(m) > 2;
    return walk_reaches_bottom(m) && (even || potts || m->spins == SPINS_BAXTER_WU);
}

/* The same of the triangular lattice. */
static void fill_triangular(const spin_model *m, uint32_t *bond) {
    static const int to[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
    const state_lattice l = state_lattice_of(m);
    for (uint32_t site = 0; site < l.sites; site++)
        for (uint32_t n = 0; n < 6; n++)
            *bond++ = state_site(&l, site % l.edge[0], site / l.edge[0], to[n][0], to[n][1]) << 1;
}

uint32_t *walk_bonds(const spin_model *m) {
    const uint32_t z = m->coordination;
    uint32_t *const bond = malloc(m->sites * z * sizeof *bond);
    if (bond != NULL && m->spins == SPINS_BAXTER_WU) {
        fill_triangular(m, bond);
        return bond;
    }
    for (uint64_t site = 0; site < m->sites && bond != NULL; site++)
        for (uint32_t d = 0; d < m->dimension; d++) {
            const uint64_t next = next_site(m, site, d);
            const uint32_t negative = m->sample != NULL && couplings_sign(m->sample, site, d) < 0;
            bond[site * z + 2 * d] = (uint32_t)next << 1 | negative;
            bond[next * z + 2 * d + 1] = (uint32_t)site << 1 | negative;
        }
    return bond;
}

void walk_fill_graph(const spin_graph *g, walk_site_of_graph *site, walk_link *link) {
    for (uint32_t place = 0; place < g->sites; place++)
        site[g->number[place]] = (walk_site_of_graph){
            place, (uint32_t)g->first[place], (uint32_t)g->first[place + 1], g->base[place]};
    for (size_t n = 0; n < 2 * g->bonds; n++)
        link[n] = (walk_link){g->neighbour[n], g->weight[n]};
}

/* A line around edge d has its Lx bonds, and there are N / Lx lines: a level is two unsatisfied bonds. */
walk_range walk_range_of(const spin_model *m, lattice_boundary boundary) {
    uint64_t bonds = 0;
    for (uint32_t d = 0; d < m->dimension && walk_reaches_bottom(m); d++)
        if (boundary_of(boundary, d) == BOUNDARY_ANTIPERIODIC)
            bonds += m->sites / m->edge[d];
    return (walk_range){(uint32_t)(bonds / 2), m->levels.count - (uint32_t)bonds};
}

#define ROUNDED 1e-3 /* of the distance of two levels */

/* The place of an energy between the levels: n at level n. */
static double place_of(energy_levels l, double energy) {
    return (energy * level_unit(l) - (double)l.lowest) / (double)l.spacing;
}

walk_range walk_range_between(const spin_model *m, walk_range all, double lowest, double highest) {
    const double first = fmax(ceil(place_of(m->levels, lowest) - ROUNDED), all.lowest),
                 end = fmin(floor(place_of(m->levels, highest) + ROUNDED) + 1,
                            (double)all.lowest + all.count);
    if (!(first < end))
        return (walk_range){all.lowest, 0};
    return (walk_range){(uint32_t)first, (uint32_t)(end - first)};
}

/* n windows of w levels cover w + (n - 1) (1 - overlap) w levels, less what rounding takes. */
uint32_t walk_window_levels(walk_range all, uint32_t windows, double overlap) {
    const uint32_t wide = (uint32_t)ceil((double)all.count / (1 + (windows - 1) * (1 - overlap))),
                   joined = (uint32_t)ceil(((double)all.count - 1) / windows) + 1;
    return windows == 1 ? all.count : wide > joined ? wide : joined;
}

uint32_t walk_window_lowest(walk_range all, uint32_t windows, uint32_t levels, uint32_t k) {
    const uint64_t room = all.count - levels;
    return all.lowest + (windows == 1 ? 0 : (uint32_t)(room * k / (windows - 1)));
}
