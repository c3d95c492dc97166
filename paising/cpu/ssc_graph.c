/* Sweeps of graphs in single-spin coding. They equal, bit for bit, sweep_graph() in reference/plain_graph.c, and on the
 * graph of a lattice those of ssc_lattice.c. */
#include "engine/ceiling.h"
#include "ssc_lattice.h"

/* Updates the spin at a place by the random number r. *room: up to the ceiling, if there is one. */
static void flip_place(const spin_graph *g, int8_t *spin, uint32_t i, const ssc_flips *flips,
                       uint32_t r, int64_t *room) {
    int32_t change = g->base[i];
    for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
        change += spin[g->neighbour[n]] > 0 ? g->weight[n] : 0;
    change = spin[i] > 0 ? change : -change;
    const bool flip =
        flips->bounded ? flips_below(change, *room, r)
        : flips->fine != NULL
            ? fine_flip(flips->fine, flips->downhill, change * g->spacing, r, flips->u)
            : flip_of_table(flips->table, flips->downhill, change, r, flips->u, flips->of_rest);
    if (flip) {
        spin[i] = (int8_t)-spin[i];
        *room -= change;
    }
}

/* Up to four places of a colour from i to end, of which four are a call. */
static void sweep_quad(const spin_graph *g, int8_t *spin, const ssc_flips *flips, uint32_t quad,
                       uint32_t i, uint32_t end, int64_t *room) {
    const stream_block four = stream_draw(flips->step->key, STREAM_SSC, quad, flips->replica,
                                          flips->sweep, flips->step->temperature);
    for (uint32_t n = 0; n < 4 && i + n < end; n++)
        flip_place(g, spin, i + n, flips, four.number[n], room);
}

static uint32_t quads_of(const spin_graph *g, uint32_t colour) {
    return (g->first_of_colour[colour + 1] - g->first_of_colour[colour] + 3) / 4;
}

/* A sweep below a ceiling (engine/ceiling.h). */
static void sweep_below(const spin_graph *g, int8_t *spin, const ssc_flips *flips) {
    int64_t room = (flips->most - graph_energy(g, spin)) / g->spacing;
    uint32_t quads = 0;
    for (uint32_t c = 0; c < g->colours; c++)
        quads += quads_of(g, c);
    const stream_block random =
        stream_draw(flips->step->key, STREAM_SSC, quads, 0, flips->sweep, flips->step->temperature);
    const quad_order order = order_below(quads, random.number);
    for (uint32_t n = 0, quad = order.first; n < quads; n++, quad = (quad + order.apart) % quads) {
        uint32_t c = 0, of_colour = quad;
        for (; of_colour >= quads_of(g, c); c++)
            of_colour -= quads_of(g, c);
        sweep_quad(g, spin, flips, quad, g->first_of_colour[c] + 4 * of_colour,
                   g->first_of_colour[c + 1], &room);
    }
}

void ssc_graph_sweep(const spin_graph *g, int8_t *spin, const ssc_flips *flips) {
    int64_t room = 0;
    uint32_t quad = 0;
    if (flips->bounded) {
        sweep_below(g, spin, flips);
        return;
    }
    for (uint32_t c = 0; c < g->colours; c++)
        for (uint32_t i = g->first_of_colour[c]; i < g->first_of_colour[c + 1]; i += 4, quad++)
            sweep_quad(g, spin, flips, quad, i, g->first_of_colour[c + 1], &room);
}
