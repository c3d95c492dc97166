/* Updates, of three kinds:
 *
 *     local    the probability that a single spin flips, as a function of the energy that its flip costs
 *     cluster  the probability that a bond between parallel spins is left out of the clusters
 *     order    the order of sites in which local updates are made (orders.c)
 *
 * An update is a file, such as heat_bath.c, and a line in update_list.h. Engines never see it: they are told the
 * probabilities as integers (flip_rule in engine/engine.h), and how flips that cost no energy are decided. */
#ifndef PAISING_UPDATE_H
#define PAISING_UPDATE_H

#include "base/portable.h"

/* How a flip that costs no energy, dE <= 0, is decided, from the special to the general. P(dE) is the probability of a
 * flip. */
typedef enum {
    DOWNHILL_ALWAYS,     /* it is always made: P = 1 */
    DOWNHILL_COMPLEMENT, /* P(-dE) = 1 - P(dE), P(0) = 1/2, and P(dE) <= 1/2 above 0 */
    DOWNHILL_OF_ITS_OWN  /* with a probability of its own for each dE; single-spin coding only */
} downhill_flips;

/* Which clusters of an update are flipped. */
typedef enum {
    CLUSTERS_NONE, /* the update is local */
    CLUSTERS_ALL,  /* each one with probability 1/2 (Swendsen-Wang) */
    CLUSTERS_ONE   /* that of a random site (Wolff) */
} cluster_flips;

/* The order in which local updates visit the sites of a lattice (engine/visits.h). */
typedef enum {
    VISIT_CHECKERBOARD, /* the even sub-lattice, then the odd one */
    VISIT_TILES, /* k times the two sub-lattices of each tile; tiles of one colour, then the others */
    VISIT_SEQUENTIAL,    /* row by row */
    VISIT_RANDOM,        /* as many random sites as there are */
    VISIT_DOUBLE_TILING, /* random sites of one part of each tile, then of the next part */
    VISIT_DEAD_BORDER    /* random sites of each tile but those at its edge, which moves */
} visit_order;

typedef struct {
    const char *name;

    /* The same bits on every machine: ieee_math.h, no libm.
     *   local    P(dE) at inverse temperature beta >= 0, for each dE > 0 that a flip can cost; with DOWNHILL_OF_ITS_OWN for
     *            the others as well
     *   cluster  the probability that a bond is left out, where breaking it costs dE
     *   order    NULL: --acceptance names the local update whose probabilities it has */
    double (*accept)(double beta, double delta_e);
    downhill_flips downhill; /* local updates */
    cluster_flips clusters;  /* cluster updates; CLUSTERS_NONE: the update is no such */
    visit_order order;       /* orders; VISIT_CHECKERBOARD: the update is no such */
} update_kind;

C_DECLARATIONS_BEGIN

#define UPDATE(file, name, meaning) extern const update_kind file##_update;
#include "update_list.h"
#undef UPDATE

/* How many there are, and the number of each. */
enum {
#define UPDATE(file, name, meaning) UPDATE_OF_##file,
#include "update_list.h"
#undef UPDATE
    UPDATES
};

/* The local updates, of which --acceptance takes one: all that stand before the clusters in the list. */
enum { ACCEPTANCES = UPDATE_OF_swendsen_wang };

/* All updates, in the order of the list; the first is the default. NULL ends the table. */
extern const update_kind *const update_kinds[UPDATES + 1];

C_DECLARATIONS_END

#endif
