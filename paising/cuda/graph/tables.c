#include "tables.h"

#include <string.h>

/* Calls for the quads of all colours. Returns the quad behind q; its `end` says how many rows there are up to it. */
static graph_quad next_quad(const spin_graph *g, graph_quad q, uint32_t *colour) {
    q.first += q.sites;
    while (q.first == g->first_of_colour[*colour + 1])
        ++*colour;
    const uint32_t left = g->first_of_colour[*colour + 1] - q.first;
    size_t most = 0; /* neighbours of any of its places */
    q.sites = left < 4 ? left : 4;
    for (uint32_t i = q.first; i < q.first + q.sites; i++) {
        const size_t own = g->first[i + 1] - g->first[i];
        most = own > most ? own : most;
    }
    q.begin = q.end;
    q.end += (uint32_t)most;
    return q;
}

graph_sizes graph_sizes_of(const spin_graph *g) {
    graph_sizes sizes = {0, 0};
    graph_quad q = {0, 0, 0, 0};
    for (uint32_t colour = 0; q.first + q.sites < g->sites; sizes.quads++)
        q = next_quad(g, q, &colour);
    sizes.rows = q.end;
    return sizes;
}

void graph_fill_tables(const spin_graph *g, graph_quad *quad, int32_t *base, graph_row *row) {
    graph_quad q = {0, 0, 0, 0};
    for (uint32_t n = 0, colour = 0; q.first + q.sites < g->sites; n++) {
        quad[n] = q = next_quad(g, q, &colour);
        memset(base + 4 * n, 0, 4 * sizeof *base);
        memset(row + q.begin, 0, (q.end - q.begin) * sizeof *row);
        for (uint32_t k = 0; k < q.sites; k++) {
            const uint32_t i = q.first + k;
            base[4 * n + k] = g->base[i];
            for (size_t m = g->first[i]; m < g->first[i + 1]; m++)
                row[q.begin + (m - g->first[i])].of[k] =
                    (graph_neighbour){4 * g->neighbour[m], g->weight[m]};
        }
    }
}
