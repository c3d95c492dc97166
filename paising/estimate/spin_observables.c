/* Observables made of the spins of a replica (spin_observables.h). */
#include "spin_observables.h"

#include <math.h>
#include <string.h>

static bool fits_all(const spin_model *m) {
    return m->spins != SPINS_VECTOR;
}

static bool fits_triangles(const spin_model *m) {
    return m->spins == SPINS_BAXTER_WU;
}

/* A lattice whose bonds all favour equal spins, or any graph. */
static bool fits_clusters(const spin_model *m) {
    return fits_all(m) && !fits_triangles(m) &&
           (m->graph != NULL || (m->sample == NULL && !m->disordered));
}

/* --- sums --- */

static uint64_t add_order(const spin_model *m, const uint8_t *spin) {
    const state_lattice l = state_lattice_of(m);
    uint32_t sites_in[STATES_MOST] = {0};
    for (uint64_t i = 0; i < m->sites; i++)
        sites_in[spin[i]]++;
    return (uint64_t)state_order(&l, sites_in);
}

/* The neighbours across a step in x, and in two other directions, stand on the next sub-lattice. */
static void add_triangles(const uint8_t *spin, spin_sums *s) {
    const state_lattice l = state_lattice_of(s->model);
    for (uint32_t y = 0, i = 0; y < l.edge[1]; y++)
        for (uint32_t x = 0; x < l.edge[0]; x++, i++) {
            uint8_t around[STATE_NEIGHBOURS] = {0};
            const uint32_t at = state_colour(&l, x, y, 0);
            state_neighbours(&l, spin, i, x, y, 0, around);
            const int up = around[0] + around[2] + around[4];
            s->magnetisation[at] += spin[i] ? 1 : -1;
            s->polarisation[at] += spin[i] ? 2 * up - 3 : 3 - 2 * up;
        }
}

/* The smallest site that is known to be in the cluster of site i; above[] leads there. */
static uint32_t root_of(uint32_t *above, uint32_t i) {
    while (above[i] != i)
        i = above[i] = above[above[i]];
    return i;
}

static void join(uint32_t *above, uint32_t i, uint32_t other) {
    const uint32_t a = root_of(above, i), b = root_of(above, other);
    above[a > b ? a : b] = a < b ? a : b;
}

/* Joins site i to those behind it that are in the same state. */
static void join_next(const spin_model *m, const uint8_t *spin, uint32_t i, uint32_t *above) {
    uint32_t step = 1;
    for (uint32_t d = 0; d < m->dimension; d++) {
        const uint32_t at = i / step % m->edge[d],
                       next = at + 1 < m->edge[d] ? i + step : i - at * step;
        if (spin[next] == spin[i])
            join(above, i, next);
        step *= m->edge[d];
    }
}

/* The same across the bonds of all sites of a graph. */
static void join_bonds(const spin_graph *g, const uint8_t *spin, uint32_t *above) {
    for (uint32_t place = 0; place < g->sites; place++)
        for (size_t k = g->first[place]; k < g->first[place + 1]; k++) {
            const uint32_t i = g->number[place], other = g->number[g->neighbour[k]];
            if (i < other && spin[other] == spin[i])
                join(above, i, other);
        }
}

static uint32_t largest_cluster(const spin_model *m, const uint8_t *spin, uint32_t *room) {
    const uint32_t sites = (uint32_t)m->sites;
    uint32_t *const above = room, *const size = room + sites, most = 0;
    for (uint32_t i = 0; i < sites; i++)
        above[i] = i;
    for (uint32_t i = 0; i < sites && m->graph == NULL; i++)
        join_next(m, spin, i, above);
    if (m->graph != NULL)
        join_bonds(m->graph, spin, above);
    memset(size, 0, sites * sizeof *size);
    for (uint32_t i = 0; i < sites; i++) {
        const uint32_t now = ++size[root_of(above, i)];
        most = now > most ? now : most;
    }
    return most;
}

spin_sums spin_sums_of(const spin_model *m, const uint8_t *spin, uint32_t *room) {
    spin_sums s = {.model = m, .order = add_order(m, spin)};
    if (fits_triangles(m))
        add_triangles(spin, &s);
    if (fits_clusters(m))
        s.largest = largest_cluster(m, spin, room);
    return s;
}

/* --- the table --- */

/* The root of the mean of the squares of three sums, over N. */
static double size_of(const spin_sums *s, const int64_t sum[SUB_LATTICES]) {
    double squares = 0;
    for (size_t n = 0; n < SUB_LATTICES; n++)
        squares += (double)sum[n] * (double)sum[n];
    return sqrt(squares / SUB_LATTICES) / (double)s->model->sites;
}

static double part_of(const spin_sums *s, size_t n) {
    return SUB_LATTICES * fabs((double)s->magnetisation[n]) / (double)s->model->sites;
}

static double order(const spin_sums *s) {
    return (double)s->order / (double)model_largest_order(s->model);
}

static double magnetisation(const spin_sums *s) {
    return SUB_LATTICES * size_of(s, s->magnetisation);
}

static double polarisation(const spin_sums *s) {
    return size_of(s, s->polarisation);
}

static double magnetisation_a(const spin_sums *s) {
    return part_of(s, 0);
}

static double magnetisation_b(const spin_sums *s) {
    return part_of(s, 1);
}

static double magnetisation_c(const spin_sums *s) {
    return part_of(s, 2);
}

static double cluster(const spin_sums *s) {
    return (double)s->largest / (double)s->model->sites;
}

static const spin_observable all[] = {
    {"|m|", "order parameter, its absolute value", fits_all, order},
    {"m_s", "magnetisation of the sub-lattices, root of the mean of their squares", fits_triangles,
     magnetisation},
    {"p_s", "polarisation of the sub-lattices, root of the mean of their squares", fits_triangles,
     polarisation},
    {"m_a", "magnetisation of sub-lattice a, its absolute value", fits_triangles, magnetisation_a},
    {"m_b", "that of sub-lattice b", fits_triangles, magnetisation_b},
    {"m_c", "that of sub-lattice c", fits_triangles, magnetisation_c},
    {"cluster", "part of the sites in the largest cluster of neighbours in the same state",
     fits_clusters, cluster},
};
_Static_assert(sizeof all / sizeof *all == SPIN_OBSERVABLES_MOST,
               "as many as spin_observables.h says");

size_t spin_observables(const spin_model *m, size_t first,
                        const spin_observable *of[SPIN_OBSERVABLES_MOST]) {
    size_t count = 0;
    for (size_t n = first; n < SPIN_OBSERVABLES_MOST; n++)
        if (all[n].fits(m))
            of[count++] = &all[n];
    return count;
}
