/* Where the sites of a machine word's lattice (32 replicas) stand, and what is the same for all lattices of a model:
 * read by every thread.
 *
 * A sub-lattice has rows and columns of words, of which eight rows of a column are the sites of a strip
 * (streams.h). In two dimensions these are the rows of the lattice: column j of row y is the site x = 2 j +
 * ((y + sub-lattice) mod 2). In three dimensions there are eight rows and a column for each strip: row r of
 * column s is site r mod 4 of cell 2 s + r / 4, and where the number of cells is odd the last column has four
 * words that are no site, whatever they hold.
 *
 * All neighbours of a site are in the other sub-lattice. In either direction of space one of them shares its
 * pair of coordinates 2 j, 2 j + 1 and is called inner, the other one is outer:
 *
 *     two dimensions    0 above, 1 below, 2 inner in x, 3 outer in x
 *     three             0, 1, 2 inner in x, y, z, 3, 4, 5 outer in x, y, z */
#ifndef PAISING_CPU_MSC_SHAPE_H
#define PAISING_CPU_MSC_SHAPE_H

#include "model/model.h"

#define VECTOR_ALIGNMENT 16 /* words; the widest vector */
#define STRIP_ROWS       8  /* rows that a random stream serves (streams.h) */
#define CELL_ROWS        4  /* of them a cell of three dimensions has */

/* The way to the outer neighbours of the sites of one cell of each strip in a direction: from a row of a cell's
 * first sites, column s, so many words on; beyond where the lattice ends and `over` has ~0. */
typedef struct {
    ptrdiff_t within, beyond;
    const uint32_t *over; /* [columns] */
} msc_way;

typedef struct {
    uint32_t dimension, edge[MODEL_MAX_DIMENSION];
    size_t sites;           /* N */
    uint32_t rows, columns; /* of a sub-lattice */
    uint32_t filled[2]; /* columns that have sites in the first and the last four rows of a strip */
    size_t pitch;       /* words from row to row while a lattice is swept */
    size_t half;        /* words from the even to the odd sub-lattice, likewise */
    uint32_t neighbours, gaps; /* of a site */
    uint32_t *bonds;           /* [2][neighbours][rows][pitch] ~0 for J = -1; NULL: all +1 */
    uint32_t *place; /* [N] where site i (engine.h) stands in the population; NULL: at i */
    uint32_t *over;  /* what the ways point to */
    msc_way way[MODEL_MAX_DIMENSION][2][2]; /* [direction][backward, forward][cell of the strip] */
} msc_shape;

/* The shape of a model's lattice without its arrays, which are NULL. */
msc_shape shape_of(const spin_model *model);

/* Makes the shape of a model's lattice. Returns 0, or -1 without memory. */
int shape_create(msc_shape *shape, const spin_model *model);
void shape_destroy(msc_shape *shape);
uint64_t shape_bytes(const spin_model *model);

/* Words of a lattice in the population: [2][rows][columns]. */
size_t shape_words(const msc_shape *shape);

/* Strips of a lattice. */
static inline uint32_t shape_strips(const msc_shape *shape) {
    return shape->rows / STRIP_ROWS * shape->columns;
}

static inline size_t round_up_to_vectors(size_t n) {
    return (n + VECTOR_ALIGNMENT - 1) / VECTOR_ALIGNMENT * VECTOR_ALIGNMENT;
}

#endif
