/* The positions of sites in the lattice of a machine word (32 replicas), and tables that all
 * lattices of a model share. Threads only read them.
 *
 * A sub-lattice has rows and columns of words; eight rows of a column are the sites of a strip (streams.h). In two
 * dimensions rows are rows of the lattice: column j of row y is the site x = 2 j + ((y + sub-lattice) mod 2). If Ly is no
 * multiple of eight, the rows behind the last one are of no site; the first of them has a copy of row 0, its neighbour,
 * while the lattice is swept and measured. In three dimensions there are eight rows, and a column is a strip: row r of
 * column s is site r mod 4 of cell 2 s + r / 4. If the number of cells is odd, four words of the last column are unused and
 * may hold anything.
 *
 * All neighbours of a site are in the other sub-lattice. Of its two neighbours along a direction,
 * the inner one shares its pair of coordinates 2 j, 2 j + 1; the other one is the outer neighbour.
 * The numbers of neighbours are:
 *
 *     two dimensions    0 above, 1 below, 2 inner in x, 3 outer in x
 *     three             0, 1, 2 inner in x, y, z, 3, 4, 5 outer in x, y, z */
#ifndef PAISING_CPU_MSC_SHAPE_H
#define PAISING_CPU_MSC_SHAPE_H

#include "model/model.h"

#define VECTOR_ALIGNMENT 16 /* in words: the widest vector */
#define STRIP_ROWS       8  /* rows per random stream (streams.h) */
#define CELL_ROWS        4  /* rows per cell in three dimensions */

/* Offsets in words from a row of one cell of each strip to the outer neighbours in a direction:
 * `within` inside the lattice, `beyond` across its boundary, where over[column] is ~0. */
typedef struct {
    ptrdiff_t within, beyond;
    const uint32_t *over; /* [columns] */
} msc_way;

typedef struct {
    uint32_t dimension, edge[MODEL_MAX_DIMENSION];
    size_t sites;           /* N */
    uint32_t rows, columns; /* of a sub-lattice; whole strips */
    uint32_t height;        /* rows with sites */
    uint32_t filled[2]; /* columns with sites in the first and in the last four rows of a strip */
    size_t pitch;       /* words from row to row while a lattice is swept */
    size_t half;        /* words from the even to the odd sub-lattice while a lattice is swept */
    /* of the lattice, lanes that follow each other (model_stripe); 1: it is whole */
    uint32_t stripes;
    uint32_t first_lanes;      /* lanes that are the first stripe of a lattice */
    uint32_t neighbours, gaps; /* neighbours of a site; positive energies of a flip */
    /* [2][neighbours][rows][pitch] ~0 for J = -1, or bit b of sample b; NULL: all +1 */
    uint32_t *bonds;
    /* likewise ~0 for bonds that are there; NULL: all are. A missing bond counts as unsatisfied if its word in bonds[]
     * is ~0 (model_counted_at_lowest) */
    uint32_t *there;
    uint32_t *odd;   /* [2][rows][pitch] ~0 for sites with an odd number of bonds; NULL likewise */
    uint32_t *place; /* [N] position of site i (engine.h) in the population; NULL: i */
    uint32_t *over;  /* memory of the arrays `over` */
    msc_way way[MODEL_MAX_DIMENSION][2][2]; /* [direction][backward, forward][cell in the strip] */
} msc_shape;

/* The shape of a model's lattice without arrays, which are NULL. */
msc_shape shape_of(const spin_model *model);

/* Creates the shape of a model's lattice. Returns 0, or -1 without memory. */
int shape_create(msc_shape *shape, const spin_model *model);
void shape_destroy(msc_shape *shape);
uint64_t shape_bytes(const spin_model *model);

/* Words of a lattice in the population, [2][rows][columns]. */
size_t shape_words(const msc_shape *shape);

/* Number of strips. */
static inline uint32_t shape_strips(const msc_shape *shape) {
    return shape->rows / STRIP_ROWS * shape->columns;
}

static inline size_t round_up_to_vectors(size_t n) {
    return (n + VECTOR_ALIGNMENT - 1) / VECTOR_ALIGNMENT * VECTOR_ALIGNMENT;
}

#endif
