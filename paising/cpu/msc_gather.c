/* Gathers the lattice of 32 children from those of their parents. A few rotations and masks do it,
 * the same for every site. */
#include "msc_sweep.h"

void MSC_NAME(msc_gather)(msc_lattice *lattice, const msc_source *sources, size_t count) {
    const uint32_t rows = lattice->shape->rows, columns = lattice->shape->columns;
    for (uint32_t y = 0; y < 2 * rows; y++) {
        uint32_t *const row = lattice_row(lattice, y / rows, y % rows);
        for (uint32_t j = 0; j < columns; j += VECTOR_WORDS) {
            vec32 words = {0};
            for (size_t n = 0; n < count; n++)
                words |= vec_rotate(vec_load(sources[n].spins + (size_t)y * columns + j),
                                    sources[n].rotation) &
                         sources[n].lanes;
            vec_store(row + j, words);
        }
        lattice_close_row(row, columns);
    }
    lattice_close_column(lattice, 0);
    lattice_close_column(lattice, 1);
}
