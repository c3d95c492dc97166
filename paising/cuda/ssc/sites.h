/* Tables of sites for the single-spin-coded kernels: neighbours and signs of couplings. All
 * replicas share them. */
#ifndef PAISING_CUDA_SSC_SITES_H
#define PAISING_CUDA_SSC_SITES_H

#include "engine/engine.h"

typedef enum { TO_ACROSS, TO_NEXT, TO_ABOVE, TO_BELOW, TO_BEFORE, TO_BEHIND } site_bond;

/* --- the bits of a site --- */

/* Position of a site: its row and layer. Site j in a row of a sub-lattice has the j-th site of the
 * other sub-lattice `across`, to its left or right. Its other neighbour in the row is the next one
 * there in the opposite direction, at the end of a row the first. */
#define SITE_FIRST_ROW   1u
#define SITE_LAST_ROW    2u
#define SITE_FIRST_LAYER 4u
#define SITE_LAST_LAYER  8u
#define SITE_RIGHT       16u
#define SITE_AT_END      32u

/* First of the bits for the bonds to these neighbours: 1 for J = -1. */
#define SITE_BONDS 8

/* Sites of a sub-lattice: in a row, in a layer, in all. */
typedef struct {
    uint32_t row, layer, all;
} site_strides;

/* Returns the index in the other sub-lattice of a neighbour of site i. */
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

/* --- the table of neighbours, for spins that are words --- */

/* Returns the word of site i of a sub-lattice, among 2 half_bytes words. The first sites of all
 * quads come first, then the second ones, and so on: threads with adjacent quads read adjacent
 * words. */
SHARED_FUNCTION uint32_t site_word(uint32_t half_bytes, uint32_t parity, uint32_t i) {
    return parity * half_bytes + i % 4 * (half_bytes / 4) + i / 4;
}

/* Which bonds of a site are missing: bit b for bond b, and whether their number is odd. Of the missing bonds half, rounded down,
 * have the bit of J = -1: a missing bond counts as unsatisfied if it has that, whatever the spins are. */
#define SITE_IS_ODD 64u

/* Words of a site's neighbours, except the one across, whose index is the site's own in the other
 * sub-lattice. The word of bond TO_NEXT + n is half n % 2 of words[n / 2], the low half first.
 * Signs: bit 7 of byte b for bond b < 4, bit 6 of byte b - 4 for the others; 1 for J = -1. Two bits below stands whether the
 * bond is missing; and bit 0 of byte 0 is SITE_IS_ODD. */
typedef struct {
    uint32_t words[3], negative;
} site_neighbours;

C_DECLARATIONS_BEGIN

/* Fills the bits of all sites, site[2][cuda_ssc_half_bytes]. Padding behind the last site of a
 * plane gets the bits of the last row, so that it has neighbours, too. */
void cuda_ssc_fill_sites(const spin_model *model, uint16_t *site);

/* Fills the neighbours of all sites from their bits, in the order of the words. Padding behind the
 * last site of a sub-lattice has neighbours in the other one; no thread writes these while another
 * reads them. */
void cuda_ssc_fill_neighbours(const spin_model *model, const uint16_t *site, site_neighbours *word);

/* Fills the missing bonds of all sites, missing[2][cuda_ssc_half_bytes], which are zero before; and adds them to the words of the
 * neighbours. */
void cuda_ssc_fill_missing(const spin_model *model, uint8_t *missing);
void cuda_ssc_add_missing(const spin_model *model, const uint8_t *missing, site_neighbours *word);

C_DECLARATIONS_END

#endif
