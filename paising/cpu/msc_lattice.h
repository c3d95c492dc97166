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

typedef struct {
    uint32_t size;      /* L */
    uint32_t columns;   /* L/2 */
    size_t pitch;       /* words from row to row */
    size_t parity_step; /* words from the even to the odd sub-lattice */
    uint32_t *spins;    /* even sub-lattice, row 0, column 0; aligned */
    uint64_t *streams;  /* MWC states, strip by strip, lattice_strip_states() a strip; aligned */
} msc_lattice;

static inline size_t lattice_round_up(size_t n) {
    return (n + LATTICE_ALIGNMENT - 1) / LATTICE_ALIGNMENT * LATTICE_ALIGNMENT;
}

static inline size_t lattice_strip_states(uint32_t size) {
    return lattice_round_up(size / 2);
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

#endif
