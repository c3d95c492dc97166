/* The lattice of one machine word (32 replicas) while it is swept and measured.
 *
 * The spins of a sub-lattice stand row by row, L/2 a row: column j of row y is the site
 * x = 2 j + ((y + sub-lattice) mod 2). All four neighbours of a site are in the other sub-lattice:
 * column j of the rows y - 1, y and y + 1, and in row y column j - 1 if x is even, j + 1 if odd.
 * A row is padded so that column -1 and column L/2 hold copies of the last and the first column,
 * and so that vectors may run over its end. */
#ifndef PAISING_CPU_MSC_LATTICE_H
#define PAISING_CPU_MSC_LATTICE_H

#include <stddef.h>
#include <stdint.h>

#define LATTICE_ALIGNMENT 16 /* words; the widest vector */
#define STRIP_ROWS        8  /* rows that a random stream serves (streams.h) */

/* The random streams of a lattice (mode `independent`), and what they decide before the bit planes. */
typedef struct {
    uint32_t *x2, *x1, *c; /* [strips] states of the MWC */
    uint32_t *points; /* [strips] of the group, in the half sweep that the strip drew them for */
    uint32_t *corner; /* [strips] where a strip's first word stands in hit[] */

    /* Lanes that points hit in this half sweep, rows as in a sub-lattice: in both classes, and `to_denser`
     * words on those in the class of the larger density only. Zero between the half sweeps. */
    uint32_t *hit, to_denser;
} msc_streams;

typedef struct {
    uint32_t size;      /* L */
    uint32_t columns;   /* L/2 */
    size_t pitch;       /* words from row to row */
    size_t parity_step; /* words from the even to the odd sub-lattice */
    uint32_t *spins;    /* even sub-lattice, row 0, column 0; aligned */
    msc_streams streams;
} msc_lattice;

static inline size_t lattice_round_up(size_t n) {
    return (n + LATTICE_ALIGNMENT - 1) / LATTICE_ALIGNMENT * LATTICE_ALIGNMENT;
}

static inline size_t lattice_pitch(uint32_t size) {
    return lattice_round_up(size / 2 + 2);
}

static inline uint32_t *lattice_row(const msc_lattice *lattice, uint32_t parity, uint32_t row) {
    return lattice->spins + parity * lattice->parity_step + row * lattice->pitch;
}

/* Restores the copies at both ends of a row after its columns were written. Rows must be written in
 * rising order: a vector that runs over the end of a row may spoil the next row's column -1. */
static inline void lattice_close_row(uint32_t *row, uint32_t columns) {
    row[-1] = row[columns - 1];
    row[columns] = row[0];
}

/* Bytes of a lattice with its streams. */
size_t lattice_bytes(uint32_t size);

/* Makes an empty lattice. Returns 0, or -1 without memory. */
int lattice_create(msc_lattice *lattice, uint32_t size);
void lattice_destroy(msc_lattice *lattice);

#endif
