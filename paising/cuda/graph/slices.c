#include "slices.h"

#include <string.h>

static uint32_t degree(const spin_graph *g, uint32_t place) {
    return (uint32_t)(g->first[place + 1] - g->first[place]);
}

/* The group behind `q`, of colour *colour or of a later one. */
static slice_group next_group(const spin_graph *g, slice_group q, uint32_t *colour) {
    q.quad += (q.sites + 3U) / 4;
    q.begin += q.rows;
    q.first += q.sites;
    while (q.first == g->first_of_colour[*colour + 1])
        ++*colour;
    const uint32_t left = g->first_of_colour[*colour + 1] - q.first;
    q.sites = left < SLICE_PLACES ? left & 0xffff : SLICE_PLACES;
    q.rows = 0;
    for (uint32_t i = q.first; i < q.first + q.sites; i++)
        if (degree(g, i) > q.rows)
            q.rows = degree(g, i) & 0xffff;
    return q;
}

/* The largest class, and with the complement the largest number that a rank is compared with. */
static uint32_t largest_class(const graph_slices *s, bool complement) {
    return s->shift ? s->most : complement ? s->most / 2 : (s->most + s->odd) / 2;
}

uint32_t slice_bits(const graph_slices *s, bool complement) {
    uint32_t bits = 2;
    while ((UINT32_C(1) << bits) <= largest_class(s, complement) + complement)
        bits++;
    return bits;
}

/* Whether all bonds have the same |J|, and there are no fields. Sets w. */
static bool is_uniform(const spin_graph *g, graph_slices *s) {
    if (g->bonds == 0)
        return false;
    s->weight = g->weight[0] < 0 ? -g->weight[0] : g->weight[0];
    for (size_t n = 0; n < 2 * g->bonds; n++)
        if (g->weight[n] != s->weight && g->weight[n] != -s->weight)
            return false;
    for (uint32_t i = 0; i < g->sites; i++)
        if (g->field[i] != 0)
            return false;
    return true;
}

graph_slices graph_slices_of(const spin_graph *g) {
    graph_slices s = {0, 0, 0, 0, 0, 0};
    slice_group q = {0, 0, 0, 0, 0};
    bool with[2] = {false, false}; /* even, odd numbers of bonds */
    if (!is_uniform(g, &s))
        return s;
    for (uint32_t i = 0; i < g->sites; i++) {
        with[degree(g, i) % 2] = true;
        s.most = degree(g, i) > s.most ? degree(g, i) : s.most;
    }
    s.shift = with[0] && with[1];
    s.odd = !with[0];
    if (slice_bits(&s, true) > SLICE_MOST_BITS || slice_bits(&s, false) > SLICE_MOST_BITS)
        return s;
    for (uint32_t colour = 0; q.first + q.sites < g->sites; s.groups++)
        q = next_group(g, q, &colour);
    s.rows = (uint64_t)q.begin + q.rows;
    return s;
}

void slice_changes(const graph_slices *s, bool complement, int32_t change[SLICE_RANKS]) {
    const uint32_t most = largest_class(s, complement);
    for (uint32_t rank = 0; rank < SLICE_RANKS; rank++) {
        const uint32_t of = complement ? rank - 1 : rank; /* |v|, or v, of this threshold */
        const int64_t v = of;
        const int64_t m = s->shift ? v : !s->odd ? 2 * v : complement ? 2 * v + 1 : 2 * v - 1;
        change[rank] = rank == 0 || of > most ? -1 : (int32_t)(m * s->weight / 2);
    }
}

void graph_fill_slices(const spin_graph *g, const graph_slices *s, slice_group *group,
                       int32_t *start, uint32_t *link) {
    slice_group q = {0, 0, 0, 0, 0};
    memset(start, 0, (size_t)s->groups * SLICE_PLACES * sizeof *start);
    memset(link, 0, s->rows * SLICE_PLACES * sizeof *link);
    for (uint32_t n = 0, colour = 0; n < s->groups; n++) {
        group[n] = q = next_group(g, q, &colour);
        for (uint32_t k = 0; k < q.sites; k++) {
            const uint32_t i = q.first + k, z = degree(g, i);
            start[n * SLICE_PLACES + k] = -(int32_t)(s->shift ? z : z / 2);
            for (uint32_t row = 0; row < q.rows; row++) {
                const size_t m = g->first[i] + row;
                link[(size_t)(q.begin + row) * SLICE_PLACES + k] =
                    row < z ? 4 * g->neighbour[m] + (g->weight[m] < 0) : 4 * i + 1;
            }
        }
    }
}
