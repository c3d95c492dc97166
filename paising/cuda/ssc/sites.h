/* What kernels of single-spin coding must know of the sites of a lattice: where their neighbours stand, and which
 * couplings are -1. It is the same for all replicas. */
#ifndef PAISING_CUDA_SSC_SITES_H
#define PAISING_CUDA_SSC_SITES_H

#include "engine/engine.h"

typedef enum { TO_ACROSS, TO_NEXT, TO_ABOVE, TO_BELOW, TO_BEFORE, TO_BEHIND } site_bond;

/* --- the bits of a site --- */

/* In which rows and layers it is. In a row of its sub-lattice it is the j-th, and stands left or right of the j-th of
 * the other one, which is across; its other neighbour in the row is the next one there, to its own left or right: at
 * the end of a row the first. */
#define SITE_FIRST_ROW   1u
#define SITE_LAST_ROW    2u
#define SITE_FIRST_LAYER 4u
#define SITE_LAST_LAYER  8u
#define SITE_RIGHT       16u
#define SITE_AT_END      32u

/* From this bit on, for the bonds to these neighbours: 1 for J = -1. */
#define SITE_BONDS 8

/* Sites of a sub-lattice in a row, in a layer, and in all. */
typedef struct {
    uint32_t row, layer, all;
} site_strides;

/* The number of the neighbour of site i of a sub-lattice, in the other one. */
SHARED_FUNCTION uint32_t site_neighbour(site_strides s, uint32_t i, uint32_t bits, site_bond bond) {
    const uint32_t end = bits & SITE_AT_END ? s.row : 0;
    switch (bond) {
    case TO_NEXT:
        return bits & SITE_RIGHT ? i + 1 - end : i - 1 + end;
    case TO_ABOVE:
        return i - s.row + (bits & SITE_FIRST_ROW ? s.layer : 0);
    case TO_BELOW:
        return i + s.row - (bits & SITE_LAST_ROW ? s.layer : 0);
    case TO_BEFORE:
        return i - s.layer + (bits & SITE_FIRST_LAYER ? s.all : 0);
    case TO_BEHIND:
        return i + s.layer - (bits & SITE_LAST_LAYER ? s.all : 0);
    default: /* TO_ACROSS */
        return i;
    }
}

/* --- the same as a table, for spins that are words --- */

/* The word of site i of a sub-lattice, among 2 half_bytes of them. The first sites of all quads stand together, then the
 * second ones, ...: threads that take quads side by side read words side by side. */
SHARED_FUNCTION uint32_t site_word(uint32_t half_bytes, uint32_t parity, uint32_t i) {
    return parity * half_bytes + i % 4 * (half_bytes / 4) + i / 4;
}

/* The words of the neighbours of a site, but of the one across, whose number is the site's own in the other sub-lattice:
 * that of bond TO_NEXT + n is half n % 2 of number n / 2, the low one first. And bit 7 of byte b for the coupling of bond
 * b < 4, bit 6 of byte b - 4 for the others: 1 for J = -1. */
typedef struct {
    uint32_t words[3], negative;
} site_neighbours;

C_DECLARATIONS_BEGIN

/* The bits of all sites, site[2][cuda_ssc_half_bytes]. What stands behind the last of a plane is as if in its last row, so
 * that it has neighbours, too. */
void cuda_ssc_fill_sites(const spin_model *model, uint16_t *site);

/* The neighbours of all sites in the order of their words, from their bits. Padding behind the last site of a
 * sub-lattice has neighbours in the other one, too: nobody writes these while a thread reads them. */
void cuda_ssc_fill_neighbours(const spin_model *model, const uint16_t *site, site_neighbours *word);

C_DECLARATIONS_END

#endif
