/* All states of a graph, in the order of the Gray code, in which one spin flips from each state to the next (graph_states.h). */
#include "graph_states.h"

#include <math.h>
#include <stdlib.h>

/* What the flip of a spin costs, by couplings and fields. */
static int64_t cost_of(const spin_graph *g, const int8_t *spin, uint32_t i) {
    int64_t along = g->field[i];
    for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
        along += g->coupling[n] * spin[g->neighbour[n]];
    return 2 * spin[i] * along;
}

static void add_state(graph_states *s, int64_t energy, int32_t magnetisation) {
    graph_level *const level = &s->level[(size_t)((energy - s->levels.lowest) / s->levels.spacing)];
    const uint64_t m = (uint64_t)abs(magnetisation);
    level->states++;
    level->abs_m += m;
    level->m2 += m * m;
    level->m4 += m * m * m * m;
}

bool graph_states_count(graph_states *s, const spin_graph *g) {
    int8_t spin[GRAPH_STATES_MAX_SITES];
    *s = (graph_states){.sites = g->sites, .levels = g->levels};
    s->level = calloc(g->levels.count, sizeof *s->level);
    if (s->level == NULL)
        return false;
    for (uint32_t i = 0; i < g->sites; i++)
        spin[i] = 1;
    int64_t energy = graph_energy(g, spin);
    int32_t magnetisation = (int32_t)g->sites;
    add_state(s, energy, magnetisation);
    for (uint32_t n = 1; n < UINT32_C(1) << g->sites; n++) {
        uint32_t i = 0;
        while ((n >> i & 1) == 0)
            i++;
        energy += cost_of(g, spin, i);
        magnetisation -= 2 * spin[i];
        spin[i] = (int8_t)-spin[i];
        add_state(s, energy, magnetisation);
    }
    return true;
}

void graph_states_destroy(graph_states *s) {
    free(s->level);
    s->level = NULL;
}

/* Energies relative to the ground states are small at low temperature, and e^2 - <e>^2 never appears. */
exact_result graph_states_thermodynamics(const graph_states *s, double beta, graph_order *order) {
    const long double b = beta, n = s->sites, unit = level_unit(s->levels);
    size_t ground = 0;
    while (s->level[ground].states == 0)
        ground++;
    const long double lowest = (long double)level_energy(s->levels, ground) / unit;
    long double z = 0, above = 0, squares = 0, abs_m = 0, m2 = 0, m4 = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = ground; k < s->levels.count; k++) {
            const graph_level *const l = &s->level[k];
            const long double x = (long double)(k - ground) * (long double)s->levels.spacing / unit,
                              boltzmann = expl(-b * x), weight = boltzmann * (long double)l->states;
            if (pass == 1) {
                squares += weight * (x - above / z) * (x - above / z);
                continue;
            }
            z += weight;
            above += weight * x;
            abs_m += boltzmann * (long double)l->abs_m;
            m2 += boltzmann * (long double)l->m2;
            m4 += boltzmann * (long double)l->m4;
        }
    *order = (graph_order){(double)(abs_m / z / n), (double)(m2 / z / (n * n)),
                           (double)(m4 / z / (n * n * n * n))};
    return (exact_result){.e = (double)((lowest + above / z) / n),
                          .c = (double)(b * b * (squares / z) / n),
                          .beta_f = (double)((b * lowest - logl(z)) / n),
                          .s = (double)((b * (above / z) + logl(z)) / n)};
}

graph_order graph_states_order(const graph_states *s, size_t level) {
    const graph_level *const l = &s->level[level];
    const double states = (double)l->states, n = s->sites;
    return (graph_order){(double)l->abs_m / states / n, (double)l->m2 / states / (n * n),
                         (double)l->m4 / states / (n * n * n * n)};
}
