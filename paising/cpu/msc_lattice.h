/* The lattice of one machine word (32 replicas) while it is swept and measured.
 *
 * A row (msc_shape.h) is padded so that column -1 and the one behind the last hold copies of the last and the
 * first, which neighbours in two dimensions are, and so that vectors may run over its end. */
#ifndef PAISING_CPU_MSC_LATTICE_H
#define PAISING_CPU_MSC_LATTICE_H

#include "msc_shape.h"

/* The random streams of a lattice (mode `independent`), and what they decide before the bit planes. */
typedef struct {
    uint32_t *x2, *x1, *c; /* [strips] states of the MWC */
    uint32_t *points; /* [strips] of the group, in the half sweep that the strip drew them for */

    /* [gaps][STRIP_ROWS][pitch] Lanes that points hit in this half sweep, a column a strip: in all classes, in
     * all but the one of the least density, and so on. Zero between the half sweeps, but for columns behind the
     * last strip, which nothing reads as a strip's. */
    uint32_t *hit, pitch;
} msc_streams;

typedef struct {
    const msc_shape *shape;
    uint32_t *memory; /* of all arrays */
    uint32_t *spins;  /* even sub-lattice, row 0, column 0; aligned */
    msc_streams streams;
} msc_lattice;

static inline uint32_t *lattice_row(const msc_lattice *lattice, uint32_t parity, uint32_t row) {
    return lattice->spins + parity * lattice->shape->half + row * lattice->shape->pitch;
}

/* Restores the copies at both ends of a row after its columns were written. Rows must be written in
 * rising order: a vector that runs over the end of a row may spoil the next row's column -1. */
static inline void lattice_close_row(uint32_t *row, uint32_t columns) {
    row[-1] = row[columns - 1];
    row[columns] = row[0];
}

/* Bytes of a lattice with its streams. */
size_t lattice_bytes(const spin_model *model);

/* Makes an empty lattice of a shape, which must last as long. Returns 0, or -1 without memory. */
int lattice_create(msc_lattice *lattice, const msc_shape *shape);
void lattice_destroy(msc_lattice *lattice);

#endif
