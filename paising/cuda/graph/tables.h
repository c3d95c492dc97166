/* The tables by which kernels find the neighbours of a graph's places. Quads are four places of a colour, or fewer at its end. */
#ifndef PAISING_CUDA_GRAPH_TABLES_H
#define PAISING_CUDA_GRAPH_TABLES_H

#include "model/graph.h"

/* A quad: its places, and where its neighbours begin. */
typedef struct {
    uint32_t first;      /* place of its first site */
    uint32_t sites;      /* 1 to 4 */
    uint32_t begin, end; /* its rows */
} graph_quad;

/* A neighbour: 4 times its place, which is its offset in bytes, and 4 J / spacing. */
typedef struct {
    uint32_t offset;
    int32_t weight;
} graph_neighbour;

/* A row: the n-th neighbour of each of the sites of a quad. Places with fewer have neighbours of weight 0, and so have missing
 * sites. */
typedef struct {
    graph_neighbour of[4];
} graph_row;

/* How many there are of each. */
typedef struct {
    uint32_t quads;
    uint64_t rows;
} graph_sizes;

C_DECLARATIONS_BEGIN

graph_sizes graph_sizes_of(const spin_graph *g);

/* Fills quad[quads], base[4 quads], with that of each site of a quad and 0 where there is none, and row[rows]. */
void graph_fill_tables(const spin_graph *g, graph_quad *quad, int32_t *base, graph_row *row);

C_DECLARATIONS_END

#endif
