/* The states of the 4 x 4 x 4 lattice, counted by its even spins (x + y + z even).
 *
 * The lattice is a checkerboard: the neighbours of the 32 odd sites are even. Given the even spins,
 * an odd spin leaves k of its 6 bonds unsatisfied if it is up and 6 - k if it is down,
 * independently of other odd spins. Therefore only the numbers of odd sites with k = 0, 1, ... 6
 * matter. These are counted here. */
#ifndef PAISING_CHECKERBOARD_H
#define PAISING_CHECKERBOARD_H

#include "model/couplings.h"

#define CHECKERBOARD_EDGE       4
#define CHECKERBOARD_SITES      64
#define CHECKERBOARD_HALF       32 /* even or odd sites */
#define CHECKERBOARD_NEIGHBOURS 6
#define CHECKERBOARD_BONDS      192

/* The classes of odd sites. */
typedef enum {
    CHECKERBOARD_BY_FIELD, /* by |k - 3| = 3, 2, 1, 0, which decides the energies */
    CHECKERBOARD_BY_K      /* by k = 0, 1, ... 6 */
} checkerboard_classes;

#define CHECKERBOARD_MOST_CLASSES 7
#define CHECKERBOARD_FIELD_BINS   6545    /* C(35, 3) */
#define CHECKERBOARD_K_BINS       2760681 /* C(38, 6) */

/* The bin for numbers n[0], n[1], ... of odd sites in all classes but the last. Bins are the
 * compositions of 32, in order. */
size_t checkerboard_bin(checkerboard_classes classes, const uint32_t *n);

/* Counts the 2^31 states of the even spins with the last spin up. Returns the bins, which the
 * caller frees; NULL without memory. Takes some twenty seconds on one core by fields, a minute by
 * k. */
uint64_t *checkerboard_count(const couplings *c, checkerboard_classes classes);

#endif
