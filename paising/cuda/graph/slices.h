/* The tables by which kernels update 32 places of a graph at once, a place a lane (slices.cuh). They are for graphs whose bonds
 * have the same |J|, without fields and with few neighbours a site.
 *
 * A flip costs w m / 2, where w = 4 |J| / spacing and m = 2 k - z, with k of z bonds satisfied. Its class v is m, or where all
 * sites have an even number of bonds m / 2, an odd number (m + 1) / 2: the flips with v <= 0 do not raise the energy. Of the opposite
 * flip m changes its sign. */
#ifndef PAISING_CUDA_GRAPH_SLICES_H
#define PAISING_CUDA_GRAPH_SLICES_H

#include "model/graph.h"

#define SLICE_PLACES    32 /* of a group */
#define SLICE_MOST_BITS 4  /* of the number of a class */
#define SLICE_RANKS     (1 << SLICE_MOST_BITS)

/* A group: up to 32 places of a colour that follow each other. */
typedef struct {
    uint32_t first; /* place */
    uint32_t quad;  /* number of its first quad (tables.h) */
    uint32_t begin; /* its first row of links */
    uint32_t sites : 16, rows : 16;
} slice_group;

typedef struct {
    uint32_t groups; /* 0: such kernels do not fit the graph */
    uint64_t rows;   /* of links, 32 each */
    uint32_t shift;  /* 1 where there are even and odd numbers of bonds: v = 2 k - z, else 0 */
    uint32_t odd;    /* 1 where all numbers of bonds are odd */
    uint32_t most;   /* bonds of a site */
    int32_t weight;  /* w */
} graph_slices;

C_DECLARATIONS_BEGIN

/* The sizes of the tables of a graph. */
graph_slices graph_slices_of(const spin_graph *g);

/* The binary digits of the ranks of random numbers (below), 1 to SLICE_MOST_BITS. */
uint32_t slice_bits(const graph_slices *s, bool complement);

/* Fills change[SLICE_RANKS] with changes of the energy whose thresholds random numbers are compared with. The rank of a number says
 * below how many of the thresholds 1, 2, ... it is. A spin in class v flips if v is not above the rank; with the
 * complement, if |v|, of odd numbers of bonds |v - 1/2| - 1/2, is below the rank. -1: there is no such change. */
void slice_changes(const graph_slices *s, bool complement, int32_t change[SLICE_RANKS]);

/* Fills group[groups], start[groups][32], the class of a site with no bond satisfied, and link[rows][32]. A link is 4 times the
 * place of a neighbour, and 1 where J < 0. Places with fewer neighbours than others of their group have links to themselves with J < 0,
 * which are never satisfied. */
void graph_fill_slices(const spin_graph *g, const graph_slices *s, slice_group *group,
                       int32_t *start, uint32_t *link);

C_DECLARATIONS_END

#endif
