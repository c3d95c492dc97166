/* The exact number of states of every energy of a lattice with couplings +1 and -1. It gives e, C,
 * betaF and S at any temperature as sums of positive terms. */
#ifndef PAISING_ENERGY_STATES_H
#define PAISING_ENERGY_STATES_H

#include "exact.h"
#include "model/couplings.h"

#include <stddef.h>

typedef struct {
    uint64_t sites, bonds;
    size_t words;    /* 64-bit words per count */
    uint64_t *count; /* [bonds + 1][words], lowest word first: see energy_states_count */
} energy_states;

/* Allocates counts for a lattice, all 0; a count is at most 2^sites. Returns false without memory. */
bool energy_states_create(energy_states *states, const couplings *c);
void energy_states_destroy(energy_states *states);

/* The number of states with `unsatisfied` unsatisfied bonds, E = 2 unsatisfied - bonds. */
static inline uint64_t *energy_states_count(const energy_states *states, uint64_t unsatisfied) {
    return states->count + unsatisfied * states->words;
}

/* The same as a long double, rounded; its range suffices up to 2^16384. */
long double energy_states_number(const energy_states *states, uint64_t unsatisfied);

/* Values per spin at beta from 0 to EXACT_MAX_BETA, from sums of positive terms. The relative error
 * is at most 1e-14, and 1e-16 absolute for e near 0, if long double has at least the 64 bits of the
 * x87. */
exact_result energy_states_thermodynamics(const energy_states *states, double beta);

/* A count in decimal digits, which the caller frees; NULL without memory. */
char *energy_states_text(const energy_states *states, uint64_t unsatisfied);

/* Counts the states of a square lattice with even edges and any couplings (square_states.c). Takes
 * seconds at 16 x 16, minutes at 32 x 32; the time grows with the fourth power of the number of
 * sites. Returns false without memory. */
#define SQUARE_STATES_MAX_SITES 1600
bool square_states_count(energy_states *states, const couplings *c);

/* The same for the square ferromagnet, J = +1 and equal edges (kaufman_states.c); a second at 32 x
 * 32. */
bool kaufman_states_count(energy_states *states, const couplings *c);

/* The same for the 4 x 4 x 4 lattice (cubic_states.c); some twenty seconds on one core. */
bool cubic_states_count(energy_states *states, const couplings *c);

#endif
