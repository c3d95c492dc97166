/* The strips of a lattice in multi-spin coding (streams.h): 16 sites each, or fewer at the end of a lattice. */
#ifndef PAISING_STRIPS_H
#define PAISING_STRIPS_H

#include "model/model.h"

#define STRIP_SITES 16

/* In two dimensions a strip is eight rows of a column, so that those of the last row of strips may have fewer; in three it
 * is two cells, of which the last strip may have one. */
static inline uint64_t lattice_strips(const spin_model *m) {
    if (m->dimension == 2 && m->graph == NULL)
        return (uint64_t)(m->edge[0] / 2) * ((m->edge[1] + 7) / 8);
    return (m->sites + STRIP_SITES / 2) / STRIP_SITES;
}

/* Whether edges of a lattice in two dimensions are no multiples of 16, which the mode `independent` alone takes. */
static inline bool has_uneven_edges(const spin_model *m) {
    return m->edge[0] % STRIP_SITES != 0 || m->edge[1] % STRIP_SITES != 0;
}

#endif
