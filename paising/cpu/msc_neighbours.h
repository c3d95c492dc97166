/* The neighbours of the sites of a strip, for a vector of columns, in the order of msc_shape.h.
 * Neighbours over a bond with J = -1 are inverted, so that a bond is satisfied where both ends are
 * equal. */
#ifndef PAISING_CPU_MSC_NEIGHBOURS_H
#define PAISING_CPU_MSC_NEIGHBOURS_H

#include "msc_lattice.h"
#include "msc_vector.h"

/* The bonds of a lattice: all +1, with a J each, or possibly missing, too. */
typedef enum { BONDS_EQUAL, BONDS_COUPLED, BONDS_CUT } bond_kind;
#define BOND_KINDS 3

static inline bond_kind bonds_of_shape(const msc_shape *shape) {
    return shape->there != NULL ? BONDS_CUT : shape->bonds != NULL ? BONDS_COUPLED : BONDS_EQUAL;
}

/* A sub-lattice while it is swept or measured: local copies of constants, which the compiler need
 * not reload. */
typedef struct {
    uint32_t *own;         /* row 0, column 0 of this sub-lattice */
    const uint32_t *other; /* row 0, column 0 of the other sub-lattice */
    const uint32_t *bonds; /* couplings to the first neighbours */
    const uint32_t *there; /* which of these bonds are there; NULL: all */
    const uint32_t *odd;   /* sites with an odd number of bonds; NULL likewise */
    const msc_shape *shape;
    size_t pitch, half;
    uint32_t parity, rows, height, columns;
} sub_lattice;

TEMPLATE sub_lattice sub_lattice_of(const msc_lattice *lattice, uint32_t parity) {
    const msc_shape *const shape = lattice->shape;
    const size_t first = parity * shape->neighbours * shape->half;
    return (sub_lattice){.own = lattice_row(lattice, parity, 0),
                         .other = lattice_row(lattice, !parity, 0),
                         .bonds = shape->bonds == NULL ? NULL : shape->bonds + first,
                         .there = shape->there == NULL ? NULL : shape->there + first,
                         .odd = shape->odd == NULL ? NULL : shape->odd + parity * shape->half,
                         .shape = shape,
                         .pitch = shape->pitch,
                         .half = shape->half,
                         .parity = parity,
                         .rows = shape->rows,
                         .height = shape->height,
                         .columns = shape->columns};
}

/* The row above the first one of each stripe: that of the stripe before; and the row below the last one. */
TEMPLATE vec32 from_stripe_before(const msc_shape *shape, vec32 row) {
    const uint32_t last = shape->stripes - 1;
    return vec_select(shape->first_lanes - (vec32){0}, row >> last, row << 1);
}

TEMPLATE vec32 from_stripe_behind(const msc_shape *shape, vec32 row) {
    const uint32_t last = shape->stripes - 1;
    return vec_select((shape->first_lanes << last) - (vec32){0}, row << last, row >> 1);
}

/* State of the walk over rows in two dimensions: the previous and the current row of the other
 * sub-lattice. */
typedef struct {
    const uint32_t *row, *behind; /* the current row, and the row behind the last */
    uint32_t left;                /* rows left, with the current one */
    const msc_shape *across;      /* the row behind is that of the next stripe; NULL: it is not */
    ptrdiff_t outer;              /* offset from a word to the outer neighbour in x */
    vec32 above, here;
} row_walk;

TEMPLATE row_walk walk_from(sub_lattice l, uint32_t row, uint32_t rows, uint32_t column) {
    const uint32_t *const first = l.other + column, *const here = first + row * l.pitch;
    const uint32_t above = row ? row - 1 : l.height - 1,
                   behind = row + rows < l.rows ? row + rows : 0;
    row_walk walk = {.row = here,
                     .behind = first + behind * l.pitch,
                     .left = rows,
                     .across = l.shape->stripes > 1 && behind == 0 ? l.shape : NULL,
                     .outer = (row + l.parity) % 2 ? 1 : -1,
                     .above = vec_load(first + above * l.pitch),
                     .here = vec_load(here)};
    if (l.shape->stripes > 1 && row == 0)
        walk.above = from_stripe_before(l.shape, walk.above);
    return walk;
}

/* Fills n[] with the neighbours in the next row of the walk. */
TEMPLATE void find_neighbours_2d(sub_lattice l, row_walk *walk, vec32 n[4]) {
    const uint32_t *const below = --walk->left ? walk->row + l.pitch : walk->behind;
    n[0] = walk->above;
    n[1] = vec_load(below);
    if (walk->left == 0 && walk->across != NULL)
        n[1] = from_stripe_behind(walk->across, n[1]);
    n[2] = walk->here;
    n[3] = vec_load(walk->row + walk->outer);
    walk->row = below;
    walk->outer = -walk->outer;
    walk->above = walk->here;
    walk->here = n[1];
}

/* The outer neighbours in a direction of the sites in row `row`. `odd` says whether the coordinate
 * of these sites in that direction is odd; `to` is the row of the neighbours within their cell. */
TEMPLATE vec32 outer_neighbour(sub_lattice l, uint32_t row, uint32_t to, uint32_t column,
                               uint32_t direction, uint32_t odd) {
    const msc_way *const way = &l.shape->way[direction][odd][row / CELL_ROWS];
    const uint32_t *const from = l.other + to * l.pitch + column;
    vec32 beyond = vec_load(from + way->beyond);
    if (direction == 2 && l.shape->stripes > 1)
        beyond = odd ? from_stripe_behind(l.shape, beyond) : from_stripe_before(l.shape, beyond);
    return vec_select(vec_load(way->over + column), beyond, vec_load(from + way->within));
}

/* Fills n[] with the neighbours of row `row` in three dimensions. */
TEMPLATE void find_neighbours_3d(sub_lattice l, uint32_t row, uint32_t column, vec32 n[6]) {
    const uint32_t y = row % 2, z = row / 2 % 2, x = (y + z + l.parity) % 2, to = row % CELL_ROWS;
    n[0] = vec_load(l.other + row * l.pitch + column);
    n[1] = vec_load(l.other + (row ^ 1) * l.pitch + column);
    n[2] = vec_load(l.other + (row ^ 2) * l.pitch + column);
    n[3] = outer_neighbour(l, row, to, column, 0, x);
    n[4] = outer_neighbour(l, row, to ^ 1, column, 1, y);
    n[5] = outer_neighbour(l, row, to ^ 2, column, 2, z);
}

/* spin: that of the sites, which takes the place of neighbours whose bonds are missing. */
TEMPLATE void find_neighbours(sub_lattice l, uint32_t dimension, bond_kind bonds, row_walk *walk,
                              uint32_t row, uint32_t column, vec32 spin, vec32 n[]) {
    if (dimension == 2)
        find_neighbours_2d(l, walk, n);
    else
        find_neighbours_3d(l, row, column, n);
    for (uint32_t k = 0; bonds != BONDS_EQUAL && k < 2 * dimension; k++) {
        const size_t at = k * l.half + row * l.pitch + column;
        if (bonds == BONDS_CUT)
            n[k] = vec_select(vec_load(l.there + at), n[k], spin);
        n[k] ^= vec_load(l.bonds + at);
    }
}

#endif
