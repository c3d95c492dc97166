/* The neighbours of the sites of a strip, a vector of columns wide, in the order of msc_shape.h. They come as the
 * sites see them, turned where the bond has J = -1: a bond is satisfied where both ends are equal then. */
#ifndef PAISING_CPU_MSC_NEIGHBOURS_H
#define PAISING_CPU_MSC_NEIGHBOURS_H

#include "msc_lattice.h"
#include "msc_vector.h"

/* To be compiled into a place where its constants are known: the dimension, and whether there are couplings. */
#define TEMPLATE static inline __attribute__((always_inline))

/* Row `row` of a sub-lattice in two dimensions. */
TEMPLATE void find_neighbours_2d(const msc_lattice *lattice, uint32_t parity, uint32_t row,
                                 uint32_t column, vec32 n[4]) {
    const uint32_t last = lattice->shape->rows - 1;
    const uint32_t *const here = lattice_row(lattice, !parity, row) + column;
    n[0] = vec_load(lattice_row(lattice, !parity, row ? row - 1 : last) + column);
    n[1] = vec_load(lattice_row(lattice, !parity, row < last ? row + 1 : 0) + column);
    n[2] = vec_load(here);
    n[3] = vec_load((row + parity) % 2 ? here + 1 : here - 1);
}

/* The outer neighbour in a direction of the sites of row `row`: their x, y or z is odd or even, and so are the
 * neighbours, row `to` of the sites of a cell. */
TEMPLATE vec32 outer_neighbour(const msc_lattice *lattice, uint32_t parity, uint32_t row,
                               uint32_t to, uint32_t column, uint32_t direction, uint32_t odd) {
    const msc_way *const way = &lattice->shape->way[direction][odd][row / CELL_ROWS];
    const uint32_t *const from = lattice_row(lattice, !parity, to) + column;
    return vec_select(vec_load(way->over + column), vec_load(from + way->beyond),
                      vec_load(from + way->within));
}

/* Row `row` of a strip in three dimensions. */
TEMPLATE void find_neighbours_3d(const msc_lattice *lattice, uint32_t parity, uint32_t row,
                                 uint32_t column, vec32 n[6]) {
    const uint32_t y = row % 2, z = row / 2 % 2, x = (y + z + parity) % 2,
                   in_cell = row % CELL_ROWS;
    n[0] = vec_load(lattice_row(lattice, !parity, row) + column);
    n[1] = vec_load(lattice_row(lattice, !parity, row ^ 1) + column);
    n[2] = vec_load(lattice_row(lattice, !parity, row ^ 2) + column);
    n[3] = outer_neighbour(lattice, parity, row, in_cell, column, 0, x);
    n[4] = outer_neighbour(lattice, parity, row, in_cell ^ 1, column, 1, y);
    n[5] = outer_neighbour(lattice, parity, row, in_cell ^ 2, column, 2, z);
}

TEMPLATE void find_neighbours(const msc_lattice *lattice, uint32_t dimension, bool coupled,
                              uint32_t parity, uint32_t row, uint32_t column, vec32 n[]) {
    if (dimension == 2)
        find_neighbours_2d(lattice, parity, row, column, n);
    else
        find_neighbours_3d(lattice, parity, row, column, n);
    const msc_shape *const shape = lattice->shape;
    const uint32_t *bonds =
        shape->bonds + parity * 2 * dimension * shape->half + row * shape->pitch + column;
    for (uint32_t k = 0; coupled && k < 2 * dimension; k++, bonds += shape->half)
        n[k] ^= vec_load(bonds);
}

#endif
