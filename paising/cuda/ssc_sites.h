/* What kernels of single-spin coding must know of the sites of a lattice: which neighbours are beyond an edge, and which
 * couplings are -1. It is the same for all replicas. */
#ifndef PAISING_CUDA_SSC_SITES_H
#define PAISING_CUDA_SSC_SITES_H

#include "engine/engine.h"

/* Bits of a site: in which rows and layers it is. In a row of its sub-lattice it is the j-th, and stands left or
 * right of the j-th of the other one, which is across; its other neighbour in the row is the next one there, to its
 * own left or right: at the end of a row the first. */
#define SITE_FIRST_ROW   1u
#define SITE_LAST_ROW    2u
#define SITE_FIRST_LAYER 4u
#define SITE_LAST_LAYER  8u
#define SITE_RIGHT       16u
#define SITE_AT_END      32u

/* From this bit on, for the bonds to these neighbours: 1 for J = -1. */
#define SITE_BONDS 8
typedef enum { TO_ACROSS, TO_NEXT, TO_ABOVE, TO_BELOW, TO_BEFORE, TO_BEHIND } site_bond;

C_DECLARATIONS_BEGIN

/* The bits of all sites, site[2][cuda_ssc_half_bytes]; those behind the last of a sub-lattice are left alone. */
void cuda_ssc_fill_sites(const spin_model *model, uint16_t *site);

C_DECLARATIONS_END

#endif
