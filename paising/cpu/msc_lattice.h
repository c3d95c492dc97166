/* The lattice of one machine word (32 replicas) while it is swept and measured.
 *
 * A row (msc_shape.h) is padded: column -1 holds a copy of the last column and the column behind
 * the last a copy of the first, its neighbours in two dimensions. Vectors may extend over the end
 * of a row. */
#ifndef PAISING_CPU_MSC_LATTICE_H
#define PAISING_CPU_MSC_LATTICE_H

#include "msc_shape.h"

#include <string.h>

/* The random streams of a lattice in mode `independent`, and the decisions made before the bit
 * planes. */
typedef struct {
    uint32_t *x2, *x1, *c; /* [strips] states of the MWC */
    uint32_t *points; /* [strips] numbers of points of the group, for the half sweep for which the
                       * strip drew them */

    /* [gaps][STRIP_ROWS][pitch] Lanes hit by points in this half sweep, one column per strip. Index
     * 0: hits that count in all classes; 1: in all but the class of least density; and so on. Zero
     * between half sweeps, except for columns behind the last strip, which are never used. */
    uint32_t *hit, pitch;
} msc_streams;

typedef struct {
    const msc_shape *shape;
    uint32_t *memory; /* the block that contains all arrays */
    uint32_t *spins;  /* even sub-lattice, row 0, column 0; aligned to a vector */
    msc_streams streams;
} msc_lattice;

static inline uint32_t *lattice_row(const msc_lattice *lattice, uint32_t parity, uint32_t row) {
    return lattice->spins + parity * lattice->shape->half + row * lattice->shape->pitch;
}

/* Restores the copies at both ends of a row after its columns were written. Rows must be written in
 * rising order, because a vector over the end of a row may overwrite column -1 of the next. */
static inline void lattice_close_row(uint32_t *row, uint32_t columns) {
    row[-1] = row[columns - 1];
    row[columns] = row[0];
}

/* Copies row 0 of a sub-lattice behind its last row, where rows without sites begin (msc_shape.h). */
static inline void lattice_close_column(const msc_lattice *lattice, uint32_t parity) {
    const msc_shape *const shape = lattice->shape;
    if (shape->height < shape->rows)
        memcpy(lattice_row(lattice, parity, shape->height) - 1, lattice_row(lattice, parity, 0) - 1,
               (shape->columns + 2) * sizeof(uint32_t));
}

/* Bytes of a lattice with its random streams. */
size_t lattice_bytes(const spin_model *model);

/* Allocates a lattice of zeros. The shape must outlive it. Returns 0, or -1 without memory. */
int lattice_create(msc_lattice *lattice, const msc_shape *shape);
void lattice_destroy(msc_lattice *lattice);

#endif
